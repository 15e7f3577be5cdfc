"""Attacks on the file of a ledger: each is noticed, with the entry where it was made, or by what is kept elsewhere."""

from __future__ import annotations

import contextlib
import hashlib
import json
import random
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from tacita.errors import LedgerError, TacitaError
from tacita.ledger.checkpoint import LedgerCheckpoint
from tacita.ledger.entry import EntryHash, NewEntry, first_previous
from tacita.ledger.ledger import Ledger, accept_older_copy
from tacita.ledger.seen import SeenState, check_place, remember_place
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.ledger.verification import Evidence

Make = Callable[..., NewEntry]


@pytest.fixture
def full(path: Path, entry: Make) -> Path:
    """A ledger of twelve entries, with a checkpoint of its own at ten."""
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(number) for number in range(1, 11)])
        ledger.checkpoint()
        ledger.append([entry(11), entry(12)])
    return path


def tamper(path: Path, *statements: str, script: Callable[[sqlite3.Connection], None] | None = None) -> None:
    """Change the file as somebody would who knows how it is made: triggers are there again afterwards."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
        triggers = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'").fetchall()
        for name, _ in triggers:
            connection.execute(f"DROP TRIGGER {name}")
        for statement in statements:
            connection.execute(statement)
        if script is not None:
            script(connection)
        for _, sql in triggers:
            connection.execute(sql)
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def seen_of(path: Path) -> SeenState:
    with Ledger(SqliteStore(path)) as ledger:
        return SeenState(ledger.identity.id)


def faults(path: Path, evidence: Evidence | None = None) -> list[str]:
    with Ledger(SqliteStore(path)) as ledger:
        return [str(fault) for fault in ledger.verify(evidence).faults]


def rehash(connection: sqlite3.Connection, first: int = 1, *, name: str = "bank") -> None:
    """Compute all hashes anew from an entry on, as an insider would after an edit."""
    id_ = connection.execute("SELECT value FROM about WHERE name = 'id'").fetchone()[0]
    previous = bytes.fromhex(first_previous(name, id_))
    for row in connection.execute("SELECT * FROM entries ORDER BY sequence").fetchall():
        hash_ = row[10]
        if row[0] >= first:
            hash_ = EntryHash()(row[0], row[1], row[2:8], row[8].hex(), previous.hex())
            connection.execute(
                "UPDATE entries SET previous = ?, hash = ? WHERE sequence = ?", (previous, hash_, row[0])
            )
        previous = hash_


CHANGED = "it was changed: its content does not have its hash"
FOLLOWS = "it does not follow the entry before it: the hash of that entry is another"
CHECKPOINT = "checkpoint 1 does not agree with the first 10 entries: one of the entries 1 to 10 was changed after it"


def test_nothing_is_wrong_with_a_ledger_that_nobody_touched(full: Path) -> None:
    assert faults(full) == []
    tamper(full)
    assert faults(full) == []


@pytest.mark.parametrize(
    "change",
    [
        "recipient = 'ministry'",
        "time = '2001-01-01T00:00:00.000Z'",
        "kind = 'note'",
        "source = ''",
        "subject = 'x'",
        "policy = 'x'",
        "decision = 'refused'",
    ],
)
def test_an_edited_field_is_noticed_where_it_is(full: Path, change: str) -> None:
    tamper(full, f"UPDATE entries SET {change} WHERE sequence = 3")
    assert faults(full) == [f"entry 3: {CHANGED}"]


def test_an_edited_hash_breaks_the_next_entry_too(full: Path) -> None:
    tamper(full, "UPDATE entries SET hash = zeroblob(32) WHERE sequence = 3")
    assert faults(full) == [CHECKPOINT, f"entry 3: {CHANGED}", f"entry 4: {FOLLOWS}"]


def test_an_edited_payload_is_noticed_where_it_is(full: Path) -> None:
    tamper(full, """UPDATE payloads SET payload = '{"number":9}' WHERE sequence = 3""")
    assert faults(full)[0].startswith("entry 3: ")
    tamper(full, """UPDATE payloads SET payload = CAST('{"number":9}' AS BLOB) WHERE sequence = 3""")
    assert faults(full) == ["entry 3: its payload was changed: it does not have the hash of the entry"]
    with Ledger(SqliteStore(full)) as ledger, pytest.raises(LedgerError, match="payload of entry 3"):
        ledger.payload(3)


def test_swapped_payloads_are_noticed(full: Path) -> None:
    tamper(
        full,
        "UPDATE payloads SET sequence = 99 WHERE sequence = 2",
        "UPDATE payloads SET sequence = 2 WHERE sequence = 5",
        "UPDATE payloads SET sequence = 5 WHERE sequence = 99",
    )
    assert [fault.partition(":")[0] for fault in faults(full)] == ["entry 2", "entry 5"]


def test_missing_entries_are_noticed(full: Path) -> None:
    tamper(full, "DELETE FROM entries WHERE sequence = 4", "DELETE FROM entries WHERE sequence IN (8, 9)")
    assert faults(full) == [
        CHECKPOINT,
        "entry 4: missing",
        "entry 4: there is a payload, but no entry",
        f"entry 5: {FOLLOWS}",
        "entry 8: missing, and all others up to 9",
        "entry 8: there is a payload, but no entry",
        "entry 9: there is a payload, but no entry",
        f"entry 10: {FOLLOWS}",
    ]


def test_an_entry_with_a_number_of_its_own_is_noticed(full: Path) -> None:
    tamper(full, "INSERT INTO entries SELECT 0, time, kind, source, subject, recipient, policy, decision,"
                 " payload_hash, previous, hash FROM entries WHERE sequence = 2")  # fmt: skip
    assert "entry 0" not in (listed := faults(full))
    assert "no entry has such a number" in listed[0]


def test_a_replayed_entry_is_noticed(full: Path) -> None:
    def replay(connection: sqlite3.Connection) -> None:
        row = connection.execute("SELECT * FROM entries WHERE sequence = 2").fetchone()
        last = connection.execute("SELECT hash FROM entries WHERE sequence = 12").fetchone()[0]
        connection.execute(f"INSERT INTO entries VALUES ({','.join('?' * 11)})", (13, *row[1:9], last, row[10]))

    tamper(full, script=replay)
    assert faults(full) == [
        f"entry 13: {CHANGED}",
        "entry 13: its payload is missing, and no entry records a purge",
    ]


def test_an_edit_with_its_hash_breaks_the_chain(full: Path) -> None:
    def edit(connection: sqlite3.Connection) -> None:
        connection.execute("UPDATE entries SET recipient = 'x' WHERE sequence = 3")
        row = connection.execute("SELECT * FROM entries WHERE sequence = 3").fetchone()
        hash_ = EntryHash()(row[0], row[1], row[2:8], row[8].hex(), row[9].hex())
        connection.execute("UPDATE entries SET hash = ? WHERE sequence = 3", (hash_,))

    tamper(full, script=edit)
    assert faults(full) == [CHECKPOINT, f"entry 4: {FOLLOWS}"]


def test_a_chain_that_was_rehashed_is_noticed_by_checkpoints_alone(full: Path) -> None:
    with Ledger(SqliteStore(full)) as ledger:
        outside = ledger.checkpoint()
    tamper(full, "UPDATE entries SET recipient = 'x' WHERE sequence = 3", script=rehash)
    assert faults(full)[0] == CHECKPOINT
    # An insider removes or forges the checkpoints in the file as well: what is kept elsewhere shows it still.
    tamper(full, "DELETE FROM checkpoints")
    assert faults(full) == []
    assert faults(full, Evidence([("the manifest", outside)])) == [
        "the manifest does not agree with the first 12 entries: one of the entries 1 to 12 was changed after it"
    ]


def test_a_rehashed_chain_is_not_the_one_that_was_seen(full: Path) -> None:
    seen = seen_of(full)
    Ledger(SqliteStore(full), seen).close()
    tamper(full, "DELETE FROM checkpoints", "UPDATE entries SET recipient = 'x' WHERE sequence = 3", script=rehash)
    with pytest.raises(LedgerError, match="not the ledger that was seen: entry 12 is another"):
        Ledger(SqliteStore(full), seen)


def test_dropped_last_entries_are_noticed(full: Path) -> None:
    seen = seen_of(full)
    with Ledger(SqliteStore(full), seen) as ledger:
        state = ledger.checkpoint()
    tamper(
        full,
        "DELETE FROM entries WHERE sequence > 11",
        "DELETE FROM payloads WHERE sequence > 11",
        "DELETE FROM checkpoints WHERE size > 11",
    )
    assert faults(full) == []
    assert faults(full, Evidence([("a mail", state)])) == [
        "a mail has 12 entries: the last ones of the ledger are gone"
    ]
    with pytest.raises(LedgerError, match=r"older copy .* it has 11 entries, and 12 were seen"):
        Ledger(SqliteStore(full), seen)


def test_an_older_backup_is_noticed_and_may_be_accepted(full: Path, entry: Make, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    shutil.copy(full, backup)
    seen = seen_of(full)
    with Ledger(SqliteStore(full), seen) as ledger:
        ledger.append([entry(13), entry(14)])
    shutil.copy(backup, full)
    backup.unlink()
    with pytest.raises(LedgerError, match="older copy"):
        Ledger(SqliteStore(full), seen)
    store = SqliteStore(full)
    with pytest.raises(TacitaError, match="no reason"):
        accept_older_copy(store, seen, " ")
    accepted = accept_older_copy(store, seen, "the disk broke")
    with Ledger(SqliteStore(full), seen) as ledger:
        payload = ledger.payload(accepted)
        assert payload is not None
        assert (accepted.kind, payload["lost_from"], payload["lost_to"]) == ("restore", 13, 14)
        assert ledger.verify().holds
    with pytest.raises(TacitaError, match="no entry of the ledger is missing"):
        accept_older_copy(store, seen, "again")
    store.close()


def test_an_older_copy_that_went_on_is_noticed(full: Path, entry: Make, tmp_path: Path) -> None:
    shutil.copy(full, tmp_path / "backup")
    seen = seen_of(full)
    with Ledger(SqliteStore(full), seen) as ledger:
        ledger.append([entry(13)])
    shutil.copy(tmp_path / "backup", full)
    with Ledger(SqliteStore(full)) as fork:
        fork.append([entry(13), entry(14)])
    with pytest.raises(LedgerError, match="entry 13 is another"):
        Ledger(SqliteStore(full), seen)


def test_what_was_seen_survives_a_write_that_was_cut_off(full: Path, entry: Make) -> None:
    seen = seen_of(full)
    with Ledger(SqliteStore(full), seen) as ledger:
        ledger.append([entry(13)])
        ledger.append([entry(14)])
    assert seen.path.stat().st_mode & 0o777 == 0o600
    content = bytearray(seen.path.read_bytes())
    sizes = [int(content[:20]), int(content[103:123])]
    assert sorted(sizes) == [13, 14]
    start = sizes.index(14) * 103
    content[start + 30 : start + 40] = b"\0" * 10
    seen.path.write_bytes(content)
    last = seen.last()
    assert last is not None
    assert last.size == 13
    seen.path.write_bytes(b"\0" * len(content))
    with pytest.raises(LedgerError, match=r"note .* is damaged"):
        Ledger(SqliteStore(full), seen)


def test_a_settings_file_that_names_another_ledger_is_noticed(tmp_path: Path) -> None:
    place = tmp_path / "tacita-ledger.toml"
    check_place(place, "1")
    check_place(place, "1")
    with pytest.raises(LedgerError, match="another ledger than before"):
        check_place(place, "2")
    remember_place(place, "2")
    check_place(place, "2")


def test_a_payload_that_was_deleted_without_a_purge_is_noticed(full: Path) -> None:
    tamper(full, "DELETE FROM payloads WHERE sequence = 6")
    assert faults(full) == ["entry 6: its payload is missing, and no entry records a purge"]


def test_a_purged_payload_that_was_put_back_is_noticed(full: Path) -> None:
    with contextlib.closing(sqlite3.connect(full)) as connection:
        row = connection.execute("SELECT * FROM payloads WHERE sequence = 6").fetchone()
    with Ledger(SqliteStore(full)) as ledger:
        ledger.purge([6], "why")
    tamper(full, script=lambda connection: connection.execute("INSERT INTO payloads VALUES (?,?,?)", row))  # type: ignore[arg-type, return-value]
    assert faults(full) == ["entry 6: its payload is there, though entry 13 records that it was purged"]


def test_a_purged_payload_is_in_no_file_and_cannot_be_guessed(path: Path, entry: Make, tmp_path: Path) -> None:
    secret = {"answer": "DIAGNOSIS-C50"}
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        (appended,) = ledger.append([entry(payload=secret)])
        stored = ledger.salted_payload(appended)
        ledger.append([entry(number) for number in range(200)])
        assert stored is not None
        assert any(stored[0] in file.read_bytes() for file in tmp_path.glob("ledger.sqlite*"))
        ledger.purge([1], "asked for")
        left = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert b"DIAGNOSIS" not in left
    assert stored[0] not in left
    text = json.dumps(secret, separators=(",", ":")).encode()
    assert hashlib.sha256(text).hexdigest() != appended.payload_hash
    assert hashlib.sha256(stored[0] + text).hexdigest() == appended.payload_hash


@pytest.mark.slow
def test_purged_payloads_of_any_size_are_in_no_file(path: Path, tmp_path: Path) -> None:
    draw = random.Random(5)
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        for batch in range(40):
            sizes = [draw.choice([1, 30, 900, 4_000, 20_000]) for _ in range(10)]
            texts = ["".join(f"SECRET-{batch}-{at};" for _ in range(size // 10 + 1)) for at, size in enumerate(sizes)]
            ledger.append([NewEntry("note", payload={"text": text}) for text in texts])
        purged = draw.sample(range(1, 401), 150)
        for some in (purged[:1], purged[1:60], purged[60:]):
            ledger.purge(some, "why")
        left = b"".join(file.read_bytes() for file in tmp_path.glob("ledger.sqlite*"))
        for sequence in range(1, 401):
            mark = f"SECRET-{(sequence - 1) // 10}-{(sequence - 1) % 10};".encode()
            assert (mark in left) is (sequence not in purged)
        assert ledger.verify().holds


def test_added_triggers_and_tables_are_refused(full: Path) -> None:
    for statement in (
        "CREATE TRIGGER t AFTER INSERT ON payloads BEGIN DELETE FROM payloads WHERE sequence = NEW.sequence; END",
        "CREATE VIEW v AS SELECT 1",
        "CREATE INDEX i ON entries (kind)",
        "DROP TRIGGER entries_stay",
    ):
        shutil.copy(full, copy := full.with_name("copy"))
        with contextlib.closing(sqlite3.connect(copy, isolation_level=None)) as connection:
            connection.execute(statement)
        with pytest.raises(LedgerError, match="tables of the ledger were changed"):
            SqliteStore(copy)


def test_entries_cannot_be_changed_by_mistake(full: Path) -> None:
    with contextlib.closing(sqlite3.connect(full)) as connection:
        for statement in ("DELETE FROM entries", "UPDATE entries SET kind = 'x'", "UPDATE payloads SET salt = x'00'"):
            with pytest.raises(sqlite3.IntegrityError):
                connection.execute(statement)


@pytest.mark.parametrize(
    "change",
    [
        "kind = CAST(x'ff41fe' AS TEXT)",
        "time = 5",
        "hash = 'text'",
        "previous = 7",
        "payload_hash = ''",
        "kind = x'00'",
    ],
)
def test_values_of_the_wrong_form_are_noticed_where_they_are(full: Path, change: str) -> None:
    tamper(full, f"UPDATE entries SET {change} WHERE sequence = 5")
    assert any(fault.startswith(("entry 5:", "entry 6:")) for fault in faults(full))


def test_a_kept_node_that_was_changed_is_noticed(path: Path, entry: Make) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(number) for number in range(600)])
        ledger.checkpoint()
    tamper(path, "UPDATE nodes SET hash = zeroblob(32) WHERE place = 1")
    assert faults(path) == ["the kept node of the tree over the entries 257 to 512 is wrong"]
    with Ledger(SqliteStore(path)) as ledger, pytest.raises(LedgerError, match="not in the state"):
        ledger.prove(10, LedgerCheckpoint.from_note(ledger.checkpoints()[0]))


def test_a_checkpoint_that_is_none_is_noticed(full: Path) -> None:
    tamper(full, "UPDATE checkpoints SET note = 'x'")
    assert faults(full) == ["checkpoint 1 is not in the form of a checkpoint"]


def test_thousands_of_faults_end_the_check(path: Path, entry: Make) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(number) for number in range(1_500)])
    tamper(path, "UPDATE entries SET kind = 'x'")
    listed = faults(path)
    assert len(listed) == 1_002
    assert listed[0] == "there are more faults: the check ended after 1,000"


@pytest.mark.slow
def test_a_byte_changed_anywhere_is_noticed_or_changes_nothing(path: Path, entry: Make) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(number) for number in range(40)])
        before = [(one, ledger.payload(one)) for one in ledger.entries()]
    original = path.read_bytes()
    noticed = 0
    draw = random.Random(18)
    for _ in range(400):
        damaged = bytearray(original)
        damaged[draw.randrange(len(damaged))] ^= 1 << draw.randrange(8)
        path.write_bytes(damaged)
        try:
            with Ledger(SqliteStore(path)) as ledger:
                if ledger.verify().faults:
                    noticed += 1
                else:
                    assert [(one, ledger.payload(one)) for one in ledger.entries()] == before
        except TacitaError as error:
            noticed += 1
            assert "Ums" not in str(error)
        for beside in (path.with_name(f"{path.name}-wal"), path.with_name(f"{path.name}-shm")):
            beside.unlink(missing_ok=True)
    assert noticed > 100


@pytest.mark.parametrize("part", [0.0, 0.001, 0.2, 0.5, 0.9, 0.999])
def test_a_truncated_file_is_noticed(path: Path, entry: Make, part: float) -> None:
    with Ledger(SqliteStore.create(path, "bank")) as ledger:
        ledger.append([entry(number) for number in range(2_000)])
    content = path.read_bytes()
    path.write_bytes(content[: int(len(content) * part)])
    try:
        listed = faults(path)
    except LedgerError:
        return
    assert listed
