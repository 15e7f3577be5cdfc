"""Logarithms as whole numbers: what a gate adds up is the same whatever the order, the machine or the restart.

A figure is a whole multiple of 2**-40 bit. Sums of whole numbers are exact, so the state of a gate is a function of the
counts of released records alone, to the last digit. Sums of floating-point numbers would depend on the order, and two
runs over the same records could decide a tie differently.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.functions import logarithm

UNIT = 1 << 40
"""Whole numbers that make one bit."""
LN2 = 0.6931471805599453
_SERIES = 1_000
"""From this count on, i log(1 + 1/i) is taken from its series: the difference of two logarithms would lose digits."""
_FIRST = 4_096


def bits(units: int) -> float:
    """Return a whole number of units as bits.

    >>> bits(3 * UNIT // 2)
    1.5
    """
    return units / UNIT


def units_of(values: NDArray[np.float64]) -> list[int]:
    """Return base-2 logarithms of positive numbers in units.

    >>> [bits(unit) for unit in units_of(np.array([0.25, 1.0, 8.0]))]
    [-2.0, 0.0, 3.0]
    """
    return _rounded(logarithm(values) / LN2)


def units_of_ratio(number: int, other: int) -> int:
    """Return log2 of a ratio of whole numbers in units.

    >>> bits(units_of_ratio(20, 5))
    2.0
    """
    return units_of(np.array([float(Fraction(number, other))]))[0]


class Growth(list[int]):
    """The differences of i log2 i: entry i is (i + 1) log2 (i + 1) - i log2 i, in units.

    >>> growth = Growth()
    >>> growth.reach(10)
    >>> bits(growth[0]), bits(growth[1]), round(bits(growth[2]), 6)
    (0.0, 2.0, 2.754888)
    """

    def __init__(self) -> None:
        super().__init__()
        self._sums = [0]
        self.reach(_FIRST)

    def upto(self, count: int) -> int:
        """Return the sum of the entries below a count: i log2 i of that count, in units.

        >>> bits(Growth().upto(8))
        24.0
        """
        self.reach(count)
        while len(self._sums) <= count:
            self._sums.extend(accumulate(self[len(self._sums) - 1 :], initial=self._sums.pop()))
        return self._sums[count]

    def reach(self, count: int) -> None:
        """Make sure that there is an entry of a count; the list at least doubles, so this is rarely needed."""
        if count < len(self):
            return
        counts = np.arange(len(self), max(2 * len(self), count + 1), dtype=np.float64)
        self.extend(_differences(counts))


def _differences(counts: NDArray[np.float64]) -> list[int]:
    """Return (i + 1) log2 (i + 1) - i log2 i = log2 (i + 1) + i log2 (1 + 1/i)."""
    safe = np.maximum(counts, 1.0)
    inverse = 1.0 / safe
    # i ln(1 + 1/i) = 1 - 1/(2i) + 1/(3i^2) - ...; from 1,000 on, six terms are exact to the last digit
    series = 1.0 - inverse * (1 / 2 - inverse * (1 / 3 - inverse * (1 / 4 - inverse * (1 / 5 - inverse / 6))))
    direct = safe * (logarithm(safe + 1.0) - logarithm(safe))
    rest = np.where(counts >= _SERIES, series, np.where(counts > 0, direct, 0.0))
    return _rounded((logarithm(counts + 1.0) + rest) / LN2)


def _rounded(values: NDArray[np.float64]) -> list[int]:
    # A double has 53 bits: a logarithm below 2**12 has at least 40 of them behind the point.
    rounded: list[int] = np.rint(values * float(UNIT)).astype(np.int64).tolist()
    return rounded
