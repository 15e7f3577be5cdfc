"""Probabilistic losses: how sure a user could be that a statistic changed, from 0 to 1."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from tacita.errors import UsageError
from tacita.model.records import Records
from tacita.utility.columns import numeric
from tacita.utility.continuous.structure import Matrix, complete
from tacita.utility.loss import Lost

_SAME = 1e-9
"""Statistics of standardised attributes that are nearer than this are the same: the rest is rounding."""

_STATISTICS = ("quantiles", "means", "variances", "covariances", "correlations")


@dataclass(frozen=True, slots=True)
class Probabilistic:
    """Bounded losses PIL of quantiles, means, variances, covariances and correlations, and the mean of the five.

    ``2 P(0 <= Z <= |t' - t| / sd(t))`` for each statistic t, with Z standard normal and sd(t) the deviation that t has
    from sample to sample, estimated before: the chance that another sample would have moved the statistic by less
    (Mateo-Sanz, Domingo-Ferrer and Sebe, "Probabilistic information loss measures in confidentiality protection of
    continuous microdata", Data Mining and Knowledge Discovery 2005). Deviations are the large-sample ones: sqrt(m2/n),
    sqrt((m4 - m2^2)/n), sqrt((m22 - m11^2)/n), that of a correlation by the delta method, and that of a quantile q
    half the distance of the sample quantiles at q -+ sqrt(q(1-q)/n). `quantiles` are 0.05, 0.1, ..., 0.95.

    Each file is taken at its complete records. A statistic that cannot vary (of an attribute with one value) lost 0 if
    it is the same and 1 if not.

    Limits: the loss of a fixed change grows with the number of records, since large files know their statistics well.

    >>> from tacita.model.records import Numbers
    >>> before = Records({"x": Numbers.of([1.0, 2.0, 3.0, 4.0])})
    >>> after = Records({"x": Numbers.of([2.0, 3.0, 4.0, 5.0])})
    >>> round(Probabilistic().lost(before, after, ["x"]).figures["means"], 4)
    0.9264
    """

    name: ClassVar[str] = "probabilistic"
    bounded: ClassVar[bool] = True
    by_default: ClassVar[bool] = True
    treats: ClassVar[str] = "numbers"
    counts_lost_numbers: ClassVar[bool] = True
    compares: ClassVar[str] = "means, variances, correlations and quantiles of numbers"
    needs_pairs: ClassVar[bool] = False

    quantiles: tuple[float, ...] = tuple(round(0.05 * place, 2) for place in range(1, 20))

    def __post_init__(self) -> None:
        if not self.quantiles or not all(0 < share < 1 for share in self.quantiles):
            raise UsageError("'quantiles' of 'probabilistic' must lie between 0 and 1", do="give shares such as 0.25")

    def lost(self, before: Records, after: Records, attributes: Sequence[str]) -> Lost:
        """Return the mean loss and that of each kind of statistic, in all and by attribute."""
        fitting = numeric(before, after, attributes)
        one, two = (complete(records.matrix(fitting.names)) for records in (before, after))
        if len(one) < 2 or len(two) < 2 or not fitting.names:
            notes = (*fitting.notes, "fewer than two complete records, or no attribute: no statistic is defined")
            return Lost(self.name, dict.fromkeys(("mean", *_STATISTICS), np.nan), {}, notes)
        # the losses have no scale: standardised, the smallest difference that is no rounding is the same for all
        centre, scale = one.mean(axis=0), one.std(axis=0)
        scale = np.where(one.min(axis=0) < one.max(axis=0), scale, 1.0)
        one, two = (one - centre) / scale, (two - centre) / scale
        losses = {"quantiles": self._quantiles(one, two), **_moments(one, two)}
        figures = {kind: float(np.mean(part)) if part.size else np.nan for kind, part in losses.items()}
        single = {
            name: {kind: float(losses[kind][..., i].mean()) for kind in ("quantiles", "means", "variances")}
            for i, name in enumerate(fitting.names)
        }
        known = [figure for figure in figures.values() if not np.isnan(figure)]
        return Lost(self.name, {"mean": float(np.mean(known)), **figures}, single, fitting.notes)

    def _quantiles(self, one: Matrix, two: Matrix) -> Matrix:
        shares = np.array(self.quantiles)
        reach = np.sqrt(shares * (1 - shares) / len(one))
        wanted = np.concatenate([shares, np.clip(shares - reach, 0, 1), np.clip(shares + reach, 0, 1)])
        here, low, high = np.split(np.quantile(one, wanted, axis=0), 3)
        return _probability(np.quantile(two, shares, axis=0) - here, (high - low) / 2)


def _moments(one: Matrix, two: Matrix) -> dict[str, Matrix]:
    """Return the losses of means, variances, covariances and correlations (Kendall and Stuart, vol. 1, ch. 10)."""
    number = len(one)
    first = one - one.mean(axis=0)
    squares = first * first
    m11, m22, m31 = first.T @ first / number, squares.T @ squares / number, (squares * first).T @ first / number
    second = two - two.mean(axis=0)
    n11 = second.T @ second / len(two)
    m2, n2 = np.diag(m11), np.diag(n11)
    below = np.tril_indices(len(m2), -1)
    product = np.outer(m2, m2)
    safe = np.where(product > 0, product, 1.0)
    correlation = m11 / np.sqrt(safe)
    after = n11 / np.sqrt(np.where(np.outer(n2, n2) > 0, np.outer(n2, n2), 1.0))
    kurtosis = np.diag(m22) / np.where(m2 > 0, m2, 1.0) ** 2
    skew = m31 / (np.where(m2 > 0, m2, 1.0)[:, None] * np.sqrt(safe))
    varying = m22 / safe + correlation**2 / 4 * (kurtosis[:, None] + kurtosis + 2 * m22 / safe)
    varying -= correlation * (skew + skew.T)
    variances = {
        "means": (two.mean(axis=0) - one.mean(axis=0), m2),
        "variances": (n2 - m2, np.diag(m22) - m2**2),
        "covariances": ((n11 - m11)[below], (m22 - m11**2)[below]),
        "correlations": ((after - correlation)[below], varying[below]),
    }
    return {
        kind: _probability(difference, np.sqrt(np.clip(variance, 0, None) / number))
        for kind, (difference, variance) in variances.items()
    }


def _probability(difference: Matrix, deviation: Matrix) -> Matrix:
    from scipy.special import erf

    apart = np.abs(difference)
    sure = deviation <= _SAME
    probability = erf(apart / np.where(sure, 1.0, deviation) / np.sqrt(2))
    return np.asarray(np.where(apart <= _SAME, 0.0, np.where(sure, 1.0, probability)))
