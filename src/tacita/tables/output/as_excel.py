"""Tables as a workbook: a sheet for each, laid out as printed, withheld figures shaded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tacita.files.excel.grids import Cell, Head, Mark, SheetGrid, write_grids
from tacita.tables.output.figures import depths, written
from tacita.tables.output.grid import GridCell, grids
from tacita.tables.output.part import TablePart


def write_excel(parts: Sequence[TablePart], path: Path) -> None:
    """Write the workbook; in the internal version a remark on a cell says why it is withheld."""
    write_grids(path, [SheetGrid(part.name, list(_rows(part)), (1, 1 + len(part.dimensions[2:]))) for part in parts])


def _rows(part: TablePart) -> Iterator[list[Cell]]:
    side_depths = depths(part.dimensions[0]) if part.dimensions else {}
    for number, grid in enumerate(grids(part)):
        if not number:
            further = [Head(dimension.name) for dimension in part.dimensions[2:]]
            yield [*further, Head(grid.corner), *(Head(head) for head in grid.heads)]
        for side, cells in zip(grid.sides, grid.cells, strict=True):
            yield [*grid.at, Head(side, side_depths.get(side, 0)), *(_cell(cell) for cell in cells)]


def _cell(cell: GridCell) -> Cell:
    if not cell.is_there:
        return None
    if cell.is_withheld or cell.mark:
        return Mark(cell.as_text(written), cell.reason)
    return float(written(cell.value))
