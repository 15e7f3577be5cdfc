"""Reading workbooks: what a cell is in the workbook it stays, and what a column mixes is told.

A spreadsheet types cells, not columns. A column of one kind has that type; text such as ``00123`` stays text; numbers
with a few markers such as ``NA`` are numbers; any other mixture is text, and doubtful.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tacita.engines.protocol import Engine, Relation
from tacita.errors import counted, listed
from tacita.files.clock import clock_text
from tacita.files.contract import Loaded, ReadOptions
from tacita.files.excel.sheet import Sheet, chosen, load, opened
from tacita.files.told import as_told
from tacita.model.attribute import Attribute
from tacita.model.microdata import Reading
from tacita.model.missing_codes import MISSING_MARKERS
from tacita.model.relation import Column, ColumnType
from tacita.progress import Step

_EXACT = 2.0**53
_PLAIN_NUMBER = r"^-?(0|[1-9][0-9]*)(\.[0-9]+)?$"
# A time without a date is a moment of the day zero, which Excel puts at the end of 1899.
_DAY_ZERO = (int(np.datetime64("1899-12-30", "D").astype(int)), int(np.datetime64("1900-01-01", "D").astype(int)))
_MICROSECONDS_OF_A_DAY = 86_400_000_000
_KINDS = {"String": "text", "Float": "numbers", "Int": "numbers", "Bool": "truth values", "Duration": "durations"}


@dataclass(frozen=True, slots=True)
class _Typed:
    values: pa.Array
    type: ColumnType
    reason: str
    doubtful: bool = False
    written: pa.Array | None = None
    """The source's own spelling of cells that count as missing."""


def read(source: Path, options: ReadOptions, engine: Engine) -> Loaded:
    """Read a sheet of a workbook."""
    book = opened(source)
    sheets = list(book.sheet_names)
    name = chosen(sheets, options.sheet, str(source))
    options.progress(Step(f"reading sheet '{name}'"))
    sheet = load(book, name, header=options.header, where=str(source))
    typed = [_typed(sheet, place, options) for place in range(len(sheet.names))]
    relation = _adopted(engine, sheet.names, typed)
    readings = tuple(
        Reading(name, column.type, column.reason, column.doubtful)
        for name, column in zip(sheet.names, typed, strict=True)
    )
    relation, readings = as_told(relation, readings, options, str(source))
    details = [("sheet", name)]
    if options.sheet is None and len(sheets) > 1:
        others = [other for other in sheets if other != name]
        details.append(("other sheets", f"{listed(others)} (choose one with --sheet)"))
    attributes = tuple(Attribute(name) for name in sheet.names)
    return Loaded(relation, attributes, readings, tuple(details))


def _adopted(engine: Engine, names: tuple[str, ...], typed: list[_Typed]) -> Relation:
    arrays: dict[str, pa.Array] = {}
    columns = []
    for i, (name, column) in enumerate(zip(names, typed, strict=True)):
        place = f"c{len(arrays)}"
        arrays[f"v{i}"] = column.values
        companion = None
        if column.written is not None:
            companion = f"c{len(arrays)}"
            arrays[f"v{i}w"] = column.written
        columns.append(Column(name, place, column.type, companion))
    table = pa.table(arrays)
    return engine.adopt(table.to_batches(100_000), table.schema).renamed(columns)


def _typed(sheet: Sheet, place: int, options: ReadOptions) -> _Typed:
    cells = sheet.cells.column(place)
    if place in sheet.mixed:
        typed = _mixture(cells, sheet.mixed[place], options)
    elif pa.types.is_boolean(cells.type):
        typed = _Typed(cells, ColumnType.BOOLEAN, "truth values")
    elif pa.types.is_floating(cells.type) or pa.types.is_integer(cells.type):
        typed = _numbers(cells.cast(pa.float64()), "numbers")
    elif pa.types.is_temporal(cells.type):
        typed = _moments(cells)
    elif cells.null_count == len(cells):
        typed = _Typed(cells.cast(pa.string()), ColumnType.TEXT, "no values")
    else:
        typed = _texts(cells, "text", options.missing)
    if errors := sheet.errors.get(place, 0):
        reason = f"{typed.reason}; {counted(errors, 'cell')} with an error such as #DIV/0!, taken as missing"
        typed = _Typed(typed.values, typed.type, reason, doubtful=True, written=typed.written)
    return typed


def _numbers(cells: pa.Array, reason: str, written: pa.Array | None = None) -> _Typed:
    numbers = cells.drop_null().to_numpy(zero_copy_only=False)
    if ((numbers == np.trunc(numbers)) & (np.abs(numbers) <= _EXACT)).all():
        return _Typed(cells.cast(pa.int64()), ColumnType.INTEGER, f"{reason}, all whole", written=written)
    return _Typed(cells, ColumnType.NUMBER, reason, written=written)


def _texts(cells: pa.Array, reason: str, markers: tuple[str, ...], *, doubtful: bool = False) -> _Typed:
    values, written = _without(cells, markers)
    return _Typed(values, ColumnType.TEXT, reason, doubtful, written)


def _without(cells: pa.Array, markers: tuple[str, ...]) -> tuple[pa.Array, pa.Array | None]:
    """Return texts without those that say that there is no value, and these apart."""
    nothing = pa.scalar(None, pa.string())
    texts = pc.if_else(pc.equal(cells, ""), nothing, cells)
    marked = pc.is_in(texts, pa.array(markers, pa.string()))
    if not pc.any(marked).as_py():
        return texts, None
    return pc.if_else(marked, nothing, texts), pc.if_else(marked, texts, nothing)


def _mixture(cells: pa.Array, kinds: frozenset[str], options: ReadOptions) -> _Typed:
    if kinds <= {"String", "Float", "Int"}:
        values, written = _without(cells, (*options.missing, *MISSING_MARKERS))
        if pc.all(pc.match_substring_regex(values, _PLAIN_NUMBER)).as_py():
            marked = len(written) - written.null_count if written is not None else 0
            reason = f"numbers; {marked:,} marked as missing" if marked else "numbers, some written as text"
            typed = _numbers(values.cast(pa.float64()), reason, written)
            return typed if marked else _texts(cells, f"mixed: {reason}", options.missing, doubtful=True)
    said = sorted({_KINDS.get(kind, "dates") for kind in kinds})
    return _texts(cells, f"mixed: {', '.join(said)} in one column", options.missing, doubtful=True)


def _moments(cells: pa.Array) -> _Typed:
    if pa.types.is_duration(cells.type):
        return _clocks(cells.cast(pa.duration("us")).cast(pa.int64()))
    moments = cells.cast(pa.timestamp("us"))
    micros = moments.drop_null().cast(pa.int64()).to_numpy(zero_copy_only=False)
    days = micros // _MICROSECONDS_OF_A_DAY
    if ((days >= _DAY_ZERO[0]) & (days < _DAY_ZERO[1])).all():
        counts = moments.cast(pa.int64()).to_numpy(zero_copy_only=False) % _MICROSECONDS_OF_A_DAY
        return _clocks(pa.array(counts, mask=moments.is_null().to_numpy(zero_copy_only=False)))
    if (micros % _MICROSECONDS_OF_A_DAY == 0).all():
        return _Typed(moments.cast(pa.date32()), ColumnType.DATE, "dates")
    return _Typed(moments, ColumnType.TIMESTAMP, "dates with times")


def _clocks(micros: pa.Array) -> _Typed:
    texts = [None if value is None else clock_text(int(value)) for value in micros.to_pylist()]
    return _Typed(pa.array(texts, pa.string()), ColumnType.TEXT, "times of day or durations, as text")
