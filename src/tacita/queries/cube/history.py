"""Which records of a cube are in which version of the data, and which of its cells are about the same values.

A record is known from version to version by a keyed hash of its key and of whom it is about. A record whose measures
changed has a row of the cube for each combination of values that it had, the first one in the first place; any other
record has one row, wherever its codes moved. All rows of a cell are of records that changed in the same way, so that
what is said of a cell holds for each of its rows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacita.queries.question import Mask

Ints = NDArray[np.int64]
Hashes = NDArray[np.uint8]
"""A row of 32 bytes for each record."""
HASH_BYTES = 32


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CellsOfVersion:
    """What one version says of the cells of a cube."""

    codes: Mapping[str, NDArray[np.int32]]
    """Of each attribute the code of each cell; -1 where the version does not have the records of the cell."""
    present: Mask
    """Whether the version has the records of each cell, with the values of the cell."""
    labels: Mapping[str, int]
    """How many of the labels of each attribute the version has: later ones are added at the end."""


@dataclass(frozen=True, eq=False, repr=False)
class RecordHistory:
    """The versions that a cube is of, oldest first, and what its cells have in common."""

    versions: tuple[CellsOfVersion, ...]
    same: Mapping[str, Ints]
    """Of each measure: for each cell the first one of the same records with the same values; the empty name: with
    whatever values."""
    keys: Hashes = field(repr=False)
    """Of each row the keyed hash of its record; rows of one cell are in the order of these."""
    born: Ints = field(repr=False)
    """Of each row the number of the first version that has it."""
    persons: Hashes | None = field(default=None, repr=False)
    """Of each row the keyed hash of whom it is about, if the policy has a unit."""

    @cached_property
    def changes(self) -> bool:
        """Whether some record has several rows."""
        first = self.same[""]
        return bool((first != np.arange(len(first))).any())

    @cached_property
    def order(self) -> Ints:
        """The place of each row in the order of the keys of records, whatever cells they are in."""
        place = np.empty(len(self.keys), np.int64)
        place[in_order(self.keys)] = np.arange(len(self.keys))
        return place


def in_order(keys: Hashes, *larger: Ints) -> Ints:
    """Return rows in the order of some numbers, the last of them first, and of their keys within these.

    >>> in_order(np.array([[2] * 32, [1] * 32, [0] * 32], np.uint8), np.array([0, 0, 1])).tolist()
    [1, 0, 2]
    """
    words = np.ascontiguousarray(keys).view(">u8").reshape(len(keys), -1)
    return np.asarray(np.lexsort((*words.T[::-1], *larger)), np.int64)


def first_history(
    codes: Mapping[str, NDArray[np.int32]], labels: Mapping[str, int], cells: int, measures: tuple[str, ...]
) -> tuple[CellsOfVersion, dict[str, Ints]]:
    """Return what the first version says of its cells, all of which stand for themselves."""
    own = np.arange(cells, dtype=np.int64)
    return CellsOfVersion(codes, np.ones(cells, np.bool_), labels), dict.fromkeys(("", *measures), own)
