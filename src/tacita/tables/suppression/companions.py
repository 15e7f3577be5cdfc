"""Who is left in each equation: a sensitive cell withheld alone in one is recalculated at once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.problem import SuppressionProblem


class Companions:
    """Counts the withheld cells of every equation while cells are taken back."""

    def __init__(self, problem: SuppressionProblem, withheld: NDArray[np.bool_]) -> None:
        self._sums = problem.sums
        self._columns = problem.sums.tocsc()
        self._withheld = withheld.copy()
        self._is_target = np.zeros(len(problem), bool)
        self._is_target[problem.targets] = True
        pattern = self._sums.copy()
        pattern.data = np.ones_like(pattern.data)
        self._count = np.asarray(pattern @ withheld.astype(np.float64)).astype(np.int64)

    def needs(self, cell: int) -> bool:
        """Return whether some sensitive cell would be alone in an equation without this cell."""
        return any(self._count[row] == 2 and self._has_target(row, cell) for row in self._rows(cell))

    def publish(self, cell: int) -> None:
        """Count a cell out."""
        self._withheld[cell] = False
        self._count[self._rows(cell)] -= 1

    def _rows(self, cell: int) -> NDArray[np.int32]:
        columns = self._columns
        return np.asarray(columns.indices[columns.indptr[cell] : columns.indptr[cell + 1]])

    def _has_target(self, row: int, without: int) -> bool:
        cells = self._sums.indices[self._sums.indptr[row] : self._sums.indptr[row + 1]]
        return bool(np.any(self._is_target[cells] & self._withheld[cells] & (cells != without)))
