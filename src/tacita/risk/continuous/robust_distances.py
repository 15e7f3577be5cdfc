"""How far records lie out, by an estimate of location and scatter that outliers cannot bend."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_ROUNDING = 1e-9
"""Scales below this share of the largest are rounding errors."""


def robust_distances(values: Array) -> Array:
    """Return the robust Mahalanobis distance of each row: orthogonalised Gnanadesikan-Kettenring, two rounds.

    1. Columns are divided by their robust scale s. Their robust correlations are U_jk = (s(y_j + y_k)^2 - s(y_j -
    y_k)^2)/4. 2. Columns are turned to the eigenvectors of U, so that they hardly correlate; both steps are done once
    more. 3. d_i^2 = sum over l of ((z_il - median z_l) / s(z_l))^2.

    s is the median absolute deviation times 1.4826, or where that is 0, because more than half of the values are the
    same, the mean absolute deviation times 1.2533. Directions in which nothing varies are left out, as with a
    pseudo-inverse, so that columns may determine each other. A missing value is put at the median. No random subsets:
    the same data have the same distances.

    Source: R. Maronna and R. Zamar, Robust estimates of location and dispersion for high-dimensional datasets,
    Technometrics 44 (2002), without the final reweighting.

    >>> import numpy as np
    >>> x = np.array([1.0, 2, 3, 4, 5, 100])
    >>> robust_distances(np.stack([x, 2 * x], axis=1)).round(1)  # the second column says nothing new
    array([ 1.1,  0.7,  0.2,  0.2,  0.7, 43.4])
    """
    import numpy as np

    if not len(values):
        return np.zeros(0)
    turned = np.where(np.isnan(values), medians(values), values)
    for _ in range(2):
        scale = robust_scale(turned)
        varies = scale > _ROUNDING * scale.max(initial=0.0)
        turned = turned[:, varies] / scale[varies]
        if not turned.shape[1]:
            return np.zeros(len(values))
        turned = turned @ np.linalg.eigh(_correlations(turned))[1]
    scale = robust_scale(turned)
    varies = scale > _ROUNDING * scale.max()
    away = (turned - medians(turned))[:, varies] / scale[varies]
    distances: Array = np.sqrt((away**2).sum(axis=1))
    return distances


def medians(values: Array) -> Array:
    """Return the median of each column without its missing values; 0 where all are missing."""
    import numpy as np

    if not np.isnan(values).any():
        middle: Array = np.median(values, axis=0) if len(values) else np.zeros(values.shape[1])
        return middle
    present = [column[~np.isnan(column)] for column in values.T]
    return np.array([np.median(column) if len(column) else 0.0 for column in present])


def robust_scale(values: Array) -> Array:
    """Return the robust scale of each column without its missing values; 0 for one that does not vary."""
    import numpy as np

    away = np.abs(values - medians(values))
    middle = 1.4826 * medians(away)
    there = ~np.isnan(away)
    away = np.where(there, away, 0.0)
    mean = 1.2533 * away.sum(axis=0) / np.maximum(there.sum(axis=0), 1)
    flat = middle <= _ROUNDING * away.max(axis=0, initial=0.0)
    scale: Array = np.where(flat, mean, middle)
    return scale


def _correlations(values: Array) -> Array:
    import numpy as np

    size = values.shape[1]
    matrix = np.eye(size)
    for j in range(size):
        others = values[:, j + 1 :]
        both = robust_scale(others + values[:, [j]]) ** 2 - robust_scale(others - values[:, [j]]) ** 2
        matrix[j, j + 1 :] = matrix[j + 1 :, j] = both / 4
    return matrix
