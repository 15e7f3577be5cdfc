"""Compiled loops of audits. Importing it loads numba: do it where a question is judged."""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def zero_unions(entries: Ints, persons: Ints, least: int, prime: int, most_steps: int) -> tuple[Ints, Ints, bool]:
    """Return unions of fewer persons than `least` whose entries add up to 0, and whether all were looked at.

    The places of union u are ``places[starts[u]:starts[u + 1]]``. Persons ascend; no entry is 0. Unions that hold a
    smaller one that was reached before them are left out.
    """
    size = len(entries)
    stack, sums, many = np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64), np.zeros(size + 1, np.int64)
    places, starts = np.zeros(256, np.int64), np.zeros(64, np.int64)
    unions = filled = 0
    depth, at, steps = 0, 0, 0
    while True:
        if at >= size or many[depth] + persons[at] >= least:
            if depth == 0:
                return places[:filled].copy(), starts[: unions + 1].copy(), True
            depth -= 1
            at = stack[depth] + 1
            continue
        steps += 1
        if steps > most_steps:
            return places[:filled].copy(), starts[: unions + 1].copy(), False
        stack[depth] = at
        total = sums[depth] + entries[at]
        sums[depth + 1] = total - prime if total >= prime else total
        many[depth + 1] = many[depth] + persons[at]
        depth += 1
        if sums[depth] == 0:
            while filled + depth > len(places):
                places = np.concatenate((places, np.zeros_like(places)))
            places[filled : filled + depth] = stack[:depth]
            filled += depth
            if unions + 2 > len(starts):
                starts = np.concatenate((starts, np.zeros_like(starts)))
            unions += 1
            starts[unions] = filled
            depth -= 1
        at += 1


@njit(cache=True, nogil=True)
def zero_triples(entries: Ints, persons: Ints, least: int, prime: int, most: int) -> Ints:
    """Return places of up to `most` triples of fewer persons than `least` whose entries add up to 0; entries ascend."""
    size = len(entries)
    triples = np.zeros((most, 3), np.int64)
    many = 0
    for first in range(size):
        for wanted in (prime - entries[first], 2 * prime - entries[first]):
            low, high = first + 1, size - 1
            while low < high:
                total = entries[low] + entries[high]
                if total < wanted:
                    low += 1
                elif total > wanted:
                    high -= 1
                else:
                    if persons[first] + persons[low] + persons[high] < least and many < most:
                        triples[many] = first, low, high
                        many += 1
                    low += 1
    return triples[:many].copy()
