"""The dictionary of the released file: labels, kinds and categories of what is there, and nothing about what is not.

A list of values tells that somebody has each of them. Labels, orders and missing codes of a source may have been
collected from its own data, so that after a rare value is suppressed its label would still say that it was there. They
are cut to what the released data still hold, in every attribute that was touched; in an attribute that was not
touched, everything is as public as before, and the lists stay whole. Hierarchies stay behind: they list values too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from tacita.engines.plans.terms import as_double, as_text, cell, named, number
from tacita.engines.protocol import Relation
from tacita.model.attribute import Attribute, Category, Kind
from tacita.model.dictionary import Dictionary, MissingAs
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.release.records.tuples import Tuples

SPSS = (".sav", ".zsav", ".por")
"""Endings of files in which empty text is a value, unless it is declared missing."""
_AT_ONCE = 5_000
_COLUMNS = 400
"""Columns that are looked at by one plan."""
_SPELLINGS = 50
"""So many spellings of a missing value are looked at; a column with more of them has something else in it."""
_RANGE_OR_TAG = re.compile(r".*\.\..*|\.[a-zA-Z_]")


def released_dictionary(
    before: Microdata,
    after: Dictionary,
    tuples: Tuples,
    missing_as: MissingAs,
    ending: str,
    changed: frozenset[str] | None = None,
) -> Dictionary:
    """Return the dictionary of the released records; `missing_as` is how the claim counts empty cells.

    SPSS has no other way to say that a text is not there than to declare empty text missing, in attributes that were
    changed; `changed` are those that were touched, unless given. Elsewhere an empty text is a value as before.
    """
    columns = {column.name: column for column in tuples.relation.columns}
    types = {column.name: column.type for column in before.columns}
    spellings = _missing_spellings(tuples.relation)
    attributes = [
        _released(attribute, columns[attribute.name], types.get(attribute.name), tuples, spellings)
        for attribute in after
        if attribute.name in columns
    ]
    dictionary = replace(after, attributes=tuple(attributes), scenarios={}, missing_as=missing_as)
    if ending not in SPSS:
        return dictionary
    texts = {name for name, column in columns.items() if column.type is ColumnType.TEXT}
    texts &= tuples.touched if changed is None else changed
    return dictionary.mapped(
        lambda a: a.with_(missing=(*a.missing, "")) if a.name in texts and "" not in a.missing else a
    )


def _released(
    attribute: Attribute,
    column: Column,
    before: ColumnType | None,
    tuples: Tuples,
    missing_spellings: dict[str, list[str]],
) -> Attribute:
    attribute = attribute.with_(hierarchy="", hierarchy_rule={})
    if column.name in tuples.pseudonymised:
        return Attribute(column.name, Category.NON_IDENTIFYING, Kind.TEXT, attribute.description)
    if column.name in tuples.renumbered:
        return Attribute(column.name, Category.CLUSTER_KEY, Kind.CATEGORICAL, attribute.description)
    spellings = missing_spellings.get(column.name, [])
    missing = tuple(dict.fromkeys([*attribute.missing, *spellings]))
    if column.name not in tuples.touched:
        return attribute.with_(missing=missing if spellings else attribute.missing)
    still = set(spellings)
    codes = occurring(tuples.relation, column, attribute.labels)
    missing = tuple(m for m in missing if m in still or (spellings and _RANGE_OR_TAG.fullmatch(m)))
    same_type = before is column.type
    return attribute.with_(
        labels={code: label for code, label in attribute.labels.items() if code in codes or code in still},
        missing=missing if same_type else tuple(m for m in missing if m in still),
        order=_order(attribute, column, tuples.relation),
        kind=attribute.kind if same_type or attribute.kind is not Kind.CONTINUOUS else Kind.CATEGORICAL,
        format=attribute.format if same_type else "",
    )


def occurring(relation: Relation, column: Column, codes: Iterable[str]) -> set[str]:
    """Return which of some codes, given as text, stand in a column."""
    terms = {code: _value(column, code) for code in codes}
    known = [(code, term) for code, term in terms.items() if term is not None]
    present: set[str] = set()
    is_number = column.type.is_numeric
    value: exp.Expr = exp.column(column.physical)
    value = as_double(value) if is_number else as_text(value)
    for start in range(0, len(known), _AT_ONCE):
        part = known[start : start + _AT_ONCE]
        plan = exp.select(exp.alias_(value, "v")).distinct().from_(relation.source())
        among = exp.In(this=value.copy(), expressions=[term for _, term in part])
        there = {row["v"] for row in relation.engine.run(plan.where(among))}
        present |= {code for code, _ in part if (float(code) if is_number else code) in there}
    return present


def _value(column: Column, code: str) -> exp.Expr | None:
    """Return a code as a value of the column; None if it cannot be one."""
    if not column.type.is_numeric:
        return exp.Literal.string(code)
    try:
        value = float(code)
    except ValueError:
        return None
    return number(value) if value - value == 0 else None


def _order(attribute: Attribute, column: Column, relation: Relation) -> tuple[str, ...]:
    """Return the order of the values that are left, or none if there are values that it does not know."""
    if not attribute.order:
        return ()
    left = occurring(relation, column, attribute.order)
    value = exp.column(column.physical)
    counted = exp.alias_(exp.Count(this=exp.Distinct(expressions=[value])), "n")
    distinct = int(relation.engine.run(exp.select(counted).from_(relation.source()))[0]["n"])
    return tuple(value for value in attribute.order if value in left) if distinct == len(left) else ()


def _missing_spellings(relation: Relation) -> dict[str, list[str]]:
    """Return how missing values are spelt in the released file, for each column in which they are not just empty."""
    respelled = [column for column in relation.columns if column.as_written]
    spelt = []
    for start in range(0, len(respelled), _COLUMNS):
        part = respelled[start : start + _COLUMNS]
        terms = [
            named(exp.Count(this=exp.Case(ifs=[exp.If(this=_is_spelt(c), true=number(1))])), f"n{place}")
            for place, c in enumerate(part)
        ]
        counts = relation.engine.run(exp.select(*terms, copy=False).from_(relation.source(), copy=False))[0]
        spelt += [column for place, column in enumerate(part) if counts[f"n{place}"]]
    return {column.name: _spellings_of(relation, column) for column in spelt}


def _is_spelt(column: Column) -> exp.Expr:
    """Return the condition that a cell has no value and yet something is written in it."""
    absent = exp.Is(this=cell(column.physical), expression=exp.Null())
    assert column.as_written is not None
    written = exp.Not(this=exp.Is(this=cell(column.as_written), expression=exp.Null()))
    return exp.And(this=absent, expression=written)


def _spellings_of(relation: Relation, column: Column) -> list[str]:
    assert column.as_written is not None
    spelling = named(exp.column(column.as_written), "v")
    plan = exp.select(spelling).distinct().from_(relation.source()).where(_is_spelt(column))
    spellings = sorted(row["v"] for row in relation.engine.run(plan.limit(_SPELLINGS + 1)))
    if column.type is not ColumnType.TEXT:  # words such as NA are taken for missing there without being declared
        spellings = [
            spelt for spelt in spellings if _value(column, spelt) is not None or _RANGE_OR_TAG.fullmatch(spelt)
        ]
    return spellings if len(spellings) <= _SPELLINGS else []
