"""Interrupts: Ctrl-C ends a query at once, asks a search to end with the best it has, and ends a command in any case.

A request to terminate counts as two of them.

Python runs handlers of signals in the main thread, between two instructions, and a query is one instruction however
long it takes. The handler of the operating system, though, can write a byte into a socket at once. A thread waits for
that byte and interrupts the queries that are running.
"""

from __future__ import annotations

import functools
import os
import signal
import socket
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from types import FrameType
from typing import Protocol

_AGAIN = 0.05
"""Seconds until a query is interrupted again: one that has not quite begun forgets an interrupt."""


_ENOUGH = 2
"""Interrupts that end everything: the first may only ask a search to stop."""


class Interruptible(Protocol):
    """A connection that can be told from another thread to give up what it does."""

    def interrupt(self) -> None:
        """Give up the query that is running, if there is one."""


@contextmanager
def interruptible(connection: Interruptible) -> Iterator[None]:
    """Let Ctrl-C end what a connection does inside.

    The interrupt itself arrives when everything in here has been put back, so that it never falls between two lines of
    that. In another thread than the main one, `interrupt_queries` ends it.
    """
    query = _Query(connection, threading.get_ident(), _patience())
    with _deferred(query), _watcher().watching(query):
        yield


def interrupt_queries(threads: Collection[int]) -> None:
    """End the queries that some threads, given by their identifiers, are waiting for."""
    _watcher().interrupt(lambda query: query.thread in threads)


@contextmanager
def stop_on_interrupt() -> Iterator[Callable[[], bool]]:
    """Yield a question: has somebody pressed Ctrl-C? The second time ends it all. Outside the main thread nobody can.

    Within another such block it is the question of that one: who asked a series of searches to stop asked each.
    """
    before = signal.getsignal(signal.SIGINT)
    if not _in_main_thread() or before in {signal.SIG_IGN, None}:
        yield threading.Event().is_set
        return
    if isinstance(before, _FirstAsks):
        yield before.asked.is_set
        return
    handler = _FirstAsks()
    signal.signal(signal.SIGINT, handler)
    try:
        yield handler.asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def end_after_interrupt(
    seconds: float, end: Callable[[], None], in_query: float | None = None
) -> Iterator[Callable[[], bool]]:
    """Call `end` in another thread so long after an interrupt, unless the block has come to its own end by then.

    A solver, a kernel or the reader of a file format may work for minutes before Python has its turn again. A query
    that was interrupted still frees its memory, which takes seconds if it holds many values: `in_query` is how long it
    may. Yield a question: did one come? A library that is interrupted while it is loaded raises an error of its own
    instead.
    """
    if not _in_main_thread():
        yield threading.Event().is_set
        return
    deadline = _Deadline(seconds, end, seconds if in_query is None else in_query)
    with _watcher().listening(deadline):
        try:
            yield deadline.was_heard
        finally:
            deadline.call_off()


@contextmanager
def end_on_termination() -> Iterator[Callable[[], bool]]:
    """Let a request to terminate end everything as two interrupts would. Yield a question: did one come?

    The operating system would end the process at once, with its unfinished files still there.
    """
    came = threading.Event()
    if not _in_main_thread() or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        yield came.is_set
        return

    def handle(number: int, frame: FrameType | None) -> None:
        came.set()
        for _ in range(_ENOUGH):
            handler = signal.getsignal(signal.SIGINT)
            (handler if callable(handler) else signal.default_int_handler)(signal.SIGINT, frame)

    signal.signal(signal.SIGTERM, handle)
    try:
        yield came.is_set
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)


@contextmanager
def at_prompt() -> Iterator[None]:
    """Let no interrupt end the command while a person types: it drops the line, at the latest with the next key.

    One that came before, and was answered, ends nothing either, whenever the thread that hears of it has its turn.
    """
    deadline = _watcher().deadline
    if deadline is None:
        yield
        return
    deadline.is_off = True
    deadline.call_off()
    deadline.heard.clear()
    try:
        yield
    finally:
        deadline.is_off = False


# -- handlers ----------------------------------------------------------------------------------------------------------


