"""The vectors of camouflage: the data are a mixture of them with secret weights, and none of them is the data.

Each record is lowest in one vector and highest in another, chosen at random, and somewhere between in the others. This
pattern is drawn first, without a look at the weights; then the record is put where the mixture gives the true value.
So patterns tell nothing of the weights, and where a value lies between its ends follows from secrets alone: ends that
were a public function of the value would tell it, and so would the true vector among the k (Gopal, Garfinkel and Goes
2002 choose it so). How far the ends are apart is drawn for each record, as a multiple of its size.

Where a cell has at least as many records as there are vectors, neighbours by size in it have mirrored patterns: the sum
of the cell then hardly moves, and answers about cells are narrow. In a smaller cell that would tell each of them what
the others have. Records of smaller cells are mirrored across two cells that are so large together, if the holder
expects questions that hold both: still nobody can ask about a pair without asking about so many records.

Everything is in whole numbers: the weight of vector j is ``parts[j] / sum(parts)``, and its values are kept times
``parts[j]``. So a mixture is exact, and the truth is inside of every answer.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacita.errors import LimitError
from tacita.queries.cube.cube import Cube, Ints
from tacita.queries.noise.keyed import generator_for

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


def vectors_of(
    cube: Cube, secret: bytes, number: int, width: Fraction, *, tuned: bool, expected: Sequence[str] = ()
) -> CamouflageVectors:
    """Return the vectors of a cube: the same for the same secret."""
    everything = np.ones(len(cube), np.bool_)
    weights = generator_for(secret, everything, "camouflage weights")
    parts = _weights(number, weights)
    values = {}
    for measure in cube.policy.measures:
        true = cube.values[measure.name]
        largest = max(abs(bound) for bound in measure.bounds)
        if (1 + 2 * _WIDEST * float(width)) * largest * int(parts.sum()) * max(len(true), 1) >= _LARGEST:
            raise LimitError(
                f"the vectors of '{measure.name}' would need numbers of more than 62 bits",
                do="declare fewer decimals or narrower bounds",
            )
        generator = generator_for(secret, everything, f"camouflage of {measure.name}")
        pairs = mirrored_pairs(cube, true, number, expected) if tuned else np.zeros((0, 2), np.int64)
        values[measure.name] = _vectors(true, largest, parts, float(width), pairs, generator)
    return CamouflageVectors(tuple(parts.tolist()), values)


def mirrored_pairs(cube: Cube, true: Ints, least: int, expected: Sequence[str] = ()) -> Ints:
    """Return pairs of records of nearly the same size, so that whoever asks about both asks about so many at least.

    They are in one cell that is so large; records that are left are paired with those of another cell with the same
    codes of the expected attributes, if both cells together are so large.
    """
    cell_of = np.repeat(np.arange(len(cube)), cube.n)
    everything = np.arange(len(true), dtype=np.int64)
    pairs = _neighbours(everything[cube.n[cell_of] >= least], cell_of, true)
    if not expected:
        return pairs
    codes = np.stack([cube.codes[name] for name in expected], axis=1)
    _, group_of_cell = np.unique(codes, axis=0, return_inverse=True)
    left = np.setdiff1d(everything, pairs)
    more = _neighbours(left, group_of_cell.reshape(-1)[cell_of], true)
    first, second = cell_of[more[:, 0]], cell_of[more[:, 1]]
    is_large = (first != second) & (cube.n[first] + cube.n[second] >= least)
    return np.concatenate([pairs, more[is_large]])


def _neighbours(places: Ints, group_of: Ints, true: Ints) -> Ints:
    """Return pairs of records that follow each other by size in one group."""
    order = places[np.lexsort((true[places], group_of[places]))]
    _, starts, sizes = np.unique(group_of[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(starts, sizes)
    first = np.flatnonzero((place % 2 == 0) & (place + 1 < np.repeat(sizes, sizes)))
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
