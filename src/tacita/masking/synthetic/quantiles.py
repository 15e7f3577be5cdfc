"""A quantile function that holds no respondent's value: what numbers are drawn from."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import interpolated
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
