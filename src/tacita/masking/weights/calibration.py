"""Calibration: factors on weights, as near to 1 as can be, by which weighted totals become the wanted ones."""

from __future__ import annotations

from collections.abc import Sequence
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
    scale = np.maximum(np.abs(totals), weights @ abs(added))
    scale[scale == 0] = 1

    def state(b: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        factors, slopes = _factors(added @ b, distance, lower, upper)
        return factors, slopes, ((weights * factors) @ added - totals) / scale

    b = np.zeros(added.shape[1])
    factors, slopes, off = state(b)
    for number in range(_ROUNDS):
        progress(Step("calibration", number))
        if np.abs(off).max(initial=0) <= _CLOSE:
            return weights * factors
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
            break
        b, (factors, slopes, off) = b - step, nearer
    raise InputError(
        "the totals cannot be met: they contradict each other, or the bounds of the factors are too narrow",
        do="check the totals, widen 'lower' and 'upper', or use fewer of them",
    )


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
