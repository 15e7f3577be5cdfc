"""Codes of missing values as the categories that they are, for everybody who counts records.

A file is written with its codes: ``99`` or ``.a`` stands where the value is missing. So a reader can tell such a record
from others, and whoever counts look-alikes must do so too. In the engine the value is null and the code stands beside
it (`Column.as_written`); here the code takes the place of the value, in a view, and no record moves.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from dataclasses import dataclass, replace

from sqlglot import exp

from tacita.engines.plans.terms import as_text, number
from tacita.engines.protocol import Relation
from tacita.model.dictionary import Dictionary
from tacita.model.missing_codes import is_code
from tacita.model.relation import Column, ColumnType

_ROW = "code_row_"
_MOST = 200
"""More codes than these in a column of numbers make it text."""
FIRST_MADE = -9_007_000_000_000_000
"""Codes that are not numbers, such as ``.a``, are below it in columns of numbers: no value is so small."""


@dataclass(frozen=True, slots=True)
class Published:
    """Records with their codes as values."""

    relation: Relation
    codes: dict[str, dict[str, object]]
    """By attribute: the codes that occur, and the value that stands for each."""


def published_codes(relation: Relation, dictionary: Dictionary, names: Iterable[str]) -> Published:
    """Return the relation with the codes of the named attributes as values; without any code it is the same."""
    coded = {name: codes for name in names if (codes := codes_in(relation, dictionary, name))}
    if not coded:
        return Published(relation, {})
    terms: list[exp.Expr] = [exp.alias_(relation.engine.numbered(relation), _ROW)]
    columns: list[Column] = []
    values: dict[str, dict[str, object]] = {}
    for column in relation.columns:
        if column.name not in coded:
            terms += [exp.column(name) for name in (column.physical, column.as_written) if name]
            columns.append(column)
            continue
        term, type_, values[column.name] = _with_codes(column, coded[column.name])
        terms.append(exp.alias_(term, column.physical))
        columns.append(replace(column, type=type_, as_written=None, is_coded=False))
    table = relation.engine.new_table()
    relation.engine.define(table, exp.select(*terms).from_(relation.source()))
    return Published(Relation(relation.engine, table, tuple(columns), _ROW), values)


def codes_in(relation: Relation, dictionary: Dictionary, name: str) -> list[str]:
    """Return the codes that stand in a column instead of values, in order."""
    column = relation.column(name)
    if not column.as_written:
        return []
    plan = exp.select(exp.alias_(exp.column(column.as_written), "v")).distinct().from_(relation.source())
    rows = relation.engine.run(plan.where(spelt_instead(column)))
    return sorted(row["v"] for row in rows if is_code(row["v"], dictionary[name]))


def spelt_instead(column: Column, table: str | None = None) -> exp.Expr:
    """Return the condition that a cell has no value and something is written there all the same."""
    assert column.as_written is not None
    absent = exp.Is(this=exp.column(column.physical, table=table), expression=exp.Null())
    there = exp.Not(this=exp.Is(this=exp.column(column.as_written, table=table), expression=exp.Null()))
    return exp.and_(absent, there)


def _with_codes(column: Column, codes: list[str]) -> tuple[exp.Expr, ColumnType, dict[str, object]]:
    """Return the value or the code of a cell, the type of both together, and the value that each code became."""
    value = exp.column(column.physical)
    assert column.as_written is not None
    spelling = exp.column(column.as_written)
    if column.type.is_numeric and len(codes) <= _MOST:
        numbers = _numbers(column, codes)
        type_ = column.type if all(isinstance(n, int) for n in numbers.values()) else ColumnType.NUMBER
        ifs = [
            exp.If(this=exp.EQ(this=spelling.copy(), expression=exp.Literal.string(code)), true=number(n))
            for code, n in numbers.items()
        ]
        coded: exp.Expr = exp.Case(ifs=ifs)
        kind = "bigint" if type_ is ColumnType.INTEGER else "double"
        coded, value_ = (exp.Cast(this=term, to=exp.DataType.build(kind)) for term in (coded, value))
        absent = exp.Is(this=value.copy(), expression=exp.Null())
        return exp.Case(ifs=[exp.If(this=absent, true=coded)], default=value_), type_, dict(numbers)
    known = exp.In(this=spelling.copy(), expressions=[exp.Literal.string(code) for code in codes])
    instead = exp.and_(exp.Is(this=value.copy(), expression=exp.Null()), known)
    text: exp.Expr = as_text(value.copy()) if column.is_coded or column.type is not ColumnType.TEXT else value.copy()
    term = exp.Case(ifs=[exp.If(this=instead, true=spelling)], default=text)
    return term, ColumnType.TEXT, {code: code for code in codes}


def _numbers(column: Column, codes: list[str]) -> dict[str, int | float]:
    """Return a number for each code: its own, unless it has none or another code has the same.

    It does not depend on which other codes occur, so that records before and after a change can be compared.
    """
    numbers: dict[str, int | float] = {}
    for code in codes:
        own = _number(code)
        if own is None or own in numbers.values() or (column.type is ColumnType.INTEGER and not isinstance(own, int)):
            own = FIRST_MADE - zlib.crc32(code.encode("utf-8"))
        while own in numbers.values():
            own -= 1
        numbers[code] = own
    return numbers


def _number(code: str) -> int | float | None:
    try:
        own = float(code)
    except ValueError:
        return None
    if own - own != 0 or abs(own) >= -FIRST_MADE:
        return None
    return int(own) if own.is_integer() else own
