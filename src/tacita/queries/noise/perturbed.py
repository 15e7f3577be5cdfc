"""Consistent perturbation: a normal error, drawn by a keyed hash of the records in question.

The same question, in whatever words, has the same figure, so that asking again averages nothing out. Different
questions have independent errors: many of them together tell the records, which a limit on independent answers is for.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar

from tacita.errors import QueryRefused
from tacita.queries.answer import NOT_ANSWERED, Figure, FigureStatus
from tacita.queries.cube.cube import COUNT
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.figures import noisy_texts, sum_of
from tacita.queries.mechanism import AskedQuestion, Price
from tacita.queries.noise.intervals import NoisySum, average, ratio
from tacita.queries.noise.keyed import KeyedNoise
from tacita.queries.policy.policy import AnswerMode, QueryPolicy
from tacita.queries.question import AskedStatistic, DataQuestion, Mask, Statistic

ANSWERED = frozenset({Statistic.COUNT, Statistic.SUM, Statistic.AVERAGE, Statistic.RATIO})
Z, Z_JOINT = 1.959964, 2.393980
"""Of a normal distribution: 95 % lie within, and 98.33 %, so that three hold together."""


class PerturbedFigures:
    """Figures with an error whose size depends on the policy alone."""

    mode: ClassVar[AnswerMode] = AnswerMode.PERTURBED
    statistics = ANSWERED

    def __init__(self, version: FrozenVersion) -> None:
        self._cube, self._noise = version.cube, KeyedNoise(version.cube, version.secret)
        options = version.policy.options
        self._deviation = Fraction(options["deviation"])
        self._count_deviation = Fraction(options["count_deviation"])

    @property
    def guarantee(self) -> str:
        """What holds of every figure."""
        return (
            "Figures have an error that is the same whenever the same records are asked about; the true figure is "
            "within the error with a probability of 95 %."
        )

    def price(self, wanted: AskedQuestion) -> Price:
        """Return that it costs nothing; raise for what cannot be made of perturbed sums."""
        check_answered(wanted, ANSWERED)
        return Price()

    def remark(self, question: DataQuestion, spent: Mapping[str, int]) -> str:
        """Return nothing: each figure says what holds of it."""
        return ""

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return perturbed figures."""
        return tuple(
            tuple(self._figure(one, group.cells) for one in wanted.question.aggregates) for group in wanted.groups
        )

    def _figure(self, one: AskedStatistic, cells: Mask) -> Figure:
        return figure_of(one, {name: self._spread(name, cells) for name in names_of(one)}, self._cube.policy)

    def _spread(self, measure: str, cells: Mask) -> NoisySum:
        """Return a count or a sum with its error."""
        if measure == COUNT:
            true, deviation = int(self._cube.n[cells].sum()), float(self._count_deviation)
        else:
            true = sum_of(self._cube, measure, cells)
            largest = max(abs(bound) for bound in self._cube.policy.measure(measure).bounds)
            deviation = float(self._deviation) * largest
        error = self._noise.generator(cells, (measure,), measure).normal(0.0, deviation)
        return NoisySum(true + round(float(error)), math.ceil(Z * deviation), math.ceil(Z_JOINT * deviation))


def check_answered(wanted: AskedQuestion, answered: frozenset[Statistic]) -> None:
    """Raise if a statistic cannot be answered, or an accuracy is chosen where it is fixed."""
    for one in wanted.question.aggregates:
        if one.statistic not in answered:
            names = ", ".join(sorted(str(statistic) for statistic in answered))
            raise QueryRefused(f"{one.name} is not answered with noise", do=f"ask for {names}")
    if wanted.epsilon is not None or wanted.accuracy is not None:
        raise QueryRefused("the accuracy of these answers is fixed", do="leave out epsilon and accuracy")


def names_of(one: AskedStatistic) -> tuple[str, ...]:
    """Return the sums that a figure is made of; the empty name counts."""
    return {
        Statistic.COUNT: (COUNT,),
        Statistic.SUM: (one.measure,),
        Statistic.AVERAGE: (one.measure, COUNT),
        Statistic.RATIO: (one.measure, one.other),
    }[one.statistic]


def figure_of(one: AskedStatistic, sums: dict[str, NoisySum], policy: QueryPolicy) -> Figure:
    """Return a figure made of sums with errors."""
    unit = Fraction(1) if not one.measure else Fraction(policy.measure(one.measure).unit)
    if one.statistic in {Statistic.COUNT, Statistic.SUM}:
        spread = sums[one.measure]
        value = unit * spread.value
        if one.statistic is Statistic.COUNT or policy.measure(one.measure).lower >= 0:
            value = max(value, Fraction(0))  # no true figure is below 0: this brings none further away
        return noisy_figure(value, unit * spread.error, unit)
    if one.statistic is Statistic.AVERAGE:
        low, high = (Fraction(bound) for bound in policy.measure(one.measure).bounds)
        estimate = average(sums[one.measure], sums[COUNT], (low, high))
    else:
        estimate = ratio(sums[one.measure], sums[one.other])
        unit = unit / Fraction(policy.measure(one.other).unit)
    if estimate is None:
        return NOT_ANSWERED
    return noisy_figure(unit * estimate[0], unit * estimate[1], Fraction(0))


def noisy_figure(value: Fraction, error: Fraction, step: Fraction) -> Figure:
    """Return a figure with its error, both rounded to the digits that say something."""
    text, error_text = noisy_texts(value, error, step)
    return Figure(FigureStatus.NOISY, text, error=error_text)
