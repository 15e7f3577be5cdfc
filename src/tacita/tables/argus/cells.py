"""Tables that tau-Argus wrote: files of cells without a header."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from tacita.errors import InputError, counted, faults_text, listed
from tacita.model.hierarchy.text_file import read_text
from tacita.tables.argus import ENCODING

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
    text = read_text(path, InputError, f"a table that tau-Argus wrote ({kind})", otherwise=ENCODING)
    separator = max(_SEPARATORS, key=text.partition("\n")[0].count)
    reader = csv.reader(text.splitlines(), delimiter=separator)
    lines = [(reader.line_num, [cell.strip() for cell in row]) for row in reader if row]
    if lines and lines[0][1][: len(dimensions)] == list(dimensions):
        lines = lines[1:]
    if not lines:
        raise InputError("there is no cell", where=str(path), do="give a file with a line for each cell")
    rows = [row for _, row in lines]
    at = _places(rows, len(dimensions))
    if at is None:
        widths = sorted({len(row) for row in rows})
        raise InputError(
            f"lines have {listed(widths)} fields, where {len(dimensions)} codes, a value and a status are expected",
            where=str(path),
            do=f"give the dimensions in the order of the file; now they are {listed(list(dimensions))}",
        )
    _check_lines(lines, at[0], dimensions, path)
    codes, value = at
    decimal = separator == ";"
    table = {name: [row[place] for row in rows] for name, place in zip(dimensions, codes, strict=True)}
    table[VALUE] = [row[value].replace(",", ".") if decimal else row[value] for row in rows]
    table[STATUS] = [row[value + 1] if len(row) > value + 1 else "" for row in rows]  # none, or all
    named = replace(columns, value=VALUE, status=STATUS)
    return pa.table({name: pa.array(cells, pa.string()) for name, cells in table.items()}), named


def _check_lines(
    lines: Sequence[tuple[int, Sequence[str]]], codes: Sequence[int], dimensions: Sequence[str], path: Path
) -> None:
    """Raise if a line is shorter or longer than the first, as where a file was cut off, or has no code."""
    width = len(lines[0][1])
    faults = [
        f"line {number} has {counted(len(row), 'field')}, and the first has {width}"
        for number, row in lines
        if len(row) != width
    ]
    for place, name in zip(codes, dimensions, strict=True):
        without = [number for number, row in lines if len(row) == width and not row[place]]
        if without:
            faults.append(f"no code of '{name}' on lines {listed(without)}; a total needs its code too")
    if faults:
        raise InputError(faults_text(faults[:10]), where=str(path), do="correct these lines, or write the file again")


def _places(rows: Sequence[Sequence[str]], dimensions: int) -> tuple[list[int], int] | None:
    """Return the places of the codes and of the value: codes first, or each after its level."""
    width = len(rows[0])
    if width in {dimensions + 1, dimensions + 2}:
        return list(range(dimensions)), dimensions
    if width == 2 * dimensions + 2 and all(
        row[2 * at].isdigit() for row in rows if len(row) == width for at in range(dimensions)
    ):
        return [2 * at + 1 for at in range(dimensions)], 2 * dimensions
    return None
