"""Agree sets of records that stand near each other in sorted orders, each kept once in a hash table."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

_MIX = np.uint64(0x9E3779B97F4A7C15)
"""Spreads masks that differ in few bits (the golden ratio in 64 bits)."""


@njit(cache=True, nogil=True)
def gather(codes: Any, order: Any, reach: int, begin: int, work: int, table: Any, is_used: Any, used: Any) -> int:
    """Enter the agree sets of records up to `reach` places apart, until some work is done or the table is half full.

    Return the place in the order to go on from.
    """
    size = len(order)
    lines = codes.shape[1]
    limit = len(table) // 2 - reach - 1
    spot, done = begin, 0
    while spot < size - 1 and done < work and used[0] < limit:
        one = order[spot]
        for other_spot in range(spot + 1, min(spot + reach + 1, size)):
            other = order[other_spot]
            mask = np.uint64(0)
            for attribute in range(lines):
                if codes[one, attribute] == codes[other, attribute]:
                    mask |= np.uint64(1) << np.uint64(attribute)
            _enter(mask, table, is_used, used)
        done += reach * lines
        spot += 1
    return spot


@njit(cache=True, nogil=True)
def enter_all(masks: Any, table: Any, is_used: Any, used: Any) -> None:
    """Enter masks into a table that has room for them."""
    for number in range(len(masks)):
        _enter(masks[number], table, is_used, used)


@njit(cache=True, nogil=True)
def _enter(mask: Any, table: Any, is_used: Any, used: Any) -> None:
    last = np.uint64(len(table) - 1)
    place = ((mask * _MIX) >> np.uint64(20)) & last
    while is_used[place] and table[place] != mask:
        place = (place + np.uint64(1)) & last
    if not is_used[place]:
        is_used[place] = True
        table[place] = mask
        used[0] += 1
