"""Draws from a multivariate normal distribution whose covariance may be singular."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.matrices import eigen, product

Array = NDArray[np.float64]


def drawn(sigma: Array, count: int, random: np.random.Generator) -> Array:
    """Return normal errors with mean 0 and a covariance, a row for each attribute and a column for each record."""
    return product(root(sigma), standard_normal((len(sigma), count), random))


def root(matrix: Array) -> Array:
    """Return a matrix F with F F' = `matrix`, which may be singular.

    In a direction in which the data do not vary, F gives no noise either: sums that hold in every record still hold.

    >>> root(np.array([[4.0, 0.0], [0.0, 0.0]])).round(6).tolist()
    [[0.0, 2.0], [0.0, 0.0]]
    """
    scale = np.sqrt(np.diag(matrix))
    scale = np.where(scale > 0, scale, 1.0)
    values, vectors = eigen(matrix / np.outer(scale, scale))
    values = np.where(values > len(matrix) * np.finfo(float).eps * values.max(initial=0.0), values, 0.0)
    root: Array = scale[:, None] * vectors * np.sqrt(values)
    return root
