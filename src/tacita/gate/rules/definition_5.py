"""Definition 5 of the paper: a release is safe while the exposure is below the average plus a standard deviation."""

from __future__ import annotations

from collections.abc import Sequence
from math import isqrt
from typing import ClassVar

from tacita.gate.picture.fixed_point import UNIT
from tacita.gate.picture.picture import Picture
from tacita.gate.rules.rule import Amount


class Definition5:
    """The exposure of the target, with the record, is less than the mean exposure plus one standard deviation.

    Exposures are F / n with the same n for all targets, so n cancels: F < mean(F) + deviation(F) over the targets that
    have records. Sums of F and of F squared are kept, as whole numbers: nothing drifts. The mean is that of the
    exposures (see `tacita.gate.picture.measures`), the deviation that of the population.

    With one target the exposure equals the mean, with two the larger one equals mean plus deviation: nothing would ever
    pass. From the first record on, nothing passes either.
    """

    name: ClassVar = "definition-5"
    amount: ClassVar = Amount.EXCESS
    needs_start: ClassVar = True
    has_state: ClassVar = True
    promise: ClassVar = (
        "After its start, no record leaves that takes the exposure of its target to the mean exposure plus one "
        "standard deviation."
    )
    weakness: ClassVar = (
        "It does not hide an unusual target: exposure is the released share times the distance, and an observer "
        "divides by the share. It also holds records of ordinary targets for ever, since a rule relative to the mean "
        "always finds somebody above it."
    )
    __slots__ = ("_present", "_squares", "_sum", "picture")

    def __init__(self, picture: Picture) -> None:
        self.picture = picture
        self._present = sum(size > 0 for size in picture.sizes)
        self._sum = sum(picture.excess)
        self._squares = sum(excess * excess for excess in picture.excess)

    def allows(self, target: int, value: int, excess: int) -> bool:
        """Return whether the exposure stays below the threshold of the records with this one."""
        return self.accepts(target, self.picture.sizes[target] + 1, excess)

    def accepts(self, target: int, size: int, amount: int) -> bool:
        """Return whether F is below the threshold; mean and deviation take it into account."""
        before = self.picture.excess[target]
        present = self._present + (self.picture.sizes[target] == 0)
        total = self._sum - before + amount
        above = present * amount - total
        if above < 0:
            return True
        return above * above < present * (self._squares - before * before + amount * amount) - total * total

    def amount_of(self, target: int, counts: Sequence[int]) -> int:
        """Return F of counts."""
        return self.picture.excess_of(counts)

    def released(self, target: int, value: int, excess: int) -> None:
        """Keep the sums up to date."""
        before = self.picture.excess[target]
        self._present += self.picture.sizes[target] == 0
        self._sum += excess - before
        self._squares += excess * excess - before * before

    def add_target(self) -> None:
        """A target without records does not count."""

    def limit(self, target: int) -> float | None:
        """Return the threshold of the exposures of all records so far, in bits."""
        if not self._present or not self.picture.total:
            return None
        deviation = isqrt(max(self._present * self._squares - self._sum * self._sum, 0))
        return (self._sum + deviation) / self._present / self.picture.total / UNIT
