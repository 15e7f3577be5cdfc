"""Variances and covariances of attributes with missing values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError

Array = NDArray[np.float64]
_ROUNDING = 1e-12
"""A spread below this share of the largest value is the rounding of sums, not a spread."""


def variances(columns: Array, names: Sequence[str]) -> Array:
    """Return the sample variance (n - 1) of each row of `columns` without its missing values.

    An attribute with a single value is an error: nothing tells how much noise would hide it. One without any value has
    variance 0, and so has a constant.
    """
    found = np.zeros(len(columns))
    for place, column in enumerate(columns):
        missing = np.isnan(column)
        present = column[~missing] if missing.any() else column
        if len(present) == 1:
            raise InputError(
                f"'{names[place]}' has a single value, and noise is in proportion to the spread of values",
                do="treat more records together, or leave the attribute out",
            )
        if len(present):
            mean = present.mean()
            centred = present - mean
            found[place] = centred @ centred / (len(present) - 1)
            if found[place] <= (_ROUNDING * max(abs(mean), abs(centred).max())) ** 2:
                found[place] = 0.0
    return found


def covariance(columns: Array, names: Sequence[str]) -> Array:
    """Return the sample covariance: correlations of the complete records, variances of all present values.

    Two attributes of which one does not vary among the complete records count as uncorrelated, so that an attribute
    which varies never gets a variance of 0.
    """
    spread = variances(columns, names)
    missing = np.isnan(columns).any(axis=0)
    complete = columns[:, ~missing] if missing.any() else columns
    if complete.shape[1] < 2:
        raise InputError(
            "fewer than two records have all of the attributes, and their correlations are unknown",
            do="name attributes that are known together, or use 'uncorrelated-noise'",
        )
    centred = complete - complete.mean(axis=1, keepdims=True)
    products = centred @ centred.T / (complete.shape[1] - 1)
    deviation = np.sqrt(np.diag(products))
    deviation = np.where(deviation > _ROUNDING * np.abs(complete).max(axis=1), deviation, np.inf)
    correlations = products / np.outer(deviation, deviation)
    np.fill_diagonal(correlations, 1.0)
    scale = np.sqrt(spread)
    found: Array = correlations * np.outer(scale, scale)
    return found


def constants(spread: Array, names: Sequence[str]) -> tuple[str, ...]:
    """Return a note for each attribute that does not vary, which noise in proportion to its spread leaves alone."""
    return tuple(
        f"'{name}' does not vary and gets no noise" for name, each in zip(names, spread, strict=True) if each == 0
    )
