"""A k-d tree of records that can be taken out: the nearest and the farthest of those that are left.

Records lie in the order of the leaves, so that a leaf is one piece of memory; a record that is taken out changes places
with the last of its leaf, and the boxes around it shrink. Both searches give exactly what comparing with every record
would give, also in floating point: rounding is monotone, so that the bound of a box, summed over the columns in the
same order as a distance, is never on the wrong side of the distance of a record in it. Of records at the same distance,
the first in the file is taken.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

LEAF = 16


class Tree(NamedTuple):
    """The arrays of a tree; node i has the children 2i + 1 and 2i + 2."""

    points: Any
    """The records in the order of the leaves."""
    number: Any
    """The number of the record at each place; ties are broken by it."""
    place: Any
    """The place of each record."""
    start: Any
    """Where the records of each node begin."""
    count: Any
    """How many records are left in each node."""
    lower: Any
    upper: Any
    """The box around the records that are left in each node."""


@njit(cache=True, nogil=True)
def planted(points: Any) -> Tree:
    """Return the tree of all records."""
    size, columns = points.shape
    depth = 0
    while (size >> depth) > LEAF:
        depth += 1
    nodes = (1 << (depth + 1)) - 1
    leaves = 1 << depth
    start = np.zeros(nodes, np.int64)
    count = np.zeros(nodes, np.int64)
    lower = np.empty((nodes, columns))
    upper = np.empty((nodes, columns))
    number = np.arange(size)
    count[0] = size
    for node in range(nodes):
        first, size_here = start[node], count[node]
        for j in range(columns):
            low, high = np.inf, -np.inf
            for i in range(first, first + size_here):
                value = points[number[i], j]
                low = min(low, value)
                high = max(high, value)
            lower[node, j], upper[node, j] = low, high
        if node < leaves - 1:
            half = size_here // 2
            _halved(points, number, first, first + size_here, first + half, int(np.argmax(upper[node] - lower[node])))
            start[2 * node + 1], count[2 * node + 1] = first, half
            start[2 * node + 2], count[2 * node + 2] = first + half, size_here - half
    place = np.empty(size, np.int64)
    for i in range(size):
        place[number[i]] = i
    return Tree(points[number], number, place, start, count, lower, upper)


@njit(cache=True, nogil=True)
def _halved(points: Any, number: Any, first: int, end: int, middle: int, column: int) -> None:
    """Reorder a stretch so that no value before the middle is greater than one after it."""
    low, high = first, end - 1
    while low < high:
        pivot = points[number[(low + high) // 2], column]
        i, j = low, high
        while i <= j:
            while points[number[i], column] < pivot:
                i += 1
            while points[number[j], column] > pivot:
                j -= 1
            if i <= j:
                number[i], number[j] = number[j], number[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@njit(cache=True, nogil=True)
def take_out(tree: Tree, record: int) -> None:
    """Take a record out of the tree."""
    points, number, place, start, count, lower, upper = tree
    nodes, columns = lower.shape
    spot = place[record]
    node = 0
    while True:
        count[node] -= 1
        if 2 * node + 1 >= nodes:
            break
        node = 2 * node + 1 if spot < start[2 * node + 2] else 2 * node + 2
    last = start[node] + count[node]
    other = number[last]
    for j in range(columns):
        points[spot, j], points[last, j] = points[last, j], points[spot, j]
    number[spot], number[last] = other, record
    place[other], place[record] = spot, last
    for j in range(columns):
        low, high = np.inf, -np.inf
        for i in range(start[node], last):
            low = min(low, points[i, j])
            high = max(high, points[i, j])
        lower[node, j], upper[node, j] = low, high
    while node > 0:
        node = (node - 1) // 2
        changed = False
        for j in range(columns):
            low = min(lower[2 * node + 1, j], lower[2 * node + 2, j])
            high = max(upper[2 * node + 1, j], upper[2 * node + 2, j])
            changed = changed or low != lower[node, j] or high != upper[node, j]
            lower[node, j], upper[node, j] = low, high
        if not changed:
            break


@njit(cache=True, nogil=True, inline="always")
def _at_least(lower: Any, upper: Any, node: int, point: Any) -> float:
    """Return how far from a point every record of a node is at least, squared."""
    total = 0.0
    for j in range(len(point)):
        gap = max(lower[node, j] - point[j], point[j] - upper[node, j])
        if gap > 0.0:
            total += gap * gap
    return total


@njit(cache=True, nogil=True, inline="always")
def _at_most(lower: Any, upper: Any, node: int, point: Any) -> float:
    """Return how far from a point any record of a node is at most, squared."""
    total = 0.0
    for j in range(len(point)):
        gap = max(upper[node, j] - point[j], point[j] - lower[node, j])
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def nearest(tree: Tree, point: Any, wanted: int, neighbours: Any, distance: Any) -> int:
    """Fill in the nearest records that are left, nearest first, and their squared distances; return how many."""
    points, number, _, start, count, lower, upper = tree
    nodes, columns = lower.shape
    filled = 0
    pending = np.empty(128, np.int64)
    bounds = np.empty(128)
    pending[0], bounds[0] = 0, 0.0
    top = 1
    while top > 0 and wanted > 0:
        top -= 1
        node = pending[top]
        if count[node] == 0 or (filled == wanted and bounds[top] > distance[filled - 1]):
            continue
        if 2 * node + 1 < nodes:
            left, right = _at_least(lower, upper, 2 * node + 1, point), _at_least(lower, upper, 2 * node + 2, point)
            near = 2 * node + 1 if left <= right else 2 * node + 2
            pending[top], bounds[top] = 4 * node + 3 - near, max(left, right)
            pending[top + 1], bounds[top + 1] = near, min(left, right)
            top += 2
            continue
        for i in range(start[node], start[node] + count[node]):
            total = 0.0
            for j in range(columns):
                gap = points[i, j] - point[j]
                total += gap * gap
            record = number[i]
            if filled == wanted and (
                total > distance[filled - 1] or (total == distance[filled - 1] and record > neighbours[filled - 1])
            ):
                continue
            spot = filled if filled < wanted else filled - 1
            while spot > 0 and (
                total < distance[spot - 1] or (total == distance[spot - 1] and record < neighbours[spot - 1])
            ):
                neighbours[spot], distance[spot] = neighbours[spot - 1], distance[spot - 1]
                spot -= 1
            neighbours[spot], distance[spot] = record, total
            filled = min(filled + 1, wanted)
    return filled


@njit(cache=True, nogil=True)
def farthest(tree: Tree, point: Any) -> int:
    """Return the record that is farthest from a point, of those that are left; -1 if none is."""
    points, number, _, start, count, lower, upper = tree
    nodes, columns = lower.shape
    best, record = -1.0, -1
    pending = np.empty(128, np.int64)
    bounds = np.empty(128)
    pending[0], bounds[0] = 0, np.inf
    top = 1
    while top > 0:
        top -= 1
        node = pending[top]
        if count[node] == 0 or bounds[top] < best:
            continue
        if 2 * node + 1 < nodes:
            left, right = _at_most(lower, upper, 2 * node + 1, point), _at_most(lower, upper, 2 * node + 2, point)
            # An empty box has infinite sides; it is passed over by its count.
            far = 2 * node + 1 if left >= right else 2 * node + 2
            pending[top], bounds[top] = 4 * node + 3 - far, min(left, right)
            pending[top + 1], bounds[top + 1] = far, max(left, right)
            top += 2
            continue
        for i in range(start[node], start[node] + count[node]):
            total = 0.0
            for j in range(columns):
                gap = points[i, j] - point[j]
                total += gap * gap
            if total > best or (total == best and number[i] < record):
                best, record = total, number[i]
    return record
