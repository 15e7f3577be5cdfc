"""Private quantiles: by the exponential mechanism, or of means of neighbouring values where records are public."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.errors import QueryRefused
from tacita.queries.answer import NOT_ANSWERED, Figure, FigureStatus
from tacita.queries.cube.cube import Cube
from tacita.queries.figures import figure_text, noisy_texts
from tacita.queries.noise.measurements import EPSILON, budget_of, measurement_of, reach_of, scale_of
from tacita.queries.noise.parts import LARGEST, SummedParts
from tacita.queries.question import AskedStatistic, Mask, Statistic

QUANTILES = frozenset({Statistic.QUANTILE, Statistic.MINIMUM, Statistic.MAXIMUM})
_CANDIDATES = 1001
_FINER = 1_000
"""Quantiles of means are whole numbers of a thousandth of the last decimal, over the size of a group."""


def chosen_quantile(
    one: AskedStatistic, cells: Mask, cube: Cube, parts: SummedParts, currency: str, share: int
) -> Figure:
    """Return a quantile by the exponential mechanism over a grid between the public bounds.

    The score of a candidate is how far the number of records below it is from what it should be. One more record
    changes it by at most the larger of the two parts of the share; one other value, by at most their sum. The scale is
    for all records of a person in one group: if they are in several, choices cost in proportion to the records there,
    and together no more. So the share pays for all groups of a grouping set.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    measure = cube.policy.measure(one.measure)
    low, high = measure.bounds
    candidates = np.unique(np.linspace(low, high, min(_CANDIDATES, high - low + 1)).round().astype(np.int64))
    values = np.sort(cube.values[one.measure][cube.records_of(cells)])
    above, whole = one.share.numerator, one.share.denominator
    below = np.searchsorted(values, candidates, side="left")
    at_most = np.searchsorted(values, candidates, side="right")
    goal = above * len(values)
    scores = -np.maximum(np.maximum(whole * below - goal, goal - whole * at_most), 0).astype(np.int64)
    sensitivity, epsilon = _sensitivity(one, parts), _epsilon(currency, share)
    scale = 2 * sensitivity / epsilon
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    chooser: Any = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)
    while chooser.map(sensitivity) > epsilon:
        scale = math.nextafter(scale, math.inf)
        chooser = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)
    place = int(chooser(scores.tolist()))
    return Figure(FigureStatus.NOISY, figure_text(Fraction(measure.unit) * int(candidates[place])))


def rank_error(one: AskedStatistic, cube: Cube, parts: SummedParts, currency: str, share: int) -> int:
    """Return how many records lie between a chosen quantile and the best candidate, at most, with 95 %.

    Noise takes less than ``scale (ln r + ln 20)`` of the score of the best of r candidates with this probability
    (McSherry and Talwar 2007), and a record is as many points of the score as the share has parts.
    """
    low, high = cube.policy.measure(one.measure).bounds
    candidates = min(_CANDIDATES, high - low + 1)
    scale = 2 * _sensitivity(one, parts) / _epsilon(currency, share)
    return math.ceil(scale * (math.log(candidates) + math.log(20)) / one.share.denominator)


def _sensitivity(one: AskedStatistic, parts: SummedParts) -> int:
    above, whole = one.share.numerator, one.share.denominator
    return parts.records * (whole if parts.knows_records else max(above, whole - above))


def _epsilon(currency: str, share: int) -> float:
    budget = budget_of(share)
    # A choice that is epsilon-private is epsilon^2/2-concentrated (Bun and Steinke 2016, proposition 3).
    return budget if currency == EPSILON else math.nextafter(math.sqrt(2 * budget), 0.0)


class MicroaggregatedQuantiles:
    """Quantiles of means of neighbouring values, with noise; see ``microaggregation.md`` for why that is private."""

    def __init__(self, cube: Cube, parts: SummedParts, size: int, currency: str) -> None:
        self._cube, self._records, self._size, self._currency = cube, parts.records, size, currency

    def sensitivity(self, measure: str) -> int:
        """Return how far one person moves all figures of a GROUP BY together, in the steps that they are drawn in."""
        low, high = self._cube.policy.measure(measure).bounds
        return self._records * (_FINER * (high - low) + 1)

    def check(self, measure: str) -> None:
        """Raise if numbers would be larger than noise can be put on; the policy alone decides that."""
        bounds = self._cube.policy.measure(measure).bounds
        if max(self.sensitivity(measure), _FINER * self._size * max(map(abs, bounds))) >= LARGEST // 2:
            raise QueryRefused(
                f"quantiles of '{measure}' need larger numbers than noise can be put on",
                do="declare fewer decimals, narrower bounds, or smaller groups",
            )

    def error(self, measure: str, share: int) -> Fraction:
        """Return how far noise moves a figure with a probability of 95 %."""
        reach = reach_of(self._currency, scale_of(self._currency, self.sensitivity(measure), share))[0]
        return Fraction(self._cube.policy.measure(measure).unit) * Fraction(reach, _FINER * self._size)

    def figures(self, one: AskedStatistic, groups: Sequence[Mask], share: int) -> list[Figure]:
        """Return a quantile of each group; a group of fewer than two groups of means has none."""
        measure = self._cube.policy.measure(one.measure)
        share_of = {Statistic.MINIMUM: Fraction(0), Statistic.MAXIMUM: Fraction(1)}.get(one.statistic, one.share)
        step = Fraction(1, _FINER * self._size)
        steps = []
        for cells in groups:
            values = np.sort(self._cube.values[one.measure][self._cube.records_of(cells)])
            true = quantile_of_means(values, share_of, self._size)
            steps.append(None if true is None else round(true / step))
        drawn = measurement_of(self._currency, self.sensitivity(one.measure), share)([it or 0 for it in steps])
        error, unit = self.error(one.measure, share), Fraction(measure.unit)
        low, high = (Fraction(bound) for bound in measure.bounds)
        figures = []
        for true_steps, noisy in zip(steps, drawn, strict=True):
            value = unit * min(max(int(noisy) * step, low), high)
            text, error_text = noisy_texts(value, error, Fraction(0))
            figure = Figure(FigureStatus.NOISY, text, error=error_text)
            figures.append(NOT_ANSWERED if true_steps is None else figure)
        return figures


def quantile_of_means(values: NDArray[np.int64], share: Fraction, size: int) -> Fraction | None:
    """Return a quantile of sorted values by the means of consecutive groups of `size` to twice as many, less one.

    A mean stands in the middle of the ranks of its group, and between two of them lies a straight line; before the
    first and after the last one the figure is theirs. None if there are fewer than two groups.

    >>> values = np.array([1, 2, 3, 10, 11, 12])
    >>> [str(quantile_of_means(values, Fraction(share), 3)) for share in ("0", "0.5", "1")]
    ['2', '13/2', '11']
    """
    count = len(values) // size
    if count < 2:
        return None
    ends = [group * len(values) // count for group in range(count + 1)]
    rank = share * (len(values) - 1)
    middles = [Fraction(ends[group] + ends[group + 1] - 1, 2) for group in range(count)]
    after = next((group for group, middle in enumerate(middles) if middle >= rank), count - 1)
    before = after if rank >= middles[after] or after == 0 else after - 1
    low, high = (
        Fraction(int(values[ends[at] : ends[at + 1]].sum()), ends[at + 1] - ends[at]) for at in (before, after)
    )
    if before == after:
        return low
    return low + (high - low) * (rank - middles[before]) / (middles[after] - middles[before])
