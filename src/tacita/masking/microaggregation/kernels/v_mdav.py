"""The groups of V-MDAV, found with a tree."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

from tacita.masking.microaggregation.kernels.tree import Tree, nearest, take_out


@njit(cache=True, nogil=True)
def v_mdav_rounds(
    tree: Tree, points: Any, order: Any, k: int, gamma: float, at_once: int, group: Any, next_group: int
) -> int:
    """Form groups until fewer than k records are left, or enough are made at once; return the number of the next.

    `order` has the records that are farthest from the average first; `group` holds -1 for those that have no group.
    """
    members, neighbours, distance = np.empty(2 * k, np.int64), np.empty(k, np.int64), np.empty(k)
    left = 0
    for record in order:
        left += group[record] < 0
    until = max(k, left - at_once)
    for record in order:
        if left < until:
            break
        if group[record] >= 0:
            continue
        members[0] = record
        take_out(tree, record)
        size = 1 + nearest(tree, points[record], k - 1, neighbours, distance)
        for i in range(size - 1):
            members[i + 1] = neighbours[i]
            take_out(tree, neighbours[i])
        if gamma > 0:
            size = _grown(tree, points, members, size, left - size, gamma)
        group[members[:size]] = next_group
        left -= size
        next_group += 1
    return next_group


@njit(cache=True, nogil=True)
def _grown(tree: Tree, points: Any, members: Any, size: int, others: int, gamma: float) -> int:
    """Take records that are near into a group, and return its size; `others` is how many records are in no group."""
    near, gap = np.full(len(members), -1, np.int64), np.empty(len(members))
    neighbours, distance = np.empty(2, np.int64), np.empty(2)
    while size < len(members) - 1 and others > 1:
        # What is nearest to a member stays so until it is taken out.
        closest = -1
        for i in range(size):
            if near[i] < 0:
                nearest(tree, points[members[i]], 1, neighbours, distance)
                near[i], gap[i] = neighbours[0], distance[0]
            if closest < 0 or gap[i] < gap[closest] or (gap[i] == gap[closest] and near[i] < near[closest]):
                closest = i
        candidate = near[closest]
        # One of the two is the candidate itself, or both are its equals.
        nearest(tree, points[candidate], 2, neighbours, distance)
        other = distance[1] if neighbours[0] == candidate else distance[0]
        if not np.sqrt(gap[closest]) < gamma * np.sqrt(other):
            break
        take_out(tree, candidate)
        near[near == candidate] = -1
        members[size] = candidate
        size += 1
        others -= 1
    return size
