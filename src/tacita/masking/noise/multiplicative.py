"""Multiplicative noise: every value is multiplied by a positive random factor of mean 1."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.functions import exponential, logarithm
from tacita.errors import UsageError
from tacita.masking.method import Treated
from tacita.masking.preconditions import between, each_named_once, finite_columns, one_of
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class MultiplicativeNoise:
    """Masking by multiplicative noise: z = f x, with factors f > 0 of mean 1, so that large values get large noise.

    ``two-sided``: f = 1 - u or 1 + u, each with probability 1/2, u uniform between `least` and `most`: no value but 0
    is left almost as it was. ``log-normal``: f = exp(s N - s^2/2) with s^2 = ln(1 + `deviation`^2), whose standard
    deviation is `deviation`; some factors are close to 1.

    Sums and means keep their expectation. Second moments grow by the known factor E f^2 = 1 + Var f, told as a figure.
    A small whole number may be rounded back to itself when it is written.
    With `per_record` one factor goes to all attributes of a record: ratios between them are kept, and shown.

    Source: T. Evans, L. Zayatz and J. Slanta, Using noise for disclosure limitation of establishment tabular data,
    Journal of Official Statistics 14 (1998); J. Kim and W. Winkler, Multiplicative noise for masking continuous data
    (2003).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([10.0, 2000.0, 0.0])})
    >>> found = MultiplicativeNoise(("turnover",), least=0.1, most=0.2).treated(firms, np.random.default_rng(1)).records
    >>> found.numbers("turnover").values.round(1)
    array([  11. , 2380.2,    0. ])
    """

    name: ClassVar[str] = "multiplicative-noise"
    promises: ClassVar[str] = (
        "Means are kept in expectation, zeros and signs exactly; two-sided moves every other value."
    )
    limits: ClassVar[str] = "Zeros stay, small whole numbers may be rounded back, and ranks of large values stay."
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    distribution: Literal["two-sided", "log-normal"] = "two-sided"
    least: float = 0.05
    """The smallest relative change, of the two-sided distribution."""
    most: float = 0.2
    """The largest relative change, of the two-sided distribution."""
    deviation: float = 0.15
    """The standard deviation of the factors, of the log-normal distribution."""
    per_record: bool = False
    """Whether a record's attributes share one factor."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        one_of(self.distribution, ("two-sided", "log-normal"), "distribution")
        between(self.deviation, 0, math.inf, "deviation")
        between(self.least, 0, 1, "least")
        if not self.least <= self.most < 1:
            raise UsageError("'most' is below 'least', or not below 1", do="give 0 < least <= most < 1")

    @property
    def variance(self) -> float:
        """The variance of the factors."""
        if self.distribution == "log-normal":
            return self.deviation**2
        return (self.least**2 + self.least * self.most + self.most**2) / 3

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with values multiplied."""
        columns = finite_columns(records, self.attributes)
        factors = self._factors(len(records), random) if self.per_record else None
        changed = {}
        for name, column in zip(self.attributes, columns, strict=True):
            own = self._factors(len(records), random) if factors is None else factors
            changed[name] = records.numbers(name).with_values(column * own)
        figures = {"mean square of the factors": 1 + self.variance}
        return Treated.in_place(records.with_columns(changed), figures=figures)

    def _factors(self, count: int, random: np.random.Generator) -> NDArray[np.float64]:
        if self.distribution == "log-normal":
            square = _log_of_one_more(self.variance)
            return exponential(math.sqrt(square) * standard_normal(count, random) - square / 2)
        # One draw gives both the side and the distance: its halves are the sides.
        drawn = random.uniform(-1, 1, count)
        return 1 + np.copysign(self.least + (self.most - self.least) * np.abs(drawn), drawn)


def _log_of_one_more(value: float) -> float:
    """Return log(1 + value), also of values so small that 1 + value hardly differs from 1."""
    more = 1 + value
    return value if more == 1 else float(logarithm(np.array([more]))[0]) * value / (more - 1)
