"""TargetEvidence: how much more likely the released records are if their target is unusual than if it is not.

With concentration k, an unusual target has a distribution that is drawn from a Dirichlet distribution around the
baseline P. The probability of its records is a product over them of (k P(x) + c) / (k + n), with the counts c and n
before each. It depends on the counts alone, not on their order.

*Test martingale.* Divided by the product of P(x) it is a Bayes factor against the baseline. If the records come from
the baseline it exceeds 1/a with probability at most a, however long one looks (Ville 1939).

*Ordinary variation.* Targets differ a little even if nothing is special about them. Divided by the same product with a
large concentration (ordinary targets lie close to the baseline) it is a Bayes factor against ordinary variation.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from math import lgamma, log

import numpy as np

from tacita.gate.picture.fixed_point import LN2, units_of
from tacita.gate.picture.measures import Floats
from tacita.gate.picture.picture import Picture

_FIRST = 256


def usual_concentration(values: int) -> float:
    """Return the concentration of unusual targets where nothing else is stated: twice the degrees of freedom.

    The expected distance to the baseline is then about 1/4 nat (0.36 bit), whatever the number of values.

    >>> usual_concentration(10)
    18.0
    """
    return 2.0 * max(values - 1, 1)


def concentration_at(distance: float, values: int) -> float:
    """Return the concentration at which the expected distance to the baseline is so many bits: (m - 1) / (2 d).

    >>> round(concentration_at(0.01989, 10))
    326
    """
    return (values - 1) / (2 * distance * LN2)


def evidence_of(counts: Sequence[int], baseline: Floats, concentration: float) -> float:
    """Return log2 of the Bayes factor of counts, an unusual distribution against the baseline.

    >>> round(2 ** evidence_of([3, 0], np.array([0.5, 0.5]), 2.0), 6)
    2.0
    """
    total = sum(counts)
    level = lgamma(concentration) - lgamma(concentration + total)
    for count, share in zip(counts, baseline.tolist(), strict=True):
        if count:
            level += lgamma(concentration * share + count) - lgamma(concentration * share) - count * log(share)
    return level / LN2


class TargetEvidence:
    """The logarithm of the evidence against each target of a picture, in units of 2**-40 bit.

    Ask for the evidence `with_` a record before the picture counts it, and `put` it when it does.

    >>> picture = Picture(np.array([0.5, 0.5]), targets=1)
    >>> evidence = TargetEvidence(picture, concentration=2.0)
    >>> for value in (0, 0, 0):
    ...     evidence.put(0, evidence.with_(0, value))
    ...     picture.add(0, value)
    >>> 2 ** (evidence.levels[0] / (1 << 40))  # (1 * 2 * 3) / (2 * 3 * 4) / (1/2)**3
    2.0
    """

    __slots__ = ("_ordinary", "_picture", "_unusual", "levels", "totals", "values")

    def __init__(self, picture: Picture, concentration: float, ordinary: float | None = None) -> None:
        self._picture = picture
        self._unusual = _Marginal(picture.baseline, concentration)
        self.values, self.totals = self._unusual.values, self._unusual.totals
        """log2 of (k P(x) + c) for each value, and of (k + n), as tables that grow."""
        self._ordinary = None if ordinary is None else _Marginal(picture.baseline, ordinary)
        self.levels: list[int] = [self._level_of(row) for row in picture.counts]
        """log2 of the evidence against each target."""

    def with_(self, target: int, value: int) -> int:
        """Return the evidence against a target with one more record of a value."""
        picture = self._picture
        count, size = picture.counts[target][value], picture.sizes[target]
        if self._ordinary is not None:
            return (
                self.levels[target] + self._unusual.step(value, count, size) - self._ordinary.step(value, count, size)
            )
        table, totals = self._unusual.values[value], self._unusual.totals
        if count >= len(table) or size >= len(totals):
            self._unusual.step(value, count, size)
        return self.levels[target] + table[count] - totals[size] - picture.log_shares[value]

    def put(self, target: int, level: int) -> None:
        """Take over the evidence of a record that was released."""
        self.levels[target] = level

    def add_target(self) -> None:
        """Add a target that has no records."""
        self.levels.append(0)

    def _level_of(self, counts: Sequence[int]) -> int:
        level = self._unusual.level_of(counts)
        if self._ordinary is not None:
            return level - self._ordinary.level_of(counts)
        return level - _logarithm(counts, self._picture)


def _logarithm(counts: Sequence[int], picture: Picture) -> int:
    """Return log2 of the probability of records under the baseline."""
    return sum(count * share for count, share in zip(counts, picture.log_shares, strict=True) if count)


class _Marginal:
    """log2 of (k P(x) + c) and of (k + n), and their sums, as tables that grow."""

    __slots__ = ("concentration", "shares", "totals", "values")

    def __init__(self, baseline: Floats, concentration: float) -> None:
        self.concentration = concentration
        self.shares = baseline
        self.values = [_Table(concentration * share) for share in baseline.tolist()]
        self.totals = _Table(concentration)

    def step(self, value: int, count: int, size: int) -> int:
        """Return log2 of the probability of one more record of a value."""
        if size >= len(self.totals):
            self.totals.reach(size)
        table = self.values[value]
        if count >= len(table):
            table.reach(count)
        return table[count] - self.totals[size]

    def level_of(self, counts: Sequence[int]) -> int:
        """Return log2 of the probability of records with these counts: the sum of the steps to them."""
        values = self.values
        level = sum(values[value].upto(count) for value, count in enumerate(counts) if count)
        return level - self.totals.upto(sum(counts))


class _Table(list[int]):
    """log2 of a number plus 0, 1, 2, ... in units."""

    def __init__(self, start: float) -> None:
        super().__init__()
        self._start = start
        self._sums = [0]
        self.reach(0)

    def reach(self, count: int) -> None:
        """Make sure that there is an entry of a count."""
        end = max(2 * len(self), count + 1, _FIRST)
        self.extend(units_of(self._start + np.arange(len(self), end, dtype=np.float64)))

    def upto(self, count: int) -> int:
        """Return the sum of the entries below a count."""
        if count > len(self):
            self.reach(count)
        if count >= len(self._sums):
            self._sums.extend(accumulate(self[len(self._sums) - 1 :], initial=self._sums.pop()))
        return self._sums[count]
