"""Minimal hitting sets, brought up to date with one set after the other.

X -> A is violated by two records exactly if X lies in the set of attributes on which they agree and A does not: X has
to hit the complement of that agree set. When a set comes that some left-hand sides miss, each of these is replaced by
itself and one attribute of the set (C. Berge, "Hypergraphs", 1989, chapter 2). Which of the new ones are minimal is
seen from those that hit the set in that attribute alone.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(cache=True, nogil=True)
def popcount(mask: Any) -> Any:
    """Return the number of attributes of a set."""
    mask = mask - ((mask >> np.uint64(1)) & np.uint64(0x5555555555555555))
    mask = (mask & np.uint64(0x3333333333333333)) + ((mask >> np.uint64(2)) & np.uint64(0x3333333333333333))
    mask = (mask + (mask >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return np.int64((mask * np.uint64(0x0101010101010101)) >> np.uint64(56))


@njit(cache=True, nogil=True)
def maximal(masks: Any, right: int) -> Any:
    """Return the masks without an attribute that lie in no other such mask; larger ones must come first."""
    bit = np.uint64(1) << np.uint64(right)
    kept = np.empty(len(masks), np.uint64)
    count = 0
    for number in range(len(masks)):
        mask = masks[number]
        if mask & bit:
            continue
        is_inside = False
        for place in range(count):
            if mask & ~kept[place] == np.uint64(0):
                is_inside = True
                break
        if not is_inside:
            kept[count] = mask
            count += 1
    return kept[:count].copy()


@njit(cache=True, nogil=True)
def _part(lefts: Any, proven: Any, size: int, wanted: Any) -> int:
    """Put left-hand sides that miss a set behind the others; return how many hit it."""
    last, spot = size - 1, 0
    while spot <= last:
        if lefts[spot] & wanted:
            spot += 1
        else:
            lefts[spot], lefts[last] = lefts[last], lefts[spot]
            proven[spot], proven[last] = proven[last], proven[spot]
            last -= 1
    return last + 1


@njit(cache=True, nogil=True)
def _single(lefts: Any, kept: int, wanted: Any, begins: Any) -> Any:
    """Return the left-hand sides that hit a set in one attribute, by that attribute; it says where those begin."""
    begins[:] = 0
    for spot in range(kept):
        common = lefts[spot] & wanted
        if common & (common - np.uint64(1)) == np.uint64(0):
            begins[popcount(common - np.uint64(1)) + 1] += 1
    for attribute in range(64):
        begins[attribute + 1] += begins[attribute]
    at = begins.copy()
    singles = np.empty(begins[64], np.uint64)
    for spot in range(kept):
        common = lefts[spot] & wanted
        if common & (common - np.uint64(1)) == np.uint64(0):
            attribute = popcount(common - np.uint64(1))
            singles[at[attribute]] = lefts[spot]
            at[attribute] += 1
    return singles


@njit(cache=True, nogil=True)
def hit(
    lefts: Any, proven: Any, size: int, sets: Any, begin: int, largest: int, work: int, state: Any
) -> tuple[int, int]:
    """Let left-hand sides hit sets from `begin` on; return how many there are, and the set to go on from.

    `lefts` is the room for left-hand sides, of which the first `size` are there; `proven` says which were verified.
    It ends when some work is done, or before a set for which the room does not suffice (`state[0]` becomes 1).
    `state[1]` becomes 1 if a left-hand side of more than `largest` attributes was left out, `state[2]` the work.
    """
    begins = np.zeros(65, np.int64)
    number, done = begin, 0
    while number < len(sets) and done < work:
        wanted = sets[number]
        kept = _part(lefts, proven, size, wanted)
        done += size
        if kept < size:
            singles = _single(lefts, kept, wanted, begins)
            new = np.empty(min(len(lefts), (size - kept) * popcount(wanted)), np.uint64)
            count = 0
            for spot in range(kept, size):
                if popcount(lefts[spot]) >= largest:
                    state[1] = state[1] or wanted != np.uint64(0)
                    continue
                rest = wanted
                while rest:
                    bit = rest & (~rest + np.uint64(1))
                    rest ^= bit
                    attribute, candidate = popcount(bit - np.uint64(1)), lefts[spot] | bit
                    place = begins[attribute]
                    for place in range(begins[attribute], begins[attribute + 1]):
                        if singles[place] & ~candidate == np.uint64(0):
                            candidate = np.uint64(0)  # a smaller one is there already
                            break
                    done += place - begins[attribute] + 1
                    if candidate and kept + count >= len(lefts):
                        state[0], state[2] = 1, done
                        return size, number
                    if candidate:
                        new[count] = candidate
                        count += 1
            for spot in range(count):
                lefts[kept + spot], proven[kept + spot] = new[spot], False
            size = kept + count
        number += 1
    state[2] = done
    return size, number
