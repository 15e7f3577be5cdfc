"""Time that is left to a search, which ends with the best it has."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


class OutOfTime(Exception):
    """What was asked for was not found before the time was up."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Clock:
    """A number of seconds from now on; a search that sees it is up keeps the best it has.

    `now` tells the seconds: those on the wall or, with `time.process_time`, those of work, whoever else works here.
    """

    seconds: float
    stopped: Callable[[], bool] = _never
    now: Callable[[], float] = time.monotonic
    _start: float = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_start", self.now())

    @property
    def used(self) -> float:
        """Seconds since the start."""
        return self.now() - self._start

    @property
    def left(self) -> float:
        """Seconds that are left, never below zero."""
        return max(0.0, self.seconds - self.used)

    @property
    def is_up(self) -> bool:
        """Whether to come to an end."""
        return self.used >= self.seconds or self.stopped()

    def check(self) -> None:
        """Raise `OutOfTime` when the time is up."""
        if self.is_up:
            raise OutOfTime

    def part(self, share: float) -> Clock:
        """Return a clock for a share of what is left."""
        return Clock(share * self.left, self.stopped)
