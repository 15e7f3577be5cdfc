"""Differential privacy: whole numbers from the cube, noise of opendp, a price in whole billionths.

Two data sets are neighbours if one has all records of one more person. A person has at most `records_per_unit` records,
so a count changes by at most that much, and a sum by that many times the largest value; both hold for all groups of a
question together, since a record is in one group. Which groups there are does not depend on the data: they are all
combinations of declared codes, and empty ones get noise as well.

Noise is drawn from the secure source of opendp and cannot be repeated. Nothing here sees a seed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import QueryRefused
from tacita.queries.answer import NOT_ANSWERED, Figure, FigureStatus
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.figures import figure_text, noisy_texts, rounded_error, squares_of, sum_of
from tacita.queries.mechanism import NANO, AskedQuestion, Price
from tacita.queries.noise.intervals import NoisySum, average, ratio, variance
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import AskedStatistic, Mask, Statistic

Part = tuple[str, int]
"""A sum that noise is put on: its measure (empty: counts) and power."""
PEOPLE = "\0people"
"""The measure that counts people."""
_ALPHA = 0.05
_LARGEST = 2**62
"""Sums are cut off here, which brings two of them no further apart; what comes near is not answered."""
_LEAST_SHARE = 1000
"""A part of a price is at least this many billionths: less would only be noise."""
_CANDIDATES = 1001
_NEEDED: dict[Statistic, tuple[tuple[str, int], ...]] = {
    Statistic.COUNT: ((COUNT, 1),),
    Statistic.CONTRIBUTORS: ((PEOPLE, 1),),
    Statistic.SUM: (("measure", 1),),
    Statistic.AVERAGE: ((COUNT, 1), ("measure", 1)),
    Statistic.VARIANCE: ((COUNT, 1), ("measure", 1), ("measure", 2)),
    Statistic.RATIO: (("measure", 1), ("other", 1)),
}


class PrivateFigures:
    """Figures with noise of differential privacy."""

    mode: ClassVar[AnswerMode] = AnswerMode.PRIVATE

    def __init__(self, cube: Cube) -> None:
        options = cube.policy.options
        self._cube = cube
        self._currency = str(options["currency"])
        self._records = int(options["records_per_unit"])

    @property
    def guarantee(self) -> str:
        """What holds of every figure."""
        who = "record" if not self._cube.policy.unit else "person"
        return (
            f"Figures have noise of differential privacy (neighbours: one {who} more or less); the true figure is "
            "within the error with a probability of 95 %."
        )

    def price(self, wanted: AskedQuestion) -> Price:
        """Return what the figures cost: what the analyst offers, or what the accuracy needs."""
        statistics = wanted.question.aggregates
        parts = self._parts(statistics)
        quantiles = [one for one in statistics if one.statistic is Statistic.QUANTILE]
        shares = len(parts) + len(quantiles) * len(wanted.groups)
        if wanted.accuracy is not None and wanted.epsilon is not None:
            raise QueryRefused("both an accuracy and a price are given", do="give one of them")
        if wanted.accuracy is not None:
            cost = self._cost_of(wanted.accuracy, statistics)
        elif wanted.epsilon is not None:
            cost = wanted.epsilon
        else:
            raise QueryRefused(
                "a private answer has a price",
                do="say what to pay (epsilon), or how exact the figure has to be (accuracy)",
            )
        if cost < _LEAST_SHARE * shares:
            raise QueryRefused(
                f"the price is too small for {shares} figures with noise", do="offer more, or ask for less at once"
            )
        errors = tuple(self._error(one, cost // shares) for one in statistics)
        return Price({self._currency: cost}, errors)

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return figures with noise; each sum is drawn once and used for all figures that need it."""
        statistics = wanted.question.aggregates
        parts = self._parts(statistics)
        quantiles = [one for one in statistics if one.statistic is Statistic.QUANTILE]
        share = price.spent[self._currency] // (len(parts) + len(quantiles) * len(wanted.groups))
        drawn = {part: self._noisy(part, [group.cells for group in wanted.groups], share) for part in parts}
        reaches = {part: self._reach(part, share) for part in parts}
        rows = []
        for place, group in enumerate(wanted.groups):
            sums = {part: NoisySum(int(values[place]), *reaches[part]) for part, values in drawn.items()}
            rows.append(tuple(self._figure(one, sums, group.cells, share) for one in statistics))
        return tuple(rows)

    def _parts(self, statistics: Sequence[AskedStatistic]) -> list[Part]:
        parts: list[Part] = []
        for one in statistics:
            if one.statistic is Statistic.QUANTILE:
                continue
            if one.statistic not in _NEEDED:
                raise QueryRefused(
                    f"{one.name} is not answered privately",
                    do="ask for counts, sums, averages, variances, ratios or quantiles",
                )
            for role, power in _NEEDED[one.statistic]:
                measure = {"measure": one.measure, "other": one.other}.get(role, role)
                if self._sensitivity((measure, power)) >= _LARGEST:  # of the policy alone, never of the data
                    raise QueryRefused(
                        f"{one.name} needs larger numbers than noise can be put on",
                        do="ask for the average, or declare fewer decimals or narrower bounds",
                    )
                parts += [] if (measure, power) in parts else [(measure, power)]
        return parts

    def _largest(self, measure: str, power: int) -> int:
        """Return by how much one record changes a sum at most."""
        if measure in {COUNT, PEOPLE}:
            return 1
        return int(max(abs(bound) for bound in self._cube.policy.measure(measure).bounds) ** power)

    def _sensitivity(self, part: Part) -> int:
        return self._records * self._largest(*part)

    def _scale(self, part: Part, share: int) -> float:
        """Return the scale of noise that a share pays for."""
        budget, sensitivity = budget_of(share), self._sensitivity(part)
        return sensitivity / budget if self._currency == "epsilon" else sensitivity / math.sqrt(2 * budget)

    def _noisy(self, part: Part, groups: Sequence[Mask], share: int) -> NDArray[np.int64]:
        """Return a sum of each group with noise: one vector, so that the sensitivity is that of all groups."""
        measure, power = part
        if measure == COUNT:
            true = [int(self._cube.n[cells].sum()) for cells in groups]
        elif measure == PEOPLE:
            true = [self._cube.contributors(cells) for cells in groups]
        elif power == 1:
            true = [sum_of(self._cube, measure, cells) for cells in groups]
        else:
            true = [squares_of(self._cube, measure, cells) for cells in groups]
        true = [min(max(total, -_LARGEST), _LARGEST) for total in true]
        return np.asarray(self._measurement(part, share)(true), dtype=np.int64)

    def _measurement(self, part: Part, share: int) -> Any:
        import opendp.prelude as dp

        dp.enable_features("contrib")
        budget, scale, sensitivity = budget_of(share), self._scale(part, share), self._sensitivity(part)
        numbers = dp.vector_domain(dp.atom_domain(T="i64"))
        while True:
            measurement: Any = (
                dp.m.make_laplace(numbers, dp.l1_distance(T="i64"), scale=scale)
                if self._currency == "epsilon"
                else dp.m.make_gaussian(numbers, dp.l2_distance(T="f64"), scale=scale)
            )
            if measurement.map(sensitivity if self._currency == "epsilon" else float(sensitivity)) <= budget:
                return measurement
            scale = math.nextafter(scale * (1 + 1e-15), math.inf)  # rounding must not spend more than there is

    def _reach(self, part: Part, share: int) -> tuple[int, int]:
        """Return how far noise is away with probabilities of 95 % and, for three sums at once, of 98.4 %."""
        import opendp.prelude as dp

        scale = self._scale(part, share)
        of = (
            dp.discrete_laplacian_scale_to_accuracy
            if self._currency == "epsilon"
            else dp.discrete_gaussian_scale_to_accuracy
        )
        return math.ceil(of(scale, _ALPHA)), math.ceil(of(scale, _ALPHA / 3))

    def _error(self, one: AskedStatistic, share: int) -> str | None:
        """Return the error of a figure as far as it does not depend on what is drawn."""
        if one.statistic in {Statistic.COUNT, Statistic.CONTRIBUTORS}:
            return figure_text(rounded_error(Fraction(self._reach((COUNT, 1), share)[0]), Fraction(1)))
        if one.statistic is Statistic.SUM:
            unit = Fraction(self._cube.policy.measure(one.measure).unit)
            return figure_text(rounded_error(unit * self._reach((one.measure, 1), share)[0], unit))
        return None

    def _cost_of(self, accuracy: Fraction, statistics: Sequence[AskedStatistic]) -> int:
        import opendp.prelude as dp

        if len(statistics) != 1 or statistics[0].statistic not in {Statistic.COUNT, Statistic.SUM}:
            raise QueryRefused(
                "an accuracy can be chosen for one count or one sum",
                do="ask for it alone, or say what to pay (epsilon)",
            )
        one = statistics[0]
        part = (one.measure, 1)
        unit = Fraction(1) if part[0] == COUNT else Fraction(self._cube.policy.measure(one.measure).unit)
        reach = _reach_for(accuracy, unit)
        if reach < 1:
            raise QueryRefused("the accuracy is below the last decimal", do="ask for less accuracy")
        if reach >= _LARGEST:
            raise QueryRefused("the accuracy is beyond every figure", do="ask for more accuracy")
        if self._currency == "epsilon":
            scale = dp.accuracy_to_discrete_laplacian_scale(float(reach), _ALPHA)
            budget = self._sensitivity(part) / scale
        else:
            scale = dp.accuracy_to_discrete_gaussian_scale(float(reach), _ALPHA)
            budget = (self._sensitivity(part) / scale) ** 2 / 2
        cost = max(math.ceil(float(budget) * NANO), _LEAST_SHARE)
        while self._reach(part, cost)[0] > reach:  # the formulas of accuracy are inverse up to rounding only
            cost += 1 + cost // 10**6
        return cost

    def _figure(self, one: AskedStatistic, sums: dict[Part, NoisySum], cells: Mask, share: int) -> Figure:
        if one.statistic is Statistic.QUANTILE:
            return self._quantile(one, cells, share)
        unit = Fraction(1) if not one.measure else Fraction(self._cube.policy.measure(one.measure).unit)
        if one.statistic in {Statistic.COUNT, Statistic.CONTRIBUTORS, Statistic.SUM}:
            spread = sums[(PEOPLE if one.statistic is Statistic.CONTRIBUTORS else one.measure, 1)]
            value, error = unit * spread.value, unit * spread.error
            if one.statistic is not Statistic.SUM or self._cube.policy.measure(one.measure).lower >= 0:
                value = max(value, Fraction(0))  # no true figure is below 0: this brings none further away
            return _written(value, error, unit, [spread])
        if one.statistic is Statistic.AVERAGE:
            low, high = (Fraction(bound) for bound in self._cube.policy.measure(one.measure).bounds)
            result = average(sums[(one.measure, 1)], sums[(COUNT, 1)], (low, high))
        elif one.statistic is Statistic.VARIANCE:
            result = variance(sums[(one.measure, 1)], sums[(one.measure, 2)], sums[(COUNT, 1)])
            unit = unit**2
        else:
            result = ratio(sums[(one.measure, 1)], sums[(one.other, 1)])
            unit = unit / Fraction(self._cube.policy.measure(one.other).unit)
        if result is None:
            return NOT_ANSWERED
        value, error = result
        return _written(unit * value, unit * error, Fraction(0), list(sums.values()))

    def _quantile(self, one: AskedStatistic, cells: Mask, share: int) -> Figure:
        """Return a quantile by the exponential mechanism over a grid between the public bounds.

        The score of a candidate is how far the number of records below it is from what it should be; one person
        changes it by at most the larger of the two parts of the share for each record.
        """
        import opendp.prelude as dp

        dp.enable_features("contrib")
        measure = self._cube.policy.measure(one.measure)
        low, high = measure.bounds
        candidates = np.unique(np.linspace(low, high, min(_CANDIDATES, high - low + 1)).round().astype(np.int64))
        values = np.sort(self._cube.values[one.measure][self._cube.records_of(cells)])
        above, whole = one.share.numerator, one.share.denominator
        below = np.searchsorted(values, candidates, side="left")
        at_most = np.searchsorted(values, candidates, side="right")
        goal = above * len(values)
        scores = -np.maximum(np.maximum(whole * below - goal, goal - whole * at_most), 0).astype(np.int64)
        sensitivity = self._records * max(above, whole - above)
        budget = budget_of(share)
        # A choice that is epsilon-private is epsilon^2/2-concentrated (Bun and Steinke 2016, proposition 3).
        epsilon = budget if self._currency == "epsilon" else math.nextafter(math.sqrt(2 * budget), 0.0)
        scale = 2 * sensitivity / epsilon
        space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
        chooser: Any = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)
        while chooser.map(sensitivity) > epsilon:
            scale = math.nextafter(scale, math.inf)
            chooser = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)
        place = int(chooser(scores.tolist()))
        return Figure(FigureStatus.NOISY, figure_text(Fraction(measure.unit) * int(candidates[place])))


def budget_of(share: int) -> float:
    """Return so many billionths as a number that is not larger.

    >>> budget_of(500_000_000)
    0.5
    """
    budget = share / NANO
    return budget if Fraction(budget) <= Fraction(share, NANO) else math.nextafter(budget, 0.0)


def _reach_for(accuracy: Fraction, unit: Fraction) -> int:
    """Return how many units noise may reach so that the error, as it is written, is at most an accuracy."""
    reach = int(accuracy / unit)
    for _ in range(3):
        error = rounded_error(unit * reach, unit)
        if error <= accuracy:
            break
        reach -= math.ceil((error - accuracy) / unit)
    return reach


def _written(value: Fraction, error: Fraction, step: Fraction, sums: Sequence[NoisySum]) -> Figure:
    """Return a figure as it is published; one of sums that were cut off is not answered."""
    if any(abs(one.value) >= _LARGEST // 2 for one in sums):
        return NOT_ANSWERED
    text, error_text = noisy_texts(value, error, step)
    return Figure(FigureStatus.NOISY, text, error=error_text)
