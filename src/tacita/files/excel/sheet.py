"""A sheet of a workbook as Arrow columns, with its header checked and its mixed columns known."""

from __future__ import annotations

import logging
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import fastexcel
import pyarrow as pa

from tacita.errors import InputError, did_you_mean, faults_text, listed

# It reports empty columns as warnings, on the standard error of whoever asked for a file.
logging.getLogger("fastexcel").setLevel(logging.ERROR)

_MIXED = re.compile(r"column contains \{(.*?)\}.*could not determine dtype for column (.*)$", re.DOTALL)
_REPEATED = re.compile(r"(.*)_\d+", re.DOTALL)
# More mixed columns than this are read as text without asking which kinds of cells they mix.
_MOST_MIXED = 40


@dataclass(frozen=True, slots=True)
class Sheet:
    """The cells of a sheet below its header."""

    names: tuple[str, ...]
    cells: pa.RecordBatch
    mixed: dict[int, frozenset[str]] = field(default_factory=dict)
    """Columns with cells of several kinds, by place: the kinds."""
    errors: dict[int, int] = field(default_factory=dict)
    """How many cells of a column hold an error such as #DIV/0!."""


def opened(source: Path) -> Any:
    """Return the workbook of a file."""
    try:
        with source.open("rb") as file:
            start = file.read(8)
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", where=str(source), do="check the path") from None
    if not start:
        raise InputError("is empty", where=str(source), do="fetch or export it again")
    if start.startswith(b"\xd0\xcf\x11\xe0") and source.suffix.lower() not in {".xls"}:
        raise InputError(
            "is protected by a password, or is an old Excel file",
            where=str(source),
            do="save it without a password, or give it the ending .xls",
        )
    try:
        return fastexcel.read_excel(str(source))
    except fastexcel.FastExcelError:
        raise InputError(
            "is damaged, or is not a workbook of this kind",
            where=str(source),
            do="open it and save it again, or export the sheet as CSV",
        ) from None


def chosen(sheets: Sequence[str], wanted: str | None, where: str) -> str:
    """Return the name of the wanted sheet: by its name, or by its number from 1; the first if none is wanted."""
    if not sheets:
        raise InputError("has no sheets", where=where, do="open it and save it again")
    if wanted is None:
        return sheets[0]
    if wanted in sheets:
        return wanted
    if wanted.isdigit() and 1 <= int(wanted) <= len(sheets):
        return sheets[int(wanted) - 1]
    raise InputError(
        f"no sheet '{wanted}'{did_you_mean(wanted, sheets)}",
        where=where,
        do=f"give --sheet with one of: {listed(sheets, 20)}",
    )


def load(book: Any, name: str, *, header: bool, where: str) -> Sheet:
    """Return the cells of a sheet; each column has one type, or is text."""
    types: dict[str, str] = {}
    kinds: dict[str, frozenset[str]] = {}
    how: dict[str, Any] = {"header_row": 0 if header else None, "schema_sample_rows": None}
    try:
        while True:
            try:
                strict = "strict" if len(kinds) < _MOST_MIXED else "coerce"
                sheet = book.load_sheet(name, dtype_coercion=strict, dtypes=dict(types) or None, **how)
                break
            except fastexcel.UnsupportedColumnTypeCombinationError as error:
                match = _MIXED.search(str(error))
                column = match[2].rstrip("\n") if match else ""
                if match is None or column in types:
                    raise
                kinds[column] = frozenset(kind.strip() for kind in match[1].split(","))
                types[column] = _common(kinds[column])
        cells, errors = sheet.to_arrow_with_errors()
    except fastexcel.FastExcelError:
        raise InputError(
            f"the sheet '{name}' cannot be read", where=where, do="export the sheet as CSV, or save the workbook again"
        ) from None
    if not sheet.selected_columns:
        raise InputError(f"the sheet '{name}' is empty", where=where, do="choose another one with --sheet")
    given = [column.name for column in sheet.selected_columns]
    names = _checked(book, name, sheet.selected_columns, where) if header else _numbered(len(given))
    counts: dict[int, int] = {}
    for fault in errors.errors if errors else ():
        place = fault.offset_position[1]
        counts[place] = counts.get(place, 0) + 1
    mixed = {given.index(n): kinds[n] for n in kinds if types[n] == "string"}
    return Sheet(names, _without_empty_end(cells), mixed, counts)


def _common(kinds: frozenset[str]) -> str:
    """Return the type that holds cells of all these kinds."""
    if kinds <= {"Int", "Float"}:
        return "float"
    if kinds <= {"DateTime", "Date", "DateTimeIso"}:
        return "datetime"
    return "string"


def _numbered(width: int) -> tuple[str, ...]:
    return tuple(f"column{i}" for i in range(1, width + 1))


def _checked(book: Any, name: str, columns: Sequence[Any], where: str) -> tuple[str, ...]:
    """Return the names in the header; raise, with the addresses, if some are empty or stand there twice."""
    headers = [column.name.strip() for column in columns]
    suspect = any(c.column_name_from == "generated" for c in columns) or any(
        (match := _REPEATED.fullmatch(c.name)) and match[1].strip() in headers for c in columns
    )
    if not suspect and len(set(headers)) == len(headers) and all(headers):
        return tuple(headers)
    # fastexcel renames what is empty or repeated, so the header is looked at as it stands in the sheet.
    raw = book.load_sheet(name, header_row=None, skip_rows=0, dtypes="string").to_arrow()
    rows = zip(*(column.to_pylist() for column in raw.columns), strict=True)
    row, texts = next((i, row) for i, row in enumerate(rows, 1) if any(cell is not None for cell in row))
    places = [f"{_letters(column.absolute_index)}{row}" for column in columns]
    names = [(text or "").strip().removesuffix(" 00:00:00") for text in texts]
    faults = []
    if empty := [place for place, text in zip(places, names, strict=True) if not text]:
        faults.append(f"no name in the header cells {listed(empty)}")
    for text in dict.fromkeys(names):
        if text and names.count(text) > 1:
            doubles = [place for place, other in zip(places, names, strict=True) if other == text]
            faults.append(f"the name '{text}' stands in {listed(doubles)}")
    if faults:
        raise InputError(
            faults_text(faults),
            where=f"{where}, sheet '{name}'",
            do="give every column a name of its own, or say --no-header if the first row is data",
        )
    return tuple(names)


def _letters(index: int) -> str:
    """Return the letters of a column.

    >>> _letters(0), _letters(25), _letters(26), _letters(16383)
    ('A', 'Z', 'AA', 'XFD')
    """
    letters = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _without_empty_end(cells: pa.RecordBatch) -> pa.RecordBatch:
    """Drop empty rows at the end: cells that have a format and no content."""
    height = cells.num_rows
    while height and all(column[height - 1].as_py() in {None, ""} for column in cells.columns):
        height -= 1
    return cells.slice(0, height)
