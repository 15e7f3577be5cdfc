"""Hidden values that the nearest points have in common: a region from two coordinates.

Neither longitude nor latitude alone tells a region, and no two records have the same. But the five records that are
nearest by both are in one region, except near a border. Pairs of attributes with many different numbers are tried on a
sample of the records first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from itertools import combinations

import numpy as np

from tacita.attacks.microdata.derivation import SHARE, Dependency, DerivableValues, RuleReading, passed_readings
from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.lessons import Guess, Guesser, Lesson, Target, lessons_of
from tacita.attacks.microdata.relations.numbers import Numbers, ReleasedNumbers

MOST_ATTRIBUTES = 8
"""Attributes of which pairs are tried: those with the most different numbers."""
_NEAREST = 5
_DIFFERENT = 40
"""Different numbers that an attribute has at least; with fewer, records have equal pairs, which sets look at."""
_PROBES, _POINTS = 100, 1_500
"""Hidden cells that are tried first, and points among which the nearest are looked for then."""
_SAMPLE = 2_000
_EXAMINED = 20_000
"""Records that are looked at in the end."""
_VALUES = 200


def near_point_derivations(
    columns: Sequence[ReleasedNumbers],
    targets: Sequence[Target],
    clusters: Codes | None = None,
    *,
    known: Collection[Dependency] = (),
) -> Iterator[DerivableValues]:
    """Yield pairs of attributes that determine hidden cells by the nearest records.

    >>> random = np.random.default_rng(3)
    >>> area, hidden = random.integers(0, 4, 900), np.arange(900) % 9 == 0
    >>> x, y = area // 2 + random.uniform(-0.5, 0.5, 900), area % 2 + random.uniform(-0.5, 0.5, 900)
    >>> points = [ReleasedNumbers("x", x + y), ReleasedNumbers("y", x - y)]
    >>> print(*near_point_derivations(points, [Target("area", area, hidden, ~hidden)]))
    x and y determine 90 of 100 suppressed cells of area
    """
    usable = _with_many_values(columns)
    for target in targets if len(usable) > 1 else ():
        if not target.hidden.any() or target.is_continuous or target.is_coarse or target.truth.max() >= _VALUES:
            continue
        before = [names for names, *where in known if where == [target.name, target.is_suppressed]]
        lesson = lessons_of(_reduced(target), clusters)[0]
        if len(lesson.rows) < 10 * _NEAREST:
            continue
        screen = _Screen(usable, lesson)
        for one, other in combinations(range(len(usable)), 2):
            names = (usable[one].attribute, usable[other].attribute)
            if target.name in names or any(smaller <= frozenset(names) for smaller in before):
                continue
            if screen.may_tell(one, other):
                best = _best_reading(screen.points(one, other), lesson)
                if best is not None:
                    yield best.derivation(f"{names[0]} and {names[1]}", names, lesson)


def _best_reading(points: Numbers, lesson: Lesson) -> RuleReading | None:
    readings = passed_readings("near points", lambda _: _nearest_rule(points, lesson), lesson)
    return max(readings, key=lambda reading: reading.right, default=None)


def _with_many_values(columns: Sequence[ReleasedNumbers]) -> list[ReleasedNumbers]:
    different = {}
    for place, column in enumerate(columns):
        sample = column.values[:: max(1, len(column.values) // _SAMPLE)]
        different[place] = len(np.unique(sample[np.isfinite(sample)]))
    best = sorted((place for place in different if different[place] >= _DIFFERENT), key=lambda at: (-different[at], at))
    return [columns[place] for place in sorted(best[:MOST_ATTRIBUTES])]


def _reduced(target: Target) -> Target:
    """Return a target with fewer cells, if there are very many."""
    hidden, shown = target.hidden, target.shown
    if len(hidden) <= _EXAMINED:
        return target
    return Target(target.name, target.truth, _some(hidden, _EXAMINED // 4), _some(shown, _EXAMINED), target.classes)


def _some(mask: Mask, most: int) -> Mask:
    rows = np.flatnonzero(mask)
    chosen = np.zeros(len(mask), dtype=bool)
    chosen[rows[:: max(1, -(-len(rows) // most))]] = True
    return chosen


class _Screen:
    """Some records that teach about a target, and some hidden cells that are tried by pairs of attributes."""

    def __init__(self, columns: Sequence[ReleasedNumbers], lesson: Lesson) -> None:
        self._columns, self._lesson = columns, lesson
        self._rows = lesson.rows[:: max(1, len(lesson.rows) // _POINTS)]
        self._probes = lesson.secret[:: max(1, len(lesson.secret) // _PROBES)]
        self._scales = [_scale(column.values) for column in columns]

    def points(self, one: int, other: int, rows: Codes | None = None) -> Numbers:
        """Return two attributes as points, in units in which both spread equally; nan where one is empty."""
        parts = []
        for place in (one, other):
            values = self._columns[place].values
            parts.append((values if rows is None else values[rows]) / self._scales[place])
        return np.stack(parts, axis=1)

    def may_tell(self, one: int, other: int) -> bool:
        """Return whether the nearest of some points have the value of enough of some hidden cells."""
        from scipy.spatial import cKDTree

        around, probed = self.points(one, other, self._rows), self.points(one, other, self._probes)
        there, known = _whole(around), _whole(probed)
        rows, probes = self._rows[there], self._probes[known]
        if len(rows) < 4 * _NEAREST or not len(probes):
            return False
        places = cKDTree(around[there]).query(probed[known], k=4)[1]
        values = self._lesson.target.truth[rows][places]
        own = rows[places] == probes[:, None]
        agree = ((values == values[:, -1:]) | own).all(axis=1) & (values[:, -1] != self._lesson.usual(probes))
        right = agree & (values[:, -1] == self._lesson.target.truth[probes])
        return bool(right.sum() >= max(SHARE / 2 * len(probes), 0.7 * agree.sum(), 1))


def _scale(values: Numbers) -> float:
    sample = values[:: max(1, len(values) // _SAMPLE)]
    sample = sample[np.isfinite(sample)]
    low, high = np.quantile(sample, [0.1, 0.9]) if len(sample) else (0.0, 0.0)
    return float(high - low) or 1.0


def _whole(points: Numbers) -> Mask:
    whole: Mask = np.isfinite(points[:, 0]) & np.isfinite(points[:, 1])
    return whole


def _nearest_rule(points: Numbers, lesson: Lesson) -> Guesser:
    """Guess the value that the nearest records have in common, without the record itself and its cluster."""
    from scipy.spatial import cKDTree

    there = _whole(points)
    rows = lesson.rows[there[lesson.rows]]
    tree = cKDTree(points[rows])
    truth = lesson.target.truth[rows]

    def guess(wanted: Codes) -> Guess:
        value, support = np.full(len(wanted), -1, dtype=np.int64), np.zeros(len(wanted), dtype=np.int64)
        usable = np.flatnonzero(there[wanted])
        if len(rows) <= _NEAREST or not len(usable):
            return Guess(value, support, np.zeros(len(wanted), dtype=bool))
        records = wanted[usable]
        places = tree.query(points[records], k=_NEAREST + 1)[1]
        is_own = rows[places] == records[:, None]
        if lesson.clusters is not None:
            is_own |= lesson.clusters[rows[places]] == lesson.clusters[records][:, None]
        if lesson.target.classes is not None:
            is_own |= lesson.classes[rows[places]] != lesson.classes[records][:, None]
        others = (~is_own).sum(axis=1)
        values = truth[places]
        first = values[np.arange(len(records)), np.argmin(is_own, axis=1)]
        agrees = ((values == first[:, None]) | is_own).all(axis=1) & (others >= _NEAREST - 2)
        value[usable] = np.where(agrees, first, -1)
        support[usable] = np.where(agrees, others, 0)
        return Guess(value, support, value >= 0)

    return guess
