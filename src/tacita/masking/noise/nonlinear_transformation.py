"""Noise and non-linear transformation: noise on normal scores, mapped back to the values that there are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.masking.method import Treated
from tacita.masking.multivariate_normal import drawn
from tacita.masking.noise.additive import AdditiveNoise
from tacita.masking.noise.moments import constants, covariance, variances
from tacita.masking.normal_scores import in_order_of, normal_scores
from tacita.masking.preconditions import finite_columns
from tacita.model.records import Records
from tacita.progress import Progress, Step, silent


@dataclass(frozen=True, slots=True)
class NoiseWithNonLinearTransformation(AdditiveNoise):
    """Masking by noise addition and non-linear transformation, which keeps every univariate distribution.

    1. Each attribute becomes normal scores (equal values rank in random order, so discrete attributes are treated too).
    2. Correlated noise is added: covariance alpha * R, R being the correlations of the scores. 3. The record whose sum
    has rank r gets the r-th of the attribute's values. Rank correlations keep their expectation where the dependence is
    that of a normal copula.

    Source: G. R. Sullivan, The use of added error to avoid disclosure in microdata releases (1989), in the simple form
    of R. Brand, Microdata protection through noise addition (2002), section 2.4.

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([10.0, 20.0, 60.0, None])})
    >>> method = NoiseWithNonLinearTransformation(("turnover",), alpha=2)
    >>> method.treated(firms, np.random.default_rng(2)).records.numbers("turnover").values
    array([20., 60., 10., nan])
    """

    name: ClassVar[str] = "noise-with-non-linear-transformation"
    promises: ClassVar[str] = "Every attribute keeps its distribution exactly: the same values, in another order."
    limits: ClassVar[str] = (
        "Original values appear, mostly at other records; dependence that no normal copula shows is weakened."
    )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with the same values in another order."""
        columns = finite_columns(records, self.attributes)
        spread = variances(columns, self.attributes)
        scores = np.empty_like(columns)
        for place, column in enumerate(columns):
            progress(Step(self.name, place, 2 * len(columns)))
            scores[place] = normal_scores(column, random)
        noise = drawn(self.alpha * covariance(scores, self.attributes), columns.shape[1], random)
        noise += scores
        changed = {}
        for place, name in enumerate(self.attributes):
            progress(Step(self.name, len(columns) + place, 2 * len(columns)))
            changed[name] = records.numbers(name).with_values(in_order_of(noise[place], columns[place]))
        return Treated.in_place(records.with_columns(changed), notes=constants(spread, self.attributes))
