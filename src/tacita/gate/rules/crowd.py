"""The crowd rule: a target may be no more distant from the baseline than others are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from tacita.gate.picture.fixed_point import UNIT
from tacita.gate.picture.leaders import Leaders
from tacita.gate.picture.picture import Picture
from tacita.gate.rules.rule import Amount

_PARTS = 1 << 20
"""The share of records of a target that counts is a whole number of this part."""


class CrowdRule:
    """A record passes if other targets are at least as distant as its own is with it, or if it brings its own nearer.

    `others` is how many other targets must be at least as distant. Nobody can hide behind a target with few records: by
    chance alone it is far from the baseline, and no observer takes it seriously. So another target counts if it has at
    least `settled` records, and at least a share `comparable` of the records of the target that hides (rounded down
    to a power of two, so that the targets that count are known without looking at all of them).
    """

    name: ClassVar = "crowd"
    amount: ClassVar = Amount.EXCESS
    needs_start: ClassVar = True
    has_state: ClassVar = True
    promise: ClassVar = (
        "After its start, no record leaves that makes its target the most distant one among targets of comparable "
        "size: as many others as the policy says are at least as distant, or the record brings its target nearer to "
        "the baseline."
    )
    weakness: ClassVar = (
        "It hides the rank by distance, one record at a time, and no more. A target can become the most distant one "
        "when records of others bring these nearer. Ordinary targets are held back too. The numbers of released "
        "records tell something to who knows the sizes of the targets, and observers who use another figure than the "
        "distance may do better than chance."
    )
    __slots__ = ("_classes", "_comparable", "_others", "_settled", "picture")

    def __init__(self, picture: Picture, others: int = 1, settled: int = 1, comparable: float = 0.25) -> None:
        self.picture = picture
        self._others = others
        self._settled = max(settled, 1)
        self._comparable = round(comparable * _PARTS)
        self._classes: list[Leaders] = []
        """Distances of the targets by the number of binary digits of their numbers of records."""
        for target, size in enumerate(picture.sizes):
            if size >= self._settled:
                self._class(size.bit_length()).change(target, picture.distance_units(target))

    def allows(self, target: int, value: int, excess: int) -> bool:
        """Return whether others are as distant, or the record brings the target nearer."""
        before = self.picture.sizes[target]
        size = before + 1
        level = excess // size
        if self._others == 1:  # the usual case, written out: every record goes this way
            classes, own = self._classes, size.bit_length()
            if own < len(classes):
                one = classes[own]
                if (one.height >= level and one.leader != target) or one.beside(target) >= level:
                    return True
            for digits in range((size * self._comparable // _PARTS).bit_length(), len(classes)):
                if classes[digits].beside(target) >= level:
                    return True
        elif self._is_hidden(target, size, level):
            return True
        return before > 0 and level <= self.picture.excess[target] // before

    def accepts(self, target: int, size: int, amount: int) -> bool:
        """Return whether others are as distant."""
        return self._is_hidden(target, size, amount // size)

    def amount_of(self, target: int, counts: Sequence[int]) -> int:
        """Return F of counts."""
        return self.picture.excess_of(counts)

    def released(self, target: int, value: int, excess: int) -> None:
        """Keep the order of the distances up to date."""
        size = self.picture.sizes[target] + 1
        if size < self._settled:
            return
        digits, classes = size.bit_length(), self._classes
        if digits >= len(classes) or not size & (size - 1):  # it has one digit more than before
            self._class(digits - 1).forget(target)
            self._class(digits)
        one, level = classes[digits], excess // size
        if level > one.bound or target in one.remembered:
            one.change(target, level)
        else:  # what `change` does with those that are not remembered
            one.levels[target] = level

    def add_target(self) -> None:
        """A target without records does not count."""

    def limit(self, target: int) -> float | None:
        """Return the distance up to which there are others, in bits; None as long as there are none."""
        return self.limit_at(target, self.picture.sizes[target] + 1)

    def limit_at(self, target: int, size: int) -> float | None:
        """Return the distance up to which there are others if the target has so many records."""
        levels = [level for one in self._classes[self._first(size) :] for level in one.highest(target, self._others)]
        levels.sort(reverse=True)
        return levels[self._others - 1] / UNIT if len(levels) >= self._others else None

    def _is_hidden(self, target: int, size: int, level: int) -> bool:
        needed = self._others
        for one in self._classes[self._first(size) :]:
            needed -= sum(other >= level for other in one.highest(target, needed))
            if needed <= 0:
                return True
        return False

    def _first(self, size: int) -> int:
        """Return the first class of targets that are comparable to one with so many records."""
        return (size * self._comparable // _PARTS).bit_length()

    def _class(self, digits: int) -> Leaders:
        while digits >= len(self._classes):
            self._classes.append(Leaders(self._others))
        return self._classes[digits]
