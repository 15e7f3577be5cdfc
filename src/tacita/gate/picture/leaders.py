"""The most distant targets, known at any time without looking at all of them."""

from __future__ import annotations

_MORE = 32
"""Targets that are remembered beyond those that are needed, so that all are looked at only now and then."""
NOBODY = -1
"""The level of a place that nobody has."""
UNKNOWN = -(1 << 62)


class Leaders:
    """Knows how distant the most distant targets are while distances change one at a time.

    A few targets are remembered, all of them at or above a bound that no other target exceeds. All targets are looked
    at again only when too few of those remembered have stayed above the bound.

    >>> leaders = Leaders(needed=2)
    >>> for target, level in enumerate([5, 9, 7, 9]):
    ...     leaders.change(target, level)
    >>> leaders.beside(1), leaders.highest(3, 2)
    (9, [9, 7])
    >>> leaders.change(3, 1)
    >>> leaders.forget(2)
    >>> leaders.beside(1), leaders.highest(1, 2)
    (5, [5, 1])
    """

    __slots__ = ("_is_stale", "_needed", "_top", "bound", "height", "leader", "levels", "remembered")

    def __init__(self, needed: int) -> None:
        self.levels: dict[int, int] = {}
        """The distance of each target that counts."""
        self.remembered: set[int] = set()
        self.bound = NOBODY
        """Targets that are not remembered are not more distant than this."""
        self.leader, self.height = NOBODY, UNKNOWN
        """The most distant target and its distance; `UNKNOWN` between a change and the next look."""
        self._needed = needed + 1
        self._is_stale = False
        self._top: list[int] = []
        self._look()

    def change(self, target: int, level: int) -> None:
        """Set the distance of a target, which may be a new one."""
        self.levels[target] = level
        if target in self.remembered:
            top = self._top
            # Far below those on top, a change does not matter to them.
            if self._is_stale or target in top or len(top) < self._needed or level >= self.levels[top[-1]]:
                self._is_stale, self.height = True, UNKNOWN
            if level < self.bound:
                self._drop(target)
        elif level > self.bound:
            self._is_stale, self.height = True, UNKNOWN
            self.remembered.add(target)
            if len(self.remembered) > self._needed + 2 * _MORE:
                self._look()

    def forget(self, target: int) -> None:
        """Take a target out."""
        self.levels.pop(target, None)
        if target in self.remembered:
            self._is_stale, self.height = True, UNKNOWN
            self._drop(target)

    def beside(self, target: int) -> int:
        """Return the largest distance of all targets but one."""
        if self._is_stale:
            self._sort()
        top = self._top
        if not top:
            return NOBODY
        if top[0] != target:
            return self.levels[top[0]]
        return self.levels[top[1]] if len(top) > 1 else NOBODY

    def highest(self, target: int, number: int) -> list[int]:
        """Return the largest distances, at most so many, of all targets but one."""
        if self._is_stale:
            self._sort()
        return [self.levels[other] for other in self._top if other != target][:number]

    def _drop(self, target: int) -> None:
        self.remembered.discard(target)
        if len(self.remembered) < self._needed:
            self._look()

    def _sort(self) -> None:
        # Of equal targets the first comes first, so that nothing hangs on the order of a set.
        levels = self.levels
        self._top = sorted(self.remembered, key=lambda other: (-levels[other], other))[: self._needed]
        self._is_stale = False
        if self._top:
            self.leader, self.height = self._top[0], levels[self._top[0]]

    def _look(self) -> None:
        """Look at all targets, and remember the most distant of them."""
        size = self._needed + _MORE
        ranked = sorted(self.levels, key=self.levels.__getitem__, reverse=True)
        self.bound = self.levels[ranked[size]] if len(ranked) > size else NOBODY
        self.remembered = set(ranked[:size])
        self._sort()
