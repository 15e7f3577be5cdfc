"""Noise that is the same whenever the same records are asked about, however the question is written.

The generator is started by a keyed hash of the set of records and of what is asked. Whoever has the key can take the
noise off; the key lies in the folder of the frozen version, and nowhere else.

Where records have keys, the hash of a set is the sum of the hashes of its records modulo 2^256: it is the same in every
version of the data that has these records. A record with another value of a measure counts as another one for this
measure: noise that stayed the same would tell by how much the value changed. Without keys there is one version only,
and the set of its cells says which records these are.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.queries.cube.cube import COUNT, Cube, Ints
from tacita.queries.question import Mask

_PARTS = 8
"""Numbers of 32 bits that a hash is taken as, so that sums of them have room."""


class KeyedNoise:
    """Starts a generator for each set of records of a cube. Without state but what it worked out."""

    def __init__(self, cube: Cube, secret: bytes) -> None:
        self._cube, self._secret = cube, secret
        self._of_cell: NDArray[np.uint64] | None = None

    def generator(self, cells: Mask, measures: Sequence[str], what: str) -> np.random.Generator:
        """Return the generator of a figure over some cells that is made of the values of some measures."""
        if self._cube.history is None:
            return generator_for(self._secret, cells, what)
        sets = sorted({self._hash(self._cube.same_values(name, cells)) for name in measures})
        return _generator(self._secret, b"records" + bytes([len(sets)]) + b"".join(sets) + what.encode())

    def in_order(self, places: Ints) -> Ints:
        """Return places of records of one version in an order that does not depend on the version."""
        if self._cube.history is None:
            return places
        return places[np.argsort(self._cube.history.order[places], kind="stable")]

    def _hash(self, cells: Mask) -> bytes:
        if self._of_cell is None:
            self._of_cell = _hashes_of_cells(self._cube, self._secret)
        total = sum(int(part) << 32 * at for at, part in enumerate(self._of_cell[cells].sum(axis=0).tolist()))
        return (total % 2**256).to_bytes(32, "big")


def generator_for(secret: bytes, cells: Mask, what: str) -> np.random.Generator:
    """Return the generator of one figure over some cells.

    >>> one, two = (generator_for(b"k" * 32, np.array([True, False]), what) for what in ("sum", "count"))
    >>> float(one.normal()) == float(two.normal())
    False
    """
    return _generator(secret, len(cells).to_bytes(8, "big") + np.packbits(cells).tobytes() + what.encode())


def _generator(secret: bytes, message: bytes) -> np.random.Generator:
    digest = hmac.digest(secret, message, "sha256")
    return np.random.Generator(np.random.Philox(key=np.frombuffer(digest[:16], np.uint64)))


def generator_of(secret: bytes, what: str) -> np.random.Generator:
    """Return the generator of what is the same for all records and versions."""
    return _generator(secret, b"everything" + what.encode())


def _hashes_of_cells(cube: Cube, secret: bytes) -> NDArray[np.uint64]:
    """Return the sum of the hashes of the rows of each cell, in parts of 32 bits.

    The first row of a record has the hash of its key; a row with other values has one of its own.
    """
    history = cube.history
    assert history is not None
    hashes = history.keys.copy()
    later = np.repeat(history.same[COUNT] != np.arange(len(cube)), cube.n)
    for row in np.flatnonzero(later).tolist():
        message = b"later values" + hashes[row].tobytes() + int(history.born[row]).to_bytes(4, "big")
        hashes[row] = np.frombuffer(hmac.digest(secret, message, "sha256"), np.uint8)
    parts = np.ascontiguousarray(hashes).view("<u4").reshape(-1, _PARTS).astype(np.uint64)
    return np.asarray(np.add.reduceat(parts, cube.starts[:-1], axis=0), np.uint64)
