"""Persons in disclosures: a keyed hash of what names them, so that versions of a source can be compared without names.

The key stays in the ledger. Whoever has the ledger can try identifiers; whoever has only the hashes cannot.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tacita.ledger.canonical import canonical

if TYPE_CHECKING:
    from tacita.ledger.ledger import Ledger
    from tacita.ledger.sources import LedgerSource


@dataclass(frozen=True, slots=True)
class PersonHashes:
    """Hashes of the persons of one source.

    >>> hashes = PersonHashes("survey", ("id",), b"k" * 32)
    >>> hashes.of(["17"]) == hashes.of(["17"]), hashes.of(["17"]) == hashes.of(["18"]), hashes.of([None])
    (True, False, None)
    """

    subject: str
    attributes: tuple[str, ...]
    """The attributes that together name a person."""
    key: bytes = field(repr=False)

    def of(self, values: Sequence[str | None]) -> str | None:
        """Return the hash of a person, 32 digits; None if a part of the name is missing."""
        if any(value is None for value in values):
            return None
        message = canonical({"subject": self.subject, "person": list(values)})
        return hmac.digest(self.key, message, "sha256")[:16].hex()


def persons_of(source: LedgerSource | None, ledger: Ledger) -> PersonHashes | None:
    """Return how the persons of a source are known; None if it has no key."""
    if source is None or not source.key:
        return None
    return PersonHashes(source.name, source.key, ledger.identity.person_key)
