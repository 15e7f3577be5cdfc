"""The vectors of camouflage: the data are a mixture of them with secret weights, and none of them is the data.

Each record is lowest in one vector and highest in another, chosen at random, and somewhere between in the others. This
pattern is drawn first, without a look at the weights; then the record is put where the mixture gives the true value.
So patterns tell nothing of the weights, and where a value lies between its ends follows from secrets alone: ends that
were a public function of the value would tell it, and so would the true vector among the k (Gopal, Garfinkel and Goes
2002 choose it so). How far the ends are apart is drawn for each record, as a multiple of its size.

Where a cell has at least as many records as there are vectors, neighbours by size in it have mirrored patterns: the sum
of the cell then hardly moves, and answers about cells are narrow. In a smaller cell that would tell each of them what
the others have.

In a new version of the data, weights are kept, and so are the vectors of every record whose value is as it was: drawn
anew, they would have other intervals, and the truth is in both. Only new records and new values are drawn; these alone
are neighbours of each other.

Everything is in whole numbers: the weight of vector j is ``parts[j] / sum(parts)``, and its values are kept times
``parts[j]``. So a mixture is exact, and the truth is inside of every answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacita.errors import LimitError
from tacita.queries.cube.build import numbered
from tacita.queries.cube.cube import Cube, Ints
from tacita.queries.noise.keyed import generator_for, generator_of

_PARTS = 3072
"""The weights are about so many parts together."""
_EQUAL_SHARE = 0.25
"""The share of the parts that all vectors have alike; the rest is shared out at random, all ways being as likely."""
_LARGEST = 2**62
_WIDEST = 2.0
"""The distance of the ends is drawn between twice the width and this many times as much; extremes are rare: an edge
that many records come near to would tell the weights."""
_GRID = 2**16
"""Places and distances are whole numbers of so many parts: the same on machines whose logarithms differ a little."""
_LEAST_SHARE = 0.01
"""A value near 0 is hidden within the width of this share of the largest value."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CamouflageVectors:
    """The vectors of all measures, with one set of weights. They stay inside."""

    parts: tuple[int, ...] = field(repr=False)
    values: Mapping[str, NDArray[np.int64]] = field(repr=False)
    """Of each measure: a row for each vector, a column for each record, times the part of the vector."""

    def __len__(self) -> int:
        return len(self.parts)

    def __repr__(self) -> str:
        return f"<CamouflageVectors: {len(self)}>"

    def sums(self, measure: str, places: Ints) -> list[Fraction]:
        """Return the sum over some records in each vector."""
        rows = self.values[measure][:, places]
        return [Fraction(int(row.sum()), part) for row, part in zip(rows, self.parts, strict=True)]

    def numbers(self, measure: str, places: Ints) -> NDArray[np.float64]:
        """Return the values of some records in each vector, rounded to floating point."""
        numbers: NDArray[np.float64] = self.values[measure][:, places] / np.asarray(self.parts, np.float64)[:, None]
        return numbers


