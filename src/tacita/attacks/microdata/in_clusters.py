"""Examples counted once for a cluster: members of one household are not independent examples of a public relation.

A *cell* is a pair of a group (records with the same value of a clue) and a value of the target, as one number. Each
cluster adds a cell once, however many of its members are in it. Households are small, so that the members of each are
compared one by one, in the order of the clusters; clusters of more than `_SMALL` members are sorted instead.
"""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

_SMALL = 24


class ClusterCells(Protocol):
    """The cells that clusters add, each once."""

    cells: Codes

    def has(self, rows: Codes, cells: Codes) -> Mask:
        """Return whether the cluster of each record has a cell."""

    def number(self, rows: Codes, groups: Codes) -> Codes:
        """Return how many cells the cluster of each record adds to a group."""


class ClusterOrder:
    """The records of training in the order of their clusters."""

    def __init__(self, clusters: Codes, rows: Codes) -> None:
        self.clusters = clusters
        self.rows = rows[np.argsort(clusters[rows], kind="stable")]
        self._set(self.rows)

    def _set(self, rows: Codes) -> None:
        own = self.clusters[rows]
        self.own = own
        self.sizes = np.bincount(own, minlength=int(self.clusters.max(initial=0)) + 1)
        self.starts = np.cumsum(self.sizes) - self.sizes
        self.largest = int(self.sizes.max(initial=0))

    def of(self, keep: Mask) -> ClusterOrder:
        """Return the order of those records that are kept; `keep` has a mark for each record of the file."""
        part = ClusterOrder.__new__(ClusterOrder)
        part.clusters, part.rows = self.clusters, self.rows[keep[self.rows]]
        part._set(part.rows)
        return part

    def first_of_cells(self, cells: Codes) -> Mask:
        """Return which records are the first of their cluster with their cell; cells may have several rows.

        >>> order = ClusterOrder(np.array([0, 0, 1, 1, 1]), np.arange(5))
        >>> order.first_of_cells(np.array([7, 7, 7, 3, 7])).tolist()
        [True, False, True, True, False]
        """
        first = np.ones(cells.shape, dtype=bool)
        for step in range(1, self.largest):
            same = self.own[step:] == self.own[:-step]
            first[..., step:] &= ~(same & (cells[..., step:] == cells[..., :-step]))
        return first


def cluster_cells(order: ClusterOrder, groups: Codes, truth: Codes, values: int) -> ClusterCells:
    """Return the cells that clusters add to groups: `groups` and `truth` have a number for each record of the file."""
    cells = groups[order.rows] * values + truth[order.rows]
    return _SmallClusters(order, cells, values) if order.largest <= _SMALL else _LargeClusters(order, cells, values)


class _SmallClusters:
    def __init__(self, order: ClusterOrder, cells: Codes, values: int) -> None:
        first = order.first_of_cells(cells)
        self.cells: Codes = cells[first]
        self._order, self._all, self._values = order, cells, values
        self._first_groups = np.where(first, cells // values, -1)

    def has(self, rows: Codes, cells: Codes) -> Mask:
        """Return whether the cluster of each record has a cell."""
        there = np.zeros(len(rows), dtype=bool)
        for place, valid in self._members(rows):
            there |= valid & (self._all[place] == cells)
        return there

    def number(self, rows: Codes, groups: Codes) -> Codes:
        """Return how many cells the cluster of each record adds to a group."""
        numbers = np.zeros(len(rows), dtype=np.int64)
        for place, valid in self._members(rows):
            numbers += valid & (self._first_groups[place] == groups)
        return numbers

    def _members(self, rows: Codes) -> list[tuple[Codes, Mask]]:
        own = self._order.clusters[rows]
        starts, sizes, last = self._order.starts[own], self._order.sizes[own], max(len(self._all) - 1, 0)
        return [(np.minimum(starts + step, last), sizes > step) for step in range(self._order.largest)]


class _LargeClusters:
    def __init__(self, order: ClusterOrder, cells: Codes, values: int) -> None:
        self._clusters = order.clusters
        self._of, owner = np.unique(cells, return_inverse=True)  # few cells, so that the pairs stay small numbers
        self._width = len(self._of)
        self._pairs = np.unique(order.own * self._width + owner.reshape(-1))
        self.cells: Codes = self._of[self._pairs % self._width]
        self._groups, of_group = np.unique(self.cells // values, return_inverse=True)
        in_groups = self._pairs // self._width * len(self._groups) + of_group.reshape(-1)
        self._in_groups, self._numbers = np.unique(in_groups, return_counts=True)

    def has(self, rows: Codes, cells: Codes) -> Mask:
        """Return whether the cluster of each record has a cell."""
        place = np.minimum(np.searchsorted(self._of, cells), self._width - 1)
        is_there: Mask = np.isin(self._clusters[rows] * self._width + place, self._pairs) & (self._of[place] == cells)
        return is_there

    def number(self, rows: Codes, groups: Codes) -> Codes:
        """Return how many cells the cluster of each record adds to a group."""
        place = np.minimum(np.searchsorted(self._groups, groups), len(self._groups) - 1)
        wanted = self._clusters[rows] * len(self._groups) + place
        at = np.minimum(np.searchsorted(self._in_groups, wanted), len(self._in_groups) - 1)
        there = (self._groups[place] == groups) & (self._in_groups[at] == wanted)
        numbers: Codes = np.where(there, self._numbers[at], 0)
        return numbers
