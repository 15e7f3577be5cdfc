"""Distances, exposures and outliers over a table of counts: the definitions of the paper, as formulas.

Source: M. Bezzi, S. De Capitani di Vimercati, G. Livraga, P. Samarati, Protecting Privacy of Sensitive Value
Distributions in Data Release, 2010. All logarithms have base 2.

The paper writes the average exposure as I_r / |Y_r|. The exposures compare with the public baseline, and the mutual
information I_r of released records with their own margin: the exposures sum to I_r + KL(P_r(X) || P(X)). The average
here is the mean of the exposures. Both are the same when everything was released and the baseline is that of the table.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import logarithm
from tacita.gate.picture.fixed_point import LN2

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ExposureTable:
    """Counts of records by target (rows) and value (columns), beside the baseline distribution of the values.

    >>> table = ExposureTable(np.array([[8, 2], [5, 5], [5, 5]]), np.array([0.6, 0.4]))
    >>> table.exposures().round(4).tolist()
    [0.044, 0.0098, 0.0098]
    >>> table.outliers().tolist()
    [True, False, False]
    """

    counts: NDArray[Any]
    baseline: Floats = field(repr=False)

    @property
    def sizes(self) -> NDArray[Any]:
        """The number of records of each target."""
        return np.asarray(self.counts.sum(axis=1))

    def distances(self) -> Floats:
        """Return the Kullback-Leibler distance of each target's distribution to the baseline: formula (1).

        A target without records has distance 0.
        """
        shares = self.counts / np.maximum(self.sizes, 1)[:, None]
        return _divergence(shares, self.baseline)

    def exposures(self) -> Floats:
        """Return the share of a target among the records times its distance: definition 4."""
        total = max(int(self.counts.sum()), 1)
        return np.asarray(self.sizes / total * self.distances())

    def mutual_information(self) -> float:
        """Return the mutual information of values and targets in these records alone: formula (2)."""
        total = max(int(self.counts.sum()), 1)
        margin = self.counts.sum(axis=0) / total
        shares = self.counts / np.maximum(self.sizes, 1)[:, None]
        return float((self.sizes / total * _divergence(shares, margin)).sum())

    def outlier_threshold(self) -> float:
        """Return I(X, Y) plus the standard deviation of the distances (of the population): definition 3."""
        return self.mutual_information() + float(self.distances().std())

    def outliers(self) -> NDArray[np.bool_]:
        """Return which targets are X-outliers: definition 3."""
        return np.asarray(self.distances() > self.outlier_threshold())

    def average_exposure(self) -> float:
        """Return the mean of the exposures of the targets that have records."""
        present = self.sizes > 0
        return float(self.exposures()[present].mean()) if present.any() else 0.0

    def exposure_threshold(self) -> float:
        """Return the average exposure plus the standard deviation of exposures (of the population): definition 5."""
        present = self.sizes > 0
        return self.average_exposure() + (float(self.exposures()[present].std()) if present.any() else 0.0)

    def largest_fits(self) -> NDArray[np.int64]:
        """Return for each target the most records that can have the baseline distribution (Figure 4).

        It is the smallest of count / share over the values, rounded down: one rare value can rule.
        """
        return np.asarray(np.floor((self.counts / self.baseline).min(axis=1) + 1e-9), dtype=np.int64)

    def fits(self) -> NDArray[np.int64]:
        """Return for each target and value how many records the fitted baseline has, rounded down."""
        return np.floor(self.largest_fits()[:, None] * self.baseline + 1e-9).astype(np.int64)


def _divergence(shares: Floats, baseline: Floats) -> Floats:
    """Return the distance of each row in bits; a share of 0 adds nothing."""
    ratios = np.where(shares > 0, shares, 1.0) / np.where(shares > 0, baseline, 1.0)
    return np.asarray((shares * logarithm(ratios)).sum(axis=1) / LN2)
