"""Small tables for the attackers' tests, built from their inner cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension, Table, table_of_leaves


def flat(inner: NDArray[np.float64], *, is_count: bool = False) -> Table:
    """A table of flat dimensions with all its margins."""
    inner = np.asarray(inner, float)
    dimensions = [
        Dimension.flat("xyzuv"[axis], [f"{'xyzuv'[axis]}{n}" for n in range(1, size + 1)])
        for axis, size in enumerate(inner.shape)
    ]
    return table_of_leaves("flat", dimensions, inner, is_count=is_count)


def hidden(table: Table, *cells: tuple[str, ...]) -> NDArray[np.bool_]:
    """The pattern in which the cells with these codes are suppressed."""
    wanted = set(cells)
    found = np.array([table.cell_codes(cell) in wanted for cell in range(len(table))])
    assert found.sum() == len(wanted)
    return found


def number(table: Table, *codes: str) -> int:
    """The number of the cell with these codes."""
    return int(np.flatnonzero(hidden(table, codes))[0])
