"""What a private model sees of the data: counts with noise, and the pair of attributes that noise lets win.

All noise is opendp's. Files are neighbours if one record has other values: a table of counts then changes by at most 2
in all (one cell loses a record, another gains it).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.masking.noise.laplace import with_laplace_noise
from tacita.progress import Progress, silent

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

SENSITIVITY = 2


def counted(codes: Whole, size: int) -> Whole:
    """Return the table of an attribute."""
    return np.bincount(codes, minlength=size).astype(np.int64)


def cross_counted(one: Whole, two: Whole, sizes: tuple[int, int]) -> Whole:
    """Return the table of two attributes."""
    cells = np.bincount(one * sizes[1] + two, minlength=sizes[0] * sizes[1])
    return cells.reshape(sizes).astype(np.int64)


def noisy(table: Whole, epsilon: float, progress: Progress = silent) -> Array:
    """Return a table of counts that is epsilon-differentially private."""
    noisy = with_laplace_noise(table.reshape(-1), SENSITIVITY, epsilon, progress, "noise on a table")
    return noisy.reshape(table.shape).astype(float)


def chosen(scores: Whole, epsilon: float) -> int:
    """Return the place of a score that is nearly the highest, epsilon-differentially private.

    opendp's noisy maximum (permute-and-flip). A score must change by at most 2 when one record changes.
    """
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.linf_distance(T="i64")
    scale = 2 * SENSITIVITY / epsilon
    measurement: Any = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)
    while measurement.map(SENSITIVITY) > epsilon:  # rounding must not spend more than there is
        scale = math.nextafter(scale, math.inf)
        measurement = dp.m.make_noisy_max(*space, dp.max_divergence(), scale=scale)
    return int(measurement(scores.tolist()))
