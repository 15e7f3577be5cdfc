"""Answers by camouflage: the least and the largest figure over all mixtures of the vectors; the truth is one of them.

Linear figures are extreme at a vector. A variance is largest at a vector and smallest inside: a dual bound of the
convex programme is given, which lies below the smallest whatever the search found. Quantiles have an outer bound by
records.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InternalError, QueryRefused
from tacita.queries.answer import NOT_ANSWERED, Figure, FigureStatus
from tacita.queries.camouflage.vectors import vectors_of
from tacita.queries.cube.cube import Ints
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.figures import figure_text, interval_texts, true_figure
from tacita.queries.mechanism import AskedQuestion, Price
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import AskedStatistic, DataQuestion, Mask, Statistic

_STEPS = 400
_ROUNDING = 1e-9
"""The share of a figure by which bounds in floating point are moved outwards."""
_EPSILON = float(np.finfo(np.float64).eps)
Interval = tuple[Fraction, Fraction]


class CamouflagedFigures:
    """Intervals that hold for every mixture of the vectors. Counts are exact: who is in which cell is not hidden."""

    mode: ClassVar[AnswerMode] = AnswerMode.CAMOUFLAGE
    statistics = frozenset(Statistic)

    def __init__(self, version: FrozenVersion) -> None:
        options = version.policy.options
        self._cube = version.cube
        self._insiders = int(options["vectors"]) - 2
        self._vectors = vectors_of(
            version.cube,
            version.secret,
            int(options["vectors"]),
            options["width"],
            tuned=bool(options["tuned"]),
            expected=options["expected"],
        )

    @property
    def guarantee(self) -> str:
        """What holds of every figure."""
        return (
            "Every interval holds the true figure; counts are exact. Whoever asks everything is left with an interval "
            f"for each value; {self._insiders + 1} people who pool their own values can compute those of others, and "
            "fewer of them estimate some closely."
        )

    def price(self, wanted: AskedQuestion) -> Price:
        """Return that it costs nothing."""
        if wanted.epsilon is not None or wanted.accuracy is not None:
            raise QueryRefused("the intervals of these answers are fixed", do="leave out epsilon and accuracy")
        return Price()

    def remark(self, question: DataQuestion, spent: Mapping[str, int]) -> str:
        """Return nothing: each figure says what holds of it."""
        return ""

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return intervals."""
        return tuple(
            tuple(self._figure(one, group.cells) for one in wanted.question.aggregates) for group in wanted.groups
        )

    def _figure(self, one: AskedStatistic, cells: Mask) -> Figure:
        true = true_figure(one, self._cube, cells)
        if one.statistic in {Statistic.COUNT, Statistic.CONTRIBUTORS}:
            return Figure(FigureStatus.EXACT, None if true is None else figure_text(true))
        places = self._cube.records_of(cells)
        interval = None if true is None else self._interval(one, cells, places)
        if true is None or interval is None:
            return NOT_ANSWERED
        lower, upper = interval
        if not lower <= true <= upper:  # the promise of every answer: it is looked at, not trusted
            raise InternalError("an interval does not hold the true figure; it was not answered")
        return Figure(FigureStatus.INTERVAL, *interval_texts(lower, upper))

    def _interval(self, one: AskedStatistic, cells: Mask, places: Ints) -> Interval | None:
        unit = Fraction(self._cube.policy.measure(one.measure).unit)
        statistic = one.statistic
        if statistic in {Statistic.MINIMUM, Statistic.MAXIMUM, Statistic.QUANTILE}:
            return _scaled(self._by_records(one, places), unit)
        if statistic is Statistic.VARIANCE:
            return _scaled(self._variance(one.measure, places), unit**2)
        sums = self._vectors.sums(one.measure, places)
        if statistic is Statistic.SUM:
            return _scaled(_ends(sums), unit)
        if statistic is Statistic.AVERAGE:
            return _scaled(_ends([total / len(places) for total in sums]), unit)
        if statistic is Statistic.RATIO:
            below = self._vectors.sums(one.other, places)
            if min(below) <= 0:
                return None  # the ratio has no bound
            other = Fraction(self._cube.policy.measure(one.other).unit)
            return _scaled(_ends([a / b for a, b in zip(sums, below, strict=True)]), unit / other)
        return self._line(one, cells, unit)

    def _line(self, one: AskedStatistic, cells: Mask, unit: Fraction) -> Interval | None:
        """Return slope or intercept on a public number: linear in the measure."""
        numbers = self._cube.attribute(one.other).numbers
        assert numbers is not None
        codes = self._cube.codes[one.other]
        n = x = xx = Fraction(0)
        xy, y = [Fraction(0)] * len(self._vectors), [Fraction(0)] * len(self._vectors)
        for code in np.unique(codes[cells]).tolist():
            part = cells & (codes == code)
            count, value = int(self._cube.n[part].sum()), Fraction(repr(float(numbers[code])))
            n, x, xx = n + count, x + count * value, xx + count * value**2
            sums = self._vectors.sums(one.measure, self._cube.records_of(part))
            y = [a + b for a, b in zip(y, sums, strict=True)]
            xy = [a + value * b for a, b in zip(xy, sums, strict=True)]
        spread = n * xx - x**2
        if not spread:
            return None
        slopes = [(n * a - x * b) / spread for a, b in zip(xy, y, strict=True)]
        if one.statistic is Statistic.SLOPE:
            return _scaled(_ends(slopes), unit)
        return _scaled(_ends([(b - slope * x) / n for slope, b in zip(slopes, y, strict=True)]), unit)

    def _by_records(self, one: AskedStatistic, places: Ints) -> Interval:
        """Return the quantile of the lowest values of all records, and that of the highest."""
        numbers = self._vectors.numbers(one.measure, places)
        ends = []
        for values, rounded in ((numbers.min(axis=0), -1), (numbers.max(axis=0), 1)):
            ordered = np.sort(values)
            share = {Statistic.MINIMUM: Fraction(0), Statistic.MAXIMUM: Fraction(1)}.get(one.statistic, one.share)
            place = share * (len(ordered) - 1)
            low, high = (Fraction(float(ordered[at])) for at in (int(place), min(int(place) + 1, len(ordered) - 1)))
            figure = low + (place - int(place)) * (high - low)
            ends.append(figure + rounded * (abs(figure) * Fraction(_ROUNDING) + Fraction(_ROUNDING)))
        return ends[0], ends[1]

    def _variance(self, measure: str, places: Ints) -> Interval:
        numbers = self._vectors.numbers(measure, places)
        centred = numbers - numbers.mean(axis=1, keepdims=True)
        spread = centred @ centred.T / len(places)
        most = float(spread.diagonal().max())
        # Numbers err by a share of the largest one, and their products by that times the deviation, not of the result.
        step = 4 * _EPSILON * float(np.abs(numbers).max(initial=0.0))
        error = _ROUNDING * most + 2 * step * most**0.5 + step**2
        least = max(smallest_mixture(spread) - error, 0.0)
        return Fraction(least), Fraction(most + error) + Fraction(_ROUNDING)


