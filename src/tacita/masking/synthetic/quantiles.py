"""The empirical quantile function, between the values: what numbers are drawn from without repeating a respondent's."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError

Array = NDArray[np.float64]


def check_extremes(extremes: int) -> None:
    """Raise unless ends of a distribution are averages over at least one value."""
    if extremes < 1:
        raise UsageError("'extremes' is below 1", do="give how many of the most extreme values are averaged, such as 3")


@dataclass(frozen=True, slots=True, eq=False)
class Quantiles:
    """Q(p) goes from value to value in a straight line: Q(i / (n - 1)) is the i-th smallest of n values, from 0.

    The `extremes` smallest and largest values are replaced by their averages, so that Q never tells the smallest and
    the largest value, nor goes beyond these averages. Between two values a drawn p almost never hits one of them; a
    value that many records share is a flat piece and keeps its share.

    >>> ends = Quantiles.of(np.array([1.0, 2.0, 3.0, 10.0, 11.0, 90.0]), extremes=2)
    >>> ends.at(np.array([0.0, 0.5, 1.0])).tolist()
    [1.5, 6.5, 50.5]
    """

    values: Array

    @classmethod
    def of(cls, values: Array, extremes: int) -> Quantiles:
        """Return the quantile function of present values."""
        held = np.sort(values)
        count = min(extremes, len(held) // 2)
        if count:
            # Summed as distances from one of them: equal values stay exactly what they are.
            held[:count] = held[0] + (held[:count] - held[0]).mean()
            held[-count:] = held[-1] - (held[-1] - held[-count:]).mean()
        return cls(held)

    def at(self, shares: Array) -> Array:
        """Return the values at shares from 0 to 1."""
        found: Array = np.interp(shares * (len(self.values) - 1), np.arange(len(self.values)), self.values)
        return found
