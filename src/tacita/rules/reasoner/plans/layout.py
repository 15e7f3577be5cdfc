"""How facts lie in tables: which columns hold which argument of a predicate.

An argument that may be a labelled null has two columns: the value, NULL when there is none, and the label. A record
whose attributes the dictionary knows has a column per attribute. Column ``r`` is the round in which the fact came in;
proofs are rebuilt from it.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from sqlglot import exp

from tacita.rules.logic.terms import Value
from tacita.rules.logic.types import (
    BOOLEAN,
    DATE,
    INTEGER,
    NOTHING,
    NUMBER,
    TEXT,
    TIMESTAMP,
    ListType,
    PairType,
    RecordType,
    RowType,
    Scalar,
    SetType,
    Type,
    value_type,
)
from tacita.rules.reasoner.plans.cells import Cell, as_type

ROUND = "r"


@dataclass(frozen=True, slots=True)
class Position:
    """An argument of a predicate: its type, and whether it may be a labelled null."""

    type: Type
    is_nullable: bool = False


@dataclass(frozen=True, slots=True)
class FactLayout:
    """The table of a predicate."""

    predicate: str
    table: str
    positions: tuple[Position, ...]
    names: tuple[str, ...] = field(default=())
    """What people call the arguments, if somebody said it."""
    banned: str = ""
    """The table of facts that were put in quarantine and must not be derived again, if there are any."""

    @property
    def is_empty(self) -> bool:
        """Whether there can be no fact: an argument has no type, since nothing ever gives it a value."""
        return any(p.type == NOTHING and not p.is_nullable for p in self.positions)

    def cells(self, alias: str) -> tuple[Cell, ...]:
        """Return the arguments of the facts that an alias of the table ranges over."""
        return tuple(stored_cell(position, f"{i}", alias) for i, position in enumerate(self.positions))

    def columns(self) -> list[str]:
        """Return the names of all columns but the round."""
        return [name for i, position in enumerate(self.positions) for name, _ in stored_columns(position, f"{i}")]

    def types(self) -> list[exp.DataType]:
        """Return the SQL types of the columns."""
        return [kind for i, position in enumerate(self.positions) for _, kind in stored_columns(position, f"{i}")]

    def position_columns(self, i: int) -> list[str]:
        """Return the columns of one argument."""
        return [name for name, _ in stored_columns(self.positions[i], f"{i}")]


def stored_columns(position: Position, suffix: str) -> Iterator[tuple[str, exp.DataType]]:
    """Yield the columns of one argument with their SQL types."""
    if isinstance(position.type, RowType):
        for j, (name, type_) in enumerate(position.type.attributes):
            yield from stored_columns(Position(type_, name in position.type.nullable), f"{suffix}_{j}")
        return
    yield f"c{suffix}", sql_type(position.type)
    if position.is_nullable:
        yield f"n{suffix}", sql_type(Scalar("integer"))


def stored_cell(position: Position, suffix: str, alias: str) -> Cell:
    """Return one argument as it lies in a table."""
    if isinstance(position.type, RowType):
        row = tuple(
            (name, stored_cell(Position(type_, name in position.type.nullable), f"{suffix}_{j}", alias))
            for j, (name, type_) in enumerate(position.type.attributes)
        )
        return Cell(position.type, exp.Null(), row=row)
    label = exp.column(f"n{suffix}", table=alias) if position.is_nullable else None
    return Cell(position.type, exp.column(f"c{suffix}", table=alias), label)


def cell_columns(cell: Cell) -> list[exp.Expr]:
    """Return the terms of a cell in the order of the columns that store it."""
    if isinstance(cell.type, RowType):
        return [term for _, part in cell.row for term in cell_columns(part)]
    return [cell.value.copy()] if cell.label is None else [cell.value.copy(), cell.label.copy()]


def named_columns(positions: Sequence[Position], cells: Sequence[Cell]) -> list[exp.Expr]:
    """Return cells as aliased columns of a select; the cells have the types of the positions."""
    terms = [term for cell in cells for term in cell_columns(cell)]
    names = [name for i, position in enumerate(positions) for name, _ in stored_columns(position, f"{i}")]
    return [exp.alias_(term, name) for term, name in zip(terms, names, strict=True)]


_SQL = {"integer": "BIGINT", "number": "DOUBLE", "boolean": "BOOLEAN", "date": "DATE", "timestamp": "TIMESTAMP"}


def sql_type(type_: Type) -> exp.DataType:
    """Return the SQL type that holds a value."""
    return _sql_type(type_).copy()


@lru_cache(maxsize=1000)
def _sql_type(type_: Type) -> exp.DataType:
    return exp.DataType.build(_written(type_), dialect="spark")


def _written(type_: Type) -> str:
    match type_:
        case Scalar(name):
            return _SQL.get(name, "STRING") if name != "timestamp" else "TIMESTAMP_NTZ"
        case SetType(element) | ListType(element):
            return f"ARRAY<{_written(element)}>"
        case PairType(first, second):
            return f"STRUCT<a: {_written(first)}, b: {_written(second)}>"
        case RecordType() | RowType():
            return f"ARRAY<STRUCT<k: STRING, v: {_written(value_type(type_))}, n: BIGINT>>"
    raise AssertionError(NOTHING)


BIGINT = sql_type(INTEGER)
NO_LABEL = exp.Cast(this=exp.Null(), to=BIGINT.copy())


def constant_type(value: Value) -> Scalar:
    """Return the type of a constant."""
    if isinstance(value, bool):
        return BOOLEAN
    if isinstance(value, int):
        return INTEGER
    if isinstance(value, float):
        return NUMBER
    if isinstance(value, datetime.datetime):
        return TIMESTAMP
    return DATE if isinstance(value, datetime.date) else TEXT


def literal(value: Value) -> exp.Expr:
    """Return a constant in SQL; never as text that could be read as anything else."""
    if isinstance(value, bool):
        return exp.Boolean(this=value)
    if isinstance(value, int):
        return as_type(exp.Literal.number(value) if value >= 0 else exp.Neg(this=exp.Literal.number(-value)), BIGINT)
    if isinstance(value, float):
        # The exponent makes it a double; without it engines read a decimal.
        number = exp.Literal.number(repr(abs(value)) if "e" in repr(value) else f"{abs(value)!r}e0")
        return exp.paren(exp.Neg(this=number)) if value < 0 else number
    if isinstance(value, datetime.date):
        return as_type(exp.Literal.string(str(value)), sql_type(constant_type(value)))
    return exp.Literal.string(value)
