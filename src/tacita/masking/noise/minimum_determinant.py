"""The minimum covariance determinant: location and scatter of the half of the records that lie closest together.

Written out here, because the results of scikit-learn differ between processors: where several records are equally far
out, rounding decides which of them belongs to the half.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.matrices import cross_products

Array = NDArray[np.float64]

_STARTS = 250
"""Random beginnings; of each, two steps are made."""
_BEST = 10
"""Of the beginnings so many are followed to the end."""
_SEARCHED = 600
"""Records among which the beginnings are tried."""
_STEPS = 100
_FLAT, _ROUNDING = 1e-13, 1e-13
"""A variance, or a deviation, below this share of the original one is the rounding of sums."""
_FURTHEST = 1e4
"""In median absolute deviations."""
_KEPT = 0.975
"""The quantile of normal data beyond which records count as outliers and are left out in the end."""


def minimum_determinant(columns: Array, random: np.random.Generator) -> tuple[Array, Array] | None:
    """Return location and covariance, a row for each attribute; None if a half lies in fewer directions than all.

    FAST-MCD of P. Rousseeuw and K. Van Driessen, A fast algorithm for the minimum covariance determinant estimator,
    Technometrics 41 (1999): from a few records drawn at random, steps to the half that is nearest by the covariance
    of the last half, each of which lowers the determinant; then the covariance is scaled so that the median distance is
    that of normal data, and records beyond a quantile are left out (one-step reweighting).

    >>> draw = np.random.default_rng(1)
    >>> bulk = draw.standard_normal((2, 100))
    >>> centre, _ = minimum_determinant(np.concatenate([bulk, np.full((2, 20), 1e6)], axis=1), draw)
    >>> bool(np.abs(centre).max() < 0.5)
    True
    """
    middle = np.median(columns, axis=1)[:, None]
    scale = np.median(np.abs(columns - middle), axis=1)[:, None]
    if not (scale > _ROUNDING * np.abs(columns).max(axis=1, keepdims=True)).all():
        return None
    # Whoever is further out than this is an outlier anyway, and larger numbers would hide how the others vary.
    fit = _of_halves(np.clip((columns - middle) / scale, -_FURTHEST, _FURTHEST), random)
    if fit is None:
        return None
    centre, covariance = fit
    return centre * scale[:, 0] + middle[:, 0], covariance * np.outer(scale, scale)


def _of_halves(columns: Array, random: np.random.Generator) -> tuple[Array, Array] | None:
    size, count = columns.shape
    some = columns[:, random.choice(count, _SEARCHED, replace=False)] if count > _SEARCHED else columns
    candidates = []
    for start in range(_STARTS if size > 1 else 1):
        half = _start(some, random) if size > 1 else _shortest(some[0])
        fit = None if half is None else _followed(some, half, 2)
        if fit is None:
            return None
        candidates.append((fit[2], start, fit[:2]))
    candidates.sort(key=lambda candidate: candidate[:2])
    best: tuple[Array, Array, float] | None = None
    for _, _, (centre, factor) in candidates[:_BEST]:
        fit = _followed(columns, _nearest(columns, centre, factor), _STEPS)
        if fit is None:
            return None
        if best is None or fit[2] < best[2]:
            best = fit
    assert best is not None
    distances = _distances(columns, best[0], best[1])
    distances *= quantile_of_distances(0.5, size) / float(np.median(distances))
    bulk = columns[:, distances < quantile_of_distances(_KEPT, size)]
    centre = bulk.mean(axis=1)
    return centre, cross_products(bulk - centre[:, None]) / bulk.shape[1]


def quantile_of_distances(share: float, directions: int) -> float:
    """Return a quantile of the squared distances of normal data (chi-squared), to twelve digits: the same everywhere.

    >>> quantile_of_distances(0.975, 2)
    7.37775890823
    """
    from scipy.special import chdtri

    return float(f"{float(chdtri(directions, 1 - share)):.12g}")


def _half(columns: Array) -> int:
    size, count = columns.shape
    return int((count + size + 2) // 2)


def _start(columns: Array, random: np.random.Generator) -> NDArray[np.int64] | None:
    """Return the half nearest to a few records drawn at random, as few as have a covariance; None if none has."""
    order = random.permutation(columns.shape[1])
    few = len(columns) + 1
    while few <= len(order):
        fit = _fitted(columns[:, order[:few]])
        if fit is not None:
            return _nearest(columns, fit[0], fit[1])
        few = min(2 * few, len(order)) if few < len(order) else few + 1
    return None


def _shortest(values: Array) -> NDArray[np.int64]:
    """Return the half of the values of one attribute that has the smallest variance; it is exact."""
    order = np.argsort(values, kind="stable")
    centred = values[order] - np.median(values)
    half = _half(values[None, :])
    sums, squares = (np.concatenate([[0.0], np.cumsum(terms)]) for terms in (centred, np.square(centred)))
    spread = (squares[half:] - squares[:-half]) - np.square(sums[half:] - sums[:-half]) / half
    first = int(np.argmin(spread))
    return order[first : first + half]


def _followed(columns: Array, half: NDArray[np.int64], steps: int) -> tuple[Array, Array, float] | None:
    """Return mean, factor of the covariance and its determinant after steps to nearer halves."""
    best = _fitted(columns[:, half])
    for _ in range(steps):
        if best is None:
            return None
        fit = _fitted(columns[:, _nearest(columns, best[0], best[1])])
        if fit is not None and not fit[2] < best[2]:
            return best
        best = fit
    return best


def _fitted(columns: Array) -> tuple[Array, Array, float] | None:
    """Return the mean of records, a lower triangular factor of their covariance, and its determinant; None if it is 0.

    The determinant is that of the factor: the same order, and half as far from overflow.
    """
    centre = columns.mean(axis=1)
    covariance = cross_products(columns - centre[:, None]) / columns.shape[1]
    factor = np.zeros_like(covariance)
    determinant = 1.0
    for place in range(len(factor)):
        left = covariance[place:, place] - (factor[place:, :place] * factor[place, :place]).sum(axis=1)
        if not left[0] > _FLAT * covariance[place, place]:
            return None
        factor[place:, place] = left / np.sqrt(left[0])
        determinant *= float(factor[place, place])
    return centre, factor, determinant


def _nearest(columns: Array, centre: Array, factor: Array) -> NDArray[np.int64]:
    """Return the half of the records that is nearest; of equally near ones, those that come first."""
    order = np.argsort(_distances(columns, centre, factor), kind="stable")
    return np.sort(order[: _half(columns)])


def _distances(columns: Array, centre: Array, factor: Array) -> Array:
    """Return squared distances by a covariance of which a factor is given."""
    away = columns - centre[:, None]
    distances = np.zeros(columns.shape[1])
    for place in range(len(away)):
        for before in range(place):
            away[place] -= factor[place, before] * away[before]
        away[place] /= factor[place, place]
        distances += np.square(away[place])
    return distances
