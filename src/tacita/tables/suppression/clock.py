"""Time that is left, and an interrupt that asks a search to end with the best it has."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from types import FrameType


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


class _Asking:
    """A handler of interrupts that remembers the first and lets the second pass."""

    def __init__(self) -> None:
        self.asked = threading.Event()

    def __call__(self, _signal: int, _frame: FrameType | None) -> None:
        if self.asked.is_set():
            raise KeyboardInterrupt
        self.asked.set()


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Yield a question: has somebody pressed Ctrl-C? Outside the main thread nobody can.

    Within another such block it is the question of that one: who asked a series of searches to stop asked each.
    """
    if threading.current_thread() is not threading.main_thread():
        yield threading.Event().is_set
        return
    before = signal.getsignal(signal.SIGINT)
    if isinstance(before, _Asking):
        yield before.asked.is_set
        return
    asking = _Asking()
    if before in {signal.SIG_IGN, None}:
        yield asking.asked.is_set
        return
    signal.signal(signal.SIGINT, asking)
    try:
        yield asking.asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
