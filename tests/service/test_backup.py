"""Backups while the service answers, and the way back: what was answered since is lost, and nobody overlooks that."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from tests.conftest import Run
from tests.service.serving import BY_AREA, EXACT, PRIVATE, opened, running

import tacita as tc
from tacita.api.backups import back_up, restore
from tacita.api.ledgers import LedgerPlan, init, verify
from tacita.api.querying import Database, open_for_questions
from tacita.errors import InputError, LedgerError, OutputError, TacitaError, UsageError
from tacita.ledger.seen import SeenState
from tacita.service.options import ServeOptions
from tacita.service.serving import check
from tacita.service.state import ServiceState
from tacita.service.tokens import ServiceRole

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of its own: what was seen of ledgers is kept in this folder."""
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "machine"))


def another_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "another machine"))


def notes_of(folder: Path) -> str:
    with Database(folder) as database:
        return " ".join(database.check_ledger())


def test_a_backup_of_a_running_service_is_one_state_of_it(tmp_path: Path) -> None:
    """Questions are asked all the while: the copy has the first of them, without gaps."""
    folder = opened(tmp_path / "noisy", PRIVATE)
    options = ServeOptions(folders=(folder,), port=0, state=tmp_path / "state", rate=1e5, burst=10**5)
    with running(options) as service, ThreadPoolExecutor(4) as pool:
        questions = [f"SELECT COUNT(*) AS n{number} FROM noisy" for number in range(30)]
        asked = [pool.submit(service.ask, sql, None, "noisy", epsilon="0.01") for sql in questions]
        asked[5].result()
        done = back_up(folder, tmp_path / "backup")
        replies = [one.result().json for one in asked]
    assert done.entries is not None and 6 <= done.entries <= 31
    assert sum(reply["status"] == "answered" for reply in replies) == 30
    assert not any((tmp_path / "backup").rglob("*-wal"))
    paths = [tmp_path / "backup", *(tmp_path / "backup").rglob("*")]
    assert {stat.S_IMODE(path.stat().st_mode) for path in paths} == {0o700, 0o600}
    shutil.rmtree(folder)  # the disk fails
    back = restore(folder, "the disk failed", tmp_path / "backup")
    assert back.entries == done.entries + 1
    assert check(ServeOptions(folders=(folder,), port=0, state=tmp_path / "state")) == ["noisy"]
    lost = 31 - done.entries
    assert (f"Not in it: {lost} entries." in notes_of(folder)) or lost in (0, 1)
    with Database(folder) as database:
        kept = {answer.number: answer.rows for _, answer in database.history().answers}
    by_number = {reply["number"]: reply for reply in replies}
    assert set(kept) == set(range(1, done.entries))
    for number, rows in kept.items():
        assert [one.value for row in rows for one in row.figures] == [
            figure["value"] for row in by_number[number]["rows"] for figure in row["figures"]
        ]


def test_nobody_goes_on_from_a_backup_without_saying_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    back_up(folder, tmp_path / "backup")
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
    for path in (tmp_path / "backup", tmp_path / "backup" / "data"):
        with pytest.raises(TacitaError):
            Database(path)
    shutil.rmtree(folder)
    another_machine(tmp_path, monkeypatch)  # which cannot know that anything is missing
    shutil.copytree(tmp_path / "backup" / "data", folder)
    with pytest.raises(LedgerError, match="the ledger with the answers is not there"):
        Database(folder)
    shutil.rmtree(folder)
    with pytest.raises(UsageError, match="no reason"):
        restore(folder, " ", tmp_path / "backup")
    assert not folder.exists()
    done = restore(folder, "the disk failed", tmp_path / "backup")
    assert "what they cost is not counted" in " ".join(done.sentences)
    assert "if there were any" in notes_of(folder)
    with pytest.raises(OutputError, match="exists already"):
        restore(folder, "again", tmp_path / "backup")


def test_an_older_copy_in_its_place_can_be_accepted(tmp_path: Path) -> None:
    """Somebody copied the file by hand: it is refused until somebody says why the latest copy is lost."""
    folder = opened(tmp_path / "firms", EXACT)
    with pytest.raises(UsageError, match="no entry of the ledger is missing"):
        restore(folder, "for nothing")
    shutil.copy(folder / "answers.sqlite", tmp_path / "older")
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
    shutil.copy(tmp_path / "older", folder / "answers.sqlite")
    with pytest.raises(LedgerError, match="older copy") as caught:
        Database(folder)
    assert "tacita query restore FOLDER --why TEXT" in str(caught.value.do)
    assert restore(folder, "the disk failed").entries == 2
    assert "Not in it: 1 entry." in notes_of(folder)
    with Database(folder) as database:
        assert any("Entry 2 accepted an older copy" in note for note in database.audit().notes)


def test_another_history_is_not_accepted(tmp_path: Path) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    back_up(folder, tmp_path / "backup")
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
        identity, head = database._database.ledger.identity, database._database.ledger.head
    shutil.rmtree(folder)
    SeenState(identity.id).reset(type(head)(1, "0" * 64))
    with pytest.raises(LedgerError, match="not the ledger that was seen"):
        restore(folder, "the disk failed", tmp_path / "backup")


