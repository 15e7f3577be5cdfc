"""What each sum alone says about its cells, passed on from sum to sum: bounds that no attacker's interval exceeds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.attacks.tables.system.possible_tables import Numbers

if TYPE_CHECKING:
    from scipy.sparse import csr_array


def propagated(
    matrix: csr_array[Any], sums: Numbers, lower: Numbers, upper: Numbers, *, whole: bool = False, rounds: int = 12
) -> tuple[Numbers, Numbers]:
    """Return tighter bounds: a part is at most its total less the least of the other parts, and so on.

    One round is exact for a single sum. The bounds are always valid, after any number of rounds; they are the
    attacker's interval only where a possible table attains them.
    """
    low, high = lower.copy(), upper.copy()
    count, (columns, data) = matrix.shape[0], (matrix.indices, matrix.data)
    if not count or not len(columns):
        return low, high
    rows = np.repeat(np.arange(count), np.diff(matrix.indptr))
    positive = data > 0
    for _ in range(rounds):
        least = np.where(positive, data * low[columns], data * high[columns])
        most = np.where(positive, data * high[columns], data * low[columns])
        least_rest, most_rest = _others(least, rows, count), _others(most, rows, count)
        one, other = (sums[rows] - most_rest) / data, (sums[rows] - least_rest) / data
        implied_low, implied_high = np.minimum(one, other), np.maximum(one, other)
        if whole:
            implied_low, implied_high = np.ceil(implied_low - 1e-6), np.floor(implied_high + 1e-6)
        new_low, new_high = low.copy(), high.copy()
        np.maximum.at(new_low, columns, implied_low)
        np.minimum.at(new_high, columns, implied_high)
        size = np.maximum(1.0, np.abs(np.where(np.isfinite(new_high), new_high, 1.0)))
        gained = np.any(new_low > low + 1e-9 * size) or np.any(new_high < high - 1e-9 * size)
        low, high = new_low, np.maximum(new_low, new_high)
        if not gained:
            break
    return low, high


def _others(terms: Numbers, rows: np.ndarray[Any, np.dtype[np.int64]], count: int) -> Numbers:
    """Return, for each term, the sum of the other terms of its row; infinite terms are counted, not subtracted."""
    endless = np.isinf(terms)
    finite = np.where(endless, 0.0, terms)
    total = np.bincount(rows, weights=finite, minlength=count)[rows] - finite
    # Bounds of one sense are infinite with one sign only, so that the sign of any of them is the sign of the sum.
    signs = np.bincount(rows, weights=np.where(endless, np.sign(terms), 0.0), minlength=count)[rows]
    signs = signs - np.where(endless, np.sign(terms), 0.0)
    return np.where(signs == 0, total, np.where(signs > 0, np.inf, -np.inf))
