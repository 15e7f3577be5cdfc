"""What numbers are drawn from: a quantile function that holds no respondent's value, and smoothing by it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.functions import exponential, interpolated, logarithm
from tacita.arithmetic.normal import normal_quantile, normal_share
from tacita.errors import UsageError

Array = NDArray[np.float64]

_HALF = 0.5 - 1e-6
"""Just short of half a place, so that a step is a line that hardly any draw hits."""


def check_extremes(extremes: int) -> None:
    """Raise unless ends of a distribution are averages over at least one value."""
    if extremes < 1:
        raise UsageError("'extremes' is below 1", do="give how many of the most extreme values are averaged, such as 3")


def shared(ranked: Array, least: int) -> NDArray[np.bool_]:
    """Return where a value is that of at least so many records, and hence nobody's own; values must be sorted.

    >>> shared(np.array([0.0, 0.0, 7.0]), 2).tolist()
    [True, True, False]
    """
    alike = np.searchsorted(ranked, ranked, side="right") - np.searchsorted(ranked, ranked, side="left")
    is_common: NDArray[np.bool_] = alike >= least
    return is_common


@dataclass(frozen=True, slots=True, eq=False)
class Quantiles:
    """Straight lines between averages of neighbouring values, and flat pieces at values that many records share.

    The sorted values are cut into blocks of `least` or more, each of which gives its average at its middle place; a
    value that `least` records or more share gives itself, from its first to its last place. The function starts and
    ends at the averages of the `extremes` smallest and largest values, and so never tells the smallest and the largest.
    Without the blocks draws would crowd where two respondents happen to be near to each other.

    >>> ends = Quantiles.of(np.array([1.0, 2.0, 3.0, 10.0, 11.0, 90.0]), least=3, extremes=2)
    >>> ends.at(np.array([0.0, 0.2, 0.8, 1.0])).tolist()
    [1.5, 2.0, 37.0, 50.5]
    """

    places: Array
    values: Array

    @classmethod
    def of(cls, values: Array, least: int, extremes: int) -> Quantiles:
        """Return the quantile function of present values."""
        ordered = np.sort(values)
        count, least = len(ordered), max(least, extremes)
        many = shared(ordered, least)
        fresh = np.ones(count, dtype=bool)  # where a value that many share, or a stretch of others, begins
        fresh[1:] = (many[1:] != many[:-1]) | (many[1:] & (ordered[1:] != ordered[:-1]))
        run = np.cumsum(fresh) - 1
        start = np.flatnonzero(fresh)
        length = np.bincount(run)
        block = np.minimum((np.arange(count) - start[run]) // least, np.maximum(length // least, 1)[run] - 1)
        block[many] = 0
        first = np.flatnonzero(fresh | (np.diff(block, prepend=0) > 0))
        last = np.append(first[1:], count) - 1
        size = last - first + 1
        # Summed as distances from one of them: equal values stay exactly what they are.
        average = ordered[first] + np.add.reduceat(ordered - np.repeat(ordered[first], size), first) / size
        middle = (first + last) / 2
        flat = many[first]
        # Between two neighbouring values that many share there is nothing: a step, half way from the one to the other.
        step = np.flatnonzero(flat[:-1] & flat[1:])
        places = np.concatenate(
            [np.where(flat, first, middle), last[flat], last[step] + _HALF, first[step + 1] - _HALF]
        )
        knots = np.concatenate([average, average[flat], average[step], average[step + 1]])
        end = max(1, min(extremes, count // 2))
        low = ordered[0] + (ordered[:end] - ordered[0]).mean()
        high = ordered[-1] - (ordered[-1] - ordered[-end:]).mean()
        inner = (places > 0) & (places < count - 1)
        places = np.concatenate([[0], places[inner], [count - 1]])
        knots = np.concatenate([[low], np.clip(knots[inner], low, high), [high]])
        order = np.lexsort((knots, places))
        return cls(places[order] / max(1, count - 1), knots[order])

    def at(self, shares: Array) -> Array:
        """Return the values at shares from 0 to 1."""
        return interpolated(shares, self.places, self.values)


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
