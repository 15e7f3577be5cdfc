"""Correlated noise: errors that correlate as the attributes do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.masking.method import Treated
from tacita.masking.multivariate_normal import drawn
from tacita.masking.noise.moments import constants, covariance
from tacita.masking.preconditions import between, each_named_once, finite_columns
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class CorrelatedNoise:
    """Masking by correlated noise addition: z = x + e, e normal with mean 0 and covariance alpha * Sigma.

    Sigma is the sample covariance of the attributes, so the masked covariance is (1 + alpha) Sigma in expectation and
    correlations keep theirs. Sums of attributes that hold in every record hold in the noise as well: a singular Sigma
    is no obstacle, and no help for who knows all but one of the parts.

    Source: J. J. Kim, A method for limiting disclosure in microdata based on random noise and transformation, ASA
    Proceedings (1986); document 001, section 3.2.1.

    >>> from tacita.model.records import Numbers
    >>> parts = Records({"a": Numbers.of([1.0, 5.0, 3.0]), "b": Numbers.of([2.0, 2.0, 7.0])})
    >>> whole = parts.with_columns({"sum": Numbers.of([3.0, 7.0, 10.0])})
    >>> found = CorrelatedNoise(("a", "b", "sum"), alpha=0.5).treated(whole, np.random.default_rng(1)).records
    >>> bool(np.allclose(found.numbers("a").values + found.numbers("b").values, found.numbers("sum").values))
    True
    """

    name: ClassVar[str] = "correlated-noise"
    promises: ClassVar[str] = "Means and correlations are kept in expectation, the covariance grows by 1 + alpha."
    limits: ClassVar[str] = "Outliers stay outliers, linear relations stay known, a constant attribute gets no noise."
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    alpha: float = 0.1
    """The covariance of the noise as a multiple of the covariance of the attributes."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        between(self.alpha, 0, math.inf, "alpha")

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with noise."""
        columns = finite_columns(records, self.attributes)
        sigma = covariance(columns, self.attributes)
        noise = drawn(self.alpha * sigma, columns.shape[1], random)
        noise += columns
        changed = {n: records.numbers(n).with_values(noise[i]) for i, n in enumerate(self.attributes)}
        return Treated.in_place(records.with_columns(changed), notes=constants(np.diag(sigma), self.attributes))
