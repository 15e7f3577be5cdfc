"""How far the sum of a class has to stay uncertain so that no contributor in it can be estimated too closely.

Every record lies between the declared bounds l and u. Whoever knows that a class of n records adds up to at most U
knows that a contributor adds at most U less what the others add at least: one of them knows their own contribution, of
the others everybody knows l. So U has to be at least what the largest contributor may not be known to stay under, and
the same from below. What is at a bound needs no room beyond it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.queries.audit.partition import CellClasses
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import QueryRules
from tacita.queries.question import Mask

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True, repr=False)
class ClassNeed:
    """What must stay possible for the sum of a class: at least `up`, and at most `down`; None: nothing."""

    up: float | None = None
    down: float | None = None
    either: bool = False
    """Whether one of both is enough: only the value itself must not be known."""

    def __bool__(self) -> bool:
        return self.up is not None or self.down is not None


NEVER = ClassNeed(up=math.inf)
"""What nothing meets: the bounds of records alone tell too much."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordBounds:
    """The least and most that each record of some cells may be, as everybody knows."""

    lower: Numbers
    upper: Numbers
    declared: tuple[float, float]
    """Both for all records, before anything was answered."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CellExtents:
    """What says of most classes, without a look at their records, that they need nothing.

    Of each cell the sum of values and of absolute ones, and for its contributors the most that one of them is above the
    declared lower bounds, below the upper ones, and away from zero. With units of protection these are the most of
    anybody with all their records.
    """

    total: Numbers
    absolute: Numbers
    above: Numbers
    below: Numbers
    size: Numbers
    is_per_person: bool

    @classmethod
    def of(cls, cube: Cube, measure: str) -> CellExtents:
        """Return those of a measure."""
        values, starts = cube.values[measure].astype(np.float64), cube.starts[:-1]
        low, high = cube.policy.measure(measure).bounds
        ends = values - low, high - values, np.abs(values)
        if cube.units is None:
            extents = [np.maximum.reduceat(one, starts) for one in ends]
        else:
            _, whose = np.unique(cube.units, return_inverse=True)
            extents = [np.full(len(cube), np.bincount(whose.reshape(-1), one).max()) for one in ends]
        total, absolute = np.add.reduceat(values, starts), np.add.reduceat(ends[2], starts)
        above, below, size = (np.asarray(one, np.float64) for one in extents)
        return cls(total, absolute, above, below, size, is_per_person=cube.units is not None)

    def suspects(self, classes: CellClasses, n: Numbers, bounds: RecordBounds, rules: QueryRules) -> Mask:
        """Return the classes that could need anything.

        If nobody is more than e above the lower bounds, ``2 e + room`` is the most that `need_of` can ask for beyond
        the least sum.
        """

        def summed(values: Numbers) -> Numbers:
            return np.bincount(classes.of_cell, values, classes.count).astype(np.float64)

        def most(values: Numbers) -> Numbers:
            result = np.zeros(classes.count)
            np.maximum.at(result, classes.of_cell, values)
            return result

        above, below = summed(self.total - n * bounds.lower), summed(n * bounds.upper - self.total)
        size = most(self.size)
        if rules.p_percent is None:
            suspect = (above <= 0) | (below <= 0) | (summed(n) <= 1)
            if self.is_per_person:
                suspect |= above <= most(self.above)
        else:
            room = np.maximum(float(rules.p_percent) / 100 * size, 1.0)
            suspect = above <= 2 * most(self.above) + room
            suspect |= below <= 2 * most(self.below) + room
        if rules.dominance is not None:
            contributors, share = rules.dominance
            # Values of somebody may cancel out: what remains of the class is at least the sum itself.
            absolute = np.abs(summed(self.total)) if self.is_per_person else summed(self.absolute)
            suspect |= absolute <= contributors * size * 100 / float(share)
        # Extremes that were answered may leave a record between ends that are too close.
        width = np.full(classes.count, np.inf)
        np.minimum.at(width, classes.of_cell, bounds.upper - bounds.lower)
        close = 2 * np.maximum(float(rules.p_percent or 0) / 100 * size, 1.0)
        suspect |= (width < bounds.declared[1] - bounds.declared[0]) & (width < close)
        return np.asarray(suspect)


def need_of(cube: Cube, measure: str, cells: Mask, bounds: RecordBounds, rules: QueryRules) -> ClassNeed:
    """Return what must stay possible for a class; nothing where the true data are possible enough."""
    places = cube.records_of(cells)
    values = cube.values[measure][places].astype(np.float64)
    sizes = cube.n[cells]
    low, high = np.repeat(bounds.lower[cells], sizes), np.repeat(bounds.upper[cells], sizes)
    least, most = (np.full(len(values), one) for one in bounds.declared)
    if cube.units is not None:
        _, whose = np.unique(cube.units[places], return_inverse=True)
        values, low, high, least, most = (
            np.bincount(whose.reshape(-1), one).astype(np.float64) for one in (values, low, high, least, most)
        )
    room = np.maximum(float(rules.p_percent or 0) / 100 * np.abs(values), 1.0)
    if (_are_close(values, low, high, room) & ~_are_close(values, least, most, room)).any():
        return NEVER
    total, free = values.sum(), low < high
    if not free.any():
        return ClassNeed()
    if rules.p_percent is None:
        need = _of_value(values, low, high)
    else:
        up = low.sum() + _widest(values - low, np.minimum(values + room, high) - low)
        down = high.sum() - _widest(high - values, high - np.maximum(values - room, low))
        need = ClassNeed(up if up > total else None, down if down < total else None)
    if rules.dominance is not None:
        n, k = rules.dominance
        ranked = np.sort(np.abs(values))[::-1]
        level = 100 / float(k) * ranked[:n].sum() - ranked.sum()
        if level > 0:
            up = min(total + level, float(high.sum()))
            if up > total:
                # The bound that is enough for the value itself is not for dominance.
                need = ClassNeed(max(up, need.up or up), None if need.either else need.down)
    return need


def _are_close(values: Numbers, low: Numbers, high: Numbers, room: Numbers) -> Mask:
    """Return whose ends are so close to their value that both estimate it."""
    return np.asarray((low > values - room) & (high < values + room))


def _of_value(values: Numbers, low: Numbers, high: Numbers) -> ClassNeed:
    """Return what keeps every value from being known exactly."""
    total = float(values.sum())
    if (values == low).all():
        return ClassNeed(up=total + 1)
    if (values == high).all():
        return ClassNeed(down=total - 1)
    return ClassNeed(total + 1, total - 1, either=True) if len(values) == 1 else ClassNeed()


def _widest(excess: Numbers, room: Numbers) -> float:
    """Return the largest sum of the room of somebody and the excess of somebody else, who tries to estimate them."""
    if len(excess) == 1:
        return float(room[0])
    order = np.argpartition(excess, -2)
    second, first = sorted(order[-2:].tolist(), key=lambda at: float(excess[at]))
    others = np.full(len(excess), excess[first])
    others[first] = excess[second]
    return float((room + others).max())
