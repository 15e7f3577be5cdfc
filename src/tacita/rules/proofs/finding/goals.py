"""The facts that are to be proved, as cells of a select: constants if it is one, a small table if there are many."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlglot import exp

from tacita.engines.protocol import Engine
from tacita.rules.logic.types import INTEGER, NUMBER, ListType, PairType, RecordType, RowType, Scalar, SetType, Type
from tacita.rules.proofs.tree import GroundFact
from tacita.rules.reasoner.plans.cells import Cell, as_type, named
from tacita.rules.reasoner.plans.comparisons import row_of
from tacita.rules.reasoner.plans.layout import ROUND, FactLayout, Position, literal, named_columns, sql_type
from tacita.rules.reasoner.plans.tables import union
from tacita.rules.reasoner.values import Null, Record, as_any

_NO_LABEL = as_type(exp.Null(), sql_type(INTEGER))
_NUMBER = "id_"


@dataclass(frozen=True, slots=True, repr=False)
class Goals:
    """Facts of one predicate with their rounds, as a rule's head is compared with them."""

    predicate: str
    cells: tuple[Cell, ...]
    """The arguments."""
    round: Cell
    number: Cell
    """Which of the facts it is."""
    source: exp.Expr | None = None
    """What stands after FROM as ``g``; nothing if the cells are constants."""
    is_ahead: bool = False
    """Whether these are more facts than were asked for."""

    @classmethod
    def of(cls, engine: Engine, layout: FactLayout, facts: Sequence[tuple[GroundFact, int]]) -> Goals:
        """Return facts as goals."""
        if len(facts) == 1:
            fact, round_ = facts[0]
            cells = tuple(constant(engine, v, p.type) for v, p in zip(fact.values, layout.positions, strict=True))
            return cls(layout.predicate, cells, _integer(round_), _integer(0))
        selects = []
        for number, (fact, round_) in enumerate(facts):
            own_cells = [_fitted(engine, v, p) for v, p in zip(fact.values, layout.positions, strict=True)]
            columns = named_columns(layout.positions, own_cells)
            stamps = [exp.alias_(_integer(round_).value, ROUND), exp.alias_(_integer(number).value, _NUMBER)]
            selects.append(exp.select(*columns, *stamps))
        return cls._reading(layout, union(selects))

    @classmethod
    def between(cls, layout: FactLayout, table: str, first: int, last: int) -> Goals:
        """Return the facts of a table that came in between two rounds, both included."""
        order = exp.Order(expressions=[exp.Ordered(this=exp.column(name)) for name in (ROUND, *layout.columns())])
        number = exp.alias_(exp.Window(this=exp.RowNumber(), order=order), _NUMBER)
        since = exp.GTE(this=exp.column(ROUND), expression=exp.Literal.number(first))
        until = exp.LTE(this=exp.column(ROUND), expression=exp.Literal.number(last))
        query = exp.select(*layout.columns(), ROUND, number).from_(named(table)).where(since).where(until)
        return replace(cls._reading(layout, query), is_ahead=True)

    @classmethod
    def _reading(cls, layout: FactLayout, query: exp.Query) -> Goals:
        place, stamp = Cell(INTEGER, exp.column(_NUMBER, table="g")), Cell(INTEGER, exp.column(ROUND, table="g"))
        return cls(layout.predicate, layout.cells("g"), stamp, place, query.subquery("g", copy=False))


def _integer(value: int) -> Cell:
    return Cell(INTEGER, literal(value))


def constant(engine: Engine, value: Any, type_: Type) -> Cell:
    """Return a value that came out of a table as a cell of that type."""
    if isinstance(value, Null):
        return Cell(type_, as_type(exp.Null(), sql_type(type_)), as_type(literal(value.number), sql_type(INTEGER)))
    if isinstance(type_, RowType):
        parts = dict(value.items)
        row = tuple((name, constant(engine, parts[name], part)) for name, part in type_.attributes)
        return replace(row_of(row), type=type_)
    # Codes of texts are the engine's own business: here a text is compared as what it says.
    plain = Scalar(type_.name) if isinstance(type_, Scalar) else type_
    return Cell(plain, _value(engine, value, type_))


def _fitted(engine: Engine, value: Any, position: Position) -> Cell:
    """Return a value as a cell with exactly the columns of its position."""
    cell = constant(engine, value, position.type)
    if isinstance(position.type, RowType):
        row = tuple(
            (name, _fitted(engine, value[name], Position(type_, name in position.type.nullable)))
            for name, type_ in position.type.attributes
        )
        return replace(cell, row=row)
    return replace(cell, value=as_type(cell.value, sql_type(position.type)), label=_labelled(cell, position))


def _labelled(cell: Cell, position: Position) -> exp.Expr | None:
    if not position.is_nullable:
        return None
    return _NO_LABEL.copy() if cell.label is None else cell.label


def _value(engine: Engine, value: Any, type_: Type) -> exp.Expr:
    match type_:
        case Scalar("any"):
            return literal(f"x{value.number}" if isinstance(value, Null) else as_any(value))
        case Scalar("number") if not math.isfinite(value):
            return as_type(exp.Literal.string(str(value)), sql_type(NUMBER))
        case Scalar("number"):
            return literal(float(value))
        case SetType(element):
            return as_type(engine.function("set_made", *_values(engine, value, element)), sql_type(type_))
        case ListType(element):
            return as_type(engine.function("list_made", *_values(engine, value, element)), sql_type(type_))
        case PairType(first, second):
            return engine.function("pair", _value(engine, value[0], first), _value(engine, value[1], second))
        case RecordType(inner):
            return _record(engine, value, inner, type_)
    return literal(value)


def _values(engine: Engine, values: Any, element: Type) -> list[exp.Expr]:
    return [_value(engine, value, element) for value in values]


def _record(engine: Engine, record: Record, inner: Type, type_: Type) -> exp.Expr:
    parts: list[exp.Expr] = []
    for name, value in record.items:
        is_null = isinstance(value, Null)
        inner_value: exp.Expr = exp.Null() if is_null else _value(engine, value, inner)
        label = literal(value.number) if is_null else exp.Null()
        parts += [exp.Literal.string(name), as_type(inner_value, sql_type(inner)), as_type(label, sql_type(INTEGER))]
    if not parts:
        return as_type(exp.Array(expressions=[]), sql_type(type_))
    return as_type(engine.function("record_made", *parts), sql_type(type_))
