"""Noise and linear transformation: noise whose effect on means and covariances is taken back."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.masking.method import Treated
from tacita.masking.multivariate_normal import drawn
from tacita.masking.noise.additive import AdditiveNoise
from tacita.masking.noise.moments import constants, covariance, without_missing
from tacita.masking.preconditions import finite_columns
from tacita.model.records import Records
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True)
class NoiseWithLinearTransformation(AdditiveNoise):
    """Masking by noise addition and linear transformation: g = mean + c (x + e - mean), c = 1 / sqrt(1 + alpha).

    e is correlated noise with covariance alpha * S, where S is the sample covariance; it is centred in the sample, so
    that means are kept exactly. Given the records, the sample covariance of the masked ones is c^2 (1 + alpha) S = S in
    expectation: an unbiased estimate, of the covariance of the sample and of that of the population.

    The constant that is often printed, c^2 = (n - 1) / (n (1 + alpha) - 1), makes the variance of a single masked value
    that of the population, the mean being random; the sample covariance is then too small by a factor of about
    1 - alpha / ((1 + alpha) n). The constant here makes the sample covariance unbiased for every n.

    With missing values correlations are those of the complete records, and what is said holds for each attribute's mean
    and variance.

    Source: J. J. Kim, A method for limiting disclosure in microdata based on random noise and transformation, ASA
    Proceedings (1986); J. J. Kim and W. Winkler, Masking microdata files, ASA Proceedings (1995).

    >>> from tacita.model.records import Numbers
    >>> firms = Records({"turnover": Numbers.of([10.0, 20.0, 60.0])})
    >>> found = NoiseWithLinearTransformation(("turnover",), alpha=0.5).treated(firms, np.random.default_rng(1)).records
    >>> round(float(found.numbers("turnover").values.mean()), 9)
    30.0
    """

    name: ClassVar[str] = "noise-with-linear-transformation"
    promises: ClassVar[str] = "Means are kept exactly; the masked covariance is an unbiased estimate of the original."
    limits: ClassVar[str] = (
        "Distributions change their form towards the normal one; a constant attribute gets no noise."
    )

    def treated(self, records: Records, random: np.random.Generator, progress: Progress = silent) -> Treated:
        """Return the records with noise, transformed."""
        columns = finite_columns(records, self.attributes)
        sigma = covariance(columns, self.attributes)
        noise = drawn(self.alpha * sigma, columns.shape[1], random)
        shrink = 1 / math.sqrt(1 + self.alpha)
        changed = {}
        for place, name in enumerate(self.attributes):
            present = without_missing(columns[place])
            error = noise[place] if len(present) == len(records) else noise[place][~np.isnan(columns[place])]
            mean, shift = (float(sample.mean()) if len(sample) else 0.0 for sample in (present, error))
            # c (x + e - shift) + (1 - c) mean, in the place of the noise
            noise[place] += columns[place]
            noise[place] *= shrink
            noise[place] += (1 - shrink) * mean - shrink * shift
            changed[name] = records.numbers(name).with_values(noise[place])
        return Treated.in_place(records.with_columns(changed), notes=constants(np.diag(sigma), self.attributes))
