"""Whole weights: where weights were whole numbers, new ones become whole without losing noise or sum."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.model.records import Categories, Records


def whole_weights(weights: NDArray[np.float64], order: NDArray[np.int64], start: float = 0.5) -> NDArray[np.float64]:
    """Return weights rounded up or down so that their sum is that of the given ones, rounded.

    Rounding each to the nearest would take a noise of 10 % back from every weight below 5. Instead the fractions are
    added up in an order, and a weight goes up where the sum passes the next whole number: along the order every
    stretch keeps its sum to less than 1, and with a random start each goes up with the probability of its fraction
    (systematic sampling). So a weight below 1 may become 0: its record then counts for nobody, as one that was not
    drawn.

    >>> whole_weights(np.array([1.5, 1.5, 2.2, 2.8, 0.0]), np.arange(5)).tolist()
    [2.0, 1.0, 2.0, 3.0, 0.0]
    """
    low = np.floor(weights)
    # Ten digits: a sum that is whole but for dust is whole.
    passed = np.floor(np.concatenate([[0.0], np.round(np.cumsum((weights - low)[order]), 10)]) + start)
    rounded = low.copy()
    rounded[order] += np.diff(passed)
    return rounded


def ordered_by(records: Records, names: Sequence[str], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return an order sorted by the categories among some attributes, the first first: the sum of each value stays."""
    keys = [column.codes[order] for column in (records[name] for name in names) if isinstance(column, Categories)]
    return order[np.lexsort(keys[::-1])] if keys else order
