"""What is special about PostgreSQL: several writers, locks of connections, passwords, lost servers, changed tables."""

from __future__ import annotations

import secrets
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from tacita.errors import LedgerBusy, LedgerError, OutputError, UsageError
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.stores.postgresql import PostgresqlStore

psycopg = pytest.importorskip("psycopg")
Make = Callable[..., NewEntry]

WRITER = """
import sys
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.stores.postgresql import PostgresqlStore

with Ledger(PostgresqlStore(sys.argv[1], sys.argv[2], wait=1800)) as ledger:
    for batch in range(int(sys.argv[3])):
        print(ledger.append([NewEntry("note", payload={"batch": batch})] * 5)[-1].sequence, flush=True)
"""


@pytest.fixture
def schema(postgresql: str) -> str:
    name = f"l{secrets.token_hex(8)}"
    PostgresqlStore.create(postgresql, "bank", name).close()
    return name


@pytest.mark.slow
def test_several_writers_take_turns_and_a_killed_one_loses_nothing(postgresql: str, schema: str) -> None:
    command = [sys.executable, "-c", WRITER, postgresql, schema]
    writers = [subprocess.Popen([*command, "20"], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    killed = subprocess.Popen([*command, "100000"], stdout=subprocess.PIPE, text=True)
    assert killed.stdout is not None
    last = int([killed.stdout.readline() for _ in range(10)][-1])
    killed.kill()
    rest = [int(line) for line in killed.stdout.read().split()]
    for process in writers:
        process.communicate()
        assert process.returncode == 0
    with Ledger(PostgresqlStore(postgresql, schema)) as ledger:
        size = ledger.head.size
        assert size >= max([last, *rest, 3 * 20 * 5])
        assert size % 5 == 0
        assert ledger.verify().holds


def test_a_writer_that_does_not_finish_is_told(postgresql: str, schema: str, entry: Make) -> None:
    with Ledger(PostgresqlStore(postgresql, schema, wait=0.05)) as ledger:
        with psycopg.connect(postgresql) as other:
            other.execute(f"LOCK TABLE {schema}.entries IN SHARE ROW EXCLUSIVE MODE")
            with pytest.raises(LedgerBusy):
                ledger.append([entry(1)])
            assert ledger.head.size == 0  # readers are not kept waiting
        ledger.append([entry(1)])
        assert ledger.head.size == 1


def test_a_second_gate_waits_or_is_refused(postgresql: str, schema: str) -> None:
    one, other = (Ledger(PostgresqlStore(postgresql, schema)) for _ in range(2))
    with one, other:
        with one.lock("gate"):
            with pytest.raises(LedgerBusy, match="'gate' belongs to process"), other.lock("gate"):
                pass
            with pytest.raises(LedgerBusy), other.lock("gate", wait=0.05):
                pass
            with other.lock("another"):
                pass
        entered = threading.Event()
        with one.lock("gate"):
            thread = threading.Thread(target=lambda: _enter(other, entered))
            thread.start()
            assert not entered.is_set()
        thread.join()
        assert entered.is_set()


def _enter(ledger: Ledger, entered: threading.Event) -> None:
    with ledger.lock("gate", wait=None):
        entered.set()


def test_no_password_is_in_a_message(postgresql: str, schema: str) -> None:
    with Ledger(PostgresqlStore(postgresql, schema)) as ledger:
        assert "s3cr3t-pw" not in ledger.place
        assert "s3cr3t-pw" not in repr(ledger)
    for address in (postgresql.replace("s3cr3t-pw", "wr0ng-pw"), "postgresql://ann:s3cr3t-pw@127.0.0.1:1/none"):
        with pytest.raises(OutputError) as caught:
            PostgresqlStore(address, schema)
        assert "pw" not in str(caught.value)
        assert caught.value.__context__ is None


def test_a_connection_that_was_ended_is_told(postgresql: str, schema: str, entry: Make) -> None:
    with Ledger(PostgresqlStore(postgresql, schema)) as ledger:
        ledger.append([entry(1)])
        with psycopg.connect(postgresql, autocommit=True) as other:
            other.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")
        with pytest.raises(OutputError, match="cannot be reached, or it ended"):
            ledger.append([entry(2, payload={"name": "Ann"})])
    with Ledger(PostgresqlStore(postgresql, schema)) as ledger:
        assert ledger.head.size == 1


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("UPDATE about SET value = '9' WHERE name = 'format'", "newer Tacita"),
        ("UPDATE about SET value = '0' WHERE name = 'format'", "format is unknown"),
        ("UPDATE about SET value = 'x' WHERE name = 'format'", "format is unknown"),
        ("DELETE FROM about WHERE name = 'format'", "format is unknown"),
        ("DELETE FROM about WHERE name = 'id'", "no identity"),
        ("DROP TRIGGER entries_stay ON entries", "tables of the ledger were changed"),
        ("ALTER TABLE entries DISABLE TRIGGER entries_stay", "tables of the ledger were changed"),
        ("CREATE RULE r AS ON INSERT TO payloads DO INSTEAD NOTHING", "tables of the ledger were changed"),
        ("DROP TABLE about", "there is no ledger"),
    ],
)
def test_a_changed_ledger_is_refused(postgresql: str, schema: str, statement: str, words: str) -> None:
    with psycopg.connect(postgresql, autocommit=True) as other:
        other.execute(f"SET search_path TO {schema}")
        other.execute(statement)
    with pytest.raises(LedgerError, match=words):
        PostgresqlStore(postgresql, schema)


def test_entries_cannot_be_changed_by_mistake(postgresql: str, schema: str, entry: Make) -> None:
    with Ledger(PostgresqlStore(postgresql, schema)) as ledger:
        ledger.append([entry(1)])
    for statement in ("DELETE FROM entries", "UPDATE entries SET kind = 'x'", "TRUNCATE entries", "TRUNCATE payloads"):
        with psycopg.connect(postgresql) as other, pytest.raises(psycopg.errors.RaiseException):
            other.execute(f"SET search_path TO {schema}")
            other.execute(statement)


def test_an_edit_is_noticed_where_it_is(postgresql: str, schema: str, entry: Make) -> None:
    with Ledger(PostgresqlStore(postgresql, schema)) as ledger:
        ledger.append([entry(number) for number in range(5)])
        with psycopg.connect(postgresql, autocommit=True) as other:
            other.execute(f"SET search_path TO {schema}")
            other.execute("ALTER TABLE entries DISABLE TRIGGER entries_stay")
            other.execute("UPDATE entries SET recipient = 'x' WHERE sequence = 3")
            other.execute("ALTER TABLE entries ENABLE TRIGGER entries_stay")
        assert [fault.sequence for fault in ledger.verify().faults] == [3]


def test_a_server_that_does_not_write_to_disk_is_noted(postgresql: str, schema: str) -> None:
    with Ledger(PostgresqlStore(postgresql, schema)) as ledger:
        assert ledger.verify().notes == ("the server does not force entries to its disk: fsync is off",)


def test_a_ledger_is_not_made_twice_and_only_under_a_plain_name(postgresql: str, schema: str) -> None:
    with pytest.raises(OutputError, match="exists already"):
        PostgresqlStore.create(postgresql, "bank", schema)
    for name in ("", "a b", "x; DROP TABLE entries", "Ä", "a" * 64):
        with pytest.raises(UsageError, match="name of a schema"):
            PostgresqlStore.create(postgresql, "bank", name)
    with pytest.raises(LedgerError, match="there is no ledger"):
        PostgresqlStore(postgresql, "nothing_here")
