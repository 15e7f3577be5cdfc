"""Variances and covariances of attributes with missing values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.matrices import cross_products
from tacita.errors import InputError

Array = NDArray[np.float64]
_ROUNDING = 1e-24
"""A variance below this share of the mean square is the rounding of sums, not a spread."""


def variances(columns: Array, names: Sequence[str]) -> Array:
    """Return the sample variance (n - 1) of each row of `columns` without its missing values.

    An attribute with a single value is an error: nothing tells how much noise would hide it. One without any value has
    variance 0, and so has a constant.
    """
    sums = np.zeros(len(columns))
    for place, column in enumerate(columns):
        present = without_missing(column)
        if len(present) == 1:
            raise InputError(
                f"'{names[place]}' has a single value, and noise is in proportion to the spread of values",
                do="treat more records together, or leave the attribute out",
            )
        if len(present):
            with np.errstate(over="ignore", invalid="ignore"):
                mean = present.mean()
                centred = present - mean
                square = np.square(centred).sum()
            sums[place] = _spread(square / (len(present) - 1), mean, names[place])
    return sums


def without_missing(column: Array) -> Array:
    """Return the present values of an attribute: itself, if none is missing."""
    with np.errstate(over="ignore", invalid="ignore"):
        total = column.sum()
    return column if np.isfinite(total) else column[~np.isnan(column)]


def covariance(columns: Array, names: Sequence[str]) -> Array:
    """Return the sample covariance: correlations of the complete records, variances of all present values.

    Two attributes of which one does not vary among the complete records count as uncorrelated, so that an attribute
    which varies never gets a variance of 0.
    """
    has_missing = any(len(without_missing(column)) < len(column) for column in columns)
    if has_missing or columns.shape[1] < 2:
        spread = variances(columns, names)
        columns = columns[:, ~np.isnan(columns).any(axis=0)]
    if columns.shape[1] < 2:
        raise InputError(
            "fewer than two records have all of the attributes, and their correlations are unknown",
            do="name attributes that are known together, or use 'uncorrelated-noise'",
        )
    with np.errstate(over="ignore", invalid="ignore"):
        means = columns.mean(axis=1)
        centred = columns - means[:, None]
        products: Array = cross_products(centred) / (columns.shape[1] - 1)
    own = np.array([_spread(float(v), float(m), n) for v, m, n in zip(np.diag(products), means, names, strict=True)])
    deviation = np.sqrt(np.where(own > 0, own, np.inf))
    products /= np.outer(deviation, deviation)
    np.fill_diagonal(products, 1.0)
    scale = np.sqrt(spread if has_missing else own)
    products *= np.outer(scale, scale)
    return products


def _spread(variance: float, mean: float, name: str) -> float:
    if not np.isfinite(variance):
        raise InputError(f"the squares of '{name}' are too large to add up", do="divide it by a unit such as a million")
    return 0.0 if variance <= _ROUNDING * (mean**2 + variance) else variance


def constants(spread: Array, names: Sequence[str]) -> tuple[str, ...]:
    """Return a note for each attribute that does not vary, which noise in proportion to its spread leaves alone."""
    return tuple(f"'{name}' does not vary and gets no noise" for name, of in zip(names, spread, strict=True) if of == 0)
