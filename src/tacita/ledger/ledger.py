"""The ledger: append, read, verify, purge. A state is its size and the hash of its last entry.

>>> import tempfile
>>> from pathlib import Path
>>> from tacita.ledger.stores.sqlite import SqliteStore
>>> with tempfile.TemporaryDirectory() as folder, Ledger(SqliteStore.create(Path(folder) / "l", "bank")) as ledger:
...     first, second = ledger.append([NewEntry("note", payload={"text": "begin"}), NewEntry("note")])
...     purged = ledger.purge([1], "a mistake")
...     second.previous == first.hash, ledger.head.size, ledger.payload(1), ledger.payload(2), ledger.verify().faults
(True, 3, None, {}, ())
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from tacita.errors import LedgerError, LedgerMoved, TacitaError, UsageError, listed
from tacita.ledger.canonical import canonical
from tacita.ledger.checkpoint import LedgerCheckpoint, origin_of
from tacita.ledger.entry import (
    PURGE,
    RESTORE,
    SALT_LENGTH,
    Entry,
    EntryHash,
    LedgerHead,
    NewEntry,
    actor,
    check_texts,
    first_previous,
    hash_of_payload,
)
from tacita.ledger.merkle import TILE, MerkleTree
from tacita.ledger.proof import EntryProof
from tacita.ledger.seen import SeenState, check_seen
from tacita.ledger.signing import SigningKey
from tacita.ledger.stores.store import EntryQuery, LedgerIdentity, LedgerStore, PayloadRow, Row, StoreTransaction
from tacita.ledger.verification import Evidence, LedgerVerification, verify_store
from tacita.progress import Progress, silent


class Ledger:
    """An open ledger; close it, or use it in a ``with`` statement. Threads may share it.

    It is mutable, as its file is: other processes may append to it at any time.
    """

    def __init__(self, store: LedgerStore, seen: SeenState | None = None) -> None:
        """Open the ledger of a store; with `seen`, raise if an older copy or another history is in its place."""
        self._store, self._seen = store, seen
        self._hash = EntryHash()
        self._first = bytes.fromhex(first_previous(self.identity.name, self.identity.id))
        self._latest: LedgerHead | None = None
        if seen is not None:
            try:
                self._check_seen(seen)
            except TacitaError:
                store.close()
                raise

    def __repr__(self) -> str:
        return f"<Ledger '{self.identity.name}': {self.head.size:,} entries>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._store.close()

    @property
    def identity(self) -> LedgerIdentity:
        """What tells it from other ledgers."""
        return self._store.identity

    @property
    def place(self) -> str:
        """Where it is, as messages name it."""
        return self._store.place

    @property
    def head(self) -> LedgerHead:
        """Its size, and the hash of its last entry."""
        return self._as_head(self._store.head())

    def append(self, entries: Iterable[NewEntry], *, expecting: LedgerHead | None = None) -> tuple[Entry, ...]:
        """Append entries at once or not at all; they are on the disk when this returns.

        With `expecting`, raises `LedgerMoved` if the ledger has another state: somebody who decided by what was in it
        has to decide again. Raises `UsageError` if an entry cannot be encoded, `OutputError` if it cannot be written.
        """
        encoded = _encoded(entries)
        with self._store.transaction() as transaction:
            before = self._checked_head(transaction)
            if expecting is not None and self._as_head(before) != expecting:
                raise LedgerMoved(
                    "somebody appended to the ledger meanwhile",
                    where=self.place,
                    do="run the command again: it is judged with the new entries",
                )
            appended = self._insert(transaction, before, encoded)
        self._note(appended)
        return appended

    @contextlib.contextmanager
    def alone(self) -> Iterator[LedgerTurn]:
        """Let nobody else append meanwhile: for who decides by what is in the ledger, and appends what they decided.

        What was appended is on the disk when the context is left without an error, and not there otherwise.
        """
        with self._store.transaction() as transaction:
            turn = LedgerTurn(self, transaction, self._checked_head(transaction))
            yield turn
        self._note(turn.appended)

    def entries(
        self,
        *,
        after: int = 0,
        kinds: Sequence[str] = (),
        subject: str | None = None,
        source: str | None = None,
        recipients: Sequence[str] | None = None,
        upto: int | None = None,
    ) -> Iterator[Entry]:
        """Yield entries by sequence; everything if nothing is said. A recipient ``""`` is everybody."""
        among = None if recipients is None else tuple(recipients)
        query = EntryQuery(after, upto, tuple(kinds), subject, among, source)
        return (_as_entry(row) for row in self._store.rows(query))

    def last_entries(self, query: EntryQuery, number: int) -> tuple[int, tuple[Entry, ...]]:
        """Return how many entries a query finds, and the last ones of them by sequence."""
        count, rows = self._store.last_rows(query, number)
        return count, tuple(_as_entry(row) for row in rows)

    def entry(self, sequence: int) -> Entry:
        """Return one entry; raise if there is none of that number."""
        entry = next(self.entries(after=sequence - 1, upto=sequence), None)
        if entry is None:
            size = self.head.size
            do = f"give a number from 1 to {size}" if size else "nothing was recorded yet"
            raise UsageError(f"the ledger has no entry {sequence}", where=self.place, do=do)
        return entry

    def payload(self, entry: Entry | int) -> Mapping[str, Any] | None:
        """Return the payload of an entry; None if it was purged.

        Raises `LedgerError` if it is not the payload that was appended.
        """
        entry = self.entry(entry) if isinstance(entry, int) else entry
        stored = self.salted_payload(entry)
        return None if stored is None else json.loads(stored[1])

    def salted_payload(self, entry: Entry) -> tuple[bytes, bytes] | None:
        """Return salt and canonical payload of an entry, which its `payload_hash` is of; None if they were purged."""
        stored = self._store.payload(entry.sequence)
        if stored is not None and hash_of_payload(*stored).hex() != entry.payload_hash:
            raise LedgerError(
                f"the payload of entry {entry.sequence} is not the one that was appended",
                where=self.place,
                do="restore the ledger from a backup, and verify it: tacita ledger verify",
            )
        return stored

    def purge(self, sequences: Iterable[int], why: str) -> Entry:
        """Delete payloads for ever, and record that in a new entry; the chain stays whole.

        What is left of an entry is its time, kind, source, recipient, policy and decision. Nobody can find the payload
        by trying, since its salt is deleted too. Backups of the ledger keep what they have.
        """
        numbers = sorted(set(sequences))
        if not numbers or not why.strip():
            raise UsageError("nothing is named, or no reason is given", do="name entries, and say why")
        entry = NewEntry(PURGE, decision="purged", payload={"sequences": numbers, "why": why, "by": actor()})
        encoded = _encoded([entry])
        with self._store.transaction() as transaction:
            self._check_purge(numbers)
            purged = self._insert(transaction, self._checked_head(transaction), encoded)[0]
            transaction.delete_payloads(numbers)
        self._note((purged,))
        self._store.after_purge()
        return purged

    def verify(self, evidence: Evidence | None = None, *, progress: Progress = silent) -> LedgerVerification:
        """Recompute every hash, and compare checkpoints; return all faults with the entries where they are."""
        return verify_store(self._store, evidence, progress)

    def checkpoint(self, key: SigningKey | None = None) -> LedgerCheckpoint:
        """Return the present state as a checkpoint, signed if a key is given; the ledger keeps it too."""
        tree = MerkleTree(self._store, self.head.size)
        new = list(tree.tiles(self._store.node_count(TILE)))
        if new:
            with self._store.transaction() as transaction:
                transaction.put_nodes(new)
        checkpoint = LedgerCheckpoint(origin_of(self.identity), tree.size, tree.root)
        checkpoint = checkpoint if key is None else checkpoint.signed_with(key)
        if (tree.size, checkpoint.note) not in self._store.checkpoints()[-1:]:
            with self._store.transaction() as transaction:
                transaction.put_checkpoint(tree.size, checkpoint.note)
        return checkpoint

    def checkpoints(self) -> list[str]:
        """Return the notes of the checkpoints that the ledger keeps, in the order in which they were written."""
        return [note for _, note in self._store.checkpoints()]

    def agrees_with(self, checkpoint: LedgerCheckpoint) -> bool:
        """Return whether the ledger begins with the entries of a checkpoint, by their stored hashes."""
        is_ours = checkpoint.origin == origin_of(self.identity) and checkpoint.size <= self.head.size
        return is_ours and MerkleTree(self._store, checkpoint.size).root == checkpoint.root

    def prove(self, sequence: int, checkpoint: LedgerCheckpoint) -> EntryProof:
        """Return the proof that an entry is in the state of a checkpoint; raise if it is not there."""
        entry = self.entry(sequence)
        if sequence > checkpoint.size:
            raise UsageError(f"entry {sequence} is later than the checkpoint", do="take a later checkpoint")
        path = MerkleTree(self._store, checkpoint.size).inclusion(sequence - 1)
        proof = EntryProof(entry, tuple(path), checkpoint)
        if faults := proof.faults():
            raise LedgerError(faults[0], where=self.place, do="verify the ledger: tacita ledger verify")
        return proof

    def prove_consistency(self, before: LedgerCheckpoint, after: LedgerCheckpoint) -> list[bytes]:
        """Return the proof that a state begins with that of an earlier checkpoint, for `merkle.is_consistent`."""
        return MerkleTree(self._store, after.size).consistency(before.size)

    def copy_to(self, path: Path) -> bool:
        """Write a copy of its present state to a new file, while others go on; False if its database cannot do that."""
        return self._store.copy_to(path)

    def lock(self, name: str, *, wait: float | None = 0.0) -> AbstractContextManager[None]:
        """Take an advisory lock, such as 'gate': of those who decide by the state of the ledger one works at a time.

        `wait` is for how many seconds to wait for it (None: for ever). Raises `LedgerBusy` with its owner. The lock
        ends with the process. It does not keep others from appending.
        """
        return self._store.lock(name, f"process {os.getpid()} of {actor()}", wait)

    def _check_seen(self, seen: SeenState) -> None:
        last, head = seen.last(), self.head
        if last is not None and last.size:
            there = self._store.hash_at(last.size)
            check_seen(last, head.size, None if there is None else there.hex(), self.place)
        seen.note(head)

    def _checked_head(self, transaction: StoreTransaction) -> tuple[int, bytes] | None:
        """Return the head; raise if an older copy or another history took the place of the ledger while it was open."""
        head = transaction.head()
        now, latest = self._as_head(head), self._latest
        if latest is not None and now != latest:
            there = self._store.hash_at(latest.size)
            check_seen(latest, now.size, None if there is None else there.hex(), self.place)
        if now.size:
            self._latest = now
        return head

    def _note(self, appended: Sequence[Entry]) -> None:
        if not appended:
            return
        self._latest = LedgerHead(appended[-1].sequence, appended[-1].hash)
        if self._seen is not None:
            self._seen.note(self._latest)

    def _as_head(self, head: tuple[int, bytes] | None) -> LedgerHead:
        return LedgerHead(0, self._first.hex()) if head is None else LedgerHead(head[0], head[1].hex())

    def _insert(
        self, transaction: StoreTransaction, before: tuple[int, bytes] | None, encoded: Sequence[_Encoded]
    ) -> tuple[Entry, ...]:
        sequence, previous = before or (0, self._first)
        # Recorded as the clock says: it may go backwards, and the order is that of the sequence.
        time = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        rows: list[Row] = []
        payloads: list[PayloadRow] = []
        entries = []
        for texts, salt, payload, payload_hash in encoded:
            sequence += 1
            payload_digits, previous_digits = payload_hash.hex(), previous.hex()
            hash_ = self._hash(sequence, time, texts, payload_digits, previous_digits)
            rows.append((sequence, time, *texts, payload_hash, previous, hash_))
            payloads.append((sequence, salt, payload))
            entries.append(Entry(sequence, time, *texts, payload_digits, previous_digits, hash_.hex()))
            previous = hash_
        transaction.insert(rows, payloads)
        return tuple(entries)

    def _check_purge(self, numbers: Sequence[int]) -> None:
        size = self.head.size
        if unknown := [number for number in numbers if not 1 <= number <= size]:
            raise UsageError(f"the ledger has no entry {listed(unknown)}", where=self.place, do=f"give 1 to {size}")
        for number in numbers:
            if self.entry(number).kind == PURGE:
                raise UsageError(
                    f"entry {number} records a purge", where=self.place, do="leave it: it says what is gone, and why"
                )
            if self._store.payload(number) is None:
                raise UsageError(f"the payload of entry {number} is gone already", where=self.place, do="leave it out")


class LedgerTurn:
    """The right to append, while nobody else has it. It ends with the context that gave it."""

    def __init__(self, ledger: Ledger, transaction: StoreTransaction, head: tuple[int, bytes] | None) -> None:
        self._ledger, self._transaction, self._head = ledger, transaction, head
        self.appended: list[Entry] = []

    def append(self, entries: Iterable[NewEntry]) -> tuple[Entry, ...]:
        """Append entries; they are on the disk when the turn ends. Raises `UsageError` if one cannot be encoded."""
        new = self._ledger._insert(self._transaction, self._head, _encoded(entries))
        if new:
            self._head = (new[-1].sequence, bytes.fromhex(new[-1].hash))
            self.appended += new
        return new


def accept_older_copy(store: LedgerStore, seen: SeenState, why: str) -> Entry:
    """Record in an older copy of a ledger that later entries are lost, and accept it as the ledger from now on.

    The entry says how many entries are lost: what they recorded did leave, and nobody can judge with it any more.
    Raises `UsageError` if no entry is missing, or there is no reason.
    """
    ledger, last = Ledger(store), seen.last()
    size = ledger.head.size
    if last is None or last.size <= size:
        raise UsageError("no entry of the ledger is missing", where=store.place, do="use it as it is")
    return _accepted(ledger, seen, last.size, why)


def accept_backup(store: LedgerStore, seen: SeenState, why: str) -> Entry | None:
    """Record that a ledger came back from a backup, as later entries may be lost; None if it is the one last seen.

    On a machine that never saw the ledger nobody can say how many entries are lost. Raises `LedgerError` if another
    history was seen.
    """
    ledger, last = Ledger(store), seen.last()
    head = ledger.head
    if last == head:
        return None
    if last is not None and last.size <= head.size:
        there = store.hash_at(last.size)
        check_seen(last, head.size, None if there is None else there.hex(), store.place)
    return _accepted(ledger, seen, last.size if last is not None and last.size > head.size else None, why)


def _accepted(ledger: Ledger, seen: SeenState, lost_to: int | None, why: str) -> Entry:
    if not why.strip():
        raise UsageError("no reason is given", do="say why the latest copy is lost")
    last = seen.last()
    last_hash = None if last is None or lost_to is None else last.hash
    payload = {
        "lost_from": ledger.head.size + 1, "lost_to": lost_to, "last_hash": last_hash, "why": why, "by": actor(),
    }  # fmt: skip
    (entry,) = ledger.append([NewEntry(RESTORE, decision="accepted", payload=payload)])
    seen.reset(ledger.head)
    return entry


_Texts = tuple[str, str, str, str, str, str]
_Encoded = tuple[_Texts, bytes, bytes, bytes]
"""Texts of an entry, salt, canonical payload, hash of the payload."""


def _encoded(entries: Iterable[NewEntry]) -> list[_Encoded]:
    """Return entries as they are written: before the transaction, since nobody else can write during it."""
    entries = list(entries)
    salts = os.urandom(SALT_LENGTH * len(entries))
    encoded: list[_Encoded] = []
    checked: set[_Texts] = set()
    for at, entry in enumerate(entries):
        texts = (entry.kind, entry.source, entry.subject, entry.recipient, entry.policy, entry.decision)
        if texts not in checked:
            check_texts(entry)
            checked.add(texts)
        salt, payload = salts[SALT_LENGTH * at : SALT_LENGTH * (at + 1)], canonical(entry.payload)
        encoded.append((texts, salt, payload, hash_of_payload(salt, payload)))
    return encoded


def _as_entry(row: Row) -> Entry:
    return Entry(*row[:8], row[8].hex(), row[9].hex(), row[10].hex())
