"""A tree of attributes: a distribution from noisy tables of single attributes and of pairs, and draws from it.

All of this sees noisy tables only, never the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]
Pair = tuple[str, str]

_ROUNDS = 100
_SUPPORT = 1e-6
"""The part of independence in a pair's table, so that no value is impossible beside another."""


@dataclass(frozen=True, slots=True, eq=False)
class TreeModel:
    """Shares of each attribute and of each pair in a tree, which agree with each other."""

    single: Mapping[str, Array]
    pairs: Mapping[Pair, Array]

    @classmethod
    def of(
        cls, tables: Mapping[str, Array], pairs: Mapping[Pair, Array], total: float, scales: tuple[float, float]
    ) -> TreeModel:
        """Return the model of noisy tables, given the scales of the noise on tables of one and of two attributes.

        An attribute's shares are the average of its own table and of the sums of its pairs, each weighted by the
        inverse of its variance, and the nearest ones (least squares) that are not negative and add up to 1. A pair's
        table becomes the nearest one that is not negative and has the shares of its attributes as sums.
        """
        single: dict[str, Array] = {}
        for name, table in tables.items():
            seen, weights = [table], [1 / scales[0] ** 2]
            for (one, two), cells in pairs.items():
                if name in {one, two}:
                    axis = 1 if name == one else 0
                    seen.append(cells.sum(axis=axis))
                    weights.append(1 / (cells.shape[axis] * scales[1] ** 2))
            single[name] = nearest_shares(np.average(seen, axis=0, weights=weights) / total)
        joint = {}
        for (one, two), cells in pairs.items():
            free = np.outer(single[one], single[two])
            shares = nearest_table(cells / total, single[one], single[two])
            joint[one, two] = raked((1 - _SUPPORT) * shares + _SUPPORT * free, single[one], single[two])
        return cls(single, joint)

    def drawn(self, count: int, random: np.random.Generator) -> dict[str, Whole]:
        """Return cells of every attribute for a number of records.

        A first attribute of each tree is drawn from its shares, and each neighbour given the one before. Draws are
        systematic: a value gets its expected number of records, rounded up or down.
        """
        codes: dict[str, Whole] = {}
        for start in self.single:
            if start in codes:
                continue
            codes[start] = _systematic(self.single[start], count, random)
            waiting = [start]
            while waiting:
                name = waiting.pop()
                for other, table in self._beside(name):
                    if other not in codes:
                        codes[other] = _given(codes[name], table, random)
                        waiting.append(other)
        return codes

    def _beside(self, name: str) -> Sequence[tuple[str, Array]]:
        return [
            (two, table) if name == one else (one, table.T)
            for (one, two), table in self.pairs.items()
            if name in {one, two}
        ]


def nearest_shares(values: Array) -> Array:
    """Return the nearest numbers, by least squares, that are not negative and add up to 1.

    >>> nearest_shares(np.array([0.7, 0.5, -0.4])).round(3).tolist()
    [0.6, 0.4, 0.0]
    """
    nearest: Array = _nearest_rows(values[None, :], np.ones(1))[0]
    return nearest


def nearest_table(table: Array, rows: Array, columns: Array) -> Array:
    """Return the nearest table, by least squares, that is not negative and has given sums of rows and of columns.

    Projections on the two sets of sums in turn, with Dykstra's corrections (J. Boyle and R. Dykstra, A method for
    finding projections onto the intersection of convex sets in Hilbert spaces, 1986); `raked` mends what a last round
    leaves.

    >>> nearest_table(np.array([[0.5, 0.3], [-0.1, 0.2]]), np.array([0.6, 0.4]), np.array([0.5, 0.5])).round(3).tolist()
    [[0.425, 0.175], [0.075, 0.325]]
    """
    fitted = table
    by_row, by_column = np.zeros_like(table), np.zeros_like(table)
    for _ in range(_ROUNDS):
        before = fitted
        by_rows = _nearest_rows(fitted + by_row, rows)
        by_row = fitted + by_row - by_rows
        fitted = _nearest_rows((by_rows + by_column).T, columns).T
        by_column = by_rows + by_column - fitted
        if np.abs(fitted - before).max() < 1e-9:
            break
    return fitted


def _nearest_rows(table: Array, totals: Array) -> Array:
    """Return for each row the nearest numbers that are not negative and add up to a total."""
    ranked = -np.sort(-table, axis=1)
    excess = (np.cumsum(ranked, axis=1) - totals[:, None]) / np.arange(1, table.shape[1] + 1)
    # The first place always counts, also for a total of 0.
    last = np.maximum(np.sum(ranked > excess, axis=1) - 1, 0)
    projected: Array = np.maximum(table - excess[np.arange(len(table)), last][:, None], 0)
    return projected


def raked(table: Array, rows: Array, columns: Array) -> Array:
    """Return a table with given sums of rows and columns, by iterative proportional fitting.

    >>> raked(np.array([[0.4, 0.1], [0.1, 0.4]]), np.array([0.6, 0.4]), np.array([0.5, 0.5])).sum(axis=1).round(6)
    array([0.6, 0.4])
    """
    fitted = table
    for _ in range(_ROUNDS):
        fitted = fitted * _ratio(columns, fitted.sum(axis=0))[None, :]
        ratio = _ratio(rows, fitted.sum(axis=1))
        fitted = fitted * ratio[:, None]
        if np.abs(ratio - 1).max() < 1e-9:
            break
    return fitted


def _ratio(wanted: Array, there: Array) -> Array:
    return np.where(there > 0, wanted / np.where(there > 0, there, 1), 0)


def _systematic(shares: Array, count: int, random: np.random.Generator) -> Whole:
    """Return cells in random order, each as often as its share says, rounded up or down at random."""
    ends = np.cumsum(shares)
    points = (random.random() + np.arange(count)) / count * ends[-1]
    # A point on the last end, by rounding, belongs to the last cell that has a share.
    cells = np.minimum(np.searchsorted(ends, points, side="right"), np.flatnonzero(shares)[-1])
    return random.permutation(cells).astype(np.int64)


def _given(parents: Whole, table: Array, random: np.random.Generator) -> Whole:
    """Return cells of an attribute, given those of another; a row of the table for each of its cells."""
    children = np.empty(len(parents), dtype=np.int64)
    order = np.argsort(parents, kind="stable")
    for rows in np.split(order, np.flatnonzero(np.diff(parents[order])) + 1):
        if len(rows):
            shares = table[parents[rows[0]]]
            shares = shares if shares.sum() > 0 else table.sum(axis=0)
            children[rows] = _systematic(shares, len(rows), random)
    return children
