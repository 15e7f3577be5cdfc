"""The tables of a ledger and the statements that every database understands.

Databases differ in types, in how a writer keeps others out, in locks and in errors; a store brings those.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from tacita.ledger.stores.store import CheckedRow, EntryQuery, Node, PayloadRow, Row

ENTRY_COLUMNS = "sequence, time, kind, source, subject, recipient, policy, decision, payload_hash, previous, hash"
TABLES = (
    "CREATE TABLE about (name TEXT PRIMARY KEY, value TEXT NOT NULL)",
    "CREATE TABLE entries (sequence {number} PRIMARY KEY, time TEXT NOT NULL, kind TEXT NOT NULL, source TEXT NOT NULL,"
    " subject TEXT NOT NULL, recipient TEXT NOT NULL, policy TEXT NOT NULL, decision TEXT NOT NULL,"
    " payload_hash {bytes} NOT NULL, previous {bytes} NOT NULL, hash {bytes} NOT NULL)",
    "CREATE TABLE payloads (sequence {number} PRIMARY KEY, salt {bytes} NOT NULL, payload {bytes} NOT NULL)",
    "CREATE TABLE nodes (level {number} NOT NULL, place {number} NOT NULL, hash {bytes} NOT NULL,"
    " PRIMARY KEY (level, place))",
    "CREATE TABLE checkpoints (number {serial}, size {number} NOT NULL, note TEXT NOT NULL)",
    "CREATE TABLE locks (name TEXT PRIMARY KEY, owner TEXT NOT NULL, since TEXT NOT NULL)",
)
"""`about` is the identity; `nodes` is a cache of the Merkle tree, which verification recomputes."""
_CHUNK = 5_000


class SqlStore:
    """What stores that speak SQL share. A subclass runs statements, with ``?`` for values."""

    place: str

    def __init__(self) -> None:
        self._alone = threading.RLock()

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        raise NotImplementedError

    def _run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        raise NotImplementedError

    def head(self) -> tuple[int, bytes] | None:
        """Return the sequence and the hash of the last entry; None if there is none."""
        rows = self._run("SELECT sequence, hash FROM entries ORDER BY sequence DESC LIMIT 1")
        return (rows[0][0], bytes(rows[0][1])) if rows else None

    def insert(self, rows: Sequence[Row], payloads: Sequence[PayloadRow]) -> None:
        """Add entries with their payloads."""
        self._run_many(f"INSERT INTO entries ({ENTRY_COLUMNS}) VALUES (?,?,?,?,?,?,?,?,?,?,?)", rows)
        self._run_many("INSERT INTO payloads (sequence, salt, payload) VALUES (?,?,?)", payloads)

    def delete_payloads(self, sequences: Iterable[int]) -> None:
        """Delete payloads and salts."""
        self._run_many("DELETE FROM payloads WHERE sequence = ?", [(sequence,) for sequence in sequences])

    def put_nodes(self, nodes: Sequence[Node]) -> None:
        """Add nodes of the Merkle tree."""
        self._run_many("INSERT INTO nodes (level, place, hash) VALUES (?,?,?) ON CONFLICT DO NOTHING", nodes)

    def put_checkpoint(self, size: int, note: str) -> None:
        """Add a checkpoint."""
        self._run("INSERT INTO checkpoints (size, note) VALUES (?,?)", (size, note))

    def rows(self, query: EntryQuery) -> Iterator[Row]:
        """Yield entries by sequence; the chunks leave the database free for others in between."""
        conditions, values = _conditions(query)
        after = query.after
        while True:
            chunk = self._run(
                f"SELECT {ENTRY_COLUMNS} FROM entries WHERE sequence > ?{conditions} ORDER BY sequence LIMIT {_CHUNK}",
                (after, *values),
            )
            yield from chunk
            if len(chunk) < _CHUNK:
                return
            after = chunk[-1][0]

    def last_rows(self, query: EntryQuery, number: int) -> tuple[int, list[Row]]:
        """Return how many entries there are, and the last ones of them by sequence."""
        conditions, values = _conditions(query)
        chosen = f"FROM entries WHERE sequence > ?{conditions}"
        count = self._run(f"SELECT count(*) {chosen}", (query.after, *values))[0][0]
        rows: list[Any] = self._run(
            f"SELECT {ENTRY_COLUMNS} {chosen} ORDER BY sequence DESC LIMIT {int(number)}", (query.after, *values)
        )
        return count, rows[::-1]

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Yield all entries with their payloads, by sequence."""
        columns = ", ".join(f"e.{name}" for name in ENTRY_COLUMNS.split(", "))
        after = -(2**62)  # a number that nobody gave is one more thing to notice
        while True:
            chunk = self._run(
                f"SELECT {columns}, p.salt, p.payload FROM entries e LEFT JOIN payloads p ON p.sequence = e.sequence"
                f" WHERE e.sequence > ? ORDER BY e.sequence LIMIT {_CHUNK}",
                (after,),
            )
            yield from chunk
            if len(chunk) < _CHUNK:
                return
            after = chunk[-1][0]

    def hash_at(self, sequence: int) -> bytes | None:
        """Return the hash of an entry; None if it is not there."""
        rows = self._run("SELECT hash FROM entries WHERE sequence = ?", (sequence,))
        return bytes(rows[0][0]) if rows else None

    def hashes(self, after: int, upto: int) -> list[bytes]:
        """Return the hashes of some entries, by sequence."""
        rows = self._run(
            "SELECT hash FROM entries WHERE sequence > ? AND sequence <= ? ORDER BY sequence", (after, upto)
        )
        return [bytes(row[0]) for row in rows]

    def payload(self, sequence: int) -> tuple[bytes, bytes] | None:
        """Return salt and canonical payload of an entry; None if they are gone."""
        rows = self._run("SELECT salt, payload FROM payloads WHERE sequence = ?", (sequence,))
        return (bytes(rows[0][0]), bytes(rows[0][1])) if rows else None

    def stray_payloads(self) -> list[int]:
        """Return the sequences of payloads that belong to no entry."""
        rows = self._run(
            "SELECT p.sequence FROM payloads p LEFT JOIN entries e ON e.sequence = p.sequence"
            " WHERE e.sequence IS NULL ORDER BY p.sequence"
        )
        return [row[0] for row in rows]

    def nodes(self, level: int, first: int, last: int) -> list[bytes]:
        """Return nodes of a level of the Merkle tree, from one index to before another, as far as they are there."""
        rows = self._run(
            "SELECT place, hash FROM nodes WHERE level = ? AND place >= ? AND place < ? ORDER BY place",
            (level, first, last),
        )
        return [bytes(hash_) for at, (place, hash_) in enumerate(rows, first) if place == at]

    def node_count(self, level: int) -> int:
        """Return how many nodes of a level are kept."""
        return int(self._run("SELECT count(*) FROM nodes WHERE level = ?", (level,))[0][0])

    def checkpoints(self) -> list[tuple[int, str]]:
        """Return size and note of all checkpoints, in the order in which they were written."""
        return [(size, note) for size, note in self._run("SELECT size, note FROM checkpoints ORDER BY number")]

    def about(self) -> dict[str, str]:
        """Return what the ledger says of itself."""
        return {row[0]: row[1] for row in self._run("SELECT name, value FROM about")}

    def _describe_lock(self, name: str, owner: str, since: str) -> None:
        """Write down who has a lock, for those who wait for it."""
        with contextlib.suppress(Exception):  # it is for messages only; the lock itself is not in the table
            self._run("DELETE FROM locks WHERE name = ?", (name,))
            self._run("INSERT INTO locks (name, owner, since) VALUES (?,?,?)", (name, owner, since))

    def _described_lock(self, name: str) -> str:
        rows = self._run("SELECT owner, since FROM locks WHERE name = ?", (name,))
        return f"{rows[0][0]}, since {rows[0][1]}" if rows else "another process"


def _conditions(query: EntryQuery) -> tuple[str, list[Any]]:
    conditions = ""
    values: list[Any] = []
    for column, wanted in (("subject", query.subject), ("source", query.source)):
        if wanted is not None:
            conditions += f" AND {column} = ?"
            values.append(wanted)
    for column, among in (("kind", query.kinds or None), ("recipient", query.recipients)):
        if among is not None:
            conditions += f" AND {column} IN ({', '.join('?' * len(among)) or 'NULL'})"
            values += among
    if query.upto is not None:
        conditions += " AND sequence <= ?"
        values.append(query.upto)
    return conditions, values
