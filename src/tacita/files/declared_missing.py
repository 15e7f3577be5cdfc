"""Missing codes that a dictionary declares for data whose file knows none: ``99`` in a CSV becomes a missing value.

The value becomes null and the code stays beside it as it was written, exactly as for the codes of SPSS or Stata.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from tacita.engines.plans.terms import as_text, number
from tacita.engines.protocol import Relation
from tacita.errors import DictionaryError
from tacita.model.attribute import Attribute
from tacita.model.relation import Column, ColumnType

_RANGE = re.compile(r"(?P<low>[+-]?\d[\d.]*?|)\.\.(?P<high>[+-]?\d[\d.]*|)")


def with_declared_missing(relation: Relation, declared: Mapping[str, Attribute]) -> Relation:
    """Return the relation with the declared codes of the given attributes taken as missing."""
    terms: list[exp.Expr] = []
    columns = []
    for column in relation.columns:
        attribute = declared.get(column.name)
        hit = is_declared(column, attribute) if attribute is not None else None
        value = exp.column(column.physical)
        if hit is None:
            terms += [value, *([exp.column(column.as_written)] if column.as_written else [])]
            columns.append(column)
            continue
        companion = column.as_written or f"{column.physical}w"
        spelled: exp.Expr = as_text(value.copy())
        kept: exp.Expr = exp.Null()
        if column.as_written:
            kept = exp.column(companion)
            spelled = exp.func("coalesce", kept.copy(), spelled)
        terms.append(exp.alias_(exp.Case(ifs=[exp.If(this=hit, true=exp.Null())], default=value), column.physical))
        terms.append(exp.alias_(exp.Case(ifs=[exp.If(this=hit.copy(), true=spelled)], default=kept), companion))
        columns.append(replace(column, as_written=companion))
    if columns == list(relation.columns):
        return relation
    stored = relation.engine.store(exp.select(*terms).from_(relation.source()), columns)
    relation.engine.drop(relation)
    return stored


def is_declared(column: Column, attribute: Attribute) -> exp.Expr | None:
    """Return the condition that a cell holds one of the codes; None if no code can stand in such a column."""
    conditions = [c for code in attribute.missing if (c := _condition(column, code, attribute.name)) is not None]
    return exp.or_(*conditions) if conditions else None


def _condition(column: Column, code: str, name: str) -> exp.Expr | None:
    value: exp.Expr = exp.column(column.physical)
    if not column.type.is_numeric:
        if column.type is not ColumnType.TEXT or column.is_coded:
            value = as_text(value)
        return exp.EQ(this=value, expression=exp.Literal.string(code))
    if re.fullmatch(r"\.[a-zA-Z_]", code):
        return None  # a tag of Stata or SAS is never a number
    span = _RANGE.fullmatch(code)
    low, high = (span["low"], span["high"]) if span else (code, code)
    try:
        parts = [exp.GTE(this=value, expression=number(float(low)))] if low else []
        parts += [exp.LTE(this=value.copy(), expression=number(float(high)))] if high else []  # type: ignore[list-item]
    except ValueError:
        raise DictionaryError(
            f"attribute '{name}' declares the missing code '{code}', which is neither a number nor a range",
            do="write 99, or 90..99 for a range",
        ) from None
    return exp.and_(*parts) if parts else None
