"""Pseudo-random permutations that are computed, not stored: for codes that look random and never repeat."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from tacita.generators.stream import random_stream

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

_ROUNDS = 4


@dataclass(frozen=True)
class Permutation:
    """A bijection of ``0 .. size-1`` onto itself, keyed by a seed; constant memory, any position on its own.

    A Feistel network over pairs (left, right) with ``left < a``, ``right < b`` and ``a * b >= size``; a value
    past the end is sent through again until it falls inside (cycle walking). It scatters; it does not
    encrypt.

    >>> sorted(Permutation.keyed(10, seed=1)(np.arange(10)).tolist())
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]
    """

    size: int
    keys: tuple[int, ...]

    @classmethod
    def keyed(cls, size: int, seed: int, *key: int | str) -> Permutation:
        """Return the permutation of that key."""
        keys = random_stream(seed, "permutation", *key).integers(0, 2**62, size=_ROUNDS)
        return cls(size, tuple(keys.tolist()))

    def __call__(self, positions: NDArray[np.integer]) -> NDArray[np.int64]:
        """Return where each position goes."""
        images = self._once(positions.astype(np.uint64))
        while (outside := np.flatnonzero(images >= self.size)).size:
            images[outside] = self._once(images[outside])
        return images.astype(np.int64)

    def _once(self, values: NDArray[np.uint64]) -> NDArray[np.uint64]:
        side = math.isqrt(max(self.size - 1, 0)) + 1
        halves: list[NDArray[np.uint64]] = list(np.divmod(values, np.uint64(side)))
        moduli = (-(-self.size // side), side)
        for turn, key in enumerate(self.keys):
            mine, other = turn % 2, 1 - turn % 2
            halves[mine] = (halves[mine] + _scattered(halves[other], key)) % np.uint64(moduli[mine])
        return halves[0] * np.uint64(side) + halves[1]


def _scattered(values: NDArray[np.uint64], key: int) -> NDArray[np.uint64]:
    """Return 32 well-mixed bits per value (the finaliser of splitmix64)."""
    mixed = (values + np.uint64(key)) * np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    return mixed >> np.uint64(32)


def codes(numbers: NDArray[np.int64], digits: int, prefix: str = "") -> pa.Array:
    """Return numbers as text codes of equal length, with leading zeros.

    >>> codes(np.array([42, 7]), digits=6).to_pylist()
    ['000042', '000007']
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    padded = pc.utf8_lpad(pa.array(numbers).cast(pa.string()), width=digits, padding="0")
    return pc.binary_join_element_wise(prefix, padded, "") if prefix else padded


def digits_for(size: int, least: int = 6) -> int:
    """Return how many digits codes for that many things need.

    >>> digits_for(2_000_000)
    7
    """
    return max(least, len(str(max(size - 1, 0))))
