"""Writing .xlsx: numbers as numbers, codes as text, no formula ever; measured and checked before the first row.

xlsxwriter keeps finished rows in a file until the workbook is put together. That file lies in a folder that is
entered in the journal of `tacita.workspace`, like the spill folder of the engine, and goes with it.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import xlsxwriter
from xlsxwriter.exceptions import XlsxWriterException

from tacita.errors import OutputError, counted, faults_text, listed
from tacita.files.contract import WriteOptions
from tacita.files.excel.grids import THEN
from tacita.files.streaming import cells
from tacita.model.microdata import Microdata
from tacita.model.relation import Column, ColumnType
from tacita.progress import Step
from tacita.settings import Settings
from tacita.workspace import journalled, spill_folder

_ROWS = 1_048_576
_COLUMNS = 16_384
_CHARACTERS = 32_767
_DIGITS = 10**15
# Before this day Excel counts a 29 February 1900 that never was, or does not count at all.
_FIRST_DAY = dt.date(1900, 3, 1)


@dataclass(slots=True)
class _Measured:
    """What Excel must know of a column."""

    longest: int = 0
    long_texts: int = 0
    many_digits: bool = False
    early: bool = False
    fine: bool = False
    infinite: int = 0
    empty: int = 0
    coded: bool = False
    zoned: bool = False

    def look_at(self, column: Column, values: pa.Array, codes: pa.Array | None) -> None:
        if codes is not None:
            self.coded = self.coded or bool(pc.any(pc.and_(values.is_null(), codes.is_valid())).as_py())
        present = values.drop_null()
        if not len(present):
            return
        if column.type is ColumnType.TEXT:
            texts = present.cast(pa.string())
            self.empty += pc.equal(texts, "").true_count
            # Excel counts in units of UTF-16, in which a character is one or two.
            for text in texts.filter(pc.greater(pc.utf8_length(texts), _CHARACTERS // 2)).to_pylist():
                length = len(text.encode("utf-16-le")) // 2
                self.longest = max(self.longest, length)
                self.long_texts += length > _CHARACTERS
        elif column.type is ColumnType.INTEGER:
            bounds = pc.min_max(present).as_py()
            self.many_digits = self.many_digits or max(-bounds["min"], bounds["max"]) >= _DIGITS
        elif column.type is ColumnType.NUMBER:
            self.infinite += pc.is_inf(present.cast(pa.float64(), safe=False)).true_count
        elif column.type in {ColumnType.DATE, ColumnType.TIMESTAMP}:
            self.early = self.early or pc.min(present.cast(pa.date32(), safe=False)).as_py() < _FIRST_DAY
            if column.type is ColumnType.TIMESTAMP:
                self.zoned = present.type.tz is not None
                micros = present.cast(pa.timestamp("us", present.type.tz), safe=False).cast(pa.int64())
                self.fine = self.fine or bool((micros.to_numpy(zero_copy_only=False) % 1_000).any())


def write(microdata: Microdata, path: Path, options: WriteOptions, *, ending: str) -> tuple[str, ...]:
    """Write one sheet with a header; return what Excel could not hold."""
    del ending
    relation = microdata.relation
    figures = [_Measured() for _ in relation.columns]
    height = 0
    options.progress(Step("measuring the columns"))
    for batch in cells(relation):
        height += len(batch[0][0])
        for measured, column, (values, codes) in zip(figures, relation.columns, batch, strict=True):
            measured.look_at(column, values, codes)
    _check(relation.columns, figures, height)
    settings = Settings.from_environment()
    with journalled(spill_folder(settings.spill), settings.state) as folder:
        folder.mkdir(mode=0o700)
        try:
            last = _write(microdata, path, options, figures, height, folder)
        except XlsxWriterException as error:
            if error.args and isinstance(error.args[0], OSError):
                raise error.args[0] from None  # a full disk, told by who makes files atomic
            raise OutputError(
                f"cannot be written ({type(error).__name__})", where=str(path.parent), do="choose another folder"
            ) from None
    empty = height - last
    lost = (f"Excel does not keep rows without any value at the end: {counted(empty, 'row')}",) if empty else ()
    return (*_losses(microdata, figures), *lost)


def _check(columns: Sequence[Column], figures: Sequence[_Measured], height: int) -> None:
    faults = []
    if height >= _ROWS:
        faults.append(f"{counted(height, 'row')} and a header, where a sheet has {_ROWS:,} rows")
    if len(columns) > _COLUMNS:
        faults.append(f"{len(columns):,} columns, where a sheet has {_COLUMNS:,}")
    for column, measured in zip(columns, figures, strict=True):
        if measured.long_texts:
            faults.append(
                f"column '{column.name}': {counted(measured.long_texts, 'text')} longer than "
                f"the {_CHARACTERS:,} characters of a cell (the longest has {measured.longest:,})"
            )
    if faults:
        raise OutputError(faults_text(faults), do="write Parquet or CSV instead, or leave out rows or columns")


def _write(
    microdata: Microdata, path: Path, options: WriteOptions, measured: Sequence[_Measured], height: int, folder: Path
) -> int:
    """Write the workbook; return the last row that has a cell."""
    relation = microdata.relation
    settings = {
        "constant_memory": True,
        "tmpdir": str(folder),
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
        "default_date_format": "yyyy-mm-dd",
    }
    with xlsxwriter.Workbook(str(path), settings) as book:
        book.set_properties({"created": THEN})
        sheet = book.add_worksheet(_sheet_name(microdata.name))
        sheet.freeze_panes(1, 0)
        moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss"})
        day = book.add_format({"num_format": "yyyy-mm-dd"})
        for place, column in enumerate(relation.columns):
            sheet.write_string(0, place, column.name)
        puts = [_put(sheet, c, m, day, moment) for c, m in zip(relation.columns, measured, strict=True)]
        row = last = 0
        for batch in cells(relation):
            lists = [_python(values, codes) for values, codes in batch]
            for line in zip(*lists, strict=True):
                row += 1
                for place, cell in enumerate(line):
                    if cell is not None and cell != "":
                        puts[place](row, place, cell)
                        last = row
            options.progress(Step("writing", row, height))
    return last


def _python(values: pa.Array, codes: pa.Array | None) -> list[Any]:
    if pa.types.is_timestamp(values.type):
        values = values.cast(pa.timestamp("us"), safe=False)
    elif pa.types.is_decimal(values.type):
        values = values.cast(pa.float64(), safe=False)
    if pa.types.is_floating(values.type):
        values = pc.if_else(pc.is_finite(values), values, pa.scalar(None, values.type))
    result: list[Any] = values.to_pylist()
    if codes is not None:
        for i, code in enumerate(codes.to_pylist()):
            if code is not None and result[i] is None:
                result[i] = _Code(code)
    return result


@dataclass(frozen=True, slots=True)
class _Code:
    """A user-defined missing, which stands as text among values of another type."""

    text: str


def _put(sheet: Any, column: Column, measured: _Measured, day: Any, moment: Any) -> Callable[[int, int, Any], None]:
    """Return the function that writes the cells of a column."""

    def text(row: int, place: int, value: Any) -> None:
        sheet.write_string(row, place, str(value))

    def number(row: int, place: int, value: Any) -> None:
        sheet.write_number(row, place, value)

    def boolean(row: int, place: int, value: Any) -> None:
        sheet.write_boolean(row, place, value)

    def date(row: int, place: int, value: Any) -> None:
        sheet.write_datetime(row, place, value, day)

    def timestamp(row: int, place: int, value: Any) -> None:
        sheet.write_datetime(row, place, value, moment)

    by_type: dict[ColumnType, Callable[[int, int, Any], None]] = {
        ColumnType.INTEGER: number,
        ColumnType.NUMBER: number,
        ColumnType.BOOLEAN: boolean,
        ColumnType.DATE: date,
        ColumnType.TIMESTAMP: timestamp,
    }
    put = text if measured.many_digits or measured.early else by_type.get(column.type, text)

    def put_or_code(row: int, place: int, value: Any) -> None:
        if isinstance(value, _Code):
            sheet.write_string(row, place, value.text)
        else:
            put(row, place, value)

    return put_or_code if column.as_written else put


def _sheet_name(name: str) -> str:
    """Return a name that Excel allows for a sheet."""
    allowed = "".join(char for char in name if char not in "[]:*?/\\").strip("' ")[:31]
    return allowed if allowed and allowed.lower() != "history" else "data"


def _losses(microdata: Microdata, figures: Sequence[_Measured]) -> tuple[str, ...]:
    columns = microdata.columns
    names = [column.name for column in columns]

    def those(condition: Callable[[_Measured], object]) -> list[str]:
        return [name for name, measured in zip(names, figures, strict=True) if condition(measured)]

    labelled = [a.name for a in microdata.dictionary if a.labels or a.description]
    sentences = {
        "Excel keeps 15 digits of a number, so longer ones are written as text": those(lambda m: m.many_digits),
        "Excel has no days before 1 March 1900, so these dates are written as text": those(lambda m: m.early),
        "Excel keeps milliseconds, so these moments are rounded": those(lambda m: m.fine and not m.early),
        "Excel knows no time zones, so UTC is written": those(lambda m: m.zoned),
        "Excel has no infinite numbers, so their cells are empty": those(lambda m: m.infinite),
        "Excel does not tell empty text from no text": those(lambda m: m.empty),
        "codes of missing values are written as text": those(lambda m: m.coded),
        "Excel has no place for labels of columns and values": labelled,
    }
    return tuple(f"{sentence}: {listed(which)}" for sentence, which in sentences.items() if which)
