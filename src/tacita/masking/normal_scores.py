"""Normal scores: the ranks of values as if they came from a normal distribution, and the way back."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.normal import normal_quantile

Array = NDArray[np.float64]


def order_of(values: Array, random: np.random.Generator) -> NDArray[np.int64]:
    """Return the places of the present values from the lowest to the highest; equal values stand in random order."""
    shuffled = random.permutation(np.flatnonzero(~np.isnan(values)))
    return shuffled[np.argsort(values[shuffled], kind="stable")]


def normal_scores(values: Array, random: np.random.Generator) -> Array:
    """Return the normal quantile of (rank - 1/2) / n of each present value; equal values rank in random order.

    >>> normal_scores(np.array([30.0, 10.0, np.nan, 20.0]), np.random.default_rng(1)).round(2)
    array([ 0.97, -0.97,   nan,  0.  ])
    """
    order = order_of(values, random)
    scores = np.full(len(values), np.nan)
    scores[order] = normal_quantile((np.arange(len(order)) + 0.5) / len(order)) if len(order) else 0.0
    return scores


def in_order_of(scores: Array, values: Array) -> Array:
    """Return the present values of an attribute, rearranged so that the record with the r-th score has the r-th value.

    Every value is used once: the distribution stays what it was. Where a value is missing it stays missing, whatever
    the score.

    >>> in_order_of(np.array([0.3, 5.0, 1.0, -2.0]), np.array([10.0, 40.0, np.nan, 70.0]))
    array([40., 70., nan, 10.])
    """
    present = np.flatnonzero(~np.isnan(values))
    back = np.full(len(values), np.nan)
    back[present[np.argsort(scores[present], kind="stable")]] = np.sort(values[present])
    return back
