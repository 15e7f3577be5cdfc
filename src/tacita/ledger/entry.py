"""An entry of the ledger, and the hash that ties it to all entries before it.

The hash of an entry is SHA-256 over its canonical JSON: the fields of `Entry` without `hash`. It holds the hash of the
previous entry, and that of the payload with its salt. The payload itself is kept apart, so that it can be purged and
the chain stays whole; the salt goes with it, so that nobody can find a small payload again by trying.
"""

from __future__ import annotations

import getpass
import hashlib
import socket
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacita.errors import UsageError
from tacita.ledger.canonical import canonical_text

SALT_LENGTH = 16
FORMAT = 1
PURGE, RESTORE, WITHDRAWAL, NOTE = "purge", "restore", "withdrawal", "note"
_LONGEST = 500


@dataclass(frozen=True, slots=True)
class NewEntry:
    """What somebody wants to append.

    All texts but the payload stay in the chain for ever: no value of the data belongs there.
    """

    kind: str
    """What left or happened: 'release', 'table release', 'increment', 'answer', 'note', 'withdrawal', 'refusal', ..."""
    source: str = ""
    """SHA-256 of the content of the source, in hexadecimal digits; empty if there is none."""
    subject: str = ""
    """The name of the source in the settings file of the ledger; empty if it has none."""
    recipient: str = ""
    """Who receives it, by the name in the settings file; empty: everybody."""
    policy: str = ""
    """SHA-256 of the plan, specification or policy that decided."""
    decision: str = ""
    """What was decided: 'released', 'held', 'refused', ..."""
    payload: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    """Everything else, as JSON values without fractions (`tacita.ledger.canonical`)."""


@dataclass(frozen=True, slots=True)
class Entry:
    """An entry as it stands in the chain; `Ledger.payload` returns its payload."""

    sequence: int
    """Its number, from 1 on without gaps."""
    time: str
    """When it was appended, in UTC; recorded, and never used for order."""
    kind: str
    source: str
    subject: str
    recipient: str
    policy: str
    decision: str
    payload_hash: str
    """SHA-256 over the salt and the canonical payload."""
    previous: str
    """The hash of the entry before it; of the first one the hash of the ledger's identity."""
    hash: str
    """SHA-256 over the canonical JSON of all fields above."""


@dataclass(frozen=True, slots=True)
class LedgerHead:
    """The state of a ledger: how many entries it has, and the hash of the last one."""

    size: int
    hash: str


def hash_of_payload(salt: bytes, payload: bytes) -> bytes:
    """Return the hash of a canonical payload, which nobody can guess without the salt."""
    return hashlib.sha256(salt + payload).digest()


class EntryHash:
    """Hashes of entries. It remembers the texts that come again and again, and checks each text once."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    def __call__(
        self, sequence: int, time: str, texts: tuple[str, str, str, str, str, str], payload_hash: str, previous: str
    ) -> bytes:
        """Return the hash of an entry; `texts` are kind, source, subject, recipient, policy and decision."""
        known = self._texts
        try:
            kind, source, subject, recipient, policy, decision = [known[text] for text in texts]
        except KeyError:
            self._learn(texts)
            kind, source, subject, recipient, policy, decision = [known[text] for text in texts]
        return hashlib.sha256(
            f'{{"decision":{decision},"kind":{kind},"payload_hash":"{payload_hash}","policy":{policy},'
            f'"previous":"{previous}","recipient":{recipient},"sequence":{sequence},"source":{source},'
            f'"subject":{subject},"time":{canonical_text(time)}}}'.encode()
        ).digest()

    def _learn(self, texts: tuple[str, ...]) -> None:
        if len(self._texts) > 100_000:
            self._texts.clear()
        for text in texts:
            self._texts[text] = canonical_text(text)


def check_texts(entry: NewEntry) -> None:
    """Raise if a text of an entry cannot stand in the chain."""
    for name in ("kind", "source", "subject", "recipient", "policy", "decision"):
        text = getattr(entry, name)
        if not isinstance(text, str) or not text.isprintable() or len(text) > _LONGEST:
            # A text that is not printable may hold a line break, which would look like another entry.
            raise UsageError(
                f"'{name}' of an entry is not a printable text of at most {_LONGEST} characters",
                do="shorten it, and leave control characters out",
            )
    if not entry.kind:
        raise UsageError("an entry has no kind", do="say what it is, such as 'release'")


def actor() -> str:
    """Return who records something: the account and the machine, for payloads."""
    try:
        account = getpass.getuser()
    except (OSError, KeyError):  # an account without a name, as in a container
        account = "an account without a name"
    return f"{account} on {socket.gethostname()}"


def first_previous(name: str, id_: str) -> str:
    """Return what the first entry has as the hash of the entry before it: it ties a chain to its ledger.

    >>> first_previous("bank", "00")[:16]
    'f0f61ad01ef90b65'
    """
    return hashlib.sha256(f"tacita ledger {FORMAT}\n{name}\n{id_}\n".encode()).hexdigest()
