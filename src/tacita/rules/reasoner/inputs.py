"""Facts into tables: those of the program, Python tuples, relations of an engine. A missing value is a fresh null."""

from __future__ import annotations

import datetime
import decimal
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import pyarrow as pa
from sqlglot import exp

from tacita.engines.arrow import array
from tacita.engines.protocol import Engine, Relation
from tacita.errors import InputError
from tacita.model.relation import ColumnType
from tacita.rules.logic.program import Fact
from tacita.rules.logic.terms import Constant
from tacita.rules.logic.types import ANY, INTEGER, NOTHING, NUMBER, TEXT, Scalar, Type, joined
from tacita.rules.reasoner.plans.bodies import Body
from tacita.rules.reasoner.plans.cells import Cell, is_null
from tacita.rules.reasoner.plans.derivations import projected
from tacita.rules.reasoner.plans.layout import FactLayout, Position, constant_type, sql_type
from tacita.rules.reasoner.plans.tables import in_round
from tacita.rules.reasoner.plans.terms import CompiledTerms
from tacita.rules.reasoner.values import Null, as_any

if TYPE_CHECKING:
    from tacita.rules.reasoner.chase.run import Run

Rows: TypeAlias = Sequence[Sequence[Any]]

_ARROW = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "text": pa.string(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "timestamp": pa.timestamp("us"),
    "any": pa.string(),
    "nothing": pa.string(),
}
COLUMN_TYPES: dict[ColumnType, Type] = {
    ColumnType.INTEGER: INTEGER,
    ColumnType.NUMBER: NUMBER,
    ColumnType.TEXT: TEXT,
    ColumnType.BOOLEAN: Scalar("boolean"),
    ColumnType.DATE: Scalar("date"),
    ColumnType.TIMESTAMP: Scalar("timestamp"),
}
_VALUES = (bool, int, float, str, datetime.date, datetime.datetime)
_GIVE = "give numbers, texts, booleans, dates or None"


def is_missing(value: object) -> bool:
    """Whether a Python value says that there is none."""
    if isinstance(value, decimal.Decimal):
        return value.is_nan()
    return value is None or (isinstance(value, float) and math.isnan(value))


def largest_label(inputs: Iterable[object]) -> int:
    """Return the largest label of the nulls that a caller gives in tuples: fresh ones begin above it."""
    rows = (row for data in inputs if isinstance(data, Sequence) for row in data)
    return max((value.number for row in rows for value in row if isinstance(value, Null)), default=0)


# -- Python rows -------------------------------------------------------------------------------------------------------


def positions_of_rows(predicate: str, rows: Rows, declared: Sequence[Type | None] = ()) -> list[Position]:
    """Return the types of tuples; all of them must have the same number of values."""
    lengths = sorted({len(row) for row in rows})
    if len(lengths) > 1:
        raise InputError(
            f"the tuples have {lengths[0]} to {lengths[-1]} values",
            where=f"input of {predicate}",
            do="give all the same",
        )
    positions = []
    for place in range(lengths[0] if lengths else len(declared)):
        declared_type = declared[place] if place < len(declared) else None
        type_: Type | None = declared_type or NOTHING
        nullable = False
        for number, row in enumerate(rows):
            value = row[place]
            if is_missing(value) or isinstance(value, Null):
                nullable = True
                continue
            if not isinstance(value, (*_VALUES, decimal.Decimal)):
                raise InputError(
                    f"value {place + 1} of tuple {number + 1} is a {type(value).__name__}",
                    where=f"input of {predicate}",
                    do=_GIVE,
                )
            if declared_type is None:
                type_ = joined(type_ or NOTHING, NUMBER if isinstance(value, decimal.Decimal) else constant_type(value))
            if type_ is None:
                raise InputError(
                    f"value {place + 1} is of different types in different tuples (seen in tuple {number + 1})",
                    where=f"input of {predicate}",
                    do=f'use one type, or declare it: @input("{predicate}", [..., "name:any"])',
                )
        positions.append(Position(type_ or TEXT, nullable))
    return positions


