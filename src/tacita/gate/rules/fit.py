"""Fitting the baseline inside the histogram of each target (Figure 4 of the paper), as a limit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tacita.gate.picture.picture import Picture
from tacita.gate.rules.rule import Amount, StatelessRule


class FitRule(StatelessRule):
    """Of each value at most as many records leave as the largest baseline has that fits inside the target.

    `fits` are these numbers by target and value; they come from all records that the targets have.
    """

    name: ClassVar = "fit"
    amount: ClassVar = Amount.RECORDS
    needs_start: ClassVar = False
    promise: ClassVar = (
        "Of no value leave more records of a target than the largest baseline has that fits inside the target: if "
        "all of them leave, the target has the baseline distribution."
    )
    weakness: ClassVar = (
        "One rare value decides how much can leave. On the way the released records need not have the baseline "
        "distribution, and a target that has it too exactly is conspicuous."
    )
    __slots__ = ("_fits", "picture")

    def __init__(self, picture: Picture, fits: Sequence[Sequence[int]]) -> None:
        self.picture = picture
        self._fits = fits

    def allows(self, target: int, value: int, excess: int) -> bool:
        """Return whether the value has room in the fitted baseline."""
        return self.picture.counts[target][value] < self._fits[target][value]

    def accepts(self, target: int, size: int, amount: int) -> bool:
        """Return whether a number of records beyond the fit is none."""
        return amount <= 0

    def amount_of(self, target: int, counts: Sequence[int]) -> int:
        """Return how many records there are beyond the fitted baseline."""
        return sum(max(count - most, 0) for count, most in zip(counts, self._fits[target], strict=True))

    def limit(self, target: int) -> float | None:
        """Return how many records of the target can leave in all."""
        return float(sum(self._fits[target]))

    def room(self, target: int, value: int) -> int:
        """Return how many records of a value may still leave."""
        return max(self._fits[target][value] - self.picture.counts[target][value], 0)
