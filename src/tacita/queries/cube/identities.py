"""By what records are known from version to version: keyed hashes of the key and the unit of a policy, never values."""

from __future__ import annotations

import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.errors import counted, listed
from tacita.queries.cube.history import HASH_BYTES, Hashes
from tacita.queries.policy.policy import QueryPolicy


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class RecordIdentities:
    """Of each record, in the order of the source, the hashes that it is known by."""

    keys: Hashes = field(repr=False)
    """Of the key, together with the unit: a key that is given to somebody else is another record."""
    persons: Hashes | None = field(default=None, repr=False)


def identities_of(
    secret: bytes, keys: Sequence[Sequence[str]], persons: Sequence[Sequence[str]], records: int
) -> RecordIdentities:
    """Return the identities of records by the texts of attributes, one column each."""
    hashed_persons = _hashes(secret, b"person", persons, records) if persons else None
    return RecordIdentities(_hashes(secret, b"record", [*keys, *persons], records), hashed_persons)


def key_faults(policy: QueryPolicy, keys: Sequence[Sequence[str]]) -> list[str]:
    """Return what keeps the key of a policy from naming each record."""
    if not keys:
        return []
    names = list(zip(*keys, strict=True))
    absent = sum("" in name for name in names)
    twice = len(names) - len(set(names))
    faults = [f"'{listed(policy.key)}': {counted(absent, 'record')} without this key"] if absent else []
    return faults + ([f"'{listed(policy.key)}': {counted(twice, 'record')} with the key of another"] if twice else [])


def _hashes(secret: bytes, what: bytes, columns: Sequence[Sequence[str]], records: int) -> Hashes:
    digests = b"".join(
        hmac.digest(secret, what + b"\0" + json.dumps(texts, ensure_ascii=True).encode(), "sha256")
        for texts in zip(*columns, strict=True)
    )
    return np.frombuffer(digests, np.uint8).reshape(records, HASH_BYTES)
