"""Different spellings of a value that are read as one: ``HIV`` and ``hiv `` are one illness, not two."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from tacita.engines.plans.terms import as_text
from tacita.engines.protocol import Relation
from tacita.errors import UsageError
from tacita.model.relation import Column, ColumnType


def folded(text: str) -> str:
    """Return what all spellings of a value have in common.

    >>> folded("HIV") == folded(" hiv  "), folded("type 1") == folded("Type  1"), folded("type 1") == folded("type 2")
    (True, True, False)
    """
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def one_spelling(counts: Mapping[str, int]) -> dict[str, str]:
    """Return, for each spelling that has a more usual one, that one: the most frequent, the first of equals.

    >>> one_spelling({"HIV": 5, "hiv ": 2, "flu": 1})
    {'hiv ': 'HIV'}
    """
    usual: dict[str, str] = {}
    for text in sorted(counts, key=lambda spelling: (-counts[spelling], spelling)):
        usual.setdefault(folded(text), text)
    return {text: usual[folded(text)] for text in counts if usual[folded(text)] != text}


_MOST_VALUES = 100_000
"""An attribute with more different values has no categories."""


def spellings(relation: Relation, column: Column) -> dict[str, int] | None:
    """Return how often each value of a text column occurs; None if it has too many to be categories."""
    value = as_text(exp.column(column.physical))
    plan = exp.select(exp.alias_(value, "v"), exp.alias_(exp.Count(this=exp.Star()), "n")).from_(relation.source())
    plan = plan.where(exp.Not(this=exp.Is(this=exp.column(column.physical), expression=exp.Null())))
    rows = relation.engine.run(plan.group_by(value.copy()).limit(_MOST_VALUES + 1))
    return {row["v"]: int(row["n"]) for row in rows} if len(rows) <= _MOST_VALUES else None


def spelled_apart(relation: Relation, names: Sequence[str]) -> dict[str, int]:
    """Return how many values of each text attribute are another spelling of one that is more frequent, if any."""
    columns = [column for column in relation.columns if column.name in names and column.type is ColumnType.TEXT]
    counts = {column.name: len(one_spelling(spellings(relation, column) or {})) for column in columns}
    return {name: count for name, count in counts.items() if count}


def with_one_spelling(relation: Relation, names: Sequence[str]) -> Relation:
    """Return the tuples with one spelling, the most frequent, for each value of the attributes named."""
    changes = {}
    for name in names:
        column = relation.column(name)
        counts = spellings(relation, column) if column.type is ColumnType.TEXT else None
        if counts is None:
            what = "has too many different values" if column.type is ColumnType.TEXT else "is not a text"
            raise UsageError(f"'{name}' {what}, so it cannot get one spelling", do="name a categorical attribute")
        changes[column.physical] = one_spelling(counts)
    if not any(changes.values()):
        return relation
    physical = [spelled for column in relation.columns for spelled in (column.physical, column.as_written) if spelled]
    terms = [exp.alias_(_usual(spelled, changes.get(spelled, {})), spelled) for spelled in physical]
    columns = [replace(c, is_coded=c.is_coded and not changes.get(c.physical)) for c in relation.columns]
    stored = relation.engine.store(exp.select(*terms).from_(relation.source()), columns)
    relation.engine.drop(relation)
    return stored


def _usual(physical: str, usual: dict[str, str]) -> exp.Expr:
    if not usual:
        return exp.column(physical)
    text = as_text(exp.column(physical))
    cases = [
        exp.If(this=exp.EQ(this=text.copy(), expression=exp.Literal.string(old)), true=exp.Literal.string(new))
        for old, new in usual.items()
    ]
    return exp.Case(ifs=cases, default=text)
