"""The compiled loop of rank swapping."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

Array = np.ndarray[Any, np.dtype[Any]]


@njit(cache=True, nogil=True)
def rank_partners(count: int, reach: int, drawn: Array) -> Array:
    """Return the rank whose value each rank takes, no further away than `reach`; `drawn` are uniform numbers.

    From the lowest rank up, each that has no partner yet gets one of those above it within reach that have none, all
    equally likely. They are kept in a bag from which any can be taken at once, so the work is proportional to `count`.
    Rank i + reach is in nobody's reach before i: only at the top can a rank be left without a partner, and one at most.
    It then joins a pair of which both are within reach, which becomes a circle of three.
    """
    partner = np.full(count, -1, np.int64)
    bag = np.empty(count, np.int64)
    place = np.full(count, -1, np.int64)
    size = 0
    for rank in range(1, min(reach, count)):
        bag[size] = rank
        place[rank] = size
        size += 1
    left = -1
    for rank in range(count):
        new = rank + reach
        if reach <= new < count and place[new] < 0:
            bag[size] = new
            place[new] = size
            size += 1
        if partner[rank] >= 0:
            continue
        spot = place[rank]
        if spot >= 0:
            size -= 1
            bag[spot] = bag[size]
            place[bag[spot]] = spot
        if size == 0:
            left = rank
            continue
        spot = min(int(drawn[rank] * size), size - 1)
        other = bag[spot]
        size -= 1
        bag[spot] = bag[size]
        place[bag[spot]] = spot
        partner[rank] = other
        partner[other] = rank
    if left >= 0:
        partner[left] = left
        _join(partner, left, reach, drawn[left])
    return partner


@njit(cache=True, nogil=True)
def _join(partner: Array, left: int, reach: int, drawn: float) -> None:
    """Let a rank without partner join a pair within its reach, if there is one; all pairs are equally likely."""
    lowest = max(0, left - reach)
    order_left = np.empty(len(partner) - lowest, np.int64)
    size = 0
    for rank in range(lowest, min(len(partner), left + reach + 1)):
        if rank != left and abs(partner[rank] - left) <= reach:
            order_left[size] = rank
            size += 1
    if size:
        rank = order_left[min(int(drawn * size), size - 1)]
        partner[left] = partner[rank]
        partner[rank] = left
