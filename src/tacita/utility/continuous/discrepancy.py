"""How far two matrices are apart: the three ways of Domingo-Ferrer and Torra."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

SQUARE, ABSOLUTE, VARIATION = "mean square error", "mean absolute error", "mean variation"

Array = NDArray[np.floating[Any]]


def discrepancies(before: Array, after: Array) -> tuple[dict[str, float], int]:
    """Return mean square error, mean absolute error and mean variation, and the cells without a variation.

    Each is a sum over cells divided by their number (document 001, section 4.1, after Domingo-Ferrer and Torra, "A
    quantitative comparison of disclosure control methods for microdata", 2001). The variation of a cell is
    ``|after - before| / |before|``; of a cell that was 0 it is 0 if it stayed so, and otherwise not defined: such
    cells are counted and left out. So are cells that are missing in either matrix.

    >>> discrepancies(np.array([1.0, 2.0, 0.0]), np.array([2.0, 2.0, 3.0]))[0]["mean variation"]
    0.5
    """
    known = ~(np.isnan(before) | np.isnan(after))
    origin = np.abs(before[known])
    difference = np.abs(after[known] - before[known])
    if not len(difference):
        return {SQUARE: np.nan, ABSOLUTE: np.nan, VARIATION: np.nan}, 0
    defined = (origin > 0) | (difference == 0)
    with np.errstate(over="ignore"):
        varied = np.divide(difference, origin, out=np.zeros_like(difference), where=origin > 0)[defined]
    return {
        SQUARE: float(np.mean(difference * difference)),
        ABSOLUTE: float(np.mean(difference)),
        VARIATION: float(np.mean(varied)) if len(varied) else np.nan,
    }, int(np.sum(~defined))