def smallest_mixture(spread: NDArray[np.float64]) -> float:
    """Return a bound below the least of w' S w over all weights w, for a positive semidefinite S.

    For any weights v the convex form lies above its tangent at v, so that ``2 min(S v) - v' S v`` is a bound; the best
    one of a search is returned (Frank and Wolfe 1956).

    >>> float(round(smallest_mixture(np.array([[2.0, 0.0], [0.0, 2.0]])), 6))
    1.0
    """
    weights = np.full(len(spread), 1 / len(spread))
    best = -np.inf
    for _ in range(_STEPS):
        slope = spread @ weights
        value = float(weights @ slope)
        toward, away = int(slope.argmin()), int(np.where(weights > 0, slope, -np.inf).argmax())
        best = max(best, 2 * float(slope[toward]) - value)
        step = np.zeros(len(weights))
        if value - slope[toward] >= slope[away] - value:
            step[toward] = 1.0
            step -= weights
            most = 1.0
        else:
            step = weights.copy()
            step[away] -= 1.0
            most = float(weights[away] / max(1 - weights[away], 1e-300))
        curve = float(step @ spread @ step)
        falls = -float(step @ slope)
        if falls <= 0 or curve < 0:
            break
        weights = np.clip(weights + (min(most, falls / curve) if curve > 0 else most) * step, 0, None)
        weights /= weights.sum()
    return best


def _ends(values: list[Fraction]) -> Interval:
    return min(values), max(values)


def _scaled(interval: Interval, unit: Fraction) -> Interval:
    return interval[0] * unit, interval[1] * unit