class _FirstAsks:
    """A handler that remembers the first interrupt and lets the second pass."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.heard = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self.asked.is_set():
            signal.default_int_handler(number, frame)
        self.asked.set()


class _Later:
    """A handler that counts interrupts while a query runs, for the one whose turn comes afterwards."""

    def __init__(self, before: Callable[[int, FrameType | None], object], patience: int) -> None:
        self.before, self.patience = before, patience
        self.count = 0

    def __call__(self, number: int, frame: FrameType | None) -> None:
        self.count += 1


@contextmanager
def _deferred(query: _Query) -> Iterator[None]:
    """Let the usual handler have its turn at the end, and the watcher hear of interrupts meanwhile."""
    before = signal.getsignal(signal.SIGINT)
    if not _in_main_thread() or not (before is signal.default_int_handler or isinstance(before, _FirstAsks)):
        # Another thread, a query within a query, or a handler of somebody else's who knows what to do.
        yield
        return
    assert callable(before)
    later = _Later(before, query.patience)
    signal.signal(signal.SIGINT, later)
    try:
        with _watcher().listening():
            query.patience -= later.count  # those that came before anybody listened
            if query.patience < 0:
                raise KeyboardInterrupt
            yield
    finally:
        signal.signal(signal.SIGINT, before)
        for _ in range(later.count):
            before(signal.SIGINT, None)


def _patience() -> int:
    """Return how many interrupts a query survives: one, while the first only asks a search to stop."""
    handler = signal.getsignal(signal.SIGINT)
    if isinstance(handler, _FirstAsks):
        return 0 if handler.asked.is_set() else 1
    return handler.patience if isinstance(handler, _Later) else 0


def _in_main_thread() -> bool:
    return threading.current_thread() is threading.main_thread()


# -- the thread that listens -------------------------------------------------------------------------------------------


class _Query:
    """Something that runs, the thread that waits for it, and how many interrupts it survives."""

    def __init__(self, connection: Interruptible | None, thread: int, patience: int) -> None:
        self.connection, self.thread, self.patience = connection, thread, patience


class _Deadline:
    """What happens a while after an interrupt that was not only a question."""

    def __init__(self, seconds: float, end: Callable[[], None], in_query: float) -> None:
        self._seconds, self._end, self._in_query = seconds, end, min(in_query, seconds)
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self.heard = threading.Event()
        self.is_off = False

    def was_heard(self) -> bool:
        return self.heard.wait(_AGAIN)  # the thread that hears it may not have had its turn yet

    def hear(self, interrupts: int, stopping: Sequence[_Query]) -> None:
        if self.is_off:
            return
        handler = signal.getsignal(signal.SIGINT)
        handler = handler.before if isinstance(handler, _Later) else handler
        if isinstance(handler, _FirstAsks):
            handler.heard += interrupts
            if handler.heard < 2:
                return
        self.heard.set()
        with self._lock:
            if self._timer is None:
                self._wait(self._in_query, functools.partial(self._look, stopping))

    def call_off(self) -> None:
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            self._timer = None

    def _look(self, stopping: Sequence[_Query]) -> None:
        """End now if a query is still at it; otherwise leave the rest of the time to whoever puts things back."""
        rest = self._seconds - self._in_query
        with self._lock:
            if self._timer is None:
                return
            if rest > 0 and all(query.connection is None for query in stopping):
                self._wait(rest, self._end)
                return
        self._end()

    def _wait(self, seconds: float, then: Callable[[], None]) -> None:
        self._timer = threading.Timer(seconds, then)
        self._timer.daemon = True
        self._timer.start()


class _Watcher:
    """The thread that hears of an interrupt while the main thread is busy."""

    def __init__(self) -> None:
        self._ear, self._mouth = socket.socketpair()
        self._mouth.setblocking(False)
        self._lock = threading.Lock()
        self._queries: list[_Query] = []
        self.deadline: _Deadline | None = None
        self._others = -1
        threading.Thread(target=self._watch, name="tacita-interrupts", daemon=True).start()

    @contextmanager
    def watching(self, query: _Query) -> Iterator[None]:
        with self._lock:
            self._queries.append(query)
        try:
            yield
        finally:
            with self._lock:
                self._queries.remove(query)
            query.connection = None  # this thread may look at the query once more, and must not keep the connection

    @contextmanager
    def listening(self, deadline: _Deadline | None = None) -> Iterator[None]:
        """Have the bytes of signals sent to this thread; who got them before still gets them."""
        mine = self._mouth.fileno()
        before = signal.set_wakeup_fd(mine, warn_on_full_buffer=False)
        others, deadline_before = self._others, self.deadline
        self._others = others if before == mine else before
        self.deadline = deadline or deadline_before
        try:
            yield
        finally:
            self._others, self.deadline = others, deadline_before
            signal.set_wakeup_fd(before)

    def interrupt(self, which: Callable[[_Query], bool]) -> list[_Query]:
        """Interrupt some of the queries that are running; return them."""
        with self._lock:
            chosen = [query for query in self._queries if which(query)]
            for query in chosen:
                if query.connection is not None:
                    with suppress(Exception):  # it may be closed by now
                        query.connection.interrupt()
        return chosen

    def _watch(self) -> None:
        stopping: list[_Query] = []
        while True:
            self._ear.settimeout(_AGAIN if stopping else None)
            try:
                numbers = self._ear.recv(64)
            except TimeoutError:
                numbers = b""
            if numbers and self._others >= 0:
                with suppress(OSError):
                    os.write(self._others, numbers)
            interrupts = numbers.count(signal.SIGINT) + _ENOUGH * numbers.count(signal.SIGTERM)
            stopping = self.interrupt(functools.partial(_has_to_stop, stopping=stopping, interrupts=interrupts))
            if interrupts and self.deadline is not None:
                self.deadline.hear(interrupts, stopping)


def _has_to_stop(query: _Query, stopping: list[_Query], interrupts: int) -> bool:
    query.patience -= interrupts
    return query.patience < 0 if interrupts else query in stopping


_MAKING = threading.Lock()
_WATCHERS: list[_Watcher] = []


def _watcher() -> _Watcher:
    """Return the watcher of this process, which is there from the first query on."""
    with _MAKING:
        if not _WATCHERS:
            _WATCHERS.append(_Watcher())
        return _WATCHERS[0]


if hasattr(os, "register_at_fork"):  # a child has no thread that listens
    os.register_at_fork(after_in_child=_WATCHERS.clear)
