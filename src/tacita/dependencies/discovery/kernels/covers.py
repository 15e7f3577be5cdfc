"""Records to delete so that none of some pairs is left: a vertex cover, by keeping records of low degree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def left_over(some: Any, others: Any, degree: Any, order: Any) -> int:
    """Return how many records are left when records are kept in an order, unless one is in a pair with a kept one.

    Those that are kept are in no pair with each other: an upper bound of what has to be deleted.
    """
    begins = np.zeros(len(degree) + 1, np.int64)
    for record in range(len(degree)):
        begins[record + 1] = begins[record] + degree[record]
    at = begins[:-1].copy()
    partners = np.empty(begins[-1], np.int32)
    for pair in range(len(some)):
        one, other = some[pair], others[pair]
        partners[at[one]] = other
        partners[at[other]] = one
        at[one] += 1
        at[other] += 1
    is_out = np.zeros(len(degree), np.uint8)
    count = 0
    for number in range(len(order)):
        record = order[number]
        if is_out[record]:
            count += 1
            continue
        for spot in range(begins[record], begins[record + 1]):
            is_out[partners[spot]] = 1
    return count
