"""What follows from sums that become known one after the other, over columns that are divided when a sum cuts them.

A reduced basis remembers everything, and a few random vectors of its kernel say what follows: a sum does if it maps
them to zero (see `kernel_vector`). What would follow if more were known is told by the vectors alone, without a look at
the basis: a random vector of the kernel of more sums is a mixture of one vector more than there are new sums.
"""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.modular.basis import ModularBasis
from tacita.arithmetic.modular.primes import random_prime

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
_KEPT = 2
"""Vectors that are kept: enough to judge one more sum."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KernelTrial:
    """Entries of columns: a union of columns is known if its entries add up to 0 modulo the prime."""

    before: Ints = field(repr=False)
    """By what is known."""
    after: Ints = field(repr=False)
    """By that and the sums that were tried."""
    is_new: Mask = field(repr=False)
    """Which of the sums do not follow from what was known and those before them."""
    prime: int = field(repr=False)


class IncrementalKernel:
    """Known sums of columns, and what follows from them. Mutable: `add` changes it.

    >>> kernel = IncrementalKernel()
    >>> whole, part = np.array([[True, True]]), np.array([[False, True]])
    >>> kernel.add(np.array([0]), whole)
    >>> trial = kernel.trial(np.zeros(0, np.int64), part)
    >>> (trial.before == 0).tolist(), (trial.after == 0).tolist()
    ([False, False], [True, True])
    """

    def __init__(self, columns: int = 1, *, prime: int | None = None, most_bytes: int = 512 << 20) -> None:
        self._prime = prime or random_prime()
        self._basis = ModularBasis(columns, prime=self._prime, most_bytes=most_bytes)
        self._draw = np.random.Generator(np.random.PCG64(secrets.randbits(128)))
        self._vectors = self._drawn(_KEPT)

    def __repr__(self) -> str:
        return f"<IncrementalKernel of rank {self.rank} over {self._basis.columns} columns>"

    @property
    def rank(self) -> int:
        """How many independent sums are known."""
        return self._basis.rank

    def has_room(self, parents: Ints, sums: int) -> bool:
        """Return whether so many more sums can be remembered over columns that are divided."""
        return self._basis.has_room(self.rank + sums, self._basis.columns + len(parents))

    def steps(self, sums: int) -> int:
        """Return about how many multiplications a trial of so many sums takes."""
        return (sums * self.rank + sums**2 // 2 + 1) * self._basis.columns

    def trial(self, parents: Ints, sums: Mask) -> KernelTrial:
        """Return what would follow if more sums were known; nothing is changed.

        `parents` are the columns that new ones at the end are parts of, and ``sums[i]`` says which columns sum i adds.
        """
        vectors = self._divided(parents, len(sums) + 1)
        before = vectors[0].copy()
        _, is_new = self._mixed(vectors, sums)
        return KernelTrial(before, vectors[0], is_new, self._prime)

    def add(self, parents: Ints, sums: Mask) -> None:
        """Let sums become known. Raises `LimitError` if that takes too much memory."""
        vectors = self._divided(parents, len(sums) + 1)
        left, is_new = self._mixed(vectors, sums)
        self._basis.split_many(parents)
        self._vectors = vectors[:left][:_KEPT].copy()
        for row in sums[is_new]:
            self._basis.add(row)
        if len(self._vectors) < _KEPT:
            self._vectors = np.concatenate([self._vectors, self._drawn(_KEPT - len(self._vectors))])

    def _drawn(self, many: int) -> Ints:
        """Return random vectors of the kernel."""
        drawn = self._draw.integers(0, self._prime, (many, self._basis.columns))
        return np.stack([self._basis.kernel_member(vector) for vector in drawn])

    def _divided(self, parents: Ints, many: int) -> Ints:
        """Return random vectors of the kernel over divided columns."""
        from tacita.arithmetic.modular.loops import divide_columns

        vectors = self._vectors
        if many > len(vectors):
            vectors = np.concatenate([vectors, self._drawn(many - len(vectors))])
        parts = self._draw.integers(0, self._prime, (len(vectors), len(parents)))
        divided = np.ascontiguousarray(np.concatenate([vectors, parts], axis=1))
        divide_columns(divided, parents, self._prime)
        return divided

    def _mixed(self, vectors: Ints, sums: Mask) -> tuple[int, Mask]:
        from tacita.arithmetic.modular.loops import into_kernel

        return into_kernel(vectors, np.ascontiguousarray(sums), self._prime)
