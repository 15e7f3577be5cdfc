"""Faults: killed in the middle, two writers at once, a full disk, no permission, another version, a wrong file."""

from __future__ import annotations

import contextlib
import os
import resource
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tacita.errors import LedgerBusy, LedgerError, OutputError, TacitaError
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.seen import SeenState
from tacita.ledger.stores.sqlite import SqliteStore

Make = Callable[..., NewEntry]
PATIENCE = 1800

WRITER = """
import sys
from pathlib import Path
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.seen import SeenState
from tacita.ledger.stores.sqlite import SqliteStore

store = SqliteStore(Path(sys.argv[1]), wait=1800)
with Ledger(store, SeenState(store.identity.id)) as ledger:
    for batch in range(int(sys.argv[3])):
        new = [NewEntry("note", payload={"writer": sys.argv[2], "batch": batch, "text": "x" * 200})] * 7
        print(ledger.append(new)[-1].sequence, flush=True)
"""


def writer(path: Path, name: str, batches: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path), name, str(batches)], stdout=subprocess.PIPE, text=True
    )


@pytest.mark.slow
def test_a_killed_writer_loses_no_entry_that_it_acknowledged(path: Path) -> None:
    SqliteStore.create(path, "bank").close()
    for acknowledgements in (1, 5, 17, 40):
        process = writer(path, "killed", 100_000)
        assert process.stdout is not None
        last = 0
        for _ in range(acknowledgements):
            last = int(process.stdout.readline())
        process.kill()
        rest = [int(line) for line in process.stdout.read().split("\n") if line.strip()]
        process.wait(PATIENCE)
        with Ledger(SqliteStore(path)) as ledger:
            size = ledger.head.size
            assert size >= max([last, *rest])
            assert size % 7 == 0  # a batch is there as a whole
            assert ledger.verify().holds
            # What was noted outside is never ahead of the ledger.
            Ledger(SqliteStore(path), SeenState(ledger.identity.id)).close()


@pytest.mark.slow
def test_two_writers_take_turns(path: Path) -> None:
    SqliteStore.create(path, "bank").close()
    processes = [writer(path, name, 40) for name in ("one", "other")]
    for process in processes:
        process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
    with Ledger(SqliteStore(path)) as ledger:
        assert ledger.head.size == 2 * 40 * 7
        assert ledger.verify().holds
        payloads = [ledger.payload(entry) for entry in ledger.entries()]
        for name in ("one", "other"):
            batches = [payload["batch"] for payload in payloads if payload and payload["writer"] == name]
            assert batches == [batch for batch in range(40) for _ in range(7)]
        last = SeenState(ledger.identity.id).last()
        assert last is not None
        assert last == ledger.head


@pytest.fixture
def small_files() -> Iterator[Callable[[int], None]]:
    """A limit on the size of files, as a full disk has one: writes fail, and the process goes on."""
    before, handler = resource.getrlimit(resource.RLIMIT_FSIZE), signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    def limit(size: int) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))

    yield limit
    resource.setrlimit(resource.RLIMIT_FSIZE, before)
    signal.signal(signal.SIGXFSZ, handler)


def test_a_full_disk_loses_nothing_that_was_acknowledged(
    path: Path, entry: Make, small_files: Callable[[int], None]
) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(1)])
        small_files(300_000)
        acknowledged = 1
        with pytest.raises(OutputError, match="full or failing") as caught:
            for number in range(10_000):
                new = [entry(number, payload={"text": "CONFIDENTIAL" * 50}) for _ in range(10)]
                acknowledged = ledger.append(new)[-1].sequence
        assert "CONFIDENTIAL" not in str(caught.value)
        assert ledger.head.size == acknowledged > 10
        small_files(100_000_000)
        ledger.append([entry(1)])
        assert ledger.head.size == acknowledged + 1
        assert ledger.verify().holds