def vectors_of(cube: Cube, secret: bytes, number: int, width: Fraction, *, tuned: bool) -> CamouflageVectors:
    """Return the vectors of a cube: the same for the same secret."""
    parts = _weights(number, _generator(cube, secret, "camouflage weights"))
    values = {}
    for measure in cube.policy.measures:
        true = cube.values[measure.name]
        largest = max(abs(bound) for bound in measure.bounds)
        if (1 + 2 * _WIDEST * float(width)) * largest * int(parts.sum()) * max(len(true), 1) >= _LARGEST:
            raise LimitError(
                f"the vectors of '{measure.name}' would need numbers of more than 62 bits",
                do="declare fewer decimals or narrower bounds",
            )
        vectors = np.zeros((number, len(true)), np.int64)
        for batch in _batches(cube, measure.name):
            generator = _generator(cube, secret, f"camouflage of {measure.name}{batch.name}")
            own = true[batch.rows]
            pairs = mirrored_pairs(batch.cell_of, own, number) if tuned else np.zeros((0, 2), np.int64)
            vectors[:, batch.rows] = _vectors(own, largest, parts, float(width), pairs, generator)
        values[measure.name] = vectors[:, _standing(cube, measure.name)]
    return CamouflageVectors(tuple(parts.tolist()), values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Batch:
    """Rows whose vectors are drawn together, in an order that no later version changes."""

    name: str
    rows: Ints
    cell_of: Ints
    """Of each of them the cell in the version that had it first."""


def _batches(cube: Cube, measure: str) -> Iterator[_Batch]:
    """Yield the rows that each version brought, of those that have a value for the first time."""
    cell_of = np.repeat(np.arange(len(cube), dtype=np.int64), cube.n)
    if cube.history is None:
        yield _Batch("", np.arange(len(cell_of), dtype=np.int64), cell_of)
        return
    is_first = cube.standing(measure)[cell_of] == cell_of
    for number, seen in enumerate(cube.history.versions, 1):
        rows = np.flatnonzero(is_first & (cube.history.born == number))
        rows = rows[np.argsort(cube.history.order[rows], kind="stable")]
        own = [seen.codes[one.name][cell_of[rows]] for one in cube.attributes]
        if len(rows):
            yield _Batch(f" in version {number}", rows, numbered(own, [len(one.labels) for one in cube.attributes]))


def _standing(cube: Cube, measure: str) -> Ints:
    """Return for each row the first one of the same record with the same value."""
    cell_of = np.repeat(np.arange(len(cube), dtype=np.int64), cube.n)
    within = np.arange(len(cell_of)) - cube.starts[cell_of]
    return np.asarray(cube.starts[cube.standing(measure)[cell_of]] + within, np.int64)


def _generator(cube: Cube, secret: bytes, what: str) -> np.random.Generator:
    if cube.history is None:
        return generator_for(secret, np.ones(len(cube), np.bool_), what)
    return generator_of(secret, what)


def mirrored_pairs(cell_of: Ints, true: Ints, least: int) -> Ints:
    """Return pairs of records of nearly the same size in one cell, of the cells with so many records at least."""
    order = np.lexsort((true, cell_of)).astype(np.int64)
    n = np.bincount(cell_of)[cell_of[order]]
    starts = np.concatenate([[0], np.cumsum(np.bincount(cell_of))])
    place = np.arange(len(order)) - starts[cell_of[order]]
    is_first = (place % 2 == 0) & (place + 1 < n) & (n >= least)
    first = np.flatnonzero(is_first)
    return np.stack([order[first], order[first + 1]], axis=1)


def _weights(number: int, generator: np.random.Generator) -> Ints:
    """Return the parts of the vectors: any of them may count for much, none for nothing."""
    shares = np.asarray(generator.exponential(size=number))
    shares = _EQUAL_SHARE / number + (1 - _EQUAL_SHARE) * shares / shares.sum()
    return np.asarray(np.maximum(np.rint(_PARTS * shares), 1), np.int64)


def _vectors(
    true: Ints, largest: int, parts: Ints, width: float, pairs: Ints, generator: np.random.Generator
) -> NDArray[np.int64]:
    patterns = _patterns(len(true), len(parts), generator)
    patterns[:, pairs[:, 1]] = _GRID - patterns[:, pairs[:, 0]]
    multiple = np.rint(_GRID * np.exp2(np.log2(_WIDEST) * generator.beta(3.0, 3.0, size=len(true)))) / _GRID
    multiple[pairs[:, 1]] = multiple[pairs[:, 0]]
    size = np.maximum(np.abs(true), np.int64(max(1, round(_LEAST_SHARE * largest)))) * width
    distance = np.maximum(np.ceil(2.0 * multiple * size), 2)
    moved = np.rint(distance * patterns / _GRID).astype(np.int64)
    # The mixture of all moves is taken back everywhere; one vector takes what whole numbers leave.
    everything = int(parts.sum())
    back = parts @ moved
    scaled = np.asarray(parts[:, None] * (true + moved - back // everything), np.int64)
    scaled[int(parts.argmax())] -= back % everything
    return scaled


def _patterns(count: int, number: int, generator: np.random.Generator) -> Ints:
    """Return where each record is in each vector, from 0, its lowest, to the grid, its highest.

    Hardly any two records have the same pattern: who knows one of them would know the other.
    """
    low, high = _two_places(count, number, generator)
    patterns = generator.integers(0, _GRID, size=(number, count), endpoint=True)
    records = np.arange(count)
    patterns[low, records] = 0
    patterns[high, records] = _GRID
    return patterns


def _two_places(count: int, number: int, generator: np.random.Generator) -> tuple[Ints, Ints]:
    """Return two different vectors for each record."""
    low = generator.integers(0, number, size=count)
    high = (low + generator.integers(1, number, size=count)) % number
    return low.astype(np.int64), high.astype(np.int64)
