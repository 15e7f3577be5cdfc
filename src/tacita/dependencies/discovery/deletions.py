"""How many records must be deleted so that no two records violate a dependency with distances: an interval.

To be alike is not transitive, so the fewest records to delete are a minimum vertex cover of the pairs that violate the
dependency, which is NP-hard. These bounds are sound. From below: records matched two and two, since each pair costs one
of them; as many records of the highest degree as are needed to reach the number of pairs; and, if that is not enough to
decide, the optimum of the linear relaxation, which is half a maximum matching of the records with a copy of them (G.
Nemhauser and L. Trotter, Mathematical Programming 8, 1975). From above: the records that are left when records are kept
by ascending degree, and both records of each matched pair.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.masks import Masks, Pairs, Places
from tacita.dependencies.discovery.pair_plans import PairFinder
from tacita.dependencies.discovery.search import SLICE, Effort

if TYPE_CHECKING:
    from tacita.dependencies.discovery.kernels.neighbourhoods import AttributeLines, PairPlan

_MOST_PAIRS = 20_000_000
"""Violating pairs that are kept in memory; beyond, only the matched ones bound the records to delete."""
_MOST_RELAXED = 2_000_000
"""Violating pairs up to which the linear relaxation is solved: some tenths of a second."""

Counts = NDArray[np.int64]


def deletion_bounds(
    finder: PairFinder, lefts: Masks, rights: Places, most: int, effort: Effort
) -> tuple[Counts, Counts]:
    """Return how many records must be deleted at least and at most, for each dependency.

    Where it is clear that these are more than `most`, the bounds are not made better.
    """
    pairs = Pairs.of(lefts, rights)
    low, high = np.zeros(len(pairs.rights), np.int64), np.zeros(len(pairs.rights), np.int64)
    violations = finder.patterns.violations(pairs.lefts[pairs.left_of], pairs.rights)
    for number, left in enumerate(pairs.lefts):
        effort.report(number, len(pairs.lefts))
        plan = finder.plan(int(left))
        part = np.arange(pairs.begins[number], pairs.begins[number + 1])
        part = part[np.argsort(finder.tables.is_linked[pairs.rights[part]], kind="stable")]
        low[part] = _matched(finder, plan, finder.lines(pairs.rights[part].tolist(), plan.order), most)
        high[part] = np.minimum(2 * low[part], violations[part])
        high[part[low[part] > most]] = finder.table.records
        for some in _parts_within(part[low[part] <= most], violations):
            lines = finder.lines(pairs.rights[some].tolist(), plan.order)
            violating = _violating(finder, plan, lines, violations[some])
            for place, (one, other) in zip(some, violating, strict=True):
                least, largest = _bounds(one, other, finder.table.records)
                low[place], high[place] = max(low[place], least), min(high[place], largest)
                if low[place] <= most < high[place] and len(one) <= _MOST_RELAXED:
                    low[place] = max(low[place], _relaxation(one, other, finder.table.records))
    return pairs.put_back(low), pairs.put_back(high)


def _parts_within(part: Places, violations: Counts) -> list[Places]:
    """Return dependencies in parts whose violating pairs fit in memory; those that do not fit alone are left out."""
    parts: list[list[int]] = [[]]
    size = 0
    for place in part:
        if violations[place] > _MOST_PAIRS:
            continue
        if size + violations[place] > _MOST_PAIRS:
            parts.append([])
            size = 0
        parts[-1].append(int(place))
        size += int(violations[place])
    return [np.array(one) for one in parts if one]


def _matched(finder: PairFinder, plan: PairPlan, rights: AttributeLines, most: int) -> Counts:
    """Return how many violating pairs without a common record there are, for each right-hand side."""
    from tacita.dependencies.discovery.kernels.neighbourhoods import match

    number = len(rights.codes) + len(rights.linked)
    marks = finder.marks(len(plan.others.linked) + len(rights.linked))
    is_free, matched = np.ones((number, len(plan.order)), np.uint8), np.zeros(number, np.int64)
    begin = 0
    while begin < len(plan.order) and matched.min() <= most:
        begin = match(plan, rights, most, begin, SLICE, marks, is_free, matched)
    return matched


def _violating(
    finder: PairFinder, plan: PairPlan, rights: AttributeLines, violations: Counts
) -> list[tuple[NDArray[np.int32], NDArray[np.int32]]]:
    """Return the pairs of records that violate each dependency."""
    from tacita.dependencies.discovery.kernels.neighbourhoods import violating

    marks = finder.marks(len(plan.others.linked) + len(rights.linked))
    begins = np.concatenate([[0], np.cumsum(violations)])
    ends, begin = begins[:-1].copy(), 0
    some, others = np.zeros(begins[-1], np.int32), np.zeros(begins[-1], np.int32)
    while begin < len(plan.order):
        begin = violating(plan, rights, begin, SLICE, marks, ends, some, others)
    return [(some[a:b], others[a:b]) for a, b in pairwise(begins)]


def _bounds(some: NDArray[np.int32], others: NDArray[np.int32], records: int) -> tuple[int, int]:
    """Return a lower bound by the degrees of records in pairs, and an upper one by keeping those of low degree."""
    from tacita.dependencies.discovery.kernels.covers import left_over

    degree = np.bincount(some, minlength=records) + np.bincount(others, minlength=records)
    violating = np.flatnonzero(degree)
    order = violating[np.argsort(degree[violating], kind="stable")]
    reached = np.cumsum(degree[order][::-1])
    least = int(np.searchsorted(reached, len(some))) + 1 if len(some) else 0
    return least, int(left_over(some, others, degree, order))


def _relaxation(some: NDArray[np.int32], others: NDArray[np.int32], records: int) -> int:
    """Return the optimum of the linear relaxation, rounded up."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    rows, columns = np.concatenate([some, others]), np.concatenate([others, some])
    graph = csr_array((np.ones(len(rows), np.int8), (rows, columns)), shape=(records, records))
    return (int(np.count_nonzero(maximum_bipartite_matching(graph) >= 0)) + 1) // 2
