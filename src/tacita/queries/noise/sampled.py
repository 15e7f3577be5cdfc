"""Random sample queries: each figure is that of a random part of the records in question (Denning 1980).

Which records are taken follows from a keyed hash of the records in question: the same question has the same sample,
another one has another.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np
from scipy.special import bdtr, bdtrc

from tacita.queries.answer import NOT_ANSWERED, Figure
from tacita.queries.cube.cube import COUNT
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.mechanism import AskedQuestion, Price
from tacita.queries.noise.intervals import NoisySum
from tacita.queries.noise.keyed import KeyedNoise
from tacita.queries.noise.perturbed import ANSWERED, check_answered, figure_of, names_of
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import AskedStatistic, DataQuestion, Mask

_ALPHA = 0.05


class SampledFigures:
    """Figures of random samples."""

    mode: ClassVar[AnswerMode] = AnswerMode.SAMPLE
    statistics = ANSWERED

    def __init__(self, version: FrozenVersion) -> None:
        self._cube, self._noise = version.cube, KeyedNoise(version.cube, version.secret)
        self._share = Fraction(version.policy.options["share"])

    @property
    def guarantee(self) -> str:
        """What holds of every figure."""
        return (
            f"Figures are estimated from a random sample of {float(100 * self._share):g} % of the records; the true "
            "figure is within the error with a probability of 95 %."
        )

    def price(self, wanted: AskedQuestion) -> Price:
        """Return that it costs nothing; raise for what cannot be estimated from a sample of sums."""
        check_answered(wanted, ANSWERED)
        return Price()

    def remark(self, question: DataQuestion, spent: Mapping[str, int]) -> str:
        """Return nothing: each figure says what holds of it."""
        return ""

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return figures of samples; all figures about the same values are of the same sample.

        A sample of fewer people than the minimum is not shown: its sum would be that of their values.
        """
        rows = []
        for group in wanted.groups:
            names = dict.fromkeys(names_of(one) for one in wanted.question.aggregates)
            estimates = {some: self._estimates(group.cells, some) for some in names}
            rows.append(tuple(self._figure(one, estimates[names_of(one)]) for one in wanted.question.aggregates))
        return tuple(rows)

    def _figure(self, one: AskedStatistic, sums: dict[str, NoisySum] | None) -> Figure:
        return NOT_ANSWERED if sums is None else figure_of(one, sums, self._cube.policy)

    def _estimates(self, cells: Mask, names: Sequence[str]) -> dict[str, NoisySum] | None:
        places = self._noise.in_order(self._cube.records_of(cells))
        measures = [name for name in names if name != COUNT] or [COUNT]
        drawn = self._noise.generator(cells, measures, "sample").random(len(places))
        sampled = places[drawn < float(self._share)]
        people = len(sampled) if self._cube.units is None else len(np.unique(self._cube.units[sampled]))
        if people < self._cube.policy.rules.minimum:
            return None
        count = round(len(sampled) / self._share)
        errors = [
            max(high - count, count - low)
            for low, high in (counts_behind(len(sampled), float(self._share), alpha) for alpha in (_ALPHA, _ALPHA / 3))
        ]
        estimates = {}
        for name in names:
            # A sum is furthest from its estimate if all values are the largest that is allowed: then it errs as the
            # count does, that many times.
            largest = 1 if name == COUNT else max(abs(bound) for bound in self._cube.policy.measure(name).bounds)
            value = count if name == COUNT else round(int(self._cube.values[name][sampled].sum()) / self._share)
            estimates[name] = NoisySum(value, *(error * largest + (name != COUNT) for error in errors))
        return estimates


def counts_behind(sampled: int, share: float, alpha: float) -> tuple[int, int]:
    """Return between which numbers of records a sample was drawn, by the binomial distribution (Clopper and Pearson).

    >>> counts_behind(8, 0.8, 0.05)
    (8, 14)
    """
    low = _first(lambda records: float(bdtrc(sampled - 1, records, share)) > alpha / 2, sampled)
    high = _first(lambda records: float(bdtr(sampled, records, share)) <= alpha / 2, low) - 1
    return low, high


def _first(holds: Callable[[int], bool], start: int) -> int:
    """Return the least number from a start on for which something holds that stays true."""
    below, above = start - 1, max(start, 1)
    while not holds(above):
        below, above = above, 2 * above
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle) else (middle, above)
    return above
