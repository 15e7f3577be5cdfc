"""Ward's method with groups that must reach k, and the extreme groups that it starts from."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from tacita.masking.microaggregation.kernels.tree import farthest, nearest, planted, take_out


class Clusters(NamedTuple):
    """Clusters on their way to k records each. Two of at least k are never joined, so that one of a pair is small."""

    centre: Any
    size: Any
    into: Any
    """The cluster that each one has become part of; itself as long as it has not."""
    neighbour: Any
    """The cluster that is joined with a small one at the least increase of SSE."""
    increase: Any
    """That increase."""


@njit(cache=True, nogil=True)
def started(points: Any, cluster: Any, number: int) -> Clusters:
    """Return clusters as given by the cluster of each record, without neighbours."""
    centre, size = np.zeros((number, points.shape[1])), np.zeros(number)
    for i in range(len(points)):
        centre[cluster[i]] += points[i]
        size[cluster[i]] += 1
    for c in range(number):
        centre[c] /= size[c]
    return Clusters(centre, size, np.arange(number), np.full(number, -1, np.int64), np.full(number, np.inf))


@njit(cache=True, nogil=True)
def _cost(clusters: Clusters, a: int, b: int) -> float:
    """Return by how much SSE grows if two clusters are joined."""
    total = 0.0
    for j in range(clusters.centre.shape[1]):
        gap = clusters.centre[a, j] - clusters.centre[b, j]
        total += gap * gap
    return float(total * clusters.size[a] * clusters.size[b] / (clusters.size[a] + clusters.size[b]))


@njit(cache=True, nogil=True)
def _find_neighbour(clusters: Clusters, live: Any, cluster: int) -> None:
    clusters.increase[cluster] = np.inf
    for other in live:
        if other != cluster:
            cost = _cost(clusters, cluster, other)
            if cost < clusters.increase[cluster]:
                clusters.increase[cluster], clusters.neighbour[cluster] = cost, other


@njit(cache=True, nogil=True)
def join(clusters: Clusters, k: int, times: int) -> int:
    """Join the pair that costs least, some times or until all have k records; return how many are still too small."""
    _, size, into, neighbour, increase = clusters
    live = np.flatnonzero(into == np.arange(len(into)))
    small = live[size[live] < k]
    for cluster in small:
        if neighbour[cluster] < 0:
            _find_neighbour(clusters, live, cluster)
    for _ in range(times):
        if len(small) == 0:
            break
        one = small[np.argmin(increase[small])]
        other = neighbour[one]
        kept, gone = min(one, other), max(one, other)
        share = size[gone] / (size[kept] + size[gone])
        clusters.centre[kept] += share * (clusters.centre[gone] - clusters.centre[kept])
        size[kept] += size[gone]
        into[gone] = kept
        live = live[live != gone]
        small = live[size[live] < k]
        for cluster in small:
            if cluster == kept or neighbour[cluster] == kept or neighbour[cluster] == gone:
                _find_neighbour(clusters, live, cluster)
                continue
            cost = _cost(clusters, cluster, kept)
            if cost < increase[cluster]:
                increase[cluster], neighbour[cluster] = cost, kept
    return len(small)


@njit(cache=True, nogil=True)
def most_distant(points: Any) -> tuple[int, int]:
    """Return the two records that are most distant from each other, the first in the file first."""
    tree = planted(points)
    # Of records that are all the same, the first two are as distant as any.
    best, first, last = 0.0, 0, 1
    for i in range(len(points)):
        far = farthest(tree, points[i])
        distance = np.sum((points[i] - points[far]) ** 2)
        if distance > best:
            best, first, last = distance, i, far
    return first, last


@njit(cache=True, nogil=True)
def grown_groups(points: Any, first: int, last: int, k: int) -> Any:
    """Return 0 for the k records around the first, 1 for k around the last, -1 for the others.

    A group takes in the record that is nearest to its average.
    """
    tree = planted(points)
    neighbour, distance = np.empty(1, np.int64), np.empty(1)
    group = np.full(len(points), -1, np.int64)
    take_out(tree, first)
    take_out(tree, last)
    group[first], group[last] = 0, 1
    for number, start in enumerate((first, last)):
        average = points[start].copy()
        for size in range(1, k):
            nearest(tree, average, 1, neighbour, distance)
            take_out(tree, neighbour[0])
            group[neighbour[0]] = number
            average += (points[neighbour[0]] - average) / (size + 1)
    return group
