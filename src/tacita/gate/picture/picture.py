"""The picture that released records give of each target, kept up to date in constant time a record.

With c the counts of a target's values, n their sum and P the baseline, let F = sum c log2(c / P) - n log2 n. Then F /
n is the distance of the target, and F divided by the number of all records its exposure. Adding a record of value x
changes F by g(c) - g(n) - log2 P(x), where g(i) = (i + 1) log2 (i + 1) - i log2 i comes from a table. Only the target
of the record changes.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tacita.gate.picture.fixed_point import UNIT, Growth, units_of
from tacita.gate.picture.measures import ExposureTable, Floats


class Picture:
    """Counts of released records by target and value, with F of each target in units of 2**-40 bit.

    It changes with every record. Its state depends on the counts alone, not on the order of the records.

    >>> picture = Picture(np.array([0.5, 0.5]), targets=2)
    >>> picture.add(0, 1)
    >>> picture.distance(0), picture.exposure(0), picture.distance(1)
    (1.0, 1.0, 0.0)
    >>> picture.add(0, 0)
    >>> picture.distance(0)
    0.0
    """

    __slots__ = ("baseline", "counts", "excess", "growth", "log_shares", "sizes", "total")

    def __init__(self, baseline: Floats, targets: int = 0, growth: Growth | None = None) -> None:
        self.baseline = baseline
        self.growth = Growth() if growth is None else growth
        self.log_shares = units_of(baseline)
        self.counts: list[list[int]] = []
        self.sizes: list[int] = []
        self.excess: list[int] = []
        """F of each target."""
        self.total = 0
        for _ in range(targets):
            self.add_target()

    def add_target(self) -> int:
        """Add a target that has no records; return its number."""
        self.counts.append([0] * len(self.log_shares))
        self.sizes.append(0)
        self.excess.append(0)
        return len(self.sizes) - 1

    def excess_with(self, target: int, value: int) -> int:
        """Return F of a target with one more record of a value."""
        growth = self.growth
        return (
            self.excess[target]
            + growth[self.counts[target][value]]
            - growth[self.sizes[target]]
            - self.log_shares[value]
        )

    def add(self, target: int, value: int) -> None:
        """Count a released record."""
        self.put(target, value, self.excess_with(target, value))

    def put(self, target: int, value: int, excess: int) -> None:
        """Count a released record whose F is known already."""
        self.counts[target][value] += 1
        self.sizes[target] += 1
        self.excess[target] = excess
        self.total += 1
        if self.sizes[target] >= len(self.growth):
            self.growth.reach(self.sizes[target])

    def excess_of(self, counts: Sequence[int]) -> int:
        """Return F of counts: the same whole number as if their records had been added one by one."""
        upto, shares = self.growth.upto, self.log_shares
        parts = (upto(count) - count * share for count, share in zip(counts, shares, strict=True) if count)
        return sum(parts) - upto(sum(counts))

    def load(self, counts: Sequence[Sequence[int]]) -> None:
        """Take over the counts of targets: what was there before is forgotten."""
        self.counts[:] = [list(row) for row in counts]  # in place: judges hold on to these lists
        self.sizes[:] = [sum(row) for row in self.counts]
        self.excess[:] = [self.excess_of(row) for row in self.counts]
        self.total = sum(self.sizes)
        self.growth.reach(max(self.sizes, default=0))

    def distance(self, target: int) -> float:
        """Return the distance of a target to the baseline in bits; 0 without records."""
        return self.distance_units(target) / UNIT

    def distance_units(self, target: int) -> int:
        """Return the distance of a target in units, rounded down."""
        size = self.sizes[target]
        return self.excess[target] // size if size else 0

    def exposure(self, target: int) -> float:
        """Return the exposure of a target in bits: definition 4 of the paper."""
        return self.excess[target] / self.total / UNIT if self.total else 0.0

    def table(self, targets: Sequence[int] | None = None) -> ExposureTable:
        """Return the counts as a table."""
        rows = self.counts if targets is None else [self.counts[target] for target in targets]
        return ExposureTable(np.array(rows, dtype=np.int64).reshape(len(rows), len(self.log_shares)), self.baseline)
