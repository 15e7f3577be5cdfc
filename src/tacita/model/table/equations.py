"""The sums of a table as one sparse linear system."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Equations:
    """Rows of cells whose signed sum is zero: parts with +1, their total with -1.

    The cells of row r are ``cells[starts[r]:starts[r + 1]]``, with coefficients at the same places. Any sparse system
    with right-hand side zero is allowed; tables of linked or earlier publications just have more rows.

    >>> sums = Equations.of([(0, (1, 2)), (3, (4, 5))])
    >>> sums.residuals(np.array([10.0, 4, 6, 9, 4, 6])).tolist()
    [0.0, 1.0]
    """

    starts: NDArray[np.int64]
    cells: NDArray[np.int64]
    coefficients: NDArray[np.float64]

    @classmethod
    def of(cls, sums: Iterable[tuple[int, Sequence[int]]]) -> Equations:
        """Return equations from totals and their parts."""
        starts, cells, coefficients = [0], list[int](), list[float]()
        for total, parts in sums:
            cells.extend((total, *parts))
            coefficients.extend((-1.0, *(1.0 for _ in parts)))
            starts.append(len(cells))
        return cls(np.array(starts, np.int64), np.array(cells, np.int64), np.array(coefficients))

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def row_of(self) -> NDArray[np.int64]:
        """The row of each entry of `cells`."""
        return np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))

    def row(self, number: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Return the cells and coefficients of one equation."""
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.cells[part], self.coefficients[part]

    def residuals(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return by how much each equation fails: parts minus total."""
        signed = self.coefficients * values[self.cells]
        return np.bincount(self.row_of, weights=signed, minlength=len(self)).astype(np.float64)
