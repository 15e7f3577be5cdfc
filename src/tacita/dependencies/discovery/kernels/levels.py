"""Candidates of a level-wise search: sets of attributes of which every smaller set fails for some right-hand side."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def extend(
    lefts: Any, fails: Any, attributes: int, begin: int, work: int, new: Any, is_open: Any, size: int
) -> tuple[int, int]:
    """Add one attribute to sets from `begin` on; return how many there are, and the set to go on from.

    `lefts` are all sets of one size in ascending order, `fails` the right-hand sides that fail for each. A new set is
    entered in `new`, with the right-hand sides that fail for all its parts in `is_open`. It ends early when some work
    is done, or when there is no room for the new sets of one more.
    """
    number, done = begin, 0
    while number < len(lefts) and done < work and size + attributes <= len(new):
        left = lefts[number]
        for attribute in range(attributes - 1, -1, -1):
            bit = np.uint64(1) << np.uint64(attribute)
            if left >= bit:
                break
            candidate = left | bit
            rights = fails[number] & ~candidate
            part = left
            while part and rights:
                lowest = part & (~part + np.uint64(1))
                part ^= lowest
                place = np.searchsorted(lefts, candidate ^ lowest)
                done += 1
                if place < len(lefts) and lefts[place] == candidate ^ lowest:
                    rights &= fails[place]
                else:
                    rights = np.uint64(0)
            if rights:
                new[size] = candidate
                is_open[size] = rights
                size += 1
        number += 1
        done += 1
    return size, number