def test_a_ledger_that_cannot_be_made_leaves_nothing(path: Path, small_files: Callable[[int], None]) -> None:
    small_files(3_000)
    with pytest.raises(OutputError):
        SqliteStore.create(path, "bank")
    small_files(10_000_000)
    assert [file.name for file in path.parent.iterdir() if file.name != "state"] == []
    SqliteStore.create(path, "bank").close()


def test_a_locked_database_is_told_after_a_while(path: Path, entry: Make) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(1)])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with Ledger(SqliteStore(path, wait=0.05)) as ledger:
            with pytest.raises(LedgerBusy, match="another process writes"):
                ledger.append([entry(2)])
            assert ledger.head.size == 1
            other.execute("ROLLBACK")
            ledger.append([entry(2)])


def test_a_second_gate_waits_or_is_refused(path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from tacita.ledger.ledger import Ledger\n"
        "from tacita.ledger.stores.sqlite import SqliteStore\n"
        "ledger = Ledger(SqliteStore(Path(sys.argv[1])))\n"
        "with ledger.lock('gate'):\n    print('taken', flush=True); sys.stdin.read()\n"
    )
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        process = subprocess.Popen(
            [sys.executable, "-c", code, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert process.stdout is not None
        assert process.stdout.readline() == "taken\n"
        with pytest.raises(LedgerBusy, match=f"'gate' belongs to process {process.pid} of"), ledger.lock("gate"):
            pass
        with ledger.lock("another gate"):
            pass
        process.kill()  # a lock ends with its process
        process.communicate()
        with ledger.lock("gate", wait=None):
            pass


def test_the_file_is_for_its_owner(path: Path, entry: Make) -> None:
    before = os.umask(0)
    try:
        with Ledger(SqliteStore.create(path, "bank")) as ledger:
            ledger.append([entry(1)])
            modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.glob("ledger.sqlite*")}
    finally:
        os.umask(before)
    assert set(modes.values()) == {0o600}
    assert "ledger.sqlite-wal" in modes
    path.chmod(0o660)  # a group of stewards
    SqliteStore(path).close()
    path.chmod(0o664)
    with pytest.raises(LedgerError, match="open to every user of this machine"):
        SqliteStore(path)


def test_a_folder_that_everybody_can_write_to_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    folder.chmod(0o1777)
    with pytest.raises(LedgerError, match="every user of this machine can write"):
        SqliteStore.create(folder / "ledger.sqlite", "bank")
    assert list(folder.iterdir()) == []
    folder.chmod(0o770)
    SqliteStore.create(folder / "ledger.sqlite", "bank").close()
    folder.chmod(0o777)
    with pytest.raises(LedgerError, match="every user of this machine can write"):
        SqliteStore(folder / "ledger.sqlite")


def test_an_existing_file_is_not_replaced(path: Path, tmp_path: Path) -> None:
    SqliteStore.create(path, "bank").close()
    with pytest.raises(OutputError, match="exists already"):
        SqliteStore.create(path, "bank")
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "nowhere")
    with pytest.raises(OutputError, match="exists already"):
        SqliteStore.create(link, "bank")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (None, "there is no ledger"),
        (b"", "is not a ledger"),
        (b"\x00" * 5000, "is not a ledger"),
        (b"CSV", "not a ledger"),
    ],
)
def test_what_is_not_a_ledger_is_refused(path: Path, content: bytes | None, words: str) -> None:
    if content is not None:
        path.write_bytes(content)
        path.chmod(0o600)
    with pytest.raises(LedgerError, match=words):
        SqliteStore(path)


def test_folders_pipes_and_other_databases_are_refused(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match="is not a file"):
        SqliteStore(tmp_path)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with pytest.raises(LedgerError, match="is not a file"):
        SqliteStore(pipe)
    other = tmp_path / "other.sqlite"
    with contextlib.closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE t (x)")
    other.chmod(0o600)
    with pytest.raises(LedgerError, match="a database, but not a ledger"):
        SqliteStore(other)


