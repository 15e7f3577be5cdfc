"""Compiled loops over rows of a system. Importing it loads numba: do it where a verdict is made."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@njit(cache=True, nogil=True)
def nested_pairs(
    starts: Ints, columns: Ints, by_column: Ints, rows_of: Ints, is_new: Mask, persons: Ints, most: int
) -> Ints:
    """Return pairs of a row and a row within it, one of them new, that differ in 1 to `most` persons.

    `by_column` and `rows_of` are the system by columns, `persons` how many there are in each row.
    """
    rows = len(starts) - 1
    overlap = np.zeros(rows, np.int64)
    touched = np.empty(rows, np.int64)
    pairs = np.empty((1024, 2), np.int64)
    many = 0
    for row in range(rows):
        if not is_new[row]:
            continue
        some = 0
        size = starts[row + 1] - starts[row]
        for at in range(starts[row], starts[row + 1]):
            for place in range(by_column[columns[at]], by_column[columns[at] + 1]):
                other = rows_of[place]
                if not is_new[other]:
                    if overlap[other] == 0:
                        touched[some] = other
                        some += 1
                    overlap[other] += 1
        for at in range(some):
            other = touched[at]
            own = starts[other + 1] - starts[other]
            is_within, holds = overlap[other] == own, overlap[other] == size
            overlap[other] = 0
            apart = abs(persons[row] - persons[other])
            if is_within == holds or apart == 0 or apart > most:
                continue
            if many == len(pairs):
                pairs = np.concatenate((pairs, np.empty_like(pairs)))
            pairs[many, 0], pairs[many, 1] = (row, other) if is_within else (other, row)
            many += 1
    return pairs[:many].copy()
