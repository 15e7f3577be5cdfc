"""A checkpoint: the state of a ledger in three lines of text, signed or not (c2sp.org/tlog-checkpoint).

    bank-of-example/5d41402abc4b2a76b9719d911017c592
    1205
    47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=

    — bank-of-example x4Hr...

The first line names the ledger, the second is the number of entries, the third the root of the Merkle tree over them.
Whoever keeps a checkpoint can later tell whether the ledger still begins with the entries that it had then.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import Self

from tacita.errors import InputError
from tacita.ledger.signing import SigningKey, VerifyingKey
from tacita.ledger.stores.store import LedgerIdentity

_DASH = "\u2014 "


@dataclass(frozen=True, slots=True)
class LedgerCheckpoint:
    """The state of a ledger: how many entries, and the root over them.

    >>> state = LedgerCheckpoint("bank/00", 2, bytes(32))
    >>> LedgerCheckpoint.from_note(state.note) == state, state.signed_by(VerifyingKey("bank", bytes(32)))
    (True, False)
    """

    origin: str
    size: int
    root: bytes
    signatures: tuple[tuple[str, bytes], ...] = ()
    """Names, and four bytes that name the key with the signature after them."""

    @property
    def text(self) -> str:
        """What is signed."""
        return f"{self.origin}\n{self.size}\n{base64.b64encode(self.root).decode()}\n"

    @property
    def note(self) -> str:
        """The text with its signatures, as it is printed and kept."""
        lines = (f"{_DASH}{name} {base64.b64encode(signature).decode()}\n" for name, signature in self.signatures)
        return f"{self.text}\n{''.join(lines)}"

    @classmethod
    def from_note(cls, note: str, where: str = "checkpoint") -> Self:
        """Return the checkpoint of a text; raise if it is not one."""
        text, _, rest = note.replace("\r\n", "\n").partition("\n\n")
        try:
            origin, size, root = text.split("\n")
            signatures = tuple(_signature(line) for line in rest.splitlines() if line.strip())
            checkpoint = cls(origin, int(size), base64.b64decode(root, validate=True), signatures)
        except ValueError:
            checkpoint = cls("", -1, b"")
        named = bool(checkpoint.origin) and checkpoint.origin.isprintable()
        if not named or checkpoint.size < 0 or len(checkpoint.root) != 32 or checkpoint.text != f"{text}\n":
            raise InputError(
                "is not a checkpoint", where=where, do="give the text as 'tacita ledger checkpoint' printed it"
            )
        return checkpoint

    def signed_with(self, key: SigningKey) -> Self:
        """Return the checkpoint with a signature."""
        line = (key.verifying.name, key.verifying.hash + key.sign(self.text))
        return type(self)(self.origin, self.size, self.root, (*self.signatures, line))

    def signed_by(self, key: VerifyingKey) -> bool:
        """Return whether one of the signatures is of this key."""
        return any(
            name == key.name and signature[:4] == key.hash and key.verifies(self.text, signature[4:])
            for name, signature in self.signatures
        )


def origin_of(identity: LedgerIdentity) -> str:
    """Return the first line of the checkpoints of a ledger."""
    return f"{identity.name}/{identity.id}"


def _signature(line: str) -> tuple[str, bytes]:
    name, _, encoded = line.removeprefix(_DASH).partition(" ")
    if not line.startswith(_DASH) or not name:
        raise ValueError
    return name, base64.b64decode(encoded, validate=True)