@pytest.mark.parametrize(
    ("number", "words"), [(2, "newer Tacita"), (0, "format is unknown"), (-1, "format is unknown")]
)
def test_a_ledger_of_another_format_is_refused(path: Path, number: int, words: str) -> None:
    SqliteStore.create(path, "bank").close()
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {number}")
    with pytest.raises(LedgerError, match=words):
        SqliteStore(path)


@pytest.mark.parametrize("statement", ["DELETE FROM about", "UPDATE about SET value = 'zz' WHERE name = 'person_key'"])
def test_a_ledger_without_its_identity_is_refused(path: Path, statement: str) -> None:
    SqliteStore.create(path, "bank").close()
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute(statement)
    with pytest.raises(LedgerError, match="no identity"):
        SqliteStore(path)


@pytest.mark.parametrize("name", ["person_key", "id"])
def test_an_edited_identity_is_refused(path: Path, entry: Make, name: str) -> None:
    """With another key, persons of new versions would be matched with nobody, and nothing be found."""
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(1)])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        (value,) = connection.execute("SELECT value FROM about WHERE name = ?", (name,)).fetchone()
        edited = ("1" if value[0] == "0" else "0") + value[1:]
        connection.execute("UPDATE about SET value = ? WHERE name = ?", (edited, name))
    with pytest.raises(LedgerError, match="its id does not have its key"):
        SqliteStore(path)


def test_words_of_sqlite_that_are_no_text_are_a_damaged_file(path: Path, entry: Make) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(1)])
    content = path.read_bytes()
    path.write_bytes(content.replace(b"CREATE TABLE locks", b"CREATE T\xf9BLE locks"))
    with pytest.raises(LedgerError, match="damaged"):
        SqliteStore(path)


def test_another_name_in_the_file_breaks_the_chain(path: Path, entry: Make) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(1)])
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.execute("UPDATE about SET value = 'other' WHERE name = 'name'")
    with Ledger(SqliteStore(path)) as ledger:
        assert [fault.sequence for fault in ledger.verify().faults] == [1]


READER = """
import os, sys
from pathlib import Path
from tacita.errors import TacitaError
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.stores.sqlite import SqliteStore

os.setgid(65534); os.setuid(65534)
try:
    with Ledger(SqliteStore(Path(sys.argv[1]))) as ledger:
        print(ledger.head.size, ledger.verify().holds)
        ledger.append([NewEntry("note")])
except TacitaError as error:
    print(type(error).__name__, error.found)
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become somebody else")
def test_a_reader_without_permission_to_write_can_read(path: Path, entry: Make, tmp_path: Path) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(1)])
    for folder in (tmp_path, *tmp_path.parents):
        if folder.owner() == "root" and folder.stat().st_mode & 0o005 != 0o005:
            folder.chmod(0o755)
    os.chown(path, 0, 65534)
    path.chmod(0o640)
    done = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["1 True", "OutputError no permission to write to the ledger"], done.stderr
    path.chmod(0o600)
    done = subprocess.run([sys.executable, "-c", READER, str(path)], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["LedgerError cannot be read (Permission denied)"], done.stderr


def test_a_clock_that_goes_backwards_is_noted_and_changes_no_order(
    path: Path, entry: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    import datetime

    from tacita.ledger import ledger as module

    hours = iter([12, 11, 13])

    class Clock(datetime.datetime):
        @classmethod
        def now(cls, tz: datetime.tzinfo | None = None) -> datetime.datetime:  # type: ignore[override]
            return datetime.datetime(2026, 8, 1, next(hours), tzinfo=tz)

    monkeypatch.setattr(module, "datetime", Clock)
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        for number in range(3):
            ledger.append([entry(number)])
        assert [one.time[11:13] for one in ledger.entries()] == ["12", "11", "13"]
        verification = ledger.verify()
    assert verification.holds
    assert verification.notes == ("entry 2: the clock went backwards",)


def test_a_state_folder_that_cannot_be_written_is_told(
    path: Path, entry: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(1)])
        id_ = ledger.identity.id
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "file" / "state"))
    with pytest.raises(TacitaError, match="last state of the ledger cannot be noted"):
        Ledger(SqliteStore(path), SeenState(id_))
