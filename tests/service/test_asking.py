"""How questions wait for the writer, and when replies leave: counted in events, never in seconds that pass."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.service.serving import BY_AREA, EXACT, PATIENCE, PRIVATE, REFUSED, RunningService, opened, running

from tacita.api.querying import Database, SentQuestion
from tacita.errors import LedgerBusy, QueryRefused, TacitaError
from tacita.service.asking import STEP, ReplyGrid, ServedDatabase
from tacita.service.faults import RequestRefused
from tacita.service.options import ServeOptions


class Clock:
    """A clock that moves when somebody sleeps, or when a test says so."""

    def __init__(self) -> None:
        self.now = 100.0
        self.slept: list[float] = []

    def __call__(self) -> float:
        return self.now

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


@pytest.mark.parametrize(
    ("took", "leaves"), [(0, 0.04), (0.001, 0.04), (0.039, 0.04), (0.041, 0.08), (0.1, 0.12), (1.01, 1.04)]
)
def test_replies_leave_at_steps_after_the_request(took: float, leaves: float) -> None:
    clock = Clock()
    grid = ReplyGrid(clock, clock.sleep)
    arrival = clock.now
    clock.now += took
    asyncio.run(grid.wait(arrival))
    assert clock.now - arrival == pytest.approx(leaves)
    assert len(clock.slept) == 1 and STEP == 0.04


@pytest.mark.parametrize(
    ("what", "body", "status"),
    [
        ("ask", {"sql": BY_AREA}, 200),
        ("ask", {"sql": REFUSED}, 200),
        ("ask", {"sql": "SELECT nothing"}, 400),
        ("ask", {"sql": BY_AREA, "epsilon": "x"}, 400),
        ("price", {"sql": BY_AREA}, 200),
        ("price", {"sql": "SELECT nothing"}, 400),
    ],
)
def test_the_grid_holds_whatever_was_decided(
    service: RunningService, monkeypatch: pytest.MonkeyPatch, what: str, body: dict[str, str], status: int
) -> None:
    waits: list[float] = []

    async def wait(arrival: float) -> None:
        waits.append(arrival)

    monkeypatch.setattr(service.core.grid, "wait", wait)
    reply = service.send("POST", f"/v1/databases/firms/{what}", service.token(), body)
    assert reply.status == status and len(waits) == 1


@pytest.fixture
def served(tmp_path: Path) -> Iterator[ServedDatabase]:
    database = ServedDatabase(opened(tmp_path / "firms", EXACT))
    yield database
    if not database._is_stopping:
        database.stop()


def blocked(database: ServedDatabase, monkeypatch: pytest.MonkeyPatch) -> tuple[threading.Event, list[int]]:
    """Let the writer wait with its first batch until an event; note how many questions each batch has."""
    go, sizes = threading.Event(), list[int]()
    ask_together: Callable[..., Any] = Database.ask_together

    def wait(self: Database, questions: list[SentQuestion]) -> Any:
        sizes.append(len(questions))
        if len(sizes) == 1:
            assert go.wait(PATIENCE)
        return ask_together(self, questions)

    monkeypatch.setattr(Database, "ask_together", wait)
    return go, sizes


async def _until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        await asyncio.sleep(0)


def test_what_waits_is_written_at_once(served: ServedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    go, sizes = blocked(served, monkeypatch)

    async def ask() -> list[Any]:
        first = asyncio.create_task(served.ask(SentQuestion(BY_AREA, "ann")))
        await _until(lambda: len(sizes) == 1)
        sql = ["SELECT nothing", *[f"SELECT COUNT(*) FROM firms WHERE Area = '{area}'" for area in ("North", "South")]]
        rest = [asyncio.create_task(served.ask(SentQuestion(one, "ann"))) for one in (*sql, BY_AREA)]
        gone = asyncio.create_task(served.ask(SentQuestion("SELECT SUM(W) FROM firms", "bob")))
        await _until(lambda: served._waiting.qsize() == 5)
        gone.cancel()
        await asyncio.gather(gone, return_exceptions=True)
        go.set()
        return await asyncio.gather(first, *rest, return_exceptions=True)

    first, wrong, north, _, again = asyncio.run(ask())
    assert sizes == [1, 4]  # who went away has not asked
    assert isinstance(wrong, QueryRefused) and north.status == "answered" and again.rows == first.rows
    assert {analyst for analyst, _ in served.database.history().answers} == {"ann"}


def test_what_waits_when_it_ends_is_written(served: ServedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    go, sizes = blocked(served, monkeypatch)

    async def ask() -> list[Any]:
        tasks = [asyncio.create_task(served.ask(SentQuestion(BY_AREA, "ann")))]
        await _until(lambda: len(sizes) == 1)
        tasks.append(asyncio.create_task(served.ask(SentQuestion(REFUSED, "ann"))))
        await _until(lambda: served._waiting.qsize() == 1)
        stopping = asyncio.create_task(asyncio.to_thread(served.stop))
        await _until(lambda: served._is_stopping)
        with pytest.raises(RequestRefused, match="stopping"):
            await served.ask(SentQuestion(BY_AREA, "eve"))
        go.set()
        await stopping
        return await asyncio.gather(*tasks)

    assert [answer.status for answer in asyncio.run(ask())] == ["answered", "refused"]
    with Database(served.folder) as database:
        assert len(database.history().answers) == 2


def test_only_so_many_wait(served: ServedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacita.service.asking._MOST_WAITING", 2)
    go, sizes = blocked(served, monkeypatch)

    async def ask() -> list[Any]:
        tasks = [asyncio.create_task(served.ask(SentQuestion(BY_AREA, "ann")))]
        await _until(lambda: len(sizes) == 1)
        tasks += [asyncio.create_task(served.ask(SentQuestion(BY_AREA, "ann"))) for _ in range(2)]
        await _until(lambda: served._waiting.qsize() == 2)
        with pytest.raises(RequestRefused, match="busy"):
            await served.ask(SentQuestion(BY_AREA, "ann"))
        go.set()
        return await asyncio.gather(*tasks)

    assert len(asyncio.run(ask())) == 3


def test_a_batch_that_is_not_written_answers_nobody(served: ServedDatabase, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(*_: object) -> None:
        raise LedgerBusy("another process writes")

    monkeypatch.setattr(Database, "ask_together", busy)

    async def ask() -> list[Any]:
        questions = (served.ask(SentQuestion(BY_AREA, name)) for name in ("ann", "bob"))
        return await asyncio.gather(*questions, return_exceptions=True)

    assert [type(answer) for answer in asyncio.run(ask())] == [LedgerBusy, LedgerBusy]
    monkeypatch.undo()
    assert served.database.history().answers == ()


def test_sixteen_clients_never_overspend(tmp_path: Path) -> None:
    """A budget of 1 pays for exactly ten questions of 0.1, whoever is first."""
    options = ServeOptions(
        folders=(opened(tmp_path / "noisy", PRIVATE),), port=0, state=tmp_path / "state", rate=1e5, burst=1000
    )
    areas, sectors = ("North", "South", "Center"), ("Commerce", "Construction", "Financial", "Other", "Textiles")
    places = [f"Area = '{area}' AND Sector = '{sector}'" for area in areas for sector in sectors]
    questions = [f"SELECT COUNT(*) FROM noisy WHERE {place}" for place in (*places, "Area = 'North'")]
    with running(options) as service:
        tokens = [service.token(f"analyst {number}") for number in range(16)]
        with ThreadPoolExecutor(16) as pool:
            replies = pool.map(
                lambda one: service.ask(one[0], one[1], "noisy", epsilon="0.1").json["status"],
                zip(questions, tokens, strict=True),
            )
            statuses = list(replies)
        audit = service.send("GET", "/v1/databases/noisy/audit", service.token("otto", "auditor")).json
    assert len(statuses) == 16 and sorted(statuses) == ["answered"] * 10 + ["refused"] * 6
    assert audit["spent"] == {"epsilon": "1"} and audit["released"] == 10


def test_an_empty_cell_is_not_told_by_a_repeated_answer(tmp_path: Path) -> None:
    """Nobody is in either cell: an answer given again, for nothing, would say so without noise."""
    cells = ("Area = 'South' AND Sector = 'Textiles'", "Area = 'Center' AND Sector = 'Textiles'")
    with Database(opened(tmp_path / "noisy", PRIVATE)) as database:
        first, second = (database.sql(f"SELECT COUNT(*) FROM noisy WHERE {one}", epsilon=0.1) for one in cells)
        assert not first.is_repeated and not second.is_repeated and second.cost == {"epsilon": "0.1"}
        again = database.sql(f"select count(*) from noisy where {cells[1]}", epsilon=0.1)
        assert again.is_repeated and again.rows == second.rows


def test_two_processes_on_one_ledger_never_overspend(tmp_path: Path) -> None:
    """Two databases of one folder, as two workers have them, each with a thread of its own."""
    folder = opened(tmp_path / "noisy", PRIVATE)
    sectors = ("Commerce", "Construction", "Financial", "Other", "Textiles", "Public Service")
    questions = [f"SELECT COUNT(*) FROM noisy WHERE Area = 'North' AND Sector = '{one}'" for one in sectors]
    questions += [f"SELECT COUNT(*) FROM noisy WHERE Sector = '{one}'" for one in sectors]
    with Database(folder) as one, Database(folder) as two, ThreadPoolExecutor(2) as pool:

        def ask(part: tuple[Database, list[str]]) -> list[Any]:
            return [part[0].ask_together([SentQuestion(sql, "ann", 0.1)])[0] for sql in part[1]]

        answers = [*pool.map(ask, [(one, questions[::2]), (two, questions[1::2])])]
        statuses = [answer.status for part in answers for answer in part if not isinstance(answer, TacitaError)]
        assert sorted(statuses) == ["answered"] * 10 + ["refused"] * 2
        assert one.audit().spent == two.audit().spent == {"epsilon": "1"}
