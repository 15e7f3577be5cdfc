"""Record keys: a uniform number for each record, the same whatever the order of the records.

A key is a whole number below 2^64, read as a share of one. Keys are summed modulo 2^64, which is exact, so that a
cell's key depends on which records are in it and on nothing else. Keys are secret: who knows them can undo the noise.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted
from tacita.model.secret_key import weakness


def record_keys(identifiers: Sequence[str | int | None], secret: bytes) -> NDArray[np.uint64]:
    """Return the keys of records from a stable identifier of each and a secret, by BLAKE2b with that secret as its key.

    The same record has the same key in every file and every order; without the secret nobody can compute it.

    >>> here = record_keys(["a", "b", "c"], b"sixteen bytes or more")
    >>> there = record_keys(["c", "a", "b"], b"sixteen bytes or more")
    >>> bool((here[[2, 0, 1]] == there).all())
    True
    """
    if (why := "has more than 64 bytes" if len(secret) > 64 else weakness(secret)) is not None:
        raise UsageError(
            f"the secret for the record keys {why}",
            do="give 16 to 64 random bytes, and keep them: the next tables need the same",
        )
    texts = [None if digest is None else str(digest) for digest in identifiers]
    missing = sum(text is None or not text for text in texts)
    if missing:
        raise InputError(
            f"{counted(missing, 'record')} without an identifier",
            where="record keys",
            do="name a column that identifies every record",
        )
    repeated = len(texts) - len(set(texts))
    if repeated:
        raise InputError(
            f"{counted(repeated, 'record')} with the identifier of an earlier one: their keys would be the same",
            where="record keys",
            do="name a column (or make one) that is different for every record",
        )
    start = hashlib.blake2b(key=secret, digest_size=8)
    digests = bytearray()
    for text in texts:
        digest = start.copy()
        digest.update(text.encode())  # type: ignore[union-attr]
        digests += digest.digest()
    return np.frombuffer(bytes(digests), dtype="<u8").astype(np.uint64)


def given_keys(shares: NDArray[np.float64]) -> NDArray[np.uint64]:
    """Return the keys of records that carry them as numbers in [0, 1).

    >>> given_keys(np.array([0.0, 0.5])).tolist()
    [0, 9223372036854775808]
    """
    if len(shares) and not ((shares >= 0) & (shares < 1)).all():
        wrong = int((~((shares >= 0) & (shares < 1))).sum())
        raise InputError(
            f"{counted(wrong, 'record key')} not in [0, 1), or missing",
            where="record keys",
            do="give each record a number drawn uniformly from [0, 1)",
        )
    if len(shares) > 10 and len(np.unique(shares)) < 0.5 * len(shares):
        raise InputError(
            "most record keys are shared by several records",
            where="record keys",
            do="draw a key for each record, with nine digits or more",
        )
    return np.asarray(np.floor(shares * 2.0**53), np.uint64) << np.uint64(11)
