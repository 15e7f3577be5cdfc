"""Records of numbers and categories: distances between them, what represents them, and the groups of MDAV-generic."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

_TIE = 1e-9
"""Sums of distances are rounded: how much less one must be to be less."""


class Tables(NamedTuple):
    """The distances between the categories of each attribute, one table after the other."""

    distance: Any
    start: Any
    """Where the table of each attribute begins; the last is the end."""
    size: Any
    """How many categories each attribute has."""


def tables_of(distances: Sequence[NDArray[np.float64]]) -> Tables:
    """Return tables of attributes as kernels take them."""
    size = np.array([len(table) for table in distances], dtype=np.int64)
    start = np.concatenate([[0], np.cumsum(size * size)]).astype(np.int64)
    return Tables(np.concatenate([np.empty(0), *(table.ravel() for table in distances)]), start, size)


class Left(NamedTuple):
    """The records that have no group yet, without gaps: one that is taken out changes places with the last."""

    numbers: Any
    codes: Any
    record: Any
    place: Any
    count: Any
    """How many are left, as an array of one."""
    total: Any
    """The sum of their numbers."""
    effort: Any
    """For each category, the sum of the distances to it."""
    counts: Any
    """For each category, how many have it."""


@njit(cache=True, nogil=True)
def all_left(numbers: Any, codes: Any, tables: Tables) -> Left:
    """Return all records as not yet grouped."""
    size = len(numbers)
    total = np.zeros(numbers.shape[1])
    width = int(tables.size.sum())
    effort, counts = np.zeros(width), np.zeros(width, np.int64)
    left = Left(numbers.copy(), codes.copy(), np.arange(size), np.arange(size), np.array([size]), total, effort, counts)
    for i in range(size):
        total += numbers[i]
        shift = 0
        for a in range(codes.shape[1]):
            counts[shift + codes[i, a]] += 1
            shift += tables.size[a]
    shift = 0
    for a in range(codes.shape[1]):
        for c in range(tables.size[a]):
            for v in range(tables.size[a]):
                effort[shift + c] += counts[shift + v] * tables.distance[tables.start[a] + c * tables.size[a] + v]
        shift += tables.size[a]
    return left


@njit(cache=True, nogil=True)
def leave(left: Left, tables: Tables, record: int) -> None:
    """Take a record out."""
    left.count[0] -= 1
    spot, last = left.place[record], left.count[0]
    left.total[:] -= left.numbers[spot]
    shift = 0
    for a in range(left.codes.shape[1]):
        code, size = left.codes[spot, a], tables.size[a]
        left.counts[shift + code] -= 1
        for c in range(size):
            left.effort[shift + c] -= tables.distance[tables.start[a] + c * size + code]
        shift += size
    other = left.record[last]
    left.numbers[spot] = left.numbers[last]
    left.codes[spot] = left.codes[last]
    left.record[spot], left.record[last] = other, record
    left.place[other], left.place[record] = spot, last


@njit(cache=True, nogil=True)
def least(effort: Any, counts: Any) -> int:
    """Return the category that occurs and is at the least distance from all; the first of several."""
    best = -1
    for c in range(len(counts)):
        if counts[c] > 0 and (best < 0 or effort[c] < effort[best] - _TIE * (1 + abs(effort[best]))):
            best = c
    return best


@njit(cache=True, nogil=True)
def average(left: Left, tables: Tables) -> tuple[Any, Any]:
    """Return the average of the records that are left: means, and the categories nearest to all."""
    codes = np.empty(left.codes.shape[1], np.int64)
    shift = 0
    for a in range(len(codes)):
        end = shift + tables.size[a]
        codes[a] = least(left.effort[shift:end], left.counts[shift:end])
        shift = end
    return left.total / left.count[0], codes


@njit(cache=True, nogil=True)
def apart(numbers: Any, codes: Any, left: Left, tables: Tables) -> Any:
    """Return the squared distances between a point and all records that are left, in the order of their places."""
    count, distance = left.count[0], tables.distance
    total = np.zeros(count)
    own_numbers, own_codes = left.numbers, left.codes
    for spot in range(count):
        for j in range(len(numbers)):
            gap = numbers[j] - own_numbers[spot, j]
            total[spot] += gap * gap
    for a in range(len(codes)):
        start = tables.start[a] + codes[a] * tables.size[a]
        for spot in range(count):
            gap = distance[start + own_codes[spot, a]]
            total[spot] += gap * gap
    return total


@njit(cache=True, nogil=True)
def farthest_left(numbers: Any, codes: Any, left: Left, tables: Tables) -> int:
    """Return the record farthest from a point, of those that are left; the first of several."""
    distance, record = apart(numbers, codes, left, tables), left.record
    best, farthest = -1.0, -1
    for spot in range(len(distance)):
        if distance[spot] > best or (distance[spot] == best and record[spot] < farthest):
            best, farthest = distance[spot], record[spot]
    return farthest


@njit(cache=True, nogil=True)
def nearest_left(numbers: Any, codes: Any, left: Left, tables: Tables, wanted: int) -> Any:
    """Return the records nearest to a point, of those that are left; the first of several."""
    every, record = apart(numbers, codes, left, tables), left.record
    neighbours, distance = np.full(wanted, -1, np.int64), np.full(wanted, np.inf)
    for spot in range(len(every)):
        here, number = every[spot], record[spot]
        i = wanted
        while i > 0 and (here < distance[i - 1] or (here == distance[i - 1] and number < neighbours[i - 1])):
            if i < wanted:
                neighbours[i], distance[i] = neighbours[i - 1], distance[i - 1]
            i -= 1
        if i < wanted:
            neighbours[i], distance[i] = number, here
    return neighbours


@njit(cache=True, nogil=True)
def _surround(left: Left, tables: Tables, numbers: Any, codes: Any, k: int, group: Any, number: int) -> None:
    if k == 1:
        return
    for record in nearest_left(numbers, codes, left, tables, k - 1):
        group[record] = number
        leave(left, tables, record)


@njit(cache=True, nogil=True)
def generic_rounds(
    numbers: Any, codes: Any, left: Left, tables: Tables, k: int, times: int, group: Any, next_group: int
) -> int:
    """Form pairs of groups of MDAV, some times, and then the last; return the number of the next group.

    It is done when no record is left.
    """
    for _ in range(times):
        if left.count[0] < 3 * k:
            break
        middle, mode = average(left, tables)
        extreme = farthest_left(middle, mode, left, tables)
        leave(left, tables, extreme)
        opposite = farthest_left(numbers[extreme], codes[extreme], left, tables)
        leave(left, tables, opposite)
        for number, centre in enumerate((extreme, opposite)):
            group[centre] = next_group + number
            _surround(left, tables, numbers[centre], codes[centre], k, group, next_group + number)
        next_group += 2
    if left.count[0] >= 3 * k:
        return next_group
    if left.count[0] >= 2 * k:
        middle, mode = average(left, tables)
        extreme = farthest_left(middle, mode, left, tables)
        leave(left, tables, extreme)
        group[extreme] = next_group
        _surround(left, tables, numbers[extreme], codes[extreme], k, group, next_group)
        next_group += 1
    for spot in range(left.count[0]):
        group[left.record[spot]] = next_group
    left.count[0] = 0
    return next_group + 1


@njit(cache=True, nogil=True)
def categories_of_groups(codes: Any, group: Any, number: int, table: Any) -> Any:
    """Return the category of each group that is at the least distance from its records; `codes` are of one attribute.

    The table is square; records are visited group by group, so that only categories of the group are compared.
    """
    order = np.argsort(group, kind="mergesort")
    categories = np.empty(number, np.int64)
    first = 0
    while first < len(order):
        end = first
        while end < len(order) and group[order[end]] == group[order[first]]:
            end += 1
        best, least_effort = -1, np.inf
        for i in range(first, end):
            code, effort = codes[order[i]], 0.0
            for j in range(first, end):
                effort += table[code, codes[order[j]]]
            tied = abs(effort - least_effort) <= _TIE * (1 + effort)
            if (tied and code < best) or (not tied and effort < least_effort):
                best, least_effort = code, effort
        categories[group[order[first]]] = best
        first = end
    return categories
