"""A generated data set: rows that come in batches, with the dictionary that is true of them."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tacita.errors import UsageError
from tacita.model.dictionary import Dictionary

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

BLOCK = 100_000
"""Rows that are drawn together, from one child of the seed."""


@dataclass(frozen=True)
class Generated:
    """A generated data set; its rows exist only while someone reads them."""

    name: str
    rows: int
    dictionary: Dictionary
    """True categories, kinds, descriptions and orders."""
    schema: pa.Schema
    blocks: Callable[[], Iterator[pa.RecordBatch]] = field(repr=False, compare=False)
    """Draws the rows anew, one block after the other."""

    def batches(self, size: int | None = None) -> Iterator[pa.RecordBatch]:
        """Yield the rows, block by block or in batches of ``size`` rows: the same rows either way."""
        return self.blocks() if size is None else _batches_of(size, self.blocks())

    def table(self) -> pa.Table:
        """Return all rows at once, for data that fits into memory."""
        import pyarrow as pa

        return pa.Table.from_batches(self.blocks(), schema=self.schema)


def _batches_of(size: int, blocks: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    if size < 1:
        raise UsageError(f"a batch of {size} rows", do="ask for batches of at least one row")
    waiting: list[pa.RecordBatch] = []
    for block in blocks:
        rest = block
        while rest.num_rows:
            piece = rest.slice(0, size - sum(batch.num_rows for batch in waiting))
            rest = rest.slice(piece.num_rows)
            waiting.append(piece)
            if sum(batch.num_rows for batch in waiting) == size:
                yield pa.concat_batches(waiting)
                waiting = []
    if waiting:
        yield pa.concat_batches(waiting)


def random_stream(seed: int, *key: int | str) -> np.random.Generator:
    """Return the random stream of that key: its own child of the seed, whatever else was drawn.

    >>> random_stream(7, "firms", 0).random() == random_stream(7, "firms", 0).random()
    True
    """
    import numpy as np

    if seed < 0:
        raise UsageError(f"the seed {seed} is negative", do="use a whole number from 0 up")
    parts = [zlib.crc32(part.encode()) if isinstance(part, str) else part for part in key]
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=parts))


def block_sizes(rows: int) -> list[int]:
    """Return how many rows each block has.

    >>> block_sizes(250_000)
    [100000, 100000, 50000]
    """
    return [min(BLOCK, rows - start) for start in range(0, rows, BLOCK)]


def labels_of(codes: NDArray[np.integer], labels: Sequence[str]) -> pa.Array:
    """Return the labels that codes stand for, as plain text."""
    import pyarrow as pa

    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(labels, pa.string())).cast(pa.string())


def schema_of(dictionary: Dictionary, numbers: Sequence[str] = (), counts: Sequence[str] = ()) -> pa.Schema:
    """Return the schema of the dictionary's attributes: text, float64 ``numbers`` and int64 ``counts``."""
    import pyarrow as pa

    types = {name: pa.float64() for name in numbers} | {name: pa.int64() for name in counts}
    return pa.schema([(name, types.get(name, pa.string())) for name in dictionary.names])
