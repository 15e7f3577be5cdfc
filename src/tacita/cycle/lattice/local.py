"""Local recoding: each class of records goes up only as far as it needs to, attribute by attribute.

Classes are made cheapest first. A node of the lattice puts together the combinations that have no class yet and agree
at its levels; groups that satisfy the models become classes as soon as no cheaper group is in sight. What a group
costs is known exactly, by its own labels, so a node comes back later for its dearer groups. A node at which no group
is large enough never gets one, because combinations only leave: it is dropped. At the end each class goes down again
to the lowest levels at which its members agree. Combinations that are safe as they are stay as they are.

Released records of a class are identical, so the result holds in the strict sense, without leaning on anybody's
nulls: each record has its k or more equals. Classes that come to look alike only get larger. The result is a
heuristic; what it costs is exact. For k-anonymity and distinct l-diversity nothing is dropped that could still make a
class. For other models a node may be dropped too early, which costs loss and not safety; with t-closeness ARX's local
recoding loses less on Adult.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tacita.cycle.lattice.classes import LatticeClasses, Levels, keys
from tacita.cycle.lattice.ladders import Ladder
from tacita.cycle.lattice.models import violating
from tacita.cycle.lattice.problem import Problem

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

SUPPRESSED = -1
"""The level of a cell that becomes a labelled null."""

_NEAR = 0.01  # groups this close to the cheapest one, as a part of the largest loss, are taken with it
_LARGEST_KEY = 2**62
_WORK = 100_000_000  # combinations looked at, over all nodes: some ten seconds
_LEAST_WORK = 2000  # what a node costs however few combinations are left


@dataclass(frozen=True, slots=True)
class LocalPlan:
    """Levels for each combination, what they cost, and which combinations look alike afterwards."""

    names: tuple[str, ...]
    levels: Array
    """One row per combination, one column per attribute; -1 is a labelled null."""
    classes: Array
    """The number of the class of each combination."""
    losses: Mapping[str, float]
    """The granularity loss of each attribute."""
    score: float
    """The granularity loss of all of them."""
    suppressed: int
    """Cells that become null, over all records."""
    looked_at: int
    """Nodes that were looked at, once or more often."""


def locally_recoded_plan(
    problem: Problem, *, floor: Levels | None = None, only_suppression: bool = False, work: int = _WORK
) -> LocalPlan | None:
    """Return levels for each combination such that all released records satisfy the models; None if none can.

    With a `floor` every cell goes up to that level at least: columns are recoded first. With `only_suppression` a cell
    is then either left there or suppressed. `work` bounds the effort; past it the dearest records go up together.
    """
    start = floor or (0,) * len(problem.ladders)
    rungs = tuple(_suppressible(rung) for rung in problem.ladders)
    making = _Making(problem, rungs, start, only_suppression)
    nodes = making.run(work)
    if not making.settle():
        return None
    levels = making.lowest()
    for place, (rung, low) in enumerate(zip(rungs, start, strict=True)):
        # a column that is rolled up to * as a whole says so; a cell that gets there alone is a null
        if low < rung.height or not problem.ladders[place].has_star:
            levels[levels[:, place] == rung.height, place] = SUPPRESSED
    return plan_of(problem, levels, making.of, nodes)


def plan_of(problem: Problem, levels: Array, classes: Array, looked_at: int) -> LocalPlan:
    """Return levels of cells with what they cost."""
    import numpy as np

    counts, sums, suppressed = problem.base.counts, [], 0
    for place, (rung, label) in enumerate(zip(problem.ladders, problem.base.labels, strict=True)):
        shares = [rung.shares[level][rung.climb(0, level)] for level in range(rung.height + 1)]
        # the last row is that of level -1
        share = np.stack([*shares, np.ones(rung.size(0))])[levels[:, place], label]
        sums.append(float((share * counts).sum()))
        gone = (levels[:, place] == SUPPRESSED) & (label < rung.size(0) - 1)
        suppressed += int(counts[gone].sum())
    losses = problem.losses(sums)
    named = MappingProxyType(dict(zip(problem.names, losses, strict=True)))
    return LocalPlan(problem.names, levels, classes, named, problem.together(losses), suppressed, looked_at)


def _suppressible(rung: Ladder) -> Ladder:
    """Return a ladder whose top is a labelled null: all values are the same there, those that were missing too."""
    import numpy as np

    nothing, whole = np.zeros(len(rung.maps[0]), dtype=np.int32), np.ones(1)
    maps, shares = (rung.maps[:-1], rung.shares[:-1]) if rung.has_star else (rung.maps, rung.shares)
    return replace(rung, maps=(*maps, nothing), shares=(*shares, whole), has_star=True)


class _Making:
    """The classes made so far; mutable."""

    def __init__(self, problem: Problem, rungs: tuple[Ladder, ...], floor: Levels, only_suppression: bool) -> None:
        import numpy as np

        self.problem, self.rungs, self.floor = problem, rungs, floor
        size = len(problem.base)
        self.of = np.full(size, -1, dtype=np.int64)
        self.made = 0
        self.left = np.arange(size)
        self.choices = [
            sorted({low, rung.height}) if only_suppression else list(range(low, rung.height + 1))
            for low, rung in zip(floor, rungs, strict=True)
        ]
        weights = np.array(problem.terms.weights or [1.0] * len(rungs))
        rooms = np.array([problem.records - float(sums[0]) for sums in problem.sums])
        scale = np.divide(weights / weights.sum(), rooms, out=np.zeros(len(rungs)), where=rooms > 0)
        # what a record at each level costs, by its value
        self.costs = [
            [(rung.shares[level][rung.climb(0, level)] - rung.shares[0]) * factor for level in range(rung.height + 1)]
            for rung, factor in zip(rungs, scale, strict=True)
        ]
        # Digits of keys, kept until a combination leaves: most nodes find nothing. There are most labels at level 0.
        sizes = [rung.size(0) for rung in rungs]
        fits = math.prod(sizes) < _LARGEST_KEY
        self.strides = [math.prod(sizes[place + 1 :]) for place in range(len(sizes))] if fits else None
        self.digits: dict[tuple[int, int], Array] = {}
        self.near = _NEAR / problem.records if problem.records else 0.0

    def run(self, work: int) -> int:
        """Make classes, cheapest first, until no combination is left, or the work is done; return the nodes seen."""
        least = [[float(cost[:-1].min()) if len(cost) > 1 else 0.0 for cost in costs] for costs in self.costs]
        first = (0,) * len(self.choices)

        def bound(places: tuple[int, ...]) -> float:
            return sum(own[choice[p]] for own, choice, p in zip(least, self.choices, places, strict=True))

        waiting = [(bound(first), first, 0)]
        nodes = 0
        while waiting and len(self.left) and work > 0:
            price, places, raised = heapq.heappop(waiting)
            work -= max(len(self.left), _LEAST_WORK)
            if raised >= 0:  # seen for the first time: the nodes above it are next, each from one of those below it
                nodes += 1
                for place in range(raised, len(places)):
                    if places[place] + 1 < len(self.choices[place]):
                        above = (*places[:place], places[place] + 1, *places[place + 1 :])
                        heapq.heappush(waiting, (bound(above), above, place))
            levels = tuple(choice[p] for choice, p in zip(self.choices, places, strict=True))
            if (later := self._make(levels, price + self.near)) is not None:
                heapq.heappush(waiting, (later, places, -1))
        if len(self.left):
            self._climb()
        return nodes

    def _make(self, levels: Levels, most: float) -> float | None:
        """Make classes of the groups of a node that cost at most so much; return the price of the next dearer one."""
        import numpy as np

        base = self.problem.base
        key = self._keys(levels)
        order = np.argsort(key, kind="stable")
        ranked = key[order]
        starts = np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1])))
        members = self.left[order]
        safe = np.flatnonzero(~self._violating(levels, members, starts))
        if not len(safe):
            return None
        sample = members[starts[safe]]
        price = np.zeros(len(safe))
        for costs, level, label in zip(self.costs, levels, base.labels, strict=True):
            price += costs[level][label[sample]]
        now = price <= most
        self._take(members, starts, safe[now])
        return None if now.all() else float(price[~now].min())

    def _keys(self, levels: Levels) -> Array:
        """Return one number for each combination that is left, the same for those that agree at these levels."""
        import numpy as np

        if self.strides is None:
            labels = [self._labels(place, level) for place, level in enumerate(levels)]
            return keys(labels, [rung.size(level) for rung, level in zip(self.rungs, levels, strict=True)])
        key = np.zeros(len(self.left), dtype=np.int64)
        for place, level in enumerate(levels):
            if (place, level) not in self.digits:
                self.digits[place, level] = self._labels(place, level).astype(np.int64) * self.strides[place]
            key += self.digits[place, level]
        return key

    def _labels(self, place: int, level: int) -> Array:
        labels: Array = self.rungs[place].climb(0, level)[self.problem.base.labels[place][self.left]]
        return labels

    def _violating(self, levels: Levels, members: Array, starts: Array) -> Array:
        import numpy as np

        base = self.problem.base
        counts = np.add.reduceat(base.counts[members], starts)
        histogram = None
        if base.histogram is not None:
            histogram = np.add.reduceat(base.histogram[members], starts, axis=0)
        return violating(self.problem.models, LatticeClasses(levels, (), counts, histogram), self.problem.whole)

    def _take(self, members: Array, starts: Array, groups: Array) -> None:
        import numpy as np

        if not len(groups):
            return
        lengths = np.diff(np.append(starts, len(members)))
        number = np.full(len(starts), -1, dtype=np.int64)
        number[groups] = self.made + np.arange(len(groups))
        of_member = np.repeat(number, lengths)
        self.of[members] = of_member
        self.made += len(groups)
        self.left = np.sort(members[of_member < 0])
        self.digits = {}

    def _climb(self) -> None:
        """Let what is left go up together, the cheapest attribute first, until it is safe or at the top."""
        places = [0] * len(self.choices)
        while len(self.left):
            levels = tuple(choice[p] for choice, p in zip(self.choices, places, strict=True))
            self._make(levels, float("inf"))
            steps = [
                (float(costs[choice[p + 1]][label[self.left]].sum() - costs[choice[p]][label[self.left]].sum()), place)
                for place, (costs, choice, p, label) in enumerate(
                    zip(self.costs, self.choices, places, self.problem.base.labels, strict=True)
                )
                if p + 1 < len(choice)
            ]
            if not steps:
                return
            places[min(steps)[1]] += 1

    def settle(self) -> bool:
        """Put what no class was found for into the class where it costs least; return whether all have a class."""
        import numpy as np

        if not len(self.left):
            return True
        if not self.made:
            return False
        order, starts = self._by_class()
        sizes = np.add.reduceat(self.problem.base.counts[order], starts).astype(np.float64)
        joined = np.zeros(len(starts))
        before = np.zeros(len(starts))
        for costs, lowest, rung, label, low in zip(
            self.costs, self._lowest(order, starts), self.rungs, self.problem.base.labels, self.floor, strict=True
        ):
            after = lowest.copy()
            for level in range(low, rung.height + 1):
                labels = rung.climb(0, level)
                own = labels[label[self.left]]
                apart = (own != own[0]).any() | (labels[label[order[starts]]] != own[0])
                after = np.where(apart & (after <= level), level + 1, after)
            table = np.stack(costs)
            before += table[lowest, label[order[starts]]] * sizes
            joined += table[after, label[order[starts]]] * (sizes + self.problem.base.counts[self.left].sum())
        for choice in np.argsort(joined - before, kind="stable"):
            members = np.concatenate([np.flatnonzero(self.of == choice), self.left])
            if not self._violating(self.floor, members, np.zeros(1, dtype=int)).any():
                self.of[self.left] = choice
                self.left = self.left[:0]
                return True
        return False

    def lowest(self) -> Array:
        """Return for each combination the lowest levels at which the members of its class agree."""
        import numpy as np

        order, starts = self._by_class()
        lengths = np.diff(np.append(starts, len(order)))
        lowest_levels = np.empty((len(order), len(self.rungs)), dtype=np.int16)
        for place, levels in enumerate(self._lowest(order, starts)):
            lowest_levels[order, place] = np.repeat(levels, lengths)
        return lowest_levels

    def _by_class(self) -> tuple[Array, Array]:
        import numpy as np

        order = np.argsort(self.of, kind="stable")
        order = order[self.of[order] >= 0]
        ranked = self.of[order]
        return order, np.flatnonzero(np.concatenate(([True], ranked[1:] != ranked[:-1]))[: len(order)])

    def _lowest(self, order: Array, starts: Array) -> Sequence[Array]:
        import numpy as np

        rungs_of = []
        for rung, label, choice in zip(self.rungs, self.problem.base.labels, self.choices, strict=True):
            lowest = np.full(len(starts), rung.height, dtype=np.int64)
            for level in sorted(choice, reverse=True)[1:]:
                labels = rung.climb(0, level)[label[order]]
                agree = np.minimum.reduceat(labels, starts) == np.maximum.reduceat(labels, starts)
                lowest = np.where(agree, level, lowest)
            rungs_of.append(lowest)
        return rungs_of
