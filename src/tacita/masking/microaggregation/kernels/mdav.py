"""The groups of MDAV, found with a tree instead of by comparing each record with all others.

Who is farthest from the average is found in the order of the distances from an earlier average: as that has moved by s,
nobody is farther from the average of today than their distance then plus s, and few have to be looked at.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tacita.masking.microaggregation.kernels.tree import Tree, farthest, nearest, planted, take_out

_CLOSE = 1e-9
"""Roots and sums are rounded: how far a bound is widened so that it is one."""


@njit(cache=True, nogil=True)
def mdav_rounds(points: Any, k: int, until: int, work: int, group: Any, next_group: int) -> int:
    """Form pairs of groups around extreme records until fewer than `until` records are left, or some work is done.

    `group` holds -1 for each record that has no group yet. Return the number of the next group.
    """
    size, columns = points.shape
    tree = planted(points)
    total = np.zeros(columns)
    for i in range(size):
        total += points[i]
    before = total / size
    radius = np.empty(size)
    for i in range(size):
        radius[i] = _distance(points[i], before)
    order = np.argsort(-radius)
    neighbours, distance = np.empty(k, np.int64), np.empty(k)
    left, looked, outermost = size, 0, 0
    while left >= until and looked < work:
        average = total / left
        moved = np.sqrt(_distance(average, before))
        while group[order[outermost]] >= 0:
            outermost += 1
        extreme, best = -1, -1.0
        spot = outermost
        while spot < size and (np.sqrt(radius[order[spot]]) + moved) * (1 + _CLOSE) >= np.sqrt(max(best, 0.0)):
            record = order[spot]
            spot += 1
            if group[record] >= 0:
                continue
            total_here = _distance(points[record], average)
            if total_here > best or (total_here == best and record < extreme):
                best, extreme = total_here, record
        looked += spot - outermost
        _leave(tree, points, total, group, extreme, next_group)
        opposite = farthest(tree, points[extreme])
        _leave(tree, points, total, group, opposite, next_group + 1)
        for centre in (extreme, opposite):
            count = nearest(tree, points[centre], k - 1, neighbours, distance)
            for i in range(count):
                _leave(tree, points, total, group, neighbours[i], group[centre])
        next_group += 2
        left -= 2 * k
    return next_group


@njit(cache=True, nogil=True)
def mdav_end(points: Any, k: int, group: Any, next_group: int) -> int:
    """Put the last fewer than 3k records in one group or two; return the number of the next group."""
    size = len(points)
    if size >= 2 * k:
        average = np.zeros(points.shape[1])
        for i in range(size):
            average += points[i]
        average /= size
        tree = planted(points)
        extreme = farthest(tree, average)
        group[extreme] = next_group
        take_out(tree, extreme)
        neighbours, distance = np.empty(k, np.int64), np.empty(k)
        for i in range(nearest(tree, points[extreme], k - 1, neighbours, distance)):
            group[neighbours[i]] = next_group
        next_group += 1
    for i in range(size):
        if group[i] < 0:
            group[i] = next_group
    return next_group + 1


@njit(cache=True, nogil=True)
def _distance(some: Any, other: Any) -> float:
    total = 0.0
    for j in range(len(some)):
        gap = some[j] - other[j]
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _leave(tree: Tree, points: Any, total: Any, group: Any, record: int, number: int) -> None:
    total -= points[record]
    group[record] = number
    take_out(tree, record)
