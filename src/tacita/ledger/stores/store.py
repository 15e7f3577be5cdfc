"""What a ledger must know of the database that keeps it. A store keeps what it is given, and decides nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol

Row = tuple[int, str, str, str, str, str, str, str, bytes, bytes, bytes]
"""An entry in the order of the fields of `Entry`; hashes as 32 bytes."""
PayloadRow = tuple[int, bytes, bytes]
"""Sequence, salt, canonical payload."""
CheckedRow = tuple[int, str, str, str, str, str, str, str, bytes, bytes, bytes, bytes | None, bytes | None]
"""An entry with its salt and its payload, or None if they are gone."""
Node = tuple[int, int, bytes]
"""Level, index and hash of a node of the Merkle tree."""


@dataclass(frozen=True, slots=True)
class LedgerIdentity:
    """What tells one ledger from another, for as long as it lives."""

    id: str
    """32 hexadecimal digits, drawn when it was made."""
    name: str
    """What the organisation calls it."""
    person_key: bytes = field(repr=False)
    """The key of hashes that stand for persons in disclosures; it stays in the ledger."""


@dataclass(frozen=True, slots=True)
class EntryQuery:
    """Which entries to read; everything if nothing is said."""

    after: int = 0
    upto: int | None = None
    kinds: tuple[str, ...] = ()
    subject: str | None = None
    recipients: tuple[str, ...] | None = None
    source: str | None = None


class StoreTransaction(Protocol):
    """What is written at once or not at all. Nobody else writes meanwhile."""

    def head(self) -> tuple[int, bytes] | None:
        """Return the sequence and the hash of the last entry; None if there is none."""

    def insert(self, rows: Sequence[Row], payloads: Sequence[PayloadRow]) -> None:
        """Add entries with their payloads."""

    def delete_payloads(self, sequences: Iterable[int]) -> None:
        """Delete payloads and salts."""

    def put_nodes(self, nodes: Sequence[Node]) -> None:
        """Add nodes of the Merkle tree."""

    def put_checkpoint(self, size: int, note: str) -> None:
        """Add a checkpoint."""


class LedgerStore(Protocol):
    """A database with the entries of one ledger."""

    place: str
    """Where it is, as messages name it; without credentials."""
    identity: LedgerIdentity

    def transaction(self) -> AbstractContextManager[StoreTransaction]:
        """Begin to write, alone; what was written is on the disk when the context is left without an error."""

    def head(self) -> tuple[int, bytes] | None:
        """Return the sequence and the hash of the last entry; None if there is none."""

    def rows(self, query: EntryQuery) -> Iterator[Row]:
        """Yield entries by sequence."""

    def last_rows(self, query: EntryQuery, number: int) -> tuple[int, list[Row]]:
        """Return how many entries there are, and the last ones of them by sequence."""

    def checked_rows(self) -> Iterator[CheckedRow]:
        """Yield all entries with their payloads, by sequence."""

    def hash_at(self, sequence: int) -> bytes | None:
        """Return the hash of an entry; None if it is not there."""

    def hashes(self, after: int, upto: int) -> list[bytes]:
        """Return the hashes of some entries, by sequence."""

    def payload(self, sequence: int) -> tuple[bytes, bytes] | None:
        """Return salt and canonical payload of an entry; None if they are gone."""

    def stray_payloads(self) -> list[int]:
        """Return the sequences of payloads that belong to no entry."""

    def nodes(self, level: int, first: int, last: int) -> list[bytes]:
        """Return nodes of a level of the Merkle tree, from one index to before another, as far as they are there."""

    def node_count(self, level: int) -> int:
        """Return how many nodes of a level are kept."""

    def checkpoints(self) -> list[tuple[int, str]]:
        """Return size and note of all checkpoints, in the order in which they were written."""

    def after_purge(self) -> None:
        """Remove what the database keeps of deleted payloads, as far as it can."""

    def lock(self, name: str, owner: str, wait: float | None) -> AbstractContextManager[None]:
        """Take an advisory lock; wait so many seconds for it (None: for ever), or raise with its owner."""

    def notes(self) -> list[str]:
        """Return what a person should know about how safely this database keeps entries."""

    def close(self) -> None:
        """Close the database."""
