"""The functions that every engine must offer to the reasoner, by name; each engine says them in its own words.

A function without a value for its arguments gives SQL NULL. Sets and lists are arrays, sets sorted and without doubles;
a record is an array of (k, v, n) sorted by k: attribute, value, and the label of the null that stands instead of it. An
``any`` is a text whose first letter tells the type: s text, n number, b boolean, d date, t timestamp, x labelled null.
"""

from __future__ import annotations

SCALAR = [
    "abs",
    "round",
    "floor",
    "ceil",
    "sqrt",
    "exp",
    "ln",
    "power",
    "mod",
    "least",
    "greatest",
    "length",
    "lower",
    "upper",
    "trim",
    "substring",
    "concat",
    "replace",
    "contains",
    "starts_with",
    "ends_with",
    "text",
    "number",
    "integer",
    "date",
    "timestamp",
    "year",
    "month",
    "day",
    "days_between",
    "add_days",
]
"""As in the table of the language."""

DIVISION = ("divide", "significant")
"""divide(a, b): number division, NULL by zero; significant(x): rounded to 14 significant digits."""

AGGREGATES = ("sum_of", "product_of", "set_of", "record_of")
"""sum_of(x), product_of(x): over a group; set_of(x): the sorted array of different values; record_of(k, v, n)."""

SETS = ("set_made", "set_union", "set_minus", "set_intersect", "has", "is_subset", "size", "list_made", "members")
"""set_made(x, ...), list_made(x, ...), has(set, x), is_subset(part, whole); members(set) stands in FROM, a row each."""

RECORDS = ["record_made", "value_at", "label_at", "cut", "put", "keys", "is_part", "maybe_same", "holds_null"]
"""record_made(k, v, n, ...), value_at(r, k), label_at(r, k), cut(r, set), put(r, k, v, n), keys(r), is_part(r1, r2);
maybe_same(r1, r2): same attributes, and in each the same value or at least one null; holds_null(r)."""

PAIRS = ("pair", "first", "second")

ANY = [
    "any_text",
    "any_number",
    "any_boolean",
    "any_date",
    "any_timestamp",
    "any_null",
    "text_any",
    "number_any",
    "boolean_any",
    "date_any",
    "timestamp_any",
    "label_any",
]
"""any_text(x): a text as ``any``, and so on; text_any(a): the text of an ``any``, NULL if it is something else."""

ALL = (*SCALAR, *DIVISION, *AGGREGATES, *SETS, *RECORDS, *PAIRS, *ANY)
