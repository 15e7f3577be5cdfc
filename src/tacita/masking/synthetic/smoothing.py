"""Smoothing: a value drawn from a donor is moved, so that the donor's exact value is not released."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.functions import exponential, logarithm
from tacita.arithmetic.normal import normal_quantile, normal_share
from tacita.masking.synthetic.quantiles import Quantiles, shared

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_QUARTER = 0.25


def smoothed(
    values: Array, leaf: Whole, donors: Whole, least: int, extremes: int, random: np.random.Generator
) -> Array:
    """Return the values of drawn donors, moved unless at least `least` records share them.

    The smoothed bootstrap (B. Silverman and G. Young, Biometrika 74, 1987) on normal scores: a donor's score z in the
    file becomes m + (z - m + h e) / sqrt(1 + h^2 / s^2), with m and s the mean and deviation of the scores in its leaf,
    e standard normal and h = s (4 / 3d)^(1/5) for d donors in the leaf (Silverman's rule). Mean and variance of the
    scores in a leaf are kept in expectation. So that a value alone in its leaf moves too, h is at least the distance of
    `least` places in the file, or a quarter if that is less. The moved score becomes a value by `Quantiles`.

    `values` and `leaf` are those of all possible donors, `donors` the drawn places.
    """
    quantiles = Quantiles.of(values, least, extremes)
    order = np.argsort(values, kind="stable")
    places = np.argsort(order, kind="stable")
    own = ~shared(values[order], least)[places]
    scores = normal_quantile((places + 0.5) / len(values))
    leaves = int(leaf.max()) + 1
    size = np.maximum(np.bincount(leaf[own], minlength=leaves), 1)
    mean = np.bincount(leaf[own], scores[own], leaves) / size
    spread = np.bincount(leaf[own], np.square(scores[own] - mean[leaf[own]]), leaves) / size
    moving = np.flatnonzero(own[donors])
    of, score = leaf[donors[moving]], scores[donors[moving]]
    width = (np.sqrt(spread) * exponential(0.2 * logarithm(4 / (3 * size))))[of]
    step = least / len(values) * np.sqrt(2 * np.pi) * exponential(np.square(score) / 2)
    lowest = np.minimum(step, _QUARTER)
    shrink = np.where(width > lowest, np.sqrt(spread[of] / np.maximum(spread[of] + np.square(width), 1e-300)), 1.0)
    noise = np.maximum(width, lowest) * standard_normal(len(of), random)
    smoothed: Array = values[donors]
    smoothed[moving] = quantiles.at(normal_share(mean[of] + (score - mean[of] + noise) * shrink))
    return smoothed
