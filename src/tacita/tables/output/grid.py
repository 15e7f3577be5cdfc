"""A table as a reader lays it out: rows by its first dimension, columns by its second, a grid for each of the rest."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Status
from tacita.tables.output.part import MARKER, TablePart


@dataclass(frozen=True, slots=True)
class GridCell:
    """What stands in one place: a figure, an interval, a mark, or nothing at all if the table has no such cell."""

    value: float = np.nan
    lower: float = np.nan
    upper: float = np.nan
    is_there: bool = True
    mark: str | None = None
    """How it is to stand out: ``withheld``, or in the internal version ``primary`` or ``secondary``."""
    reason: str = ""

    @property
    def is_withheld(self) -> bool:
        """Whether the figure is not told."""
        return self.is_there and bool(np.isnan(self.value))

    def as_text(self, written: Callable[[float], str]) -> str:
        """Return it as text: ``120``, ``x``, ``100 – 150``."""
        if not self.is_there:
            return ""
        if not self.is_withheld:
            return written(self.value)
        if np.isnan(self.lower) and np.isnan(self.upper):
            return MARKER
        low = written(self.lower) if np.isfinite(self.lower) else ""
        high = written(self.upper) if np.isfinite(self.upper) else ""
        return f"{low} – {high}".strip()


@dataclass(frozen=True, slots=True)
class Grid:
    """One sheet of a table: `at` are the codes of the dimensions beyond the second."""

    at: tuple[str, ...]
    corner: str
    sides: tuple[str, ...]
    heads: tuple[str, ...]
    cells: list[list[GridCell]]


def grids(part: TablePart) -> Iterator[Grid]:
    """Yield the sheets of a table, those of totals first; a table of one dimension has one column.

    >>> from tacita.model.table import Dimension
    >>> size = Dimension.flat("size", ["small", "large"])
    >>> codes = np.array([[0], [1], [2]], np.int32)
    >>> part = TablePart("firms", (size,), codes, np.array([9.0, np.nan, np.nan]), "count")
    >>> grid = next(grids(part))
    >>> grid.sides, grid.heads, [cell.as_text(str) for cell, in grid.cells]
    (('Total', 'small', 'large'), ('count',), ['9.0', 'x', 'x'])
    """
    if len(part.dimensions) > 1:
        corner = f"{part.dimensions[0].name} \\ {part.dimensions[1].name}"
        heads, column_of = part.dimensions[1].codes, part.codes[:, 1]
    else:
        corner = part.dimensions[0].name if part.dimensions else ""
        heads, column_of = (part.response or "value",), np.zeros(len(part), np.int32)
    sides = part.dimensions[0].codes if part.dimensions else (part.name,)
    row_of = part.codes[:, 0] if part.dimensions else np.zeros(len(part), np.int32)
    for at, cells in _sheets(part):
        cells_at = {(int(row_of[cell]), int(column_of[cell])): _cell(part, int(cell)) for cell in cells}
        nothing = GridCell(is_there=False)
        laid = [[cells_at.get((row, column), nothing) for column in range(len(heads))] for row in range(len(sides))]
        yield Grid(at, corner, sides, heads, laid)


def _sheets(part: TablePart) -> Iterator[tuple[tuple[str, ...], NDArray[np.int64]]]:
    """Yield the codes of the further dimensions that occur together, with their cells."""
    further = part.codes[:, 2:]
    if not further.shape[1]:
        yield (), np.arange(len(part))
        return
    combinations, which = np.unique(further, axis=0, return_inverse=True)
    order = np.argsort(which.ravel(), kind="stable")
    ends = np.cumsum(np.bincount(which.ravel(), minlength=len(combinations)))
    for number, combination in enumerate(combinations):
        at = tuple(dimension.codes[code] for dimension, code in zip(part.dimensions[2:], combination, strict=True))
        yield at, order[ends[number - 1] if number else 0 : ends[number]]


def _cell(part: TablePart, cell: int) -> GridCell:
    return GridCell(
        float(part.values[cell]),
        np.nan if part.lower is None else float(part.lower[cell]),
        np.nan if part.upper is None else float(part.upper[cell]),
        True,
        _mark(part, cell),
        part.reasons[cell] if part.reasons else "",
    )


_MARKS = {Status.PRIMARY: "primary", Status.SECONDARY: "secondary", Status.FORCED: "secondary"}


def _mark(part: TablePart, cell: int) -> str | None:
    if part.statuses is not None:
        return _MARKS.get(Status(int(part.statuses[cell])))
    return "withheld" if np.isnan(part.values[cell]) else None
