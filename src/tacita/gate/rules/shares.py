"""Level shares: for observers who know the sizes of the targets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tacita.gate.picture.leaders import Leaders
from tacita.gate.picture.picture import Picture
from tacita.gate.rules.rule import Amount

_WHOLE = 1 << 40
"""Shares are whole numbers of this part."""


class LevelShares:
    """The released share of a target is at most that of the target with the smallest share, plus a slack.

    Whoever knows the sizes of the targets sees which shares of them were released. A target that is held back more than
    others is conspicuous; with level shares none is.
    """

    name: ClassVar = "level-shares"
    amount: ClassVar = Amount.RECORDS
    needs_start: ClassVar = False
    has_state: ClassVar = True
    promise: ClassVar = "The released shares of any two targets differ by at most the slack."
    weakness: ClassVar = "The target that is released least holds all others back."
    __slots__ = ("_leaders", "_sizes", "_slack", "picture")

    def __init__(self, picture: Picture, sizes: Sequence[int], slack: float) -> None:
        self.picture = picture
        self._sizes = sizes
        self._slack = round(slack * _WHOLE)
        # The leader is the target with the smallest share: the one of which the largest share is left.
        self._leaders = Leaders(1)
        for target, (released, size) in enumerate(zip(picture.sizes, sizes, strict=True)):
            self._leaders.change(target, max(_WHOLE - _WHOLE * released // size, 0))

    def allows(self, target: int, value: int, excess: int) -> bool:
        """Return whether the share with one more record is within the slack of the smallest one."""
        return self.accepts(target, self.picture.sizes[target] + 1, 0)

    def accepts(self, target: int, size: int, amount: int) -> bool:
        """Return whether the share of so many records is within the slack of the smallest one."""
        smallest = _WHOLE - self._leaders.beside(target)
        return _WHOLE * size // self._sizes[target] <= smallest + self._slack

    def amount_of(self, target: int, counts: Sequence[int]) -> int:
        """Return nothing: only the number of records counts."""
        return 0

    def released(self, target: int, value: int, excess: int) -> None:
        """Keep the smallest share up to date."""
        size = self.picture.sizes[target] + 1
        self._leaders.change(target, max(_WHOLE - _WHOLE * size // self._sizes[target], 0))

    def add_target(self) -> None:
        """Sizes are known, and so are the targets."""
        raise AssertionError("a target is added although the sizes of all targets are known")

    def limit(self, target: int) -> float | None:
        """Return how many records of the target may have left in all by now."""
        smallest = _WHOLE - self._leaders.beside(target)
        return float((smallest + self._slack) * self._sizes[target] // _WHOLE)
