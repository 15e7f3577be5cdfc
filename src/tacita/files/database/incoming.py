"""Columns of a database on their way in: types that need a look at the values get it, and say so.

A decimal of a database may be an identifier of 18 digits or an amount with two: it comes as text, and becomes a whole
number, a double or a decimal, whichever holds every value exactly.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.errors import counted
from tacita.model.microdata import Reading
from tacita.model.relation import Column, ColumnType

_NUMBER = r"^-?[0-9]+(\.[0-9]+)?$"
_DIGITS_OF_A_WHOLE = 18
_DIGITS_OF_A_DOUBLE = 15
_DIGITS_OF_A_DECIMAL = 38


@dataclass(slots=True)
class Incoming:
    """One column, and what is learnt of its values as they go by."""

    name: str
    declared: str
    """The database's word for its type."""
    arrow: pa.DataType
    """How it arrives."""
    is_decimal: bool = False
    """Whether it arrives as text that is a number."""
    wanted: ColumnType | None = None
    """What it is if every value can be read so: a date that SQLite keeps as text, a truth value kept as 1 and 0."""
    note: str = ""
    doubtful: bool = False
    whole: int = 0
    """Most digits before the point."""
    scale: int = 0
    """Most digits after the point."""
    unusable: int = 0
    """Values that stand for no number or no date."""

    def checked(self, values: pa.Array) -> pa.Array:
        """Return a batch of values as they enter the engine."""
        if self.is_decimal:
            return self._decimals(values)
        if pa.types.is_floating(values.type):
            unusable = pc.is_nan(values)
            self.unusable += unusable.true_count
            return pc.if_else(pc.fill_null(unusable, fill_value=False), pa.scalar(None, values.type), values)
        if pa.types.is_timestamp(values.type) and values.type.tz is not None:
            return values.cast(pa.timestamp("us"), safe=False)
        return values

    def _decimals(self, values: pa.Array) -> pa.Array:
        usable = pc.match_substring_regex(values, _NUMBER)
        numbers = pc.if_else(pc.fill_null(usable, fill_value=False), values, pa.scalar(None, pa.string()))
        self.unusable += numbers.null_count - values.null_count
        digits = pc.replace_substring(numbers, "-", "")
        points = pc.find_substring(digits, ".")
        lengths = pc.utf8_length(digits)
        before = pc.if_else(pc.less(points, 0), lengths, points)
        after = pc.if_else(pc.less(points, 0), 0, pc.subtract(pc.subtract(lengths, points), 1))
        self.whole = max(self.whole, pc.max(before).as_py() or 0)
        self.scale = max(self.scale, pc.max(after).as_py() or 0)
        return numbers

    def settled(self) -> tuple[str, ColumnType | None, str]:
        """Return the SQL type to cast to (or none), our type (None: as it arrived), and what to say of it."""
        if not self.is_decimal:
            return "", None, ""
        digits = self.whole + self.scale
        if not self.scale and self.whole <= _DIGITS_OF_A_WHOLE:
            return "bigint", ColumnType.INTEGER, ", all whole"
        if digits <= _DIGITS_OF_A_DOUBLE or digits > _DIGITS_OF_A_DECIMAL:
            self.doubtful = self.doubtful or digits > _DIGITS_OF_A_DECIMAL
            rounded = ", rounded: some have more digits than can be held" if digits > _DIGITS_OF_A_DECIMAL else ""
            return "double", ColumnType.NUMBER, rounded
        return f"decimal({_DIGITS_OF_A_DECIMAL}, {self.scale})", ColumnType.NUMBER, ", exact to the last digit"


def adopted(
    engine: Engine, columns: Sequence[Incoming], batches: Iterator[pa.RecordBatch]
) -> tuple[Relation, tuple[Reading, ...]]:
    """Return a result as a relation of the engine, and what each column was taken for."""
    types = [pa.timestamp("us") if pa.types.is_timestamp(c.arrow) else c.arrow for c in columns]
    schema = pa.schema([(f"v{i}", type_) for i, type_ in enumerate(types)])

    def checked() -> Iterator[pa.RecordBatch]:
        for batch in batches:
            arrays = [column.checked(values) for column, values in zip(columns, batch.columns, strict=True)]
            yield pa.RecordBatch.from_arrays(arrays, schema=schema)

    raw = engine.adopt(checked(), schema)
    wishes = _wishes(raw, columns)
    terms: list[exp.Expr] = []
    result, readings = [], []
    changed = False
    for i, (column, source_column) in enumerate(zip(columns, raw.columns, strict=True)):
        cast, type_, said = column.settled()
        if wish := wishes[i]:
            cast, type_, said = wish.value, wish, _WISHED[wish]
        term: exp.Expr = exp.column(source_column.physical)
        if cast:
            term = exp.Cast(this=term, to=exp.DataType.build(cast))
            changed = True
        terms.append(exp.alias_(term, source_column.physical))
        result.append(Column(column.name, source_column.physical, type_ or source_column.type))
        readings.append(_reading(column, type_ or source_column.type, said))
    if not changed:
        return raw.renamed(result), tuple(readings)
    stored = engine.store(exp.select(*terms).from_(raw.source()), result)
    engine.drop(raw)
    return stored, tuple(readings)


_WISHED = {
    ColumnType.DATE: ", all can be read as dates",
    ColumnType.TIMESTAMP: ", all can be read as moments",
    ColumnType.BOOLEAN: ", all 0 or 1",
}


def _wishes(raw: Relation, columns: Sequence[Incoming]) -> list[ColumnType | None]:
    """Return which columns are what they would be if all their values can be read so."""
    terms = []
    for column, stored in zip(columns, raw.columns, strict=True):
        if column.wanted is None:
            continue
        value = exp.column(stored.physical)
        if column.wanted is ColumnType.BOOLEAN:
            unfit: exp.Expr = exp.Not(this=exp.In(this=value, expressions=[exp.Literal.number(n) for n in (0, 1)]))
        else:
            tried = exp.TryCast(this=value, to=exp.DataType.build(column.wanted.value))
            missing = exp.Is(this=exp.column(stored.physical), expression=exp.Null())
            unfit = exp.and_(exp.Not(this=missing), exp.Is(this=tried, expression=exp.Null()))
        case = exp.Case(ifs=[exp.If(this=unfit, true=exp.Literal.number(1))])
        terms.append(exp.alias_(exp.Count(this=case), stored.physical))
        terms.append(exp.alias_(exp.Count(this=exp.column(stored.physical)), f"{stored.physical}_n"))
    counts = raw.engine.run(exp.select(*terms).from_(raw.source()))[0] if terms else {}
    return [
        c.wanted if c.wanted and not counts[h.physical] and counts[f"{h.physical}_n"] else None
        for c, h in zip(columns, raw.columns, strict=True)
    ]


def _reading(column: Incoming, type_: ColumnType, said: str) -> Reading:
    reason = f"{column.declared or 'no declared type'}{said}"
    if column.note:
        reason += f"; {column.note}"
    if column.unusable:
        reason += f"; {counted(column.unusable, 'value')} without a meaning, taken as missing"
    return Reading(column.name, type_, reason, column.doubtful or bool(column.unusable))
