"""Uncorrelated noise: every value gets an error of its own."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.arithmetic.draws import standard_normal
from tacita.masking.method import Treated
from tacita.masking.noise.moments import constants, variances
from tacita.masking.preconditions import between, each_named_once, finite_columns
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class UncorrelatedNoise:
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
    is_random: ClassVar[bool] = True

    attributes: tuple[str, ...]
    alpha: float = 0.1
    """The variance of the noise as a share of the variance of the attribute."""

    def __post_init__(self) -> None:
        each_named_once(self.attributes, self.name)
        between(self.alpha, 0, math.inf, "alpha")

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
