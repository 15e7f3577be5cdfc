"""Additive noise: every value gets an error of its own, or errors that correlate as the attributes do."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.arithmetic.draws import standard_normal
from tacita.masking.method import Grid, Treated
from tacita.masking.multivariate_normal import drawn
from tacita.masking.noise.moments import constants, covariance, variances
from tacita.masking.preconditions import between, each_named_once, finite_columns
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class AdditiveNoise:
    """What methods share that add noise to numbers: the attributes, and how much noise there is."""

    name: ClassVar[str]
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    alpha: float = 0.1
    """The (co)variance of the noise as a multiple of that of the attributes, or of their normal scores."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        between(self.alpha, 0, math.inf, "alpha")


@dataclass(frozen=True, slots=True)
class UncorrelatedNoise(AdditiveNoise):
    """Masking by uncorrelated noise addition: z = x + e, e normal with mean 0 and variance alpha times that of x.

    Means and covariances of attributes keep their expectation, variances grow by the factor 1 + alpha, correlations
    shrink by 1 / (1 + alpha); who knows alpha can correct for it.

    Source: R. Brand, Microdata protection through noise addition, in Inference Control in Statistical Databases (2002),
    section 2.1. A deviation of 150 % of the original one, as some programs ask for, is alpha = 1.5^2.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([10.0, 20.0, None])})
    >>> found = UncorrelatedNoise(("turnover",), alpha=0.1).treated(firms, np.random.default_rng(1))
    >>> found.records.numbers("turnover").values.round(1)
    array([10.8, 21.8,  nan])
    """

    name: ClassVar[str] = "uncorrelated-noise"
    promises: ClassVar[str] = "Means and covariances are kept in expectation, variances grow by the factor 1 + alpha."
    limits: ClassVar[str] = "Correlations shrink, outliers stay outliers, and a constant attribute gets no noise."

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with noise."""
        columns = finite_columns(records, self.attributes)
        spread = variances(columns, self.attributes)
        changed = {}
        for name, column, deviation in zip(self.attributes, columns, np.sqrt(self.alpha * spread), strict=True):
            noise = standard_normal(len(records), random)
            noise *= deviation
            noise += column
            changed[name] = records.numbers(name).with_values(noise)
        return Treated.in_place(records.with_columns(changed), notes=constants(spread, self.attributes))


@dataclass(frozen=True, slots=True)
class CorrelatedNoise(AdditiveNoise):
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
    treats: ClassVar[str] = "numbers"
    grid: ClassVar[Grid] = {"alpha": (0.01, 0.05, 0.1, 0.25)}
    promises: ClassVar[str] = "Means and correlations are kept in expectation, the covariance grows by 1 + alpha."
    limits: ClassVar[str] = "Outliers stay outliers, linear relations stay known, a constant attribute gets no noise."

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with noise."""
        columns = finite_columns(records, self.attributes)
        sigma = covariance(columns, self.attributes)
        noise = drawn(self.alpha * sigma, columns.shape[1], random)
        noise += columns
        changed = {n: records.numbers(n).with_values(noise[i]) for i, n in enumerate(self.attributes)}
        return Treated.in_place(records.with_columns(changed), notes=constants(np.diag(sigma), self.attributes))
