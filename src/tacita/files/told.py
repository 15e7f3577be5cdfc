"""What a user told about a typed source: the type that a column is to have, whatever its file says."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from tacita.engines.plans.terms import rows_where
from tacita.engines.protocol import Relation
from tacita.errors import InputError, UsageError, did_you_mean, faults_text, listed
from tacita.files.column_types import STRICT_FORMS
from tacita.files.contract import ReadOptions
from tacita.model.microdata import Reading
from tacita.model.relation import Column, ColumnType

_SQL_TYPES = {
    ColumnType.INTEGER: "bigint",
    ColumnType.NUMBER: "double",
    ColumnType.TEXT: "text",
    ColumnType.BOOLEAN: "boolean",
    ColumnType.DATE: "date",
    ColumnType.TIMESTAMP: "timestamp",
}


def as_told(
    relation: Relation, readings: Sequence[Reading], options: ReadOptions, where: str
) -> tuple[Relation, tuple[Reading, ...]]:
    """Return the relation with the types that the user told; raise if values do not fit them."""
    names = [column.name for column in relation.columns]
    for name in options.types:
        if name not in names:
            raise UsageError(
                f"--as names '{name}', which is no column{did_you_mean(name, names)}",
                do=f"use one of: {', '.join(names[:20])}",
            )
    types = {c.name: options.types[c.name] for c in relation.columns if options.types.get(c.name, c.type) is not c.type}
    if not types:
        return relation, tuple(readings)
    _check(relation, types, where)
    terms, columns = [], []
    for column in relation.columns:
        type_ = types.get(column.name, column.type)
        value: exp.Expr = exp.column(column.physical)
        if column.name in types:
            value = _cast(column, type_)
        terms.append(exp.alias_(value, column.physical))
        if column.as_written:
            terms.append(exp.column(column.as_written))
        columns.append(replace(column, type=type_))
    stored = relation.engine.store(exp.select(*terms).from_(relation.source()), columns)
    relation.engine.drop(relation)
    return stored, tuple(
        Reading(r.name, types[r.name], f"as you said (in the source: {r.reason})") if r.name in types else r
        for r in readings
    )


def _cast(column: Column, type_: ColumnType) -> exp.Expr:
    return exp.TryCast(this=exp.column(column.physical), to=exp.DataType.build(_SQL_TYPES[type_]))


def _check(relation: Relation, types: dict[str, ColumnType], where: str) -> None:
    terms = []
    for name, type_ in types.items():
        case = exp.Case(ifs=[exp.If(this=_misfit(relation, name, type_), true=exp.Literal.number(1))])
        terms.append(exp.alias_(exp.Count(this=case), relation.column(name).physical))
    counts = relation.engine.run(exp.select(*terms).from_(relation.source()))[0]
    faults = []
    for name, type_ in types.items():
        count = int(counts[relation.column(name).physical])
        if count:
            rows = [row["row"] for row in relation.engine.run(rows_where(relation, _misfit(relation, name, type_)))]
            what = f"{count:,} values are" if count > 1 else "1 value is"
            faults.append(
                f"column '{name}' was to be read as {type_.value}, but {what} no {type_.value} "
                f"(row{'s' if count > 1 else ''} {listed(rows)})"
            )
    if faults:
        raise InputError(faults_text(faults), where=where, do="mend these rows, or read the column as text (--as)")


def _misfit(relation: Relation, name: str, type_: ColumnType) -> exp.Expr:
    """Return the condition that a cell holds a value that is lost by the cast."""
    column = relation.column(name)
    value = exp.column(column.physical)
    lost: exp.Expr = exp.Is(this=_cast(column, type_), expression=exp.Null())
    if type_ is ColumnType.INTEGER and column.type is ColumnType.NUMBER:  # 1.5 would silently become 2
        lost = exp.Or(this=lost, expression=exp.NEQ(this=_cast(column, type_), expression=value.copy()))
    elif column.type is ColumnType.TEXT and type_ in STRICT_FORMS:  # so would the text '1.5', and '0x1F' become 31
        form = exp.RegexpLike(this=value.copy(), expression=exp.Literal.string(f"^({STRICT_FORMS[type_]})$"))
        lost = exp.Or(this=lost, expression=exp.Not(this=form))
    elif type_ is ColumnType.BOOLEAN and column.type.is_numeric:  # 7 is neither true nor false
        zero_or_one = exp.In(this=value.copy(), expressions=[exp.Literal.number(0), exp.Literal.number(1)])
        lost = exp.Or(this=lost, expression=exp.Not(this=zero_or_one))
    return exp.and_(exp.Not(this=exp.Is(this=value, expression=exp.Null())), exp.paren(lost))
