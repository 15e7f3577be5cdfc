"""Figures made of sums with noise, and how far away the true ones are: what holds for all values within the noise."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class NoisySum:
    """A sum with noise."""

    value: int
    error: int
    """How far the true sum is away, with a probability of 95 %."""
    joint_error: int
    """The same, so that it holds for three sums at once."""
    is_total: bool = field(default=False, kw_only=True)
    """Whether it fits other sums of the answer: then no digit may be left out."""

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The least and the largest true sum, for figures that are made of several."""
        return Fraction(self.value - self.joint_error), Fraction(self.value + self.joint_error)


Estimate = tuple[Fraction, Fraction]
"""A figure, and how far the true one is away with a probability of 95 %."""


def average(total: NoisySum, count: NoisySum, bounds: tuple[Fraction, Fraction]) -> Estimate | None:
    """Return an average, which lies between the bounds of its measure; None if there may be nobody.

    >>> value, error = average(NoisySum(100, 5, 6), NoisySum(10, 1, 1), (Fraction(0), Fraction(20)))
    >>> str(value), float(error)
    ('10', 1.777...)
    """
    if count.ends[0] < 1:
        return None
    ends = [clipped(one / many, bounds) for one, many in itertools.product(total.ends, count.ends)]
    return _estimate(clipped(Fraction(total.value, count.value), bounds), ends)


def ratio(above: NoisySum, below: NoisySum) -> Estimate | None:
    """Return a ratio; None if the sum below may be 0."""
    low, high = below.ends
    if low <= 0 <= high:
        return None
    ends = [one / many for one, many in itertools.product(above.ends, (low, high))]
    return _estimate(Fraction(above.value, below.value), ends)


def variance(total: NoisySum, squares: NoisySum, count: NoisySum) -> Estimate | None:
    """Return the variance of a population; None if there may be nobody."""
    low, high = count.ends
    if low < 1:
        return None
    means = [one / many for one, many in itertools.product(total.ends, (low, high))]
    least_square = Fraction(0) if min(means) <= 0 <= max(means) else min(mean**2 for mean in means)
    most_square = max(mean**2 for mean in means)
    mean_squares = [one / many for one, many in itertools.product(squares.ends, (low, high))]
    ends = [max(min(mean_squares) - most_square, Fraction(0)), max(max(mean_squares) - least_square, Fraction(0))]
    value = Fraction(squares.value, count.value) - Fraction(total.value, count.value) ** 2
    return _estimate(max(value, Fraction(0)), ends)


def clipped(value: Fraction, bounds: tuple[Fraction, Fraction]) -> Fraction:
    """Return the value between bounds that is nearest to a value."""
    return min(max(value, bounds[0]), bounds[1])


def _estimate(value: Fraction, ends: list[Fraction]) -> Estimate:
    return value, max(abs(end - value) for end in ends)
