"""The proof that one entry is in a ledger, without the others: the entry, siblings in the Merkle tree, a checkpoint."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from tacita.errors import InputError
from tacita.ledger.canonical import canonical
from tacita.ledger.checkpoint import LedgerCheckpoint
from tacita.ledger.entry import Entry, EntryHash
from tacita.ledger.merkle import root_of_inclusion
from tacita.ledger.signing import VerifyingKey
from tacita.model.result import Result

FORMAT = "tacita ledger proof 1"


@dataclass(frozen=True, slots=True, repr=False)
class EntryProof(Result):
    """That an entry is in the state of a checkpoint. The payload is not part of it, its salted hash is."""

    entry: Entry
    path: tuple[bytes, ...]
    """The siblings on the way from the entry to the root, from below."""
    checkpoint: LedgerCheckpoint

    def faults(self, key: VerifyingKey | None = None) -> list[str]:
        """Return what is wrong with it; with a key, the checkpoint must be signed with that key."""
        entry, faults = self.entry, []
        texts = (entry.kind, entry.source, entry.subject, entry.recipient, entry.policy, entry.decision)
        digest = EntryHash()(entry.sequence, entry.time, texts, entry.payload_hash, entry.previous)
        if digest.hex() != entry.hash:
            faults.append("the entry was changed: its content does not have its hash")
        root = root_of_inclusion(bytes.fromhex(entry.hash), entry.sequence - 1, self.checkpoint.size, self.path)
        if root != self.checkpoint.root:
            faults.append("the entry is not in the state of the checkpoint")
        if key is not None and not self.checkpoint.signed_by(key):
            faults.append("the checkpoint was not signed with the key")
        return faults

    def to_text_file(self) -> str:
        """Return the proof as the text of a JSON file."""
        fields_ = {
            "format": FORMAT,
            "entry": asdict(self.entry),
            "path": [node.hex() for node in self.path],
            "checkpoint": self.checkpoint.note,
        }
        return canonical(fields_).decode() + "\n"

    @classmethod
    def from_text_file(cls, text: str, where: str = "proof") -> EntryProof:
        """Return the proof in the text of a file; raise if it is not one."""
        try:
            given: Mapping[str, Any] = json.loads(text)
            form, entry = given["format"], Entry(**{one.name: given["entry"][one.name] for one in fields(Entry)})
            path = tuple(bytes.fromhex(node) for node in given["path"])
            checkpoint = LedgerCheckpoint.from_note(given["checkpoint"], where)
            kinds = [type(getattr(entry, one.name)) for one in fields(Entry)]
            bytes.fromhex(entry.hash)
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
            form, kinds = "", []
        if form != FORMAT or kinds != [int, *[str] * 10]:
            raise InputError("is not a proof of an entry", where=where, do="make one: tacita ledger prove N")
        return cls(entry, path, checkpoint)

    def _in_short(self) -> str:
        return f"entry {self.entry.sequence} in a state of {self.checkpoint.size:,}"
