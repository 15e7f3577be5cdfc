"""What the source says instead of a value, made ready for a release.

A code that is released is a category, and counted as such (`engines.published_codes`). Three things are settled before
the cycle begins. Words such as ``NA`` that only say that there is no value become empty cells, since suppressed cells
are empty, too, and a reader must not be able to tell the two apart. Codes become empty cells, if the plan asks for it.
And empty cells get a code of their own, if the plan gives one: then *no answer* is a category beside suppressed cells.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from sqlglot import exp

from tacita.engines.plans.terms import as_text, number
from tacita.engines.protocol import Relation
from tacita.engines.published_codes import spelt_instead
from tacita.errors import UsageError
from tacita.model.dictionary import MissingAs
from tacita.model.microdata import Microdata
from tacita.model.missing_codes import is_code
from tacita.model.relation import Column, ColumnType

_TEXT_FORMATS = ("CSV", "TSV", "Excel")
"""Formats in which any word may stand in a column of numbers."""


def with_missing_settled(
    microdata: Microdata, known: Iterable[str], missing_as: MissingAs, label: str | None = None
) -> Microdata:
    """Return the microdata with the missing values of known attributes as they are released."""
    relation = microdata.relation
    changes: dict[str, exp.Expr] = {}
    labelled = []
    for name in known:
        column = relation.column(name)
        term = _settled(microdata, relation, column, missing_as)
        if label is not None and _has_empty(relation, column, term):
            _check_label(microdata, relation, column, label)
            empty = exp.Is(this=exp.column(column.physical), expression=exp.Null())
            spelt = term if term is not None else exp.column(column.as_written) if column.as_written else exp.Null()
            instead = exp.func("coalesce", spelt.copy(), exp.Literal.string(label))
            term = exp.Case(ifs=[exp.If(this=empty, true=instead)], default=spelt)
            labelled.append(name)
        if term is not None:
            changes[name] = term
    if not changes:
        return microdata
    terms: list[exp.Expr] = []
    columns: list[Column] = []
    for column in relation.columns:
        companion = column.as_written or (f"{column.physical}w" if column.name in changes else None)
        terms.append(exp.column(column.physical))
        if companion:
            own = changes.get(column.name, exp.column(companion))
            terms.append(exp.alias_(exp.Cast(this=own, to=exp.DataType.build("text")), companion))
        columns.append(replace(column, as_written=companion))
    stored = relation.engine.store(exp.select(*terms).from_(relation.source()), columns)
    dictionary = microdata.dictionary.mapped(
        lambda a: a.with_(missing=(*a.missing, label)) if a.name in labelled and label not in a.missing else a
    )
    return replace(microdata.with_dictionary(dictionary), relation=stored)


def _settled(microdata: Microdata, relation: Relation, column: Column, missing_as: MissingAs) -> exp.Expr | None:
    """Return the spellings of a column without those that become empty cells; None if there are no such."""
    if not column.as_written:
        return None
    spelling = exp.column(column.as_written)
    plan = exp.select(exp.alias_(spelling, "v")).distinct().from_(relation.source()).where(spelt_instead(column))
    spelt = sorted(row["v"] for row in relation.engine.run(plan))
    attribute = microdata.attribute(column.name)
    going = [code for code in spelt if missing_as is MissingAs.EMPTY or not is_code(code, attribute)]
    if not going:
        return None
    among = exp.In(this=spelling.copy(), expressions=[exp.Literal.string(code) for code in going])
    goes = exp.and_(exp.Is(this=exp.column(column.physical), expression=exp.Null()), among)
    return exp.Case(ifs=[exp.If(this=goes, true=exp.Null())], default=spelling.copy())


def _has_empty(relation: Relation, column: Column, spelling: exp.Expr | None) -> bool:
    conditions: list[exp.Expr] = [exp.Is(this=exp.column(column.physical), expression=exp.Null())]
    if spelling is not None or column.as_written:
        own = spelling if spelling is not None else exp.column(column.as_written or "")
        conditions.append(exp.Is(this=exp.Paren(this=own.copy()), expression=exp.Null()))
    return _occurs(relation, exp.and_(*conditions))


def _occurs(relation: Relation, condition: exp.Expr) -> bool:
    plan = exp.select(exp.alias_(exp.Literal.number(1), "found")).from_(relation.source()).where(condition).limit(1)
    return bool(relation.engine.run(plan))


def _check_label(microdata: Microdata, relation: Relation, column: Column, label: str) -> None:
    """Raise if a label for missing values cannot stand in a column, or stands there as a value."""
    is_number = re.fullmatch(r"[+-]?\d+(\.\d+)?", label) is not None
    kind, free = microdata.source.format, microdata.source.format in _TEXT_FORMATS
    if column.type is not ColumnType.TEXT and not free:
        fits = re.fullmatch(r"\.[a-z]", label) is not None if kind == "Stata" else is_number and column.type.is_numeric
        if not fits:
            raise UsageError(
                f"the label for missing values cannot stand in '{column.name}' in a file of {kind}",
                do="take .a to .z for Stata, a number for columns of numbers in other formats, or leave it out",
            )
    value = exp.column(column.physical)
    if column.type.is_numeric:
        same = exp.EQ(this=value, expression=number(float(label))) if is_number else exp.false()
    else:
        same = exp.EQ(this=as_text(value), expression=exp.Literal.string(label))
    if _occurs(relation, same):
        raise UsageError(
            f"the label for missing values is a value of '{column.name}' already", do="take a label that does not occur"
        )
