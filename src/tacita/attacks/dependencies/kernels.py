"""Compiled loops over records. Importing it loads numba: do it where an attack runs."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from tacita.attacks.dependencies.near import BOUNDS, FIRST, MAJORITY

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]

_MIX = np.uint64(0x9E3779B97F4A7C15)


@njit(cache=True, nogil=True)
def group_targets(keys: Ints, targets: Mask, sources: Mask) -> tuple[Ints, int]:
    """Return the group of each target and source by its key, and how many there are; -1 for a source without a target.

    Groups are numbered in the order in which targets show their keys.
    """
    wanted = 0
    for row in range(len(keys)):
        wanted += targets[row]
    bits = 4
    while (1 << bits) < 2 * wanted:
        bits += 1
    shift = np.uint64(64 - bits)
    last = np.int64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, dtype=np.int64)
    firsts = np.empty(wanted, dtype=np.int64)
    groups = np.full(len(keys), -1, dtype=np.int64)
    count = 0
    for row in range(len(keys)):
        if targets[row]:
            slot = np.int64((np.uint64(keys[row]) * _MIX) >> shift)
            while slots[slot] >= 0 and keys[firsts[slots[slot]]] != keys[row]:
                slot = (slot + 1) & last
            if slots[slot] < 0:
                slots[slot] = count
                firsts[count] = row
                count += 1
            groups[row] = slots[slot]
    for row in range(len(keys)):
        if sources[row] and not targets[row]:
            slot = np.int64((np.uint64(keys[row]) * _MIX) >> shift)
            while slots[slot] >= 0 and keys[firsts[slots[slot]]] != keys[row]:
                slot = (slot + 1) & last
            groups[row] = slots[slot]
    return groups, count


@njit(cache=True, nogil=True)
def has_visible_exception(keys: Ints, rows: Ints, codes: Any) -> bool:
    """Return whether two of some records have the same key and different codes."""
    bits = 4
    while (1 << bits) < 2 * len(rows):
        bits += 1
    shift = np.uint64(64 - bits)
    last = np.int64((1 << bits) - 1)
    slots = np.full(1 << bits, -1, dtype=np.int64)
    for row in rows:
        slot = np.int64((np.uint64(keys[row]) * _MIX) >> shift)
        while slots[slot] >= 0 and keys[slots[slot]] != keys[row]:
            slot = (slot + 1) & last
        if slots[slot] < 0:
            slots[slot] = row
        elif codes[slots[slot]] != codes[row]:
            return True
    return False


@njit(cache=True, nogil=True)
def scan_windows(
    windows: tuple[Ints, Ints, Ints],
    sources: Ints,
    bounds: tuple[Floats, Floats, Floats],
    texts: tuple[Any, Bytes, Ints, Ints],
    right: tuple[Floats, Floats, Any],
    what: int,
    slots: int,
) -> tuple[Ints, Ints]:
    """Return for each target the source that gives what is wanted; two if bounds are: for the lower and the upper one.

    `windows` are targets (their slots and rows come as one row of pairs) with the sources to be compared, from a first
    to a last place; windows of one target stand together. Records are alike if all values between their bounds are
    within the thresholds, and all texts near.
    """
    pairs, starts, ends = windows
    low, high, limits = bounds
    codes, near, offsets, sizes = texts
    right_low, right_high, right_codes = right
    one = np.full(slots, -1, dtype=np.int64)
    two = np.full(slots, -1, dtype=np.int64)
    counts = np.zeros(int(right_codes.max()) + 2 if len(right_codes) else 1, dtype=np.int64)
    firsts = np.full(len(counts), -1, dtype=np.int64)
    for window in range(len(starts)):
        slot, row = pairs[2 * window], pairs[2 * window + 1]
        for at in range(starts[window], ends[window]):
            other = sources[at]
            if other == row or not _alike(row, other, low, high, limits, codes, near, offsets, sizes):
                continue
            if what == BOUNDS:
                if one[slot] < 0 or _before(right_low[other], other, right_low[one[slot]], one[slot]):
                    one[slot] = other
                if two[slot] < 0 or _before(-right_high[other], other, -right_high[two[slot]], two[slot]):
                    two[slot] = other
            elif what == FIRST:
                if one[slot] < 0 or other < one[slot]:
                    one[slot] = other
            else:
                code = right_codes[other]
                counts[code] += 1
                if firsts[code] < 0 or other < firsts[code]:
                    firsts[code] = other
        if what == MAJORITY and (window + 1 == len(starts) or pairs[2 * window + 2] != slot):
            best = np.argmax(counts)
            if counts[best] > 0:
                one[slot] = firsts[best]
                counts[:] = 0
                firsts[:] = -1
    return one, two


@njit(cache=True, nogil=True)
def _before(value: float, row: int, best: float, best_row: int) -> bool:
    return value > best or (value == best and row < best_row)


@njit(cache=True, nogil=True)
def _alike(
    row: int, other: int, low: Floats, high: Floats, limits: Floats, codes: Any, near: Bytes, offsets: Ints, sizes: Ints
) -> bool:
    for place in range(len(limits)):
        if not (
            high[place, row] - low[place, other] <= limits[place]
            and high[place, other] - low[place, row] <= limits[place]
        ):
            return False
    for place in range(len(offsets)):
        if not near[offsets[place] + codes[place, row] * sizes[place] + codes[place, other]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _pair(starts: int, end: int, rows: Ints, sides: Bytes, classes: Ints, avoid: int) -> tuple[int, int]:
    """Return two records of a group, one of each side, that may differ, leaving one out; -1 if there are none."""
    one = -1
    for at in range(starts, end):
        if sides[at] & 1 and rows[at] != avoid:
            one = at
            break
    if one < 0:
        return -1, -1
    two = -1
    for at in range(starts, end):
        if sides[at] & 2 and rows[at] != avoid and rows[at] != rows[one]:
            two = at
            if classes[at] != classes[one]:
                return rows[one], rows[at]
    if two < 0:
        return -1, -1
    for at in range(starts, end):  # everybody of the second side is as the first record: another one may differ
        if sides[at] & 1 and rows[at] != avoid and rows[at] != rows[two] and classes[at] != classes[two]:
            return rows[at], rows[two]
    return -1, -1


@njit(cache=True, nogil=True)
def narrow_suspects(
    starts: Ints, rows: Ints, sides: Bytes, classes: Ints, suspects: tuple[int, int, int]
) -> tuple[int, int, int]:
    """Return the records that are part of every pair that may differ, of groups and of what was seen before.

    `suspects` are how many there are (3: everybody, as no pair was seen yet) and, if there are at most two, which.
    """
    count, first, second = suspects
    for group in range(len(starts) - 1):
        start, end = starts[group], starts[group + 1]
        one, two = _pair(start, end, rows, sides, classes, -1)
        if one < 0:
            continue
        if count == 3:
            count, first, second = 2, one, two
        kept, one_kept, two_kept = 0, -1, -1
        for suspect in (first, second) if count == 2 else (first, first):
            if suspect in (one, two) and _pair(start, end, rows, sides, classes, suspect)[0] < 0:
                if kept == 0:
                    kept, one_kept = 1, suspect
                elif suspect != one_kept:
                    kept, two_kept = 2, suspect
        if kept == 0:
            return 0, -1, -1
        count, first, second = kept, one_kept, two_kept
    return count, first, second
