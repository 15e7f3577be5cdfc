"""Tables that tau-Argus wrote: files of cells without a header."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from tacita.errors import InputError, listed
from tacita.model.hierarchy.text_file import read_text

if TYPE_CHECKING:
    from tacita.tables.build.cells.cells_file import CellColumns

VALUE, STATUS = "value", "status"
_SEPARATORS = ";,\t|"


def headless_table(
    path: Path, dimensions: Sequence[str], columns: CellColumns, kind: str
) -> tuple[pa.Table, CellColumns]:
    """Return a file of cells as a table with names: the dimensions in order, then value and status.

    ``sbs`` lines may have the level before each code (tau-Argus writes them if asked); ``argus`` is the code-value
    format. A first line with the names of the variables is recognised. Decimal commas are those of a file that is
    separated by semicolons.
    """
    text = read_text(path, InputError, f"a table that tau-Argus wrote ({kind})")
    separator = max(_SEPARATORS, key=text.partition("\n")[0].count)
    rows = [[cell.strip() for cell in row] for row in csv.reader(text.splitlines(), delimiter=separator) if row]
    if rows and rows[0][: len(dimensions)] == list(dimensions):
        rows = rows[1:]
    widths = sorted({len(row) for row in rows})
    at = _places(rows, len(dimensions))
    if not rows or at is None or len(widths) > 2 or widths[0] < len(dimensions) + 1:
        raise InputError(
            f"lines have {listed(widths)} fields, where {len(dimensions)} codes, a value and a status are expected",
            where=str(path),
            do=f"give the dimensions in the order of the file; now they are {listed(list(dimensions))}",
        )
    codes, value = at
    decimal = separator == ";"
    table = {name: [row[place] for row in rows] for name, place in zip(dimensions, codes, strict=True)}
    table[VALUE] = [row[value].replace(",", ".") if decimal else row[value] for row in rows]
    table[STATUS] = [row[value + 1] if len(row) > value + 1 else "" for row in rows]
    named = replace(columns, value=VALUE, status=STATUS)
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in table.items()}), named


def _places(rows: Sequence[Sequence[str]], dimensions: int) -> tuple[list[int], int] | None:
    """Return the places of the codes and of the value: codes first, or each after its level."""
    width = max((len(row) for row in rows), default=0)
    if width in {dimensions + 1, dimensions + 2}:
        return list(range(dimensions)), dimensions
    if width == 2 * dimensions + 2 and all(row[2 * at].isdigit() for row in rows for at in range(dimensions)):
        return [2 * at + 1 for at in range(dimensions)], 2 * dimensions
    return None
