"""Models fitted to one file: least squares, logistic and Poisson regression, with standard errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

Kind = Literal["linear", "logistic", "poisson"]
Array = NDArray[np.float64]

_ALIASED = 1e-8
"""A column whose part that other columns do not explain is smaller than this share of it adds nothing."""
_SEPARATED = 50.0
"""A standard error, of a column scaled to mean square 1, from which on a coefficient is anything: the response can be
told without error, and the likelihood has no maximum."""
_STEPS = 60


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Coefficients in the order of the columns, NaN where one cannot be estimated."""

    coefficients: Array
    errors: Array
    records: int
    freedom: float
    """Degrees of freedom of the residual; infinite where normal theory is used."""
    fitted_mean: float

    def interval(self, confidence: float) -> tuple[Array, Array]:
        """Return the ends of the confidence intervals: of Student's t for least squares, otherwise of the normal."""
        from scipy.special import ndtri, stdtrit

        share = 0.5 + confidence / 2
        reach = (ndtri(share) if np.isinf(self.freedom) else stdtrit(self.freedom, share)) * self.errors
        return self.coefficients - reach, self.coefficients + reach


def fitted(kind: Kind, response: Array, columns: Sequence[Array], weights: Array) -> Fit | None:
    """Return a model fitted to complete records with positive weights; None if it cannot be estimated.

    Linear: weighted least squares with classical standard errors, ``s^2 (X'WX)^-1`` and ``s^2 = sum w e^2 / (n - p)``.
    Logistic and Poisson: maximum likelihood by Newton's method (iteratively reweighted least squares; McCullagh and
    Nelder, "Generalized Linear Models", 2.5), errors from the Fisher information; weights are scaled to mean 1, so that
    weights of a survey do not pretend to be records. A column that earlier ones determine has no coefficient.

    >>> x, y = np.array([1.0, 2.0, 3.0, 4.0]), np.array([2.0, 4.0, 5.0, 4.0])
    >>> found = fitted("linear", y, [np.ones(4), x], np.ones(4))
    >>> found.coefficients.round(12).tolist(), found.errors.round(6).tolist()
    ([2.0, 0.7], [1.313393, 0.479583])
    """
    number = len(response)
    # a column at a time is read below: columns lie together
    matrix = np.array(columns).reshape(len(columns), number).T
    root = np.sqrt(weights / weights.mean()) if number else weights
    kept = _independent(matrix * root[:, None])
    if not len(kept) or number <= len(kept):
        return None
    size = np.sqrt(np.mean((matrix[:, kept] * root[:, None]) ** 2, axis=0))
    used = matrix[:, kept] / size
    estimates = _linear(response, used, root) if kind == "linear" else _likely(kind, response, used, root**2)
    if estimates is None:
        return None
    own, covariance = estimates
    full, errors = np.full(matrix.shape[1], np.nan), np.full(matrix.shape[1], np.nan)
    full[kept], errors[kept] = own / size, np.sqrt(np.clip(np.diag(covariance), 0, None)) / size
    mean = float(np.average(_mean(kind, used @ own), weights=weights))
    return Fit(full, errors, number, number - len(kept) if kind == "linear" else np.inf, mean)


def _independent(matrix: Array) -> list[int]:
    """Return the columns that earlier ones do not determine, by Gram-Schmidt, twice for accuracy."""
    basis = np.empty((matrix.shape[1], matrix.shape[0]))
    kept: list[int] = []
    for place in range(matrix.shape[1]):
        rest = matrix[:, place].copy()
        length = float(np.linalg.norm(rest))
        for _ in range(2):
            rest -= basis[: len(kept)].T @ (basis[: len(kept)] @ rest)
        left = float(np.linalg.norm(rest))
        if left > _ALIASED * length:
            basis[len(kept)] = rest / left
            kept.append(place)
    return kept


def _linear(response: Array, matrix: Array, root: Array) -> tuple[Array, Array]:
    across, upper = np.linalg.qr(matrix * root[:, None])
    own = np.linalg.solve(upper, across.T @ (response * root))
    residual = (response - matrix @ own) * root
    inverse = np.linalg.inv(upper)
    spread = float(residual @ residual) / (len(response) - matrix.shape[1])
    return own, inverse @ inverse.T * spread


def _likely(kind: Kind, response: Array, matrix: Array, weights: Array) -> tuple[Array, Array] | None:
    if kind == "poisson" and bool((response < 0).any()):
        return None
    mean = float(np.average(response, weights=weights))
    mean = np.clip(mean, 1e-6, 1 - 1e-6) if kind == "logistic" else max(mean, 1e-6)
    start = float(np.log(mean / (1 - mean)) if kind == "logistic" else np.log(mean))
    own: Array = np.asarray(np.linalg.lstsq(matrix, np.full(len(response), start), rcond=None)[0])
    old, last = np.inf, np.zeros_like(own)
    for _ in range(_STEPS):
        linear = np.clip(matrix @ own, -500, 500)
        expected = _mean(kind, linear)
        deviance = _deviance(kind, response, linear, expected, weights)
        varying = weights * (expected * (1 - expected) if kind == "logistic" else expected)
        information = matrix.T @ (matrix * varying[:, None])
        try:
            covariance: Array = np.asarray(np.linalg.inv(information), dtype=np.float64)
        except np.linalg.LinAlgError:
            return None
        if float(np.diag(covariance).max()) > _SEPARATED**2:
            return None
        step = covariance @ (matrix.T @ (weights * (response - expected)))
        if deviance > old + 1e-8 * (1 + abs(old)):
            last = last / 2
            own = own - last  # the last step went too far
            continue
        if abs(old - deviance) <= 1e-12 * (1 + abs(deviance)):
            return own + step, covariance
        own, last, old = own + step, step, deviance
    return None


def _mean(kind: Kind, linear: Array) -> Array:
    if kind == "linear":
        return linear
    from scipy.special import expit

    return np.asarray(expit(linear) if kind == "logistic" else np.exp(linear))


def _deviance(kind: Kind, response: Array, linear: Array, expected: Array, weights: Array) -> float:
    """Return minus twice the log-likelihood, up to a constant."""
    if kind == "logistic":
        return 2 * float(weights @ (np.logaddexp(0, linear) - response * linear))
    return 2 * float(weights @ (expected - response * linear))
