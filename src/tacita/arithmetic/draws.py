"""Normal draws that are the same on every machine."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_TAIL = 3.6541528853610088
"""Beyond this value numpy draws by a logarithm of the C library; up to it, by a table and one multiplication."""
_STEP = 2.0**-32


def standard_normal(shape: int | tuple[int, ...], random: np.random.Generator) -> Array:
    """Return standard normal draws; the few in the tails are rounded to 2^-32.

    The last bits of a draw in the tail depend on the C library; after rounding they do not, but for about one of 10^12
    draws, where such a difference lies on a boundary.

    >>> standard_normal(3, np.random.default_rng(1)).round(3).tolist()
    [0.346, 0.822, 0.33]
    """
    draws: Array = random.standard_normal(shape)
    flat = draws.reshape(-1)
    for start in range(0, len(flat), 65_536):
        part = flat[start : start + 65_536]
        far = np.flatnonzero(np.abs(part) > _TAIL)
        part[far] = np.rint(part[far] / _STEP) * _STEP
    return draws
