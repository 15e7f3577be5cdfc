"""Tables that grow: tuples that Spark has computed once and keeps, without the memory of how they came about.

A frame of Spark remembers all the plans behind it, so that after fifty rounds of a program the fifty-first is a plan of
fifty. Here each result is computed when it comes in and its past is cut off (a local checkpoint). A table is a list of
such pieces. What is added is a further piece, a copy of a table shares its pieces, and small pieces are put together
now and then.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

_MOST_PIECES = 8


@dataclass(slots=True, eq=False)
class Piece:
    """Tuples that are kept as long as a table holds them."""

    frame: DataFrame
    rows: int
    tables: int = 0

    @classmethod
    def of(cls, frame: DataFrame) -> Piece:
        """Compute and keep the tuples of a frame."""
        kept = frame.localCheckpoint(eager=False)
        # One job for two things: whoever counts all rows has all of them computed, and so kept.
        return cls(kept, int(kept._jdf.queryExecution().toRdd().count()))

    def let_go(self) -> None:
        """Free the memory once no table holds the tuples; Java would do it too, but only when it feels like it."""
        self.tables -= 1
        if self.tables <= 0:
            with contextlib.suppress(Exception):  # Spark is gone, and with it the memory
                self.frame._jdf.queryExecution().analyzed().rdd().unpersist(False)


@dataclass(frozen=True, slots=True)
class StoredTable:
    """A table: pieces of the same columns."""

    pieces: tuple[Piece, ...]

    def __post_init__(self) -> None:
        for piece in self.pieces:
            piece.tables += 1

    @property
    def rows(self) -> int:
        """The number of tuples."""
        return sum(piece.rows for piece in self.pieces)

    @property
    def frame(self) -> DataFrame:
        """All tuples, piece after piece."""
        return together([piece.frame for piece in self.pieces])

    def with_(self, other: StoredTable, partitions: int) -> StoredTable:
        """Return this table with the tuples of another, and small pieces put together if there are many."""
        pieces = [*self.pieces, *(piece for piece in other.pieces if piece.rows)]
        if len(pieces) > _MOST_PIECES:
            start = first_to_merge([piece.rows for piece in pieces])
            pieces[start:] = [Piece.of(together([piece.frame for piece in pieces[start:]]).coalesce(partitions))]
        return StoredTable(tuple(pieces))

    def drop(self) -> None:
        """Forget the tuples, but for those that another table holds too."""
        for piece in self.pieces:
            piece.let_go()


def together(frames: Sequence[DataFrame]) -> DataFrame:
    """Return frames of the same columns one after another."""
    return functools.reduce(lambda a, b: a.union(b), frames)


def first_to_merge(sizes: Sequence[int]) -> int:
    """Return from which piece on pieces are put together: a large one is left alone as long as the later are small.

    So a tuple is copied as often as the logarithm of the table's length, not as often as there are rounds.

    >>> first_to_merge([1000, 10, 10, 10]), first_to_merge([10, 10, 10, 10]), first_to_merge([100, 30, 20, 10])
    (1, 0, 1)
    """
    start = len(sizes) - 2
    total = sum(sizes[start:])
    while start and sizes[start - 1] <= total:
        start -= 1
        total += sizes[start]
    return start
