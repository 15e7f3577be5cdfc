"""The service as a process: it starts only on what was not changed, ends in order, and forgets nothing when killed."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
import logging
import os
import re
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Run
from tests.long import LONG
from tests.service.serving import BY_AREA, EXACT, PATIENCE, PRIVATE, opened

import tacita as tc
from tacita.api.querying import Database
from tacita.errors import InputError, LedgerError, OutputError, ServiceError, TacitaError, UsageError
from tacita.ledger.stores.sqlite import _KEEP
from tacita.service.application import ServiceFactory
from tacita.service.options import ServeOptions
from tacita.service.serving import check, listening
from tacita.service.state import ServiceState
from tacita.service.tokens import ServiceRole


@dataclass
class Started:
    """A service that is a process of its own."""

    process: subprocess.Popen[str]
    url: str
    token: str

    def connect(self, database: str = "noisy") -> Any:
        return tc.connect(self.url, self.token, database, timeout=PATIENCE)


@contextlib.contextmanager
def started(folder: Path, state: Path, *more: str) -> Iterator[Started]:
    """Start the command as it is typed, and wait until it says where it listens."""
    with ServiceState(state) as opened_state:
        token, _ = opened_state.make_token("ann", ServiceRole.HOLDER, None)
    script = "import sys; from tacita.cli.main import main; sys.argv = ['tacita', *sys.argv[1:]]; main()"
    arguments = ["serve", str(folder), "--state", str(state), "--port", "0", "--rate", "10000", "--burst", "10000"]
    command = [sys.executable, "-c", script, *arguments, *more]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    with (state.parent / "log").open("w") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment, start_new_session=True
        )
    assert process.stdout is not None
    try:
        first = json.loads(process.stdout.readline())
        assert first["event"] == "serving"
        yield Started(process, first["url"], token)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=PATIENCE)


@pytest.mark.slow
def test_it_ends_in_order(tmp_path: Path) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    with started(folder, tmp_path / "state") as service:
        assert service.connect("firms").sql(BY_AREA).status == "answered"
        service.process.send_signal(signal.SIGTERM)
        output, _ = service.process.communicate(timeout=PATIENCE)
    assert service.process.returncode == 0
    assert json.loads(output.splitlines()[-1]) == {"event": "stopped"}
    with Database(folder) as database:
        assert len(database.history().answers) == 1


def all_questions() -> Iterator[str]:
    """Yield 882 questions that nobody asked before: each costs something."""
    places = ("North", "South", "Center")
    sectors = ("Commerce", "Construction", "Financial", "Other", "Public Service", "Textiles")
    for what in ("COUNT(*)", "SUM(W)"):
        for some in (one for size in (1, 2, 3) for one in itertools.combinations(places, size)):
            for more in (one for size in range(1, 7) for one in itertools.combinations(sectors, size)):
                area, sector = (", ".join(f"'{one}'" for one in names) for names in (some, more))
                yield f"SELECT {what} FROM noisy WHERE Area IN ({area}) AND Sector IN ({sector})"


@pytest.mark.slow
@pytest.mark.long
def test_what_is_spent_is_spent_when_it_is_killed(tmp_path: Path) -> None:
    """Each answer that anybody saw, and its cost, is in the ledger after kills under load; the chain is whole.

    Twice here, and twenty times in a long run. Between two kills the service starts again on what it finds.
    """
    folder, state = opened(tmp_path / "noisy", PRIVATE), tmp_path / "state"
    seen: dict[int, Any] = {}
    unsure = 0  # questions that were sent, and nobody knows what became of them
    questions, alone = all_questions(), threading.Lock()
    for kill in range(20 if LONG else 2):
        with started(folder, state, "--workers", str(1 + kill // 2 % 2)) as service, ThreadPoolExecutor(8) as pool:

            def ask(until: int) -> int:
                failed = 0
                while len(seen) < until:
                    with alone:
                        sql = next(questions)
                    try:
                        answer = service.connect().sql(sql, epsilon="0.001")
                    except ServiceError:
                        failed += 1
                        continue
                    assert answer.status == "answered" and answer.number not in seen
                    seen[answer.number] = answer
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(service.process.pid, signal.SIGKILL)
                return failed

            unsure += sum(pool.map(ask, [len(seen) + 8] * 8))
        with Database(folder) as database:
            database.check_ledger()
            recorded = {answer.number: answer for _, answer in database.history("ann").answers}
            assert all(recorded[number].rows == answer.rows for number, answer in seen.items())
            assert sorted(recorded) == list(range(1, len(recorded) + 1))
            assert len(seen) <= len(recorded) <= len(seen) + unsure
            spent = sum(Fraction(answer.cost.get("epsilon", "0")) for answer in recorded.values())
            assert Fraction(database.audit().to_dict()["spent"]["epsilon"]) == spent <= 1
    assert len(seen) >= 16


@pytest.mark.slow
def test_two_workers_share_a_budget_and_count_together(tmp_path: Path) -> None:
    folder = opened(tmp_path / "noisy", PRIVATE)
    cells = [(area, sector) for area in ("North", "South", "Center") for sector in ("Commerce", "Other", "Textiles")]
    questions = [f"SELECT COUNT(*) FROM noisy WHERE Area = '{a}' AND Sector = '{s}'" for a, s in cells]
    questions += [f"SELECT COUNT(*) FROM noisy WHERE Area = '{area}'" for area in ("North", "South", "Center")]
    with started(folder, tmp_path / "state", "--workers", "2") as service, ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda sql: service.connect().sql(sql, epsilon="0.1"), questions))
        assert sorted(answer.status for answer in answers) == ["answered"] * 10 + ["refused"] * 2
        assert service.connect().audit()["spent"] == {"epsilon": "1"}
        with urllib.request.urlopen(f"{service.url}/metrics") as reply:
            figures = reply.read().decode()
        assert re.search(r'tacita_requests_total{.*/ask",status="200"} 12.0', figures)
        service.process.send_signal(signal.SIGTERM)
        service.process.communicate(timeout=PATIENCE)
        assert service.process.returncode == 0
    with Database(folder) as database:
        database.check_ledger()
        assert len(database.history().answers) == 12
    log = (tmp_path / "log").read_text(encoding="utf-8")
    lines = [json.loads(line) for line in log.splitlines()]
    assert sum(line["route"].endswith("/ask") for line in lines) == 12 and service.token not in log


def options_of(tmp_path: Path, *folders: Path) -> ServeOptions:
    return ServeOptions(folders=folders, port=0, state=tmp_path / "state")


def test_an_edited_ledger_is_not_served(tmp_path: Path) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
    assert check(options_of(tmp_path, folder)) == ["firms"]
    with contextlib.closing(sqlite3.connect(folder / "answers.sqlite")) as connection, connection:
        connection.execute("DROP TRIGGER entries_are_final")
        connection.execute("UPDATE entries SET decision = 'refused' WHERE kind = 'answer'")
        connection.execute(_KEEP[1])
    with pytest.raises(LedgerError, match="entry 2"):
        check(options_of(tmp_path, folder))


@pytest.mark.parametrize("name", ["cells.parquet", "records.parquet", "policy.toml", "secret.key", "answers.sqlite"])
def test_a_changed_folder_is_not_served(tmp_path: Path, name: str) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    content = (folder / name).read_bytes()
    (folder / name).write_bytes(content[:-1] + bytes([content[-1] ^ 1]) if name != "answers.sqlite" else b"x" * 99)
    with pytest.raises(TacitaError):
        check(options_of(tmp_path, folder))


@pytest.mark.parametrize("name", ["secret.key", "version.json"])
def test_a_folder_that_others_can_read_is_not_served(tmp_path: Path, name: str) -> None:
    """A frozen version cannot get a new key, so nobody is told to make one."""
    folder = opened(tmp_path / "firms", EXACT)
    (folder / name).chmod(0o640)
    with pytest.raises(InputError, match="open to other users") as caught:
        check(options_of(tmp_path, folder))
    assert "chmod 600" in str(caught.value.do) and "under another name" in str(caught.value.do)
    assert "new key" not in str(caught.value.do)


def test_what_changed_after_the_check_is_said_in_the_log(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    factory = ServiceFactory(options_of(tmp_path, folder))
    (folder / "policy.toml").write_text("")
    sent: list[str] = []

    async def receive() -> Any:
        return {"type": "lifespan.startup"}

    async def send(message: Any) -> None:
        sent.append(message["type"])

    app = factory()
    monkeypatch.setattr(logging.getLogger("tacita.service"), "propagate", True)
    with caplog.at_level(logging.INFO), pytest.raises(LedgerError):
        asyncio.run(app({"type": "lifespan"}, receive, send))
    assert sent == ["lifespan.startup.failed"]
    assert "policy.toml was changed" in json.loads(caplog.records[-1].getMessage())["message"]


def test_an_older_copy_is_not_served(tmp_path: Path) -> None:
    """What was answered since then would be forgotten."""
    folder = opened(tmp_path / "firms", EXACT)
    copy = shutil.copy(folder / "answers.sqlite", tmp_path / "older.sqlite")
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
    shutil.copy(copy, folder / "answers.sqlite")
    for more in ("-wal", "-shm"):
        (folder / f"answers.sqlite{more}").unlink(missing_ok=True)
    with pytest.raises(LedgerError):
        check(options_of(tmp_path, folder))


def test_what_cannot_be_served_is_said(tmp_path: Path) -> None:
    one, two = (opened(tmp_path / name, EXACT) for name in ("one", "two"))
    with pytest.raises(UsageError, match="two folders"):
        check(options_of(tmp_path, one, two))
    with pytest.raises(UsageError, match="no data set"):
        check(options_of(tmp_path))
    with pytest.raises(TacitaError):
        check(options_of(tmp_path, tmp_path / "nothing"))
    with contextlib.closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with contextlib.closing(listening("127.0.0.1", 0)) as ours:
            assert ours.proto == socket.IPPROTO_TCP  # else asyncio leaves delays on
        with pytest.raises(OutputError, match="cannot listen"):
            listening("127.0.0.1", other.getsockname()[1])
    for wrong in ({"port": 70_000}, {"workers": 0}, {"rate": 0.0}, {"burst": 0}):
        with pytest.raises(UsageError):
            ServeOptions(**wrong)  # type: ignore[arg-type]


def test_what_is_not_installed_is_named() -> None:
    script = (
        "import sys; sys.modules['uvicorn'] = None\n"
        "from tacita.service import serve; from tacita.service.options import ServeOptions\n"
        "serve(ServeOptions())"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert "MissingExtra: the service needs uvicorn" in done.stderr


def test_tokens_from_the_command_line(tacita: Run, tmp_path: Path) -> None:
    made = json.loads(tacita("token", "make", "ann", "--state", "state", "--days", "2", "--json").stdout)
    assert made["token"].startswith("tct_") and made["role"] == "analyst"
    shown = tacita("token", "list", "--state", "state").stdout
    assert made["id"] in shown and made["token"] not in shown
    assert "revoked" in tacita("token", "revoke", made["id"], "--state", "state").stdout
    listed = json.loads(tacita("token", "list", "--state", "state", "--json").stdout)
    assert [one["status"] for one in listed] == ["revoked"] and "token" not in listed[0]
    wrong = tacita("token", "make", "bob", "--role", "king", "--state", "state")
    assert wrong.returncode == 2 and "no role 'king'" in wrong.stderr
    assert tacita("serve", "nothing", "--state", "state").returncode == 3
    assert (tmp_path / "state").is_dir()