def load_rows(
    run: Run,
    layout: FactLayout,
    rows: Iterable[Sequence[Any]],
    *,
    where: str | None = None,
    row_is: str = "tuple",
    do: str = _GIVE,
) -> exp.Select:
    """Return the select of Python tuples as facts; `where` and `row_is` say in messages where they come from."""
    columns: dict[str, list[Any]] = {name: [] for name in layout.columns()}
    for number, row in enumerate(rows, 1):
        for i, (value, position) in enumerate(zip(row, layout.positions, strict=True)):
            label, stored, wrong = None, None, ""
            if isinstance(value, Null):
                label, run.nulls = value.number, max(run.nulls, value.number)
            elif is_missing(value):
                run.nulls += 1
                label = run.nulls
            else:
                stored, wrong = _fitted(value, position.type)
            if label is not None and not position.is_nullable:
                wrong = "has no value"
            if wrong:
                name = f" ({layout.names[i]})" if i < len(layout.names) else ""
                raise InputError(
                    f"value {i + 1}{name} of {row_is} {number} {wrong}",
                    where=where or f"input of {layout.predicate}",
                    do=do,
                )
            columns[f"c{i}"].append(stored)
            if position.is_nullable:
                columns[f"n{i}"].append(label)
    if not columns:
        return exp.select(exp.alias_(exp.Literal.number(1), "one"))
    return _adopted(run.engine, layout, columns)


def _fitted(value: Any, type_: Type) -> tuple[Any, str]:
    """Return a value as a column of the type stores it, or what is wrong with it: never the value, which is secret."""
    if isinstance(value, decimal.Decimal):
        value = float(value)
    if not isinstance(value, _VALUES):
        return None, f"is a {type(value).__name__}"
    try:
        stored = _stored(value, type_)
        if isinstance(stored, str):
            stored.encode()
    except UnicodeEncodeError:
        return None, "is a text with half a character in it (a lone surrogate)"
    except OverflowError:
        return None, "is a number too large for 64 bits; as a text or a decimal number it would fit"
    except (ValueError, TypeError):
        return None, f"is of type {constant_type(value)} and cannot be read as {type_}"
    return stored, ""


def _stored(value: Any, type_: Type) -> Any:
    if type_ == ANY:
        return as_any(value)
    if type_ in {NUMBER, INTEGER} and isinstance(value, bool | datetime.date):
        raise TypeError
    if type_ == NUMBER:
        return _number(value)
    if type_ == INTEGER:
        return _whole(value)
    if type_ == Scalar("boolean"):
        if not isinstance(value, bool):
            raise TypeError
        return value
    if type_ == Scalar("timestamp"):
        return _moment(value)
    if type_ == Scalar("date"):
        moment = _moment(value)
        if moment.time() != datetime.time():
            raise ValueError
        return moment.date()
    return str(value)


def _number(value: float | str) -> float:
    number = float(value)
    if math.isnan(number):  # the text "nan"
        raise ValueError
    return number


def _whole(value: float | str) -> int:
    whole = int(value)
    if isinstance(value, float) and whole != value:
        raise ValueError
    if not -(2**63) <= whole < 2**63:
        raise OverflowError
    return whole


def _moment(value: datetime.date | str) -> datetime.datetime:
    if isinstance(value, str):
        return datetime.datetime.fromisoformat(value)
    if isinstance(value, datetime.datetime):
        return value
    if isinstance(value, datetime.date):
        return datetime.datetime.combine(value, datetime.time())
    raise TypeError


def _adopted(engine: Engine, layout: FactLayout, columns: Mapping[str, list[Any]]) -> exp.Select:
    arrays = []
    for i, position in enumerate(layout.positions):
        assert isinstance(position.type, Scalar)
        arrays.append(array(columns[f"c{i}"], _ARROW[position.type.name]))
        if position.is_nullable:
            arrays.append(array(columns[f"n{i}"], pa.int64()))
    batch = pa.RecordBatch.from_arrays(arrays, names=list(columns))
    relation = engine.adopt([batch], batch.schema)
    terms = [
        exp.alias_(exp.Cast(this=exp.column(column.physical), to=kind), name)
        for column, name, kind in zip(relation.columns, columns, layout.types(), strict=True)
    ]
    return exp.select(*terms).from_(relation.source())


# -- facts of the program ----------------------------------------------------------------------------------------------


def positions_of_fact(engine: Engine, fact: Fact) -> list[Position]:
    """Return what a fact says of the types of its predicate."""
    positions = []
    for argument in fact.atom.arguments:
        cell = CompiledTerms(engine).cell(argument)
        positions.append(Position(cell.type, cell.label is not None))
    return positions


