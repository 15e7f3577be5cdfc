"""Groups with a record of each stretch of a confidential attribute, and how far a group is from the file."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tacita.masking.microaggregation.kernels.mixed import Left, Tables, apart, average, farthest_left, leave


@njit(cache=True, nogil=True)
def _take_nearest(
    numbers: Any, codes: Any, left: Left, tables: Tables, stretch: Any, only: int, group: Any, number: int
) -> None:
    """Take into a group the record of each stretch, or of only one, that is nearest to a point."""
    every, record = apart(numbers, codes, left, tables), left.record
    stretches = stretch.max() + 1
    near, distance = np.full(stretches, -1, np.int64), np.full(stretches, np.inf)
    for spot in range(len(every)):
        here = record[spot]
        s = stretch[here]
        if (only < 0 or s == only) and (every[spot] < distance[s] or (every[spot] == distance[s] and here < near[s])):
            near[s], distance[s] = here, every[spot]
    for here in near:
        if here >= 0:
            group[here] = number
            leave(left, tables, here)


@njit(cache=True, nogil=True)
def stretched_rounds(
    numbers: Any, codes: Any, left: Left, tables: Tables, stretch: Any, crowded: int, times: int, group: Any, new: int
) -> int:
    """Form groups around extreme records, in pairs; return the number of the next group.

    All stretches have as many records as there are groups, but the one in the middle may have some more: of them, each
    of the first groups takes one. `crowded` is the stretch in the middle.
    """
    for _ in range(times):
        if left.count[0] == 0:
            break
        middle, mode = average(left, tables)
        extreme = farthest_left(middle, mode, left, tables)
        opposite = farthest_left(numbers[extreme], codes[extreme], left, tables)
        for centre in (extreme, opposite):
            # The opposite record may have been taken in by the first group.
            if group[centre] < 0:
                _take_nearest(numbers[centre], codes[centre], left, tables, stretch, -1, group, new)
                to_come, waiting = 0, 0
                for spot in range(left.count[0]):
                    to_come += stretch[left.record[spot]] == 0
                    waiting += stretch[left.record[spot]] == crowded
                if waiting > to_come:
                    _take_nearest(numbers[centre], codes[centre], left, tables, stretch, crowded, group, new)
                new += 1
    return new


@njit(cache=True, nogil=True)
def ordered_distance(places: Any, counts: Any) -> float:
    """Return the ordered earth mover's distance between values at some places and all values, counted by place."""
    size = len(counts)
    if size < 2 or len(places) == 0:
        return 0.0
    own = np.zeros(size)
    for place in places:
        own[place] += 1
    total, reached, expected = 0.0, 0.0, 0.0
    everyone = counts.sum()
    for i in range(size - 1):
        reached += own[i] / len(places)
        expected += counts[i] / everyone
        total += abs(reached - expected)
    return total / (size - 1)
