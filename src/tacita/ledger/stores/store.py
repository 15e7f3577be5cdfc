"""What a ledger must know of the database that keeps it. A store keeps what it is given, and decides nothing."""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol, Self

from tacita.errors import LedgerError
from tacita.ledger.entry import FORMAT

SCHEMA = "tacita_ledger"
"""The schema of a database that a ledger is made in, unless another is named."""
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
    """What tells one ledger from another, for as long as it lives.

    The chain, the settings file and every checkpoint hold the id, and the id holds the key: with another key, persons
    of later versions would be taken for others than those of earlier ones, and nothing be found.
    """

    id: str
    """32 hexadecimal digits: a hash of the key, which was drawn when the ledger was made."""
    name: str
    """What the organisation calls it."""
    person_key: bytes = field(repr=False)
    """The key of hashes that stand for persons in disclosures; it stays in the ledger."""

    @classmethod
    def drawn(cls, name: str) -> Self:
        """Return the identity of a new ledger."""
        key = secrets.token_bytes(32)
        return cls(_id_of(key), name, key)

    @classmethod
    def of_rows(cls, about: Mapping[str, str], place: str, do: str) -> Self:
        """Return the identity that a ledger says it has; raise if it has none, or an edited one."""
        try:
            key = bytes.fromhex(about["person_key"])
            identity = cls(about["id"], about["name"], key)
        except (KeyError, ValueError):
            raise LedgerError("is a damaged ledger: it has no identity", where=place, do=do) from None
        if identity.id != _id_of(key):
            raise LedgerError("is a damaged ledger: its id does not have its key", where=place, do=do)
        return identity

    def to_rows(self) -> dict[str, str]:
        """Return what a ledger says of itself."""
        return {"id": self.id, "name": self.name, "person_key": self.person_key.hex()}


def _id_of(person_key: bytes) -> str:
    return hashlib.sha256(b"tacita ledger id\n" + person_key).hexdigest()[:32]


def check_format(said: str, place: str, do: str) -> None:
    """Raise unless a ledger is of our format. It is the first one: there is none to migrate from yet."""
    number = int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else 0
    if number > FORMAT:
        raise LedgerError("was made by a newer Tacita", where=place, do="update Tacita")
    if number != FORMAT:
        raise LedgerError("the tables of the ledger were changed: their format is unknown", where=place, do=do)


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

    def copy_to(self, path: Path) -> bool:
        """Write a copy of the present state to a new file; False if the database has backups of its own."""

    def close(self) -> None:
        """Close the database."""
