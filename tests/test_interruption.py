"""Interrupts end queries wherever they run, wait until everything is put back, and leave handlers as they were."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from contextlib import closing, nullcontext

import pytest
from sqlglot import exp, parse_one

from tacita import interruption
from tacita.cli.main import run
from tacita.engines.context import Context
from tacita.interruption import (
    end_after_interrupt,
    end_on_termination,
    interrupt_queries,
    interruptible,
    stop_on_interrupt,
)


class Connection:
    """A query that ends when it is interrupted, and not before."""

    def __init__(self) -> None:
        self.interrupted = threading.Event()

    def interrupt(self) -> None:
        self.interrupted.set()


@pytest.fixture(autouse=True)
def handlers_stay() -> Iterator[None]:
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    wakeup = signal.set_wakeup_fd(-1)
    signal.set_wakeup_fd(wakeup)
    assert wakeup == -1


def press() -> None:
    os.kill(os.getpid(), signal.SIGINT)


def until(condition: threading.Event) -> None:
    """Wait in the main thread, where signals arrive."""
    while not condition.is_set():
        condition.wait(0.01)


def test_an_interrupt_reaches_the_query_first_and_python_afterwards() -> None:
    connection, put_back = Connection(), False
    with pytest.raises(KeyboardInterrupt), interruptible(connection):
        press()
        until(connection.interrupted)
        put_back = True
    assert put_back


def test_a_query_within_a_query_ends_with_it() -> None:
    outer, inner = Connection(), Connection()
    with pytest.raises(KeyboardInterrupt), interruptible(outer):
        with interruptible(inner):
            press()
            until(inner.interrupted)
        until(outer.interrupted)


def test_the_first_interrupt_asks_a_search_and_spares_its_query() -> None:
    connection = Connection()
    with stop_on_interrupt() as stopped:
        with pytest.raises(KeyboardInterrupt), interruptible(connection):
            press()
            (query,) = interruption._watcher()._queries
            while query.patience:
                pass
            assert not connection.interrupted.is_set() and not stopped()
            press()
            until(connection.interrupted)
        assert stopped()


def test_a_query_of_another_thread() -> None:
    connection, running = Connection(), threading.Event()

    def work() -> None:
        with interruptible(connection):
            running.set()
            connection.interrupted.wait()

    thread = threading.Thread(target=work)
    thread.start()
    running.wait()
    interrupt_queries({threading.get_ident()})
    assert not connection.interrupted.is_set()
    assert thread.ident is not None
    interrupt_queries({thread.ident})
    thread.join()


def test_who_heard_of_signals_before_still_does() -> None:
    read, write = os.pipe()
    os.set_blocking(write, False)
    signal.set_wakeup_fd(write)
    try:
        connection = Connection()
        with pytest.raises(KeyboardInterrupt), interruptible(connection):
            press()
            until(connection.interrupted)
        assert os.read(read, 1) == bytes([signal.SIGINT])
    finally:
        signal.set_wakeup_fd(-1)
        os.close(read)
        os.close(write)


def test_a_handler_of_somebody_else_is_left_alone() -> None:
    seen = threading.Event()
    before = signal.signal(signal.SIGINT, lambda *_: seen.set())
    try:
        with interruptible(Connection()):
            press()
            until(seen)
    finally:
        signal.signal(signal.SIGINT, before)


ENDLESS = (
    "SELECT count(*) AS n FROM range(10000000) AS a, range(10000000) AS b, range(10000000) AS c "
    "WHERE a.range + b.range = c.range + 1"
)


@pytest.mark.parametrize("way", ["run", "stream", "store"])
def test_a_query_that_never_ends(way: str) -> None:
    plan = parse_one(ENDLESS, dialect="duckdb")
    assert isinstance(plan, exp.Query)

    def press_in_the_query() -> None:
        while not interruption._watcher()._queries:
            pass
        press()

    with Context() as context:
        thread = threading.Thread(target=press_in_the_query)
        with pytest.raises(KeyboardInterrupt):
            thread.start()
            if way == "run":
                context.engine.run(plan)
            elif way == "stream":
                with closing(context.engine.stream(plan, 1000)) as batches:  # type: ignore[type-var]
                    list(batches)
            else:
                context.engine.store(plan, [])
        thread.join()
        assert context.engine.run(exp.select(exp.alias_(exp.Literal.number(1), "n"))) == [{"n": 1}]


@pytest.mark.parametrize(("is_pressed", "code"), [(True, 130), (False, 70)])
def test_a_library_that_turns_an_interrupt_into_an_error(
    monkeypatch: pytest.MonkeyPatch, *, is_pressed: bool, code: int
) -> None:
    def load(*_: object, **__: object) -> None:
        try:
            if is_pressed:
                press()
                threading.Event().wait(1)
        except KeyboardInterrupt:
            pass
        raise ImportError("a module failed to import")

    monkeypatch.setitem(run.__globals__, "built", lambda: load)
    assert run([]) == code


@pytest.mark.parametrize("is_stuck", [True, False])
def test_a_query_that_does_not_end_ends_the_command_early(*, is_stuck: bool) -> None:
    ended, connection = threading.Event(), Connection()
    with (
        pytest.raises(KeyboardInterrupt),
        end_after_interrupt(3600, ended.set, in_query=0.01),
        interruptible(connection),
    ):
        press()
        until(connection.interrupted)
        if is_stuck:  # it was told to give up, and is still busy with its memory
            until(ended)
    assert ended.is_set() == is_stuck


@pytest.mark.parametrize("asks_first", [True, False])
def test_a_request_to_terminate_ends_a_query_and_a_search(*, asks_first: bool) -> None:
    connection = Connection()
    with end_on_termination() as came:
        search = stop_on_interrupt() if asks_first else nullcontext()
        with pytest.raises(KeyboardInterrupt), search, interruptible(connection):
            os.kill(os.getpid(), signal.SIGTERM)
            until(connection.interrupted)
        assert came()
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
