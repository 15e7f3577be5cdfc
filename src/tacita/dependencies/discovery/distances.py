"""Dependencies between attributes of which some are compared by distances.

Without a tolerance, X -> A holds if every pair that is alike on X is alike on A: the patterns of all pairs are what the
agree sets are to the exact search. With g1 the share of violating pairs is known from the patterns for every X. With g3
it is decided from them where possible: to delete one record of each violating pair is always enough, and the records
that may be deleted take part in no more pairs than those with the most twins. The others are bounded by `deletions`.
Where the tolerance lies between the bounds, the dependency is undecided and treated as one that holds, since to hide
too much is the safe error.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.dependency import ErrorMeasure
from tacita.dependencies.discovery.deletions import deletion_bounds
from tacita.dependencies.discovery.exact import hitting_dependencies
from tacita.dependencies.discovery.levels import Verdicts, level_wise
from tacita.dependencies.discovery.masks import Masks, Places
from tacita.dependencies.discovery.pair_plans import PairFinder
from tacita.dependencies.discovery.search import Effort, Minimal

_BOUNDS_OF_A_LEVEL = 20_000
"""Dependencies of a level whose deletions are bounded by looking at pairs of records."""

Counts = NDArray[np.int64]


def distance_dependencies(
    finder: PairFinder, measure: ErrorMeasure | None, allowed: int, largest: int | None, effort: Effort
) -> Minimal:
    """Return the minimal dependencies with at most so many deleted records (g3) or violating pairs (g1).

    Without a measure no pair may violate them.
    """
    attributes = len(finder.table.names)
    if measure is None:
        effort.doing = "looking for dependencies"
        return hitting_dependencies(finder.patterns.masks, attributes, largest, effort)
    if measure is ErrorMeasure.G1:
        return level_wise(attributes, _PairCounts(finder, allowed), largest, effort)
    minimal = level_wise(attributes, _DeletionBounds(finder, allowed, effort), largest, effort)
    return _narrowed(finder, minimal, allowed, effort)


class _PairCounts:
    """Accepts dependencies with few violating pairs."""

    def __init__(self, finder: PairFinder, allowed: int) -> None:
        self._finder, self._allowed = finder, allowed

    def __call__(self, lefts: Masks, rights: Places) -> Verdicts:
        errors = self._finder.patterns.violations(lefts, rights)
        return Verdicts(errors, errors, errors <= self._allowed, np.zeros(len(errors), np.bool_))


class _DeletionBounds:
    """Accepts dependencies of which few records, or perhaps few records, must be deleted."""

    def __init__(self, finder: PairFinder, allowed: int, effort: Effort) -> None:
        self._finder, self._allowed, self._effort = finder, allowed, effort
        self._reach = np.array([_reach(finder, place, allowed) for place in range(len(finder.table.names))])

    def __call__(self, lefts: Masks, rights: Places) -> Verdicts | None:
        allowed, records = self._allowed, self._finder.table.records
        violations = self._finder.patterns.violations(lefts, rights)
        low = np.where(violations > self._reaches(lefts), allowed + 1, (violations > 0).astype(np.int64))
        high = np.minimum(violations, records)
        todo = np.flatnonzero((high > allowed) & (low <= allowed))
        if len(todo) > _BOUNDS_OF_A_LEVEL:
            return None
        low[todo], high[todo] = deletion_bounds(self._finder, lefts[todo], rights[todo], allowed, self._effort)
        return Verdicts(low, high, low <= allowed, (low <= allowed) & (high > allowed))

    def _reaches(self, lefts: Masks) -> Counts:
        """Return an upper bound of the violating pairs that are gone if as many records are deleted as may be."""
        reaches = np.full(len(lefts), self._allowed * max(0, self._finder.table.records - 1))
        for place, reach in enumerate(self._reach):
            has = (lefts >> np.uint64(place)) & np.uint64(1) == 1
            reaches[has] = np.minimum(reaches[has], reach)
        return reaches


def _reach(finder: PairFinder, attribute: int, allowed: int) -> int:
    """Return in how many pairs that are alike on an attribute some records are, at most, if there are `allowed`."""
    table, alike = finder.table, finder.table.neighbours[attribute]
    counts = np.bincount(table.codes[attribute], minlength=int(table.counts[attribute]))
    twins = (counts if alike is None else alike.sums(counts))[table.codes[attribute]] - 1
    return int(np.sort(twins)[::-1][:allowed].sum())


def _narrowed(finder: PairFinder, minimal: Minimal, allowed: int, effort: Effort) -> Minimal:
    """Return dependencies with better bounds where the patterns alone decided them."""
    low, high = minimal.low.copy(), minimal.high.copy()
    violations = finder.patterns.violations(minimal.lefts, minimal.rights)
    todo = np.flatnonzero((low < high) & (violations <= allowed))
    effort.doing = "bounding the records to delete"
    low[todo], high[todo] = deletion_bounds(finder, minimal.lefts[todo], minimal.rights[todo], allowed, effort)
    return replace(minimal, low=low, high=high)
