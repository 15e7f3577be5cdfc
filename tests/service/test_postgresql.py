"""A service whose ledger is in PostgreSQL: workers share budgets, and nothing is forgotten, whatever ends when."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import secrets
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from tests.servers import PostgresqlServer, postgresql_server
from tests.service.serving import BY_AREA, EXACT, PRIVATE, opened, running
from tests.service.test_serving import Started, started

from tacita.api.ledgers import LedgerPlan, init
from tacita.api.querying import Database
from tacita.errors import LedgerError, OutputError, ServiceError
from tacita.service.options import ServeOptions

pytestmark = pytest.mark.slow

psycopg = pytest.importorskip("psycopg")
AREAS, SECTORS = ("North", "South", "Center"), ("Commerce", "Construction", "Financial", "Other", "Textiles")
QUESTIONS = [f"SELECT COUNT(*) FROM noisy WHERE Area = '{a}' AND Sector = '{s}'" for a in AREAS for s in SECTORS]
QUESTIONS += [f"SELECT COUNT(*) FROM noisy WHERE Sector = '{sector}'" for sector in SECTORS]
Make = Callable[[str], Path]


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresqlServer]:
    """A server that forces what it commits to the disk."""
    with postgresql_server() as server:
        yield server


@pytest.fixture
def database_folder(server: PostgresqlServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Make:
    """A maker of opened data sets, whose answers are recorded in a ledger on the server."""
    monkeypatch.setenv("PGPASSWORD", "s3cr3t-pw")
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "user"))
    home = tmp_path / "home"
    home.mkdir()
    address = server.url.replace(":s3cr3t-pw", "")
    init(home, LedgerPlan(name="bank", database=address, schema=f"l{secrets.token_hex(8)}"))
    return lambda policy: opened(home / "data", policy)


def spent_and_answers(folder: Path) -> tuple[Any, list[Any]]:
    with Database(folder) as database:
        assert database.check_ledger() == ()
        audit = database.audit().to_dict()
        return audit["spent"], [answer for _, answer in database.history().answers]


def patient(service: Started, sql: str, **how: Any) -> Any:
    """Ask until there is an answer: what is refused in between is not spent, or is answered again."""
    while True:
        with contextlib.suppress(ServiceError):
            return service.connect().sql(sql, **how)


def workers_of(service: Started) -> list[int]:
    """The processes that answer."""
    found = []
    for path in Path("/proc").iterdir():
        with contextlib.suppress(OSError, ValueError):
            fields = (path / "stat").read_text().rpartition(")")[2].split()
            if int(fields[1]) == service.process.pid and b"spawn_main" in (path / "cmdline").read_bytes():
                found.append(int(path.name))
    return found


@pytest.mark.slow
def test_two_workers_share_a_budget_though_one_is_killed(database_folder: Make, tmp_path: Path) -> None:
    """A budget of 1 pays for ten questions of 0.1, with 16 clients, two workers and a kill in the middle."""
    folder = database_folder(PRIVATE)
    with started(folder, tmp_path / "state", "--workers", "2") as service, ThreadPoolExecutor(16) as pool:
        first = patient(service, QUESTIONS[0], epsilon="0.1")
        victim = workers_of(service)[0]
        waiting = [pool.submit(patient, service, sql, epsilon="0.1") for sql in QUESTIONS]
        next(iter(waiting)).result()
        os.kill(victim, signal.SIGKILL)
        answers = [one.result() for one in waiting]
    statuses = [answer.status for answer in answers]
    assert statuses.count("answered") == 10 and statuses.count("refused") == len(QUESTIONS) - 10
    spent, recorded = spent_and_answers(folder)
    assert spent == {"epsilon": "1"}
    by_number = {answer.number: answer for answer in recorded}
    assert sorted(by_number) == list(range(1, len(by_number) + 1))
    assert all(by_number[answer.number].rows == answer.rows for answer in [first, *answers])
    assert "s3cr3t-pw" not in (tmp_path / "log").read_text()


@pytest.mark.slow
def test_a_database_that_is_restarted_is_waited_for(
    server: PostgresqlServer,
    database_folder: Make,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = database_folder(EXACT)
    monkeypatch.setattr(logging.getLogger("tacita.service"), "propagate", True)
    options = ServeOptions(folders=(folder,), port=0, state=tmp_path / "state", rate=1e5, burst=10**5)
    with caplog.at_level(logging.INFO), running(options) as service:
        before = service.ask(BY_AREA).json
        server.stop()
        try:
            while_away = [service.ask(BY_AREA) for _ in range(3)]
        finally:
            server.start()
        after = [service.ask(BY_AREA).json for _ in range(3)]
    assert [(reply.status, reply.code) for reply in while_away] == [(503, "storage")] * 3
    assert all(reply["rows"] == before["rows"] and reply["repeated"] for reply in after)
    lines = [json.loads(one.getMessage()) for one in caplog.records if one.name == "tacita.service"]
    failed = [line["message"] for line in lines if line["event"] == "failed"]
    assert len(failed) == 3 and all("the database cannot be reached" in message for message in failed)
    assert "s3cr3t-pw" not in str(lines)
    _, recorded = spent_and_answers(folder)
    assert len(recorded) == 4


def test_commits_are_forced_to_the_disk_whatever_the_role_prefers(
    server: PostgresqlServer, database_folder: Make
) -> None:
    folder = database_folder(PRIVATE)
    with psycopg.connect(server.url, autocommit=True) as other:
        other.execute("ALTER ROLE ann SET synchronous_commit = off")
    try:
        with Database(folder) as database:
            store = database._database.ledger._store
            for _ in range(2):
                assert store._run("SHOW synchronous_commit") == [("on",)]
                store._connection.close()  # and on the next connection
            assert database.check_ledger() == ()
    finally:
        with psycopg.connect(server.url, autocommit=True) as other:
            other.execute("ALTER ROLE ann RESET synchronous_commit")


def test_an_older_copy_is_noticed_while_the_service_runs(
    server: PostgresqlServer, database_folder: Make, tmp_path: Path
) -> None:
    """Somebody restores the database of yesterday: nothing is answered, as answers since then would be forgotten."""
    folder = database_folder(EXACT)
    options = ServeOptions(folders=(folder,), port=0, state=tmp_path / "state")
    with running(options) as service:
        assert service.ask(BY_AREA).json["status"] == "answered"
        settings = (folder.parent / "tacita-ledger.toml").read_text()
        (schema,) = re.findall(r'schema = "(\w+)"', settings)
        with psycopg.connect(server.url, autocommit=True) as other:
            other.execute(f"SET search_path TO {schema}")
            other.execute("ALTER TABLE entries DISABLE TRIGGER entries_stay")
            other.execute("DELETE FROM payloads WHERE sequence = 2")
            other.execute("DELETE FROM entries WHERE sequence = 2")
            other.execute("ALTER TABLE entries ENABLE TRIGGER entries_stay")
            other.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
                " WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'"
            )
        replies = [service.ask(BY_AREA) for _ in range(3)]
        assert [reply.code for reply in replies] == ["storage", "internal", "internal"]
    with pytest.raises(LedgerError, match="older copy"):
        Database(folder)


def test_nothing_is_answered_when_the_connection_ends_in_the_middle(
    server: PostgresqlServer, database_folder: Make
) -> None:
    """The transaction is lost with its connection, and is not gone on with on another one."""
    folder = database_folder(EXACT)
    with Database(folder) as database:
        store = database._database.ledger._store
        append = type(store).insert

        def end_first(*given: Any) -> None:
            store._connection.close()
            append(*given)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(type(store), "insert", end_first)
            with pytest.raises(OutputError, match="cannot be reached"):
                database.sql(BY_AREA)
        assert database.history().answers == ()
        assert database.sql(BY_AREA).status == "answered" and len(database.history().answers) == 1
