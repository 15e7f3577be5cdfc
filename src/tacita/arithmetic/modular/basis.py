"""A reduced basis of known sums that grows row by row, modulo a secret prime.

Used where sums come one after the other and each has to be judged before it joins: what would be known exactly if this
sum were known, too? In fully reduced form the factors of a row are its entries at the pivots, so that one pass decides.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacita.arithmetic.modular.primes import random_prime
from tacita.errors import LimitError

Ints = NDArray[np.int64]
_MOST_BYTES = 512 << 20


class ModularBasis:
    """A basis of known sums over columns, which are the unknowns. Mutable: `add` and `split` change it.

    >>> basis = ModularBasis(3)
    >>> basis.add([1, 1, 1]), basis.add([0, 1, 1]), basis.add([1, 2, 2])
    (True, True, False)
    >>> basis.known().tolist(), basis.known_with([0, 0, 1]).tolist()
    ([True, False, False], [True, True, True])
    >>> basis.follows([1, 0, 0]), basis.follows([0, 1, 0])
    (True, False)
    """

    def __init__(self, columns: int, *, prime: int | None = None, most_bytes: int = _MOST_BYTES) -> None:
        self._prime = prime or random_prime()
        self._most_bytes = most_bytes
        self._columns = columns
        self._rank = 0
        self._rows = np.zeros((0, columns), np.int64)
        self._pivots = np.zeros(0, np.int64)

    def __repr__(self) -> str:
        return f"<ModularBasis of rank {self._rank} over {self._columns} columns>"

    @property
    def rank(self) -> int:
        """How many independent sums are known."""
        return self._rank

    @property
    def columns(self) -> int:
        """How many unknowns there are."""
        return self._columns

    def copy(self) -> ModularBasis:
        """Return a basis that can be changed without changing this one."""
        other = ModularBasis(self._columns, prime=self._prime, most_bytes=self._most_bytes)
        other._rank = self._rank
        other._rows = self._rows[: self._rank, : self._columns].copy()
        other._pivots = self._pivots[: self._rank].copy()
        return other

    def follows(self, row: ArrayLike) -> bool:
        """Return whether a sum follows from those that are known."""
        return self._reduced(row)[1] < 0

    def known(self) -> NDArray[np.bool_]:
        """Return the unknowns that are determined."""
        return self._known_with(np.zeros(self._columns, np.int64), -1)

    def known_with(self, row: ArrayLike) -> NDArray[np.bool_]:
        """Return the unknowns that would be determined if this sum were known, too; nothing is changed."""
        return self._known_with(*self._reduced(row))

    def add(self, row: ArrayLike) -> bool:
        """Let a sum join; return whether it was new. Raises `LimitError` if the basis would become too large."""
        from tacita.arithmetic.modular.loops import join_row

        reduced, pivot = self._reduced(row)
        if pivot < 0:
            return False
        self._make_room(self._rank + 1, self._columns)
        join_row(self._rows, self._rank, reduced, pivot, self._prime)
        self._pivots[self._rank] = pivot
        self._rank += 1
        return True

    def split(self, column: int, parts: int = 2) -> Ints:
        """Divide an unknown into parts that add up to it; return the columns of the parts, the first in its place.

        Sums so far have all parts where they had the unknown.
        """
        more = np.arange(self._columns, self._columns + parts - 1, dtype=np.int64)
        self._make_room(self._rank, self._columns + parts - 1)
        self._rows[: self._rank, more] = self._rows[: self._rank, column][:, None]
        self._columns += parts - 1
        # The pivot of a row may be the column itself: it stays one, since no other row has an entry there.
        return np.concatenate([[column], more]).astype(np.int64)

    def split_many(self, parents: Ints) -> None:
        """Add a column for each parent, in their order, that is a part of it; a part may be divided again."""
        more = len(parents)
        self._make_room(self._rank, self._columns + more)
        roots = parents.copy()
        for at in np.flatnonzero(parents >= self._columns):
            roots[at] = roots[parents[at] - self._columns]
        self._rows[: self._rank, self._columns : self._columns + more] = self._rows[: self._rank, roots]
        self._columns += more

    def has_room(self, rows: int, columns: int) -> bool:
        """Return whether a basis of so many rows and columns may be kept."""
        return 8 * rows * columns <= self._most_bytes

    def kernel_member(self, vector: Ints) -> Ints:
        """Return a vector that all known sums map to zero, and that is equal to a given one beside the pivots."""
        from tacita.arithmetic.modular.loops import complete_vector

        member: Ints = np.asarray(vector, np.int64) % self._prime
        complete_vector(self._rows, self._pivots, self._rank, member, self._prime)
        return member

    def _reduced(self, row: ArrayLike) -> tuple[Ints, int]:
        from tacita.arithmetic.modular.loops import reduce_row

        residues: Ints = np.asarray(row, np.int64) % self._prime
        pivot = reduce_row(self._rows, self._pivots, self._rank, residues, self._prime)
        return residues, int(pivot)

    def _known_with(self, reduced: Ints, pivot: int) -> NDArray[np.bool_]:
        from tacita.arithmetic.modular.loops import fixed_rows

        fixed = np.zeros(self._columns, np.bool_)
        fixed_rows(self._rows, self._pivots, self._rank, reduced, pivot, self._prime, fixed)
        return fixed

    def _make_room(self, rows: int, columns: int) -> None:
        height, width = self._rows.shape
        if rows <= height and columns <= width:
            return
        if 8 * rows * columns > self._most_bytes:
            raise LimitError(
                f"what is known would take more than {self._most_bytes >> 20:,} MB to keep",
                do="ask for sums that follow from known ones, or begin a new period",
            )
        if columns > width:
            width = max(columns, min(2 * width, self._most_bytes // (8 * max(rows, height, 1))))
        if rows > height:
            height = max(rows, min(max(2 * height, 16), self._most_bytes // (8 * width)))
        larger = np.zeros((height, width), np.int64)
        larger[: self._rank, : self._columns] = self._rows[: self._rank, : self._columns]
        self._rows = larger
        self._pivots = np.concatenate([self._pivots, np.zeros(height - len(self._pivots), np.int64)])
