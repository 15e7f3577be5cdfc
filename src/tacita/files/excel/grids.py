"""Writing grids as sheets of a workbook: what is laid out already, with marks and remarks; no formula ever."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.exceptions import XlsxWriterException

from tacita.errors import OutputError

_ROWS, _COLUMNS = 1_048_576, 16_384
_SHORTEST, _LONGEST = 9, 48
_REMARKS = 20_000
THEN = dt.datetime(2000, 1, 1)  # no clock: a workbook that is written again is the same


@dataclass(frozen=True, slots=True)
class Mark:
    """A text in the place of a figure, shaded, with a remark that is shown on hover."""

    text: str
    remark: str = ""


@dataclass(frozen=True, slots=True)
class Head:
    """A text in bold, indented by its depth."""

    text: str
    depth: int = 0


Cell = str | float | Mark | Head | None


@dataclass(frozen=True, slots=True)
class SheetGrid:
    """A name, rows of cells, and how many rows and columns stay in sight."""

    name: str
    rows: Sequence[Sequence[Cell]]
    frozen: tuple[int, int] = (1, 0)


def write_grids(path: Path, sheets: Sequence[SheetGrid]) -> None:
    """Write a workbook. It holds no time and no author, so that the same sheets give the same workbook."""
    for sheet in sheets:
        width = max((len(row) for row in sheet.rows), default=0)
        if len(sheet.rows) > _ROWS or width > _COLUMNS:
            raise OutputError(
                f"the sheet '{sheet.name}' would have {len(sheet.rows):,} rows and {width:,} columns",
                do=f"Excel has {_ROWS:,} and {_COLUMNS:,}: write CSV or Parquet instead",
            )
    settings = {"strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False, "in_memory": True}
    try:
        with xlsxwriter.Workbook(str(path), settings) as book:
            book.set_properties({"created": THEN, "author": "", "comments": ""})
            formats = _formats(book)
            for name, sheet in zip(_sheet_names([sheet_.name for sheet_ in sheets]), sheets, strict=True):
                _write(book.add_worksheet(name), sheet, formats, book)
    except XlsxWriterException as error:
        if error.args and isinstance(error.args[0], OSError):
            raise error.args[0] from None
        raise OutputError(
            f"cannot be written ({type(error).__name__})", where=str(path.parent), do="choose another folder"
        ) from None


def _formats(book: Any) -> dict[str, Any]:
    return {
        "number": book.add_format({"num_format": "#,##0.############", "align": "right"}),
        "whole": book.add_format({"num_format": "#,##0", "align": "right"}),
        "mark": book.add_format({"align": "right", "bg_color": "#E7E9EC", "font_color": "#57606A"}),
    }


def _write(sheet: Any, given: SheetGrid, formats: dict[str, Any], book: Any) -> None:
    sheet.freeze_panes(*given.frozen)
    widths: dict[int, int] = {}
    remarks = 0
    heads: dict[int, Any] = {}
    for row, cells in enumerate(given.rows):
        for place, cell in enumerate(cells):
            if cell is None:
                continue
            if isinstance(cell, Mark):
                sheet.write_string(row, place, cell.text, formats["mark"])
                if cell.remark and remarks < _REMARKS:
                    sheet.write_comment(row, place, cell.remark, {"x_scale": 2.2})
                    remarks += 1
            elif isinstance(cell, Head):
                if cell.depth not in heads:
                    heads[cell.depth] = book.add_format({"bold": True, "indent": min(cell.depth, 15)})
                sheet.write_string(row, place, cell.text, heads[cell.depth])
                widths[place] = max(widths.get(place, 0), len(cell.text) + 2 * cell.depth)
            elif isinstance(cell, str):
                sheet.write_string(row, place, cell)
            else:
                sheet.write_number(row, place, cell, formats["whole" if cell == round(cell) else "number"])
    for place, width in widths.items():
        sheet.set_column(place, place, min(max(width + 2, _SHORTEST), _LONGEST))


def _sheet_names(names: Sequence[str]) -> list[str]:
    """Return names that Excel allows and that differ.

    >>> _sheet_names(["a/b", "a?b", "history", ""])
    ['ab', 'ab 2', 'table', 'table 2']
    """
    names_so_far: list[str] = []
    for name in names:
        allowed = "".join(char for char in name if char not in "[]:*?/\\").strip("' ")[:31]
        plain = candidate = allowed if allowed and allowed.lower() != "history" else "table"
        number = 2
        while candidate.lower() in {name_.lower() for name_ in names_so_far}:
            candidate, number = f"{plain[:27]} {number}", number + 1
        names_so_far.append(candidate)
    return names_so_far
