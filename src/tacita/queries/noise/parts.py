"""The sums that private figures are made of: which there are, how much one person changes them, and their true values.

A part is a measure and a power. For neighbours by records (the default), one data set has all records of one more
person: a person has at most `records_per_unit` records, so a count changes by at most that many, and a sum by that
many times the largest value. For neighbours by values, which records there are is public, and only the values of one
person differ: a sum changes by that many times the distance of the bounds, and counts do not change at all. Both hold
for all groups of a grouping set together, since a record is in one of them.
"""

from __future__ import annotations

from collections.abc import Sequence

from tacita.errors import QueryRefused
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.figures import squares_of, sum_of
from tacita.queries.noise.intervals import NoisySum
from tacita.queries.question import AskedStatistic, Mask, Statistic

Part = tuple[str, int]
"""A sum that noise is put on: its measure (empty: counts) and power."""
PEOPLE = "\0people"
"""The measure that counts people."""
LARGEST = 2**62
"""Sums are cut off here, which brings two of them no further apart; what comes near is not answered."""
_NEEDED: dict[Statistic, tuple[Part, ...]] = {
    Statistic.COUNT: ((COUNT, 1),),
    Statistic.CONTRIBUTORS: ((PEOPLE, 1),),
    Statistic.SUM: (("measure", 1),),
    Statistic.AVERAGE: ((COUNT, 1), ("measure", 1)),
    Statistic.VARIANCE: ((COUNT, 1), ("measure", 1), ("measure", 2)),
    Statistic.RATIO: (("measure", 1), ("other", 1)),
}
MADE_OF_SUMS = frozenset(_NEEDED)
"""What is computed of sums with noise."""


class SummedParts:
    """The sums of a cube, for one relation of neighbours."""

    def __init__(self, cube: Cube) -> None:
        options = cube.policy.options
        self._cube = cube
        self.records = int(options["records_per_unit"])
        self.knows_records = options.get("neighbours") == "values"
        """Whether neighbours have the same records, so that counts are public."""

    def needed(self, statistics: Sequence[AskedStatistic]) -> list[Part]:
        """Return the parts of some statistics, each once, public ones too; raise for what is not made of sums."""
        parts: list[Part] = []
        for one in statistics:
            if one.statistic not in _NEEDED:
                raise QueryRefused(
                    f"{one.name} is not answered privately",
                    do="ask for counts, sums, averages, variances, ratios or quantiles",
                )
            for role, power in _NEEDED[one.statistic]:
                part = ({"measure": one.measure, "other": one.other}.get(role, role), power)
                if self.sensitivity(part) >= LARGEST:  # of the policy alone, never of the data
                    raise QueryRefused(
                        f"{one.name} needs larger numbers than noise can be put on",
                        do="ask for the average, or declare fewer decimals or narrower bounds",
                    )
                parts += [] if part in parts else [part]
        return parts

    def is_public(self, part: Part) -> bool:
        """Whether a part tells nothing that neighbours differ in."""
        return self.knows_records and part[0] in {COUNT, PEOPLE}

    def sensitivity(self, part: Part) -> int:
        """Return by how much one person changes a part at most, all groups of a grouping set together."""
        measure, power = part
        if measure in {COUNT, PEOPLE}:
            return self.records
        low, high = self._cube.policy.measure(measure).bounds
        if self.knows_records:
            least, most = _powers(low, high, power)
            return self.records * (most - least)
        return self.records * int(max(abs(low), abs(high)) ** power)

    def true(self, part: Part, cells: Mask) -> int:
        """Return a part over some cells, cut off where noise cannot be put on."""
        measure, power = part
        if measure == COUNT:
            total = int(self._cube.n[cells].sum())
        elif measure == PEOPLE:
            total = self._cube.contributors(cells)
        else:
            total = (sum_of if power == 1 else squares_of)(self._cube, measure, cells)
        return min(max(total, -LARGEST), LARGEST)

    def bounds(self, part: Part, records: int) -> tuple[int | None, int | None]:
        """Return between what everybody knows a part over some records to be; None where there is no bound.

        The number of records is looked at where it is public.
        """
        measure, power = part
        counts = measure in {COUNT, PEOPLE}
        least, most = (0, 1) if counts else _powers(*self._cube.policy.measure(measure).bounds, power)
        if self.knows_records:
            return records * least, records * most
        return (0 if least >= 0 else None), (0 if most <= 0 else None)

    def within(self, part: Part, records: int, drawn: NoisySum) -> NoisySum:
        """Return a sum with noise where its number of records is public, within the bounds that follow."""
        low, high = self.bounds(part, records)
        if not self.knows_records or low is None or high is None:
            return drawn
        # The true sum is within these bounds, too: it is no further away than they are.
        value = min(max(drawn.value, low), high)
        return NoisySum(value, min(drawn.error, high - low), min(drawn.joint_error, high - low))


def _powers(low: int, high: int, power: int) -> tuple[int, int]:
    """Return the least and the largest power of a whole number between bounds.

    >>> _powers(-3, 2, 2), _powers(2, 5, 2), _powers(-3, 2, 1)
    ((0, 9), (4, 25), (-3, 2))
    """
    if power == 1:
        return low, high
    return (0 if low <= 0 <= high else min(low**2, high**2)), max(low**2, high**2)
