"""The ledger: appends that are forced to disk, beside bare inserts of the same rows; a million entries verified.

Appends are measured by the clock, since they wait for the disk; the bare line writes the same rows to the same tables
without hashes, also with ``synchronous=FULL``. The bare line of verification reads all rows and hashes twice for each.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import timed
from tacita.ledger.entry import NewEntry
from tacita.ledger.ledger import Ledger
from tacita.ledger.seen import SeenState
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.settings import Settings

Line = tuple[str, str, str, str, str]
MILLION = 1_000_000
_BARE = (
    "CREATE TABLE entries (sequence INTEGER PRIMARY KEY, time TEXT, kind TEXT, source TEXT, subject TEXT,"
    " recipient TEXT, policy TEXT, decision TEXT, payload_hash BLOB, previous BLOB, hash BLOB)",
    "CREATE TABLE payloads (sequence INTEGER PRIMARY KEY, salt BLOB, payload BLOB)",
)


def _entries(number: int) -> list[NewEntry]:
    return [
        NewEntry("answer", "a" * 64, "survey", "university", "b" * 64, "released", {"cell": f"{at}", "value": at})
        for at in range(number)
    ]


def _appended(folder: Path, batch: int, total: int) -> float:
    """Return how many entries a second are on the disk when appended in batches."""
    path = folder / f"appends{batch}.sqlite"
    store = SqliteStore.create(path, "bench")
    entries = _entries(batch)
    with Ledger(store, SeenState(store.identity.id, Settings(state=folder))) as ledger:
        started = time.perf_counter()
        for _ in range(total // batch):
            ledger.append(entries)
        return total / (time.perf_counter() - started)


def _bare(folder: Path, batch: int, total: int) -> float:
    """Return how many rows a second SQLite alone takes, in the same tables and as safely."""
    connection = sqlite3.connect(folder / f"bare{batch}.sqlite", isolation_level=None)
    for statement in ("PRAGMA journal_mode = WAL", "PRAGMA synchronous = FULL", *_BARE):
        connection.execute(statement)
    hash_, payload = os.urandom(32), b'{"cell":"17","value":17}'
    started = time.perf_counter()
    for first in range(1, total + 1, batch):
        connection.execute("BEGIN IMMEDIATE")
        numbers = range(first, first + batch)
        texts = ("2026-01-01T00:00:00.000Z", "answer", "a" * 64, "survey", "university", "b" * 64, "released")
        rows = [(number, *texts, hash_, hash_, hash_) for number in numbers]
        connection.executemany("INSERT INTO entries VALUES (?,?,?,?,?,?,?,?,?,?,?)", rows)
        salted = [(number, hash_[:16], payload) for number in numbers]
        connection.executemany("INSERT INTO payloads VALUES (?,?,?)", salted)
        connection.execute("COMMIT")
    rate = total / (time.perf_counter() - started)
    connection.close()
    return rate


def ledger_appends(folder: Path) -> Iterator[Line]:
    """Appends by the clock, forced to disk: singly, in batches of 100 and of 1,000."""
    for batch, total, bar in ((1, 500, ""), (100, 50_000, "at least 10,000"), (1_000, 200_000, "")):
        ours, bare = _appended(folder, batch, total), _bare(folder, batch, total)
        what = f"appends a second, batches of {batch:,} (wall) / bare inserts"
        yield what, f"{ours:,.0f}", f"{bare:,.0f}", f"{ours / bare:.2f}", bar


def ledger_verification(folder: Path) -> Iterator[Line]:
    """A million entries verified: chain, payloads, tree and checkpoints."""
    store = SqliteStore.create(folder / "million.sqlite", "bench")
    with Ledger(store) as ledger:
        entries = _entries(10_000)
        for _ in range(MILLION // len(entries)):
            ledger.append(entries)
        _, tree = timed(ledger.checkpoint)
        started = time.perf_counter()
        verification, cpu = timed(ledger.verify)
        wall = time.perf_counter() - started
        assert verification.holds
        _, bare = timed(lambda: _read_and_hash(folder / "million.sqlite"))
        ours = f"{cpu:.1f} s CPU, {wall:.1f} s"
        yield "verify 1M entries / read and hash twice", ours, f"{bare:.1f} s CPU", f"{cpu / bare:.2f}", "at most 10 s"
        yield "first checkpoint of 1M entries", f"{tree:.1f} s CPU", "", "", ""
        _, again = timed(ledger.checkpoint)
        yield "next checkpoint", f"{again * 1000:.1f} ms CPU", "", "", ""
        state = ledger.checkpoint()
        _, proof = timed(lambda: [ledger.prove(number, state) for number in range(1, MILLION, MILLION // 100)])
        yield "proof of an entry among 1M", f"{proof * 10:.1f} ms CPU", "", "", ""


def _read_and_hash(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        plan = "SELECT e.*, p.salt, p.payload FROM entries e JOIN payloads p ON p.sequence = e.sequence"
        for row in connection.execute(f"{plan} ORDER BY e.sequence"):
            hashlib.sha256(row[11] + row[12]).digest()
            hashlib.sha256(row[8] + row[9] + row[10]).digest()


def ledger_opening(folder: Path) -> Iterator[Line]:
    """What a release pays for a ledger of a million entries: open, note, append one, checkpoint."""
    path = folder / "million.sqlite"
    if not path.exists():
        list(ledger_verification(folder))

    def record() -> None:
        store = SqliteStore(path)
        with Ledger(store, SeenState(store.identity.id, Settings(state=folder))) as ledger:
            ledger.append(_entries(1))
            ledger.checkpoint()

    record()
    started = time.perf_counter()
    _, cpu = timed(record)
    wall = time.perf_counter() - started
    yield "record one release, 1M entries", f"{cpu * 1000:.0f} ms CPU, {wall * 1000:.0f} ms", "", "", ""
