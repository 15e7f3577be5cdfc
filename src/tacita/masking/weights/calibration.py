"""Calibration: factors on weights, as near to 1 as can be, by which weighted totals become the wanted ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import exponential
from tacita.arithmetic.matrices import product, pseudo_inverse
from tacita.errors import InputError, UsageError
from tacita.masking.preconditions import finite_numbers, one_of
from tacita.model.records import Categories, Numbers, Records
from tacita.progress import Progress, Step, silent

Distance = Literal["raking", "linear"]

_CLOSE, _ROUNDS, _HALVINGS = 1e-10, 100, 30
_EDGE, _STEEPEST = 1e-9, 300.0
_LEAST_NOISE = 0.01
"""A largest change below this share of the noise is none."""


def checked_calibration(distance: str, lower: float, upper: float) -> None:
    """Raise if parameters of calibration make no sense."""
    one_of(distance, get_args(Distance), "distance")
    if not 0 <= lower < 1 < upper:
        raise UsageError("the bounds of the factors do not enclose 1", do="give 0 <= lower < 1 < upper")


def weights_of(records: Records, name: str) -> Numbers:
    """Return the weights of records; a missing or a zero one is no fault, a negative or an infinite one is."""
    column = finite_numbers(records, name, is_weight=True)
    if wrong := int((column.values < 0).sum()):
        raise InputError(f"{wrong:,} weights of '{name}' are negative", do="correct them first")
    return column


def design(records: Records, names: Sequence[str]) -> Any:
    """Return what is added up, as a sparse matrix: 1 for each record, then each attribute.

    Numbers stand for themselves, 0 where missing; categories have a column of zeros and ones for each value, and one
    more for missing.
    """
    from scipy import sparse

    count = len(records)
    parts = [sparse.csr_array(np.ones((count, 1)))]
    for name in names:
        column = records[name]
        if isinstance(column, Categories):
            codes = np.where(column.codes < 0, len(column.values), column.codes)
            shape = (count, len(column.values) + 1)
            parts.append(sparse.csr_array((np.ones(count), (np.arange(count), codes)), shape=shape))
        else:
            parts.append(sparse.csr_array(np.nan_to_num(finite_numbers(records, name).values)[:, None]))
    return sparse.csr_array(sparse.hstack(parts))


def calibrated(
    weights: NDArray[np.float64],
    added: Any,
    totals: NDArray[np.float64],
    *,
    distance: Distance = "raking",
    lower: float = 0.0,
    upper: float = np.inf,
    progress: Progress = silent,
) -> NDArray[np.float64]:
    """Return weights times factors between bounds, for which ``weights @ added`` are the totals.

    Of all such factors g these are the nearest to 1, in the distance ``g log g - g + 1`` (raking; between bounds its
    logit form) or ``(g - 1)^2`` (linear, cut at the bounds). They are ``g = F(x' b)``, and Newton's method finds b.
    A weight of zero stays zero. Source: Deville and Särndal: Calibration estimators in survey sampling. JASA 87 (1992).

    >>> weights, added = np.array([1.0, 1.0, 2.0]), np.array([[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]])
    >>> calibrated(weights, added, np.array([8.0, 6.0])).round(6).tolist()
    [2.0, 2.0, 4.0]
    """
    factors = _solved(weights, added, totals, lambda u: _factors(u, distance, lower, upper), progress)
    if factors is None:
        raise InputError(
            "the totals cannot be met: they contradict each other, or the bounds of the factors are too narrow",
            do="check the totals, widen 'lower' and 'upper', or use fewer of them",
        )
    return weights * factors


def calibrated_noise(
    weights: NDArray[np.float64],
    added: Any,
    uniform: NDArray[np.float64],
    noise: float,
    progress: Progress = silent,
) -> NDArray[np.float64]:
    """Return weights times factors between ``1 - noise`` and ``1 + noise``, with the totals that they had.

    Drawn evenly, the factors are ``1 + noise (2 u - 1)`` with u from 0 to 1. Of all factors that keep the totals, those
    are returned that are the nearest in the distance whose solutions are ``u' = L(logit u + x' b)``, L being the
    logistic function (the logit method of Deville and Särndal, 1992, around the drawn factors instead of 1). Factors
    that only were cut at the bounds would give the weight away to whoever knows the bound. A solution exists always:
    factors of 1 keep the totals and lie within the bounds.

    >>> found = calibrated_noise(np.full(4, 10.0), np.ones((4, 1)), np.array([0.99, 0.9, 0.8, 0.7]), 0.1)
    >>> round(float(found.sum()), 9), bool(np.abs(found / 10 - 1).max() < 0.1)
    (40.0, True)
    """
    within = np.clip(uniform, _EDGE, 1 - _EDGE)
    odds = within / (1 - within)

    def factors(u: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        grown = odds * exponential(np.clip(u, -_STEEPEST, _STEEPEST))
        share = grown / (1 + grown)
        return 1 + noise * (2 * share - 1), 2 * noise * share * (1 - share)

    totals = weights @ added
    solved = _solved(weights, added, totals, factors, progress)
    if solved is None or not np.abs(solved - 1).max() > _LEAST_NOISE * noise:
        raise InputError(
            "the totals to keep leave the weights no room for noise", do="keep fewer totals, or totals of larger groups"
        )
    return weights * solved


def _solved(
    weights: NDArray[np.float64],
    added: Any,
    totals: NDArray[np.float64],
    factors_of: Callable[[NDArray[np.float64]], tuple[NDArray[np.float64], NDArray[np.float64]]],
    progress: Progress,
) -> NDArray[np.float64] | None:
    """Return the factors ``F(x' b)`` by which totals are met, b being found by Newton's method; None if they are not.

    `factors_of` gives F and its slope.
    """
    scale = np.maximum(np.abs(totals), weights @ abs(added))
    scale[scale == 0] = 1

    def state(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        factors, slopes = factors_of(added @ b)
        return factors, slopes, ((weights * factors) @ added - totals) / scale

    b = np.zeros(added.shape[1])
    factors, slopes, off = state(b)
    for number in range(_ROUNDS):
        progress(Step("calibration", number))
        if np.abs(off).max(initial=0) <= _CLOSE:
            return factors
        curve = added.T @ (added * (weights * slopes)[:, None])
        curve = np.asarray(curve.todense() if hasattr(curve, "todense") else curve) / np.outer(scale, scale)
        # Margins that follow from each other make the curve singular: the shortest step is then as good as any.
        step = product(pseudo_inverse(curve, 1e-12), off) / scale
        for _ in range(_HALVINGS):
            nearer = state(b - step)
            if np.square(nearer[2]).sum() < np.square(off).sum():
                break
            step = step / 2
        else:
            return None
        b, (factors, slopes, off) = b - step, nearer
    return None


def _factors(
    u: NDArray[np.float64], distance: str, lower: float, upper: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return F(u) and its slope."""
    if distance == "linear":
        return np.clip(1 + u, lower, upper), ((1 + u > lower) & (1 + u < upper)).astype(float)
    # Beyond 300 the exponential is at its bound anyway.
    if np.isinf(upper):
        grown = exponential(np.clip(u / (1 - lower), -300, 300))
        return lower + (1 - lower) * grown, grown
    steep = (upper - lower) / ((1 - lower) * (upper - 1))
    grown = exponential(np.clip(steep * u, -300, 300))
    below = (upper - 1) + (1 - lower) * grown
    factors = (lower * (upper - 1) + upper * (1 - lower) * grown) / below
    slopes = steep * grown * (upper - lower) * (1 - lower) * (upper - 1) / np.square(below)
    return factors, slopes
