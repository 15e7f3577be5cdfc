"""Sets of cells that were asked about, one bit for each cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.queries.question import Mask

Bits = NDArray[np.uint8]


class PublishedSets:
    """Different sets of cells with the number of the answer that had each first. Mutable: `add` changes it.

    >>> sets = PublishedSets(3, most_bytes=1000)
    >>> sets.add(np.array([True, True, False]), 1)
    >>> sets.overlaps(np.array([False, True, True]), np.array([4, 5, 6])).tolist()
    [5]
    >>> [(outer, inner, left.tolist()) for outer, inner, left in sets.nested(np.array([True, False, False]))]
    [(0, None, [False, True, False])]
    """

    def __init__(self, cells: int, *, most_bytes: int) -> None:
        self._cells = cells
        self._most = max(1, most_bytes // max(1, (cells + 7) // 8))
        self._bits: Bits = np.zeros((0, (cells + 7) // 8), np.uint8)
        self._known: dict[bytes, int] = {}
        self.numbers: list[int] = []
        """The answer of each set, in their order."""
        self._versions: list[int] = []
        self.values: list[int] = []
        """The sum of each set, as it was published."""

    def __repr__(self) -> str:
        return f"<PublishedSets: {len(self):,} sets>"

    def __len__(self) -> int:
        return len(self.numbers)

    def has(self, cells: Mask) -> bool:
        """Return whether a set is remembered."""
        return np.packbits(cells).tobytes() in self._known

    def has_room(self, more: int) -> bool:
        """Return whether so many more sets may be remembered."""
        return len(self) + more <= self._most

    def add(self, cells: Mask, number: int, version: int = 1, value: int = 0) -> None:
        """Remember a set, unless it is known."""
        bits = np.packbits(cells)
        if bits.tobytes() in self._known:
            return
        if len(self) == len(self._bits):
            larger = np.zeros(
                (min(max(16, 2 * len(self)), max(self._most, len(self) + 1)), self._bits.shape[1]), np.uint8
            )
            larger[: len(self)] = self._bits
            self._bits = larger
        self._bits[len(self)] = bits
        self._known[bits.tobytes()] = len(self)
        self.numbers.append(number)
        self._versions.append(version)
        self.values.append(value)

    def masks(self, places: Sequence[int] | NDArray[np.int64]) -> Mask:
        """Return some of the sets, a row for each."""
        return self._unpacked(self._bits[: len(self)][places])

    def overlaps(self, cells: Mask, weights: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the weight of what each set has in common with one; nothing if it is the same set."""
        bits = np.packbits(cells)
        common = self._bits[: len(self)] & bits
        result = np.array([int(weights[self._unpacked(row)].sum()) for row in common], np.int64)
        result[(self._bits[: len(self)] == bits).all(axis=1)] = 0
        return result

    def nested(self, cells: Mask) -> list[tuple[int | None, int | None, Mask]]:
        """Return what is left between a set and each that holds it or is inside it, with the places of both.

        None stands for the set that is asked about.
        """
        bits, known = np.packbits(cells), self._bits[: len(self)]
        only_known, only_new = known & ~bits, bits & ~known
        is_inside: Mask = np.asarray(~only_known.any(axis=1))
        holds: Mask = np.asarray(~only_new.any(axis=1))
        result: list[tuple[int | None, int | None, Mask]] = []
        for place in np.flatnonzero(is_inside != holds).tolist():
            if holds[place]:
                result.append((place, None, self._unpacked(only_known[place])))
            else:
                result.append((None, place, self._unpacked(only_new[place])))
        return result

    def changes(self, cells: Mask, version: int, large: Mask, suspects: Mask) -> Iterator[tuple[int, Mask]]:
        """Yield what is in one of both only, of a set and each that is of another version, with the place of that.

        Where a large cell is in one of both only, just the suspects among the sets are looked at.
        """
        different = self._bits[: len(self)] ^ np.packbits(cells)
        is_little = ~(different & np.packbits(large)).any(axis=1)
        chosen = (np.array(self._versions, np.int64) != version) & different.any(axis=1) & (is_little | suspects)
        for place in np.flatnonzero(chosen).tolist():
            yield place, self._unpacked(different[place])

    def _unpacked(self, bits: Bits) -> Mask:
        return np.unpackbits(bits, axis=-1, count=self._cells).astype(np.bool_)
