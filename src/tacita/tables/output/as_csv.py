"""A table as CSV: long, a line for each cell, or wide, as it would be printed."""

from __future__ import annotations

import csv
import io

from tacita.tables.output.figures import written
from tacita.tables.output.grid import grids
from tacita.tables.output.long import long_form
from tacita.tables.output.part import TablePart


def long_csv(part: TablePart) -> str:
    """Return the cells one by one."""
    rows = long_form(part)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.column_names)
    columns = [[_written(cell) for cell in rows.column(name).to_pylist()] for name in rows.column_names]
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def wide_csv(part: TablePart) -> str:
    """Return the table as printed: the codes of the second dimension are columns; further dimensions lead each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    further = part.dimensions[2:]
    for number, grid in enumerate(grids(part)):
        if not number:
            writer.writerow([*(dimension.name for dimension in further), grid.corner, *grid.heads])
        for head, cells in zip(grid.sides, grid.cells, strict=True):
            writer.writerow([*grid.at, head, *(cell.as_text(written) for cell in cells)])
    return text.getvalue()


def _written(cell: object) -> str:
    if cell is None:
        return ""
    return written(cell) if isinstance(cell, float) else str(cell)
