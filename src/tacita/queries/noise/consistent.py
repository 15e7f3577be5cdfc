"""Totals that are the sums of their groups: what noisy tables of several grouping sets say together.

Each grouping set is a histogram with noise of its own, and all have the same scale. What is done with them afterwards
costs no privacy. Three steps:

- Least squares. A table is a sum of effects: the mean, the effect of each attribute, of each pair, ... (an analysis of
  variance). Every table with attributes S has its estimate of the effect of S; its variance is in proportion to the
  number of cells that are added up for it, and estimates of different effects are not correlated. So the mean of the
  estimates, weighted by their precision, is the least-squares answer (for ROLLUP the one of Hay et al. 2010), for any
  grouping sets, and its variance is known before anything is drawn.
- Bounds. Of all tables with cells within bounds (counts are not negative) the nearest one is taken, by projected
  gradients. A total has a weight of as many cells as it adds up: otherwise all the cells that are cut off at 0 would
  move it. The search may stop early: cells are within bounds and totals are sums all the same.
- Whole numbers. Cells are rounded so that the sum of the first k cells, for each k, is off by at most a half: groups of
  ROLLUP lie side by side, and each is off by at most one. Totals are added up last, exactly.

The error of a figure is that of least squares and how far the last two steps moved it. Least squares is a weighted sum
of independent errors, whose tails are, for a given variance, no heavier than those of one error: so the error is that
of a single figure times the square root of the share of variance that is left.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.queries.noise.intervals import NoisySum

Floats = NDArray[np.float64]
Axes = tuple[int, ...]
_STEPS, _WORK = 1000, 6000
"""Steps of the search, and how many tables they may look at in all."""
_SETTLED = 0.001


@dataclass(frozen=True, eq=False)
class GroupingSets:
    """Tables over some of the attributes of a question."""

    sizes: tuple[int, ...]
    """The number of codes of each attribute."""
    levels: tuple[Axes, ...]
    """The attributes of each table, in order."""

    @property
    def _all(self) -> Axes:
        return tuple(range(len(self.sizes)))

    def made_consistent(
        self, tables: Sequence[Sequence[int]], reach: tuple[int, int], low: Floats, high: Floats
    ) -> list[list[NoisySum]]:
        """Return the figures of all tables, those of each in the order of its codes.

        `reach` is how far a noisy figure is away with the probabilities of `NoisySum`; `low` and `high` bound the cells
        of the table over all attributes, and may be infinite.
        """
        noisy = [
            np.asarray(table, np.float64).reshape([self.sizes[axis] for axis in level])
            for table, level in zip(tables, self.levels, strict=True)
        ]
        estimate = self._least_squares(noisy)
        cells = _whole(self._within(estimate, low, high))
        result = []
        for level, share in zip(self.levels, self.variance_shares, strict=True):
            errors = [one * math.sqrt(share) for one in reach]
            whole = self._total(cells, level).ravel().tolist()
            around, least, most = (self._total(part, level).ravel().tolist() for part in (estimate, low, high))
            result.append(
                [
                    NoisySum(
                        int(value), *(_error(value, near, (lowest, highest), one) for one in errors), is_total=True
                    )
                    for value, near, lowest, highest in zip(whole, around, least, most, strict=True)
                ]
            )
        return result

    @cached_property
    def variance_shares(self) -> tuple[float, ...]:
        """Of each table the variance of a cell by least squares, over that of its noise."""
        return tuple(
            sum(
                self._variance(effect)
                * math.prod(1 - 1 / self.sizes[axis] for axis in effect)
                / self._cells_behind(level, effect) ** 2
                for effect in _subsets(level)
            )
            for level in self.levels
        )

    def _cells_behind(self, level: Axes, effect: Axes) -> int:
        """Return how many cells of a table are added up for each of an effect."""
        return math.prod(self.sizes[axis] for axis in level if axis not in effect)

    def _variance(self, effect: Axes) -> float:
        tables = [level for level in self.levels if set(effect) <= set(level)]
        return 1 / sum(1 / self._cells_behind(level, effect) for level in tables)

    def _least_squares(self, noisy: Sequence[Floats]) -> Floats:
        """Return the table over all attributes whose totals are nearest; effects that no table has are nothing."""
        result = np.zeros(self.sizes)
        for effect in sorted({subset for level in self.levels for subset in _subsets(level)}):
            if any(self.sizes[axis] == 1 for axis in effect):
                continue  # an attribute with one code has no effect
            mean: Floats = np.zeros([self.sizes[axis] for axis in effect])
            for level, table in zip(self.levels, noisy, strict=True):
                if set(effect) <= set(level):
                    others = tuple(at for at, axis in enumerate(level) if axis not in effect)
                    mean = mean + table.sum(axis=others) / self._cells_behind(level, effect)
            mean = mean * self._variance(effect)
            for axis in range(len(effect)):
                mean = mean - mean.mean(axis=axis, keepdims=True)
            result += self._spread_out(mean, effect) / self._cells_behind(self._all, effect)
        return result

    def _within(self, estimate: Floats, low: Floats, high: Floats) -> Floats:
        """Return cells within bounds whose totals are near to those of an estimate (FISTA, Beck and Teboulle 2009)."""
        current = np.clip(estimate, low, high)
        if np.array_equal(current, estimate):
            return current
        weights = [self._cells_behind(self._all, level) for level in self.levels]
        steepness = sum(weight**2 for weight in weights)
        ahead, momentum = current, 1.0
        for _ in range(min(_STEPS, _WORK // len(self.levels))):
            slope = np.zeros(self.sizes)
            for level, weight in zip(self.levels, weights, strict=True):
                slope += weight * self._spread_out(self._total(ahead - estimate, level), level)
            following = np.clip(ahead - slope / steepness, low, high)
            faster = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
            ahead = following + (momentum - 1) / faster * (following - current)
            moved = float(np.abs(following - current).max())
            current, momentum = following, faster
            if moved < _SETTLED:
                break
        return current

    def _total(self, cells: NDArray[Any], level: Axes) -> NDArray[Any]:
        return np.asarray(cells.sum(axis=tuple(axis for axis in self._all if axis not in level)))

    def _spread_out(self, table: Floats, axes: Axes) -> Floats:
        """Return a table with an axis of one place for each attribute that it does not have."""
        return table.reshape([self.sizes[axis] if axis in axes else 1 for axis in self._all])


def _subsets(level: Axes) -> list[Axes]:
    return [some for size in range(len(level) + 1) for some in itertools.combinations(level, size)]


def _whole(cells: Floats) -> NDArray[np.object_]:
    """Return whole numbers of any size near to cells: those within whole bounds stay within them.

    >>> _whole(np.array([0.4, 0.4, 0.4, 0.0, 2.0])).tolist()
    [0, 1, 0, 0, 2]
    """
    first = [math.floor(total + 0.5) for total in np.cumsum(cells.ravel()).tolist()]
    differences = [one - before for before, one in itertools.pairwise([0, *first])]
    result = np.empty(len(differences), dtype=object)
    result[:] = differences
    return result.reshape(cells.shape)


def _error(value: int, estimate: float, bounds: tuple[float, float], error: float) -> int:
    """Return how far a true total is from a figure, if it is within its bounds and the error of an estimate."""
    least, most = max(estimate - error, bounds[0]), min(estimate + error, bounds[1])
    if least > most:
        return math.ceil(abs(value - estimate) + error)
    return math.ceil(max(value - least, most - value))
