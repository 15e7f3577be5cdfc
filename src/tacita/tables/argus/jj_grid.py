"""The dimensions behind the cells of a JJ file: it has none, but lists the crossings of codes in their order."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.errors import HierarchyError
from tacita.model.table import Dimension, Equations, Sum


def grid_of(cells: int, equations: Equations) -> tuple[Dimension, ...]:
    """Return the dimensions whose crossings the cells are, codes called by their places; none if there are none.

    Cells are numbered as tau-Argus and sdcTable do, the last dimension moving fastest, the total first in each. A sum
    for the grand total then begins with the cell that is one step away in its dimension. What that suggests is taken
    only if every sum lies along one dimension, and every dimension has its sums at all codes of the others.

    >>> sums = [(0, (1, 2)), (3, (4, 5)), (6, (7, 8)), (0, (3, 6)), (1, (4, 7)), (2, (5, 8))]
    >>> [(one.name, one.codes) for one in grid_of(9, Equations.of(sums))]
    [('d1', ('0', '1', '2')), ('d2', ('0', '1', '2'))]
    """
    if not len(equations):
        return ()
    totals = equations.cells[equations.starts[:-1]]
    steps = sorted({int(equations.row(row)[0][1:].min()) for row in np.flatnonzero(totals == 0).tolist()}, reverse=True)
    sizes = [whole // step for whole, step in zip([cells, *steps], steps, strict=False)]
    if not steps or steps[-1] != 1 or int(np.prod(sizes)) != cells:
        return ()
    places = np.stack(np.unravel_index(equations.cells, sizes), axis=1)
    moves = np.logical_or.reduceat(places != places[equations.starts[:-1]][equations.row_of], equations.starts[:-1])
    if (moves.sum(axis=1) != 1).any():
        return ()
    along = moves.argmax(axis=1)
    dimensions = [_dimension(at, size, equations, places[:, at], along == at) for at, size in enumerate(sizes)]
    expected = sum(len(one.sums) * (cells // len(one.codes)) for one in dimensions if one is not None)
    if None in dimensions or expected != len(equations):
        return ()
    return tuple(one for one in dimensions if one is not None)


def _dimension(
    at: int, size: int, equations: Equations, places: NDArray[np.int64], along: NDArray[np.bool_]
) -> Dimension | None:
    """Return a dimension with the sums along it; None if they make none."""
    sums: dict[Sum, None] = {}
    for row in np.flatnonzero(along).tolist():
        total, *parts = places[equations.starts[row] : equations.starts[row + 1]].tolist()
        sums[Sum(str(total), tuple(map(str, sorted(parts))))] = None
    try:
        return Dimension(f"d{at + 1}", tuple(map(str, range(size))), tuple(sums))
    except HierarchyError:
        return None
