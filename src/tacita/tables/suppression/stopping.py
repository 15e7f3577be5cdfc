"""An interrupt that asks a search to end with the best it has; a second one ends it at once."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


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
