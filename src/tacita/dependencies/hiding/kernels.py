"""A compiled loop over records. Importing it loads numba: do it where a search runs."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Codes = NDArray[np.int64]
_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def disagreeing(groups: Codes, values: Codes) -> tuple[int, int]:
    """Return in how many groups records have different values, 2 standing for more, and a record of the first of them.

    Groups are any numbers. -1 stands for the record if no group disagrees.
    """
    bits = 4
    while (1 << bits) < 2 * len(groups):
        bits += 1
    shift = np.uint64(64 - bits)
    last = np.int64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, dtype=np.int64)
    bad = -1
    for row in range(len(groups)):
        slot = np.int64((np.uint64(groups[row]) * _MIX) >> shift)
        while slots[slot] >= 0 and groups[slots[slot]] != groups[row]:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = row
        elif values[slots[slot]] != values[row]:
            if bad >= 0 and groups[bad] != groups[row]:
                return 2, bad
            bad = row
    return (0 if bad < 0 else 1), bad
