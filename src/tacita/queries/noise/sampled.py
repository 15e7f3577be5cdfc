"""Random sample queries: each figure is that of a random part of the records in question (Denning 1980).

Which records are taken follows from a keyed hash of the records in question: the same question has the same sample,
another one has another.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import ClassVar

from tacita.queries.answer import Figure
from tacita.queries.cube.cube import COUNT
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.mechanism import AskedQuestion, Price
from tacita.queries.noise.intervals import Spread
from tacita.queries.noise.keyed import generator_for
from tacita.queries.noise.perturbed import ANSWERED, Z_JOINT, Z, check_answered, figure_of, names_of
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import Mask


class SampledFigures:
    """Figures of random samples."""

    mode: ClassVar[AnswerMode] = AnswerMode.SAMPLE

    def __init__(self, version: FrozenVersion) -> None:
        self._cube, self._secret = version.cube, version.secret
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

    def figures(self, wanted: AskedQuestion, price: Price) -> tuple[tuple[Figure, ...], ...]:
        """Return figures of samples; all figures of a group are of the same sample."""
        rows = []
        for group in wanted.groups:
            names = {name for one in wanted.question.aggregates for name in names_of(one)}
            sums = self._estimates(group.cells, sorted(names))
            rows.append(tuple(figure_of(one, sums, self._cube.policy) for one in wanted.question.aggregates))
        return tuple(rows)

    def _estimates(self, cells: Mask, names: list[str]) -> dict[str, Spread]:
        places = self._cube.records_of(cells)
        sampled = places[generator_for(self._secret, cells, "sample").random(len(places)) < float(self._share)]
        # The error is that of a sample of as many records as are estimated, with the largest values that are allowed.
        count = round(len(sampled) / self._share)
        relative = math.sqrt(max(count, 1) * float((1 - self._share) / self._share))
        estimates = {}
        for name in names:
            if name == COUNT:
                value, largest = count, 1
            else:
                value = round(int(self._cube.values[name][sampled].sum()) / self._share)
                largest = max(abs(bound) for bound in self._cube.policy.measure(name).bounds)
            deviation = relative * largest
            estimates[name] = Spread(value, math.ceil(Z * deviation), math.ceil(Z_JOINT * deviation))
        return estimates