def test_the_latest_state_comes_back_without_an_entry(tmp_path: Path) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
    back_up(folder, tmp_path / "backup")
    shutil.rmtree(folder)
    done = restore(folder, "moved to another disk", tmp_path / "backup")
    assert done.entries == 2 and "nothing is lost" in done.sentences[0] and notes_of(folder) == ""


@pytest.mark.parametrize("name", ["ledger.backup", "data/secret.key", "data/cells.parquet", "backup.json"])
def test_a_backup_that_was_changed_does_not_come_back(tmp_path: Path, name: str) -> None:
    back_up(opened(tmp_path / "firms", EXACT), tmp_path / "backup")
    path = tmp_path / "backup" / name
    content = path.read_bytes()
    path.write_bytes(b"{" + content if name.endswith("json") else content[:-1] + bytes([content[-1] ^ 1]))
    with pytest.raises(InputError):
        restore(tmp_path / "again", "the disk failed", tmp_path / "backup")
    assert not (tmp_path / "again").exists()


def test_an_edited_ledger_is_not_backed_up(tmp_path: Path) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
    with contextlib.closing(sqlite3.connect(folder / "answers.sqlite")) as connection, connection:
        (trigger,) = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'payloads_are_final'").fetchone()
        connection.execute("DROP TRIGGER payloads_are_final")
        connection.execute("UPDATE payloads SET salt = zeroblob(16) WHERE sequence = 1")
        connection.execute(trigger)
    with pytest.raises(LedgerError):
        back_up(folder, tmp_path / "backup")
    assert not (tmp_path / "backup").exists() and not list(tmp_path.glob(".*part"))


def test_a_configured_ledger_comes_along_and_is_put_back_only_if_it_is_gone(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    init(home, LedgerPlan(name="bank"))
    folder = opened(home / "firms", EXACT)
    back_up(folder, tmp_path / "backup")
    with Database(folder) as database:
        database.sql(BY_AREA, analyst="ann")
    shutil.rmtree(folder)
    assert restore(folder, "deleted by mistake", tmp_path / "backup").entries == 2  # the ledger was there
    assert notes_of(folder) == ""
    shutil.rmtree(folder)
    (home / "tacita-ledger.sqlite").unlink()
    restore(folder, "the disk failed", tmp_path / "backup")
    assert "Not in it: 1 entry." in notes_of(folder)
    assert verify(home / "tacita-ledger.toml").holds
    with Database(folder) as database:
        assert not database.history().answers


def test_a_later_version_comes_back_although_the_folder_of_the_first_one_is_lost(tmp_path: Path) -> None:
    """All versions answer by the ledger in the folder of the first one."""
    (tmp_path / "staff.csv").write_text("id,sex\n" + "".join(f"r{n},{'fm'[n % 2]}\n" for n in range(40)))
    policy = 'name = "staff"\nkey = "id"\n[[filter]]\nattribute = "sex"\n'
    (tmp_path / "staff.toml").write_text(policy)
    data, first, second = tc.read(tmp_path / "staff.csv"), tmp_path / "v1", tmp_path / "v2"
    open_for_questions(data, tmp_path / "staff.toml", first)
    open_for_questions(data, tmp_path / "staff.toml", second, after=first)
    with Database(second) as database:
        assert database.sql("SELECT COUNT(*) FROM staff").status == "answered"
    back_up(second, tmp_path / "backup")
    shutil.rmtree(first)
    shutil.rmtree(second)
    restore(second, "the disk failed", tmp_path / "backup")
    assert stat.S_IMODE(first.stat().st_mode) == 0o700
    with Database(second) as database:
        assert database.sql("SELECT COUNT(*) FROM staff").is_repeated


def test_tokens_come_along_and_sessions_do_not(tacita: Run, tmp_path: Path) -> None:
    folder = opened(tmp_path / "firms", EXACT)
    with ServiceState(tmp_path / "state") as state:
        secret, token = state.make_token("ann", ServiceRole.ANALYST, None)
        session = state.make_session("oidc:eve", ServiceRole.ANALYST, 8)
        made = tacita("query", "backup", str(folder), "--out", "backup", "--state", "state", "--json")
        assert made.returncode == 0, made.stderr
        assert json.loads(made.stdout)["entries"] == 1
        state.revoke(token.id)
    shutil.rmtree(folder)
    back = ("query", "restore", str(folder), "--from", "backup", "--why", "the disk failed")
    there = tacita(*back, "--state", "state")
    assert there.returncode == 2 and "exists" in there.stderr and not folder.exists()
    (tmp_path / "backup" / "state").rename(tmp_path / "away")
    without = tacita(*back, "--state", "new state")
    assert without.returncode == 2 and "no tokens" in without.stderr and not folder.exists()
    (tmp_path / "away").rename(tmp_path / "backup" / "state")
    again = tacita(*back, "--state", "new state")
    assert again.returncode == 0, again.stderr
    assert "valid again" in again.stdout
    with ServiceState(tmp_path / "new state") as state:
        assert state.owner(secret) is not None and state.owner(session) is None
    assert tacita("query", "restore", str(folder), "--why", "x", "--state", "other").returncode == 2