def facts_select(run: Run, layout: FactLayout, facts: Sequence[Fact]) -> list[exp.Select]:
    """Return the selects of facts that the program states."""
    plain = [f for f in facts if all(isinstance(a, Constant) for a in f.atom.arguments)]
    simple = all(isinstance(p.type, Scalar) for p in layout.positions)
    selects = []
    if plain and simple:
        rows = [[a.value for a in f.atom.arguments if isinstance(a, Constant)] for f in plain]
        selects.append(load_rows(run, layout, rows, where=f"facts of {layout.predicate}", row_is="fact"))
    for fact in facts:
        if fact in plain and simple:
            continue
        body = Body(run.engine, run.layouts, CompiledTerms(run.engine))
        selects.append(projected(body, layout, [body.terms.cell(a) for a in fact.atom.arguments]))
    return selects


# -- relations of an engine --------------------------------------------------------------------------------------------


def positions_of_relation(
    relation: Relation, physical: Sequence[str], declared: Sequence[Type | None]
) -> list[Position]:
    """Return the types of some columns of a relation, and whether values are missing in them."""
    by_physical = {column.physical: column for column in relation.columns}
    other = {name for name, type_ in zip(physical, declared, strict=False) if type_ not in {None, INTEGER}}
    check_whole_numbers(relation, [name for name in physical if name not in other])
    counts = [
        exp.alias_(
            exp.Count(this=exp.Case(ifs=[exp.If(this=is_null(exp.column(name)), true=exp.Literal.number(1))])), f"m{i}"
        )
        for i, name in enumerate(physical)
    ]
    missing = relation.engine.run(exp.select(*counts).from_(relation.source()))[0] if physical else {}
    positions = []
    for i, name in enumerate(physical):
        type_ = declared[i] if i < len(declared) else None
        positions.append(Position(type_ or COLUMN_TYPES[by_physical[name].type], bool(missing[f"m{i}"])))
    return positions


def check_whole_numbers(relation: Relation, physical: Sequence[str]) -> None:
    """Raise if one of some columns has whole numbers above those of 64 bits with a sign: a file can hold them."""
    whole = [c for c in relation.columns if c.physical in physical and c.type is ColumnType.INTEGER]
    if not whole:
        return
    largest = [exp.alias_(exp.Max(this=exp.column(c.physical)), c.physical) for c in whole]
    row = relation.engine.run(exp.select(*largest).from_(relation.source()))[0]
    for column in whole:
        if (row[column.physical] or 0) >= 2**63:
            raise InputError(
                f"column '{column.name}' has whole numbers too large for 64 bits with a sign",
                do=f'make it a text or a decimal number: "{column.name}:number" in @input rounds it to 15 digits',
            )


def relation_select(run: Run, layout: FactLayout, relation: Relation, physical: Sequence[str]) -> exp.Select:
    """Return the select of a relation's tuples as facts of a predicate."""
    by_physical = {column.physical: column for column in relation.columns}
    terms, columns = CompiledTerms(run.engine), []
    labelled = [i for i, p in enumerate(layout.positions) if p.is_nullable]
    number = exp.Window(this=exp.RowNumber())
    for i, (name, position) in enumerate(zip(physical, layout.positions, strict=True)):
        column = by_physical[name]
        type_: Type = COLUMN_TYPES[column.type]
        value: exp.Expr = exp.column(name, table="t")
        if column.is_coded:
            value = exp.Cast(this=value, to=sql_type(TEXT))
        converted = terms.converted(Cell(type_, value), position.type).value
        kind = sql_type(position.type)
        columns.append(exp.alias_(exp.Cast(this=converted, to=kind), f"c{i}"))
        if position.is_nullable:
            label = exp.Add(
                this=exp.Literal.number(run.nulls + labelled.index(i)),
                expression=exp.Mul(this=number.copy(), expression=exp.Literal.number(len(labelled))),
            )
            missing = is_null(exp.column(name, table="t"))
            case = exp.Case(ifs=[exp.If(this=missing, true=exp.Cast(this=label, to=sql_type(INTEGER)))])
            columns.append(exp.alias_(exp.Cast(this=case, to=sql_type(INTEGER)), f"n{i}"))
    if labelled:
        run.nulls += (relation.count() + 1) * len(labelled)
    return exp.select(*columns).from_(relation.source().as_("t"))


def fill(run: Run, layout: FactLayout, selects: Sequence[exp.Query]) -> None:
    """Let the table of a predicate hold what is given."""
    from tacita.rules.reasoner.plans.tables import union

    run.facts += run.engine.replace(layout.table, in_round(union(list(selects)), layout, 0))
    run.filled.add(layout.predicate)
