"""The vectors of camouflage: the data are a mixture of them with secret weights, and none of them is the data.

Each record is lowest in one vector and highest in another, chosen at random; the rest is balanced so that the mixture
gives the true value. How wide a value is hidden, and where it lies between its ends, is drawn in secret: ends that were
a public function of the value would tell it, and so would the true vector among the k (Gopal, Garfinkel and Goes 2002
choose it so). Where the cells that are asked about are known, neighbours by size in one cell have mirrored patterns:
their sums then hardly move, and answers are narrow.

Everything is in whole numbers: the weight of vector j is ``parts[j] / sum(parts)``, and its values are kept times
``parts[j]``. So a mixture is exact, and the truth is inside of every answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacita.errors import LimitError
from tacita.queries.cube.cube import Cube, Ints
from tacita.queries.noise.keyed import generator_for

_LEAST_PART, _MOST_PART = 256, 768
"""Parts of the weights: none is far from the others, so that every vector counts."""
_LARGEST = 2**62
_WIDEST = 2.0
"""The distance of the ends is drawn between twice the width and this many times as much, evenly by its logarithm."""
_NEAREST = 0.1
"""The value lies at least this share of the distance away from both ends."""
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
    everything = np.ones(len(cube), np.bool_)
    weights = generator_for(secret, everything, "camouflage weights")
    parts = weights.integers(_LEAST_PART, _MOST_PART, size=number, endpoint=True)
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
        order = _neighbours(cube, true) if tuned else None
        values[measure.name] = _vectors(true, largest, parts, float(width), order, generator)
    return CamouflageVectors(tuple(parts.tolist()), values)


def _neighbours(cube: Cube, true: Ints) -> Ints:
    """Return the records cell by cell, and by size within a cell."""
    cell_of = np.repeat(np.arange(len(cube)), cube.n)
    return np.lexsort((true, cell_of)).astype(np.int64)


def _vectors(
    true: Ints, largest: int, parts: Ints, width: float, order: Ints | None, generator: np.random.Generator
) -> NDArray[np.int64]:
    count, number = len(true), len(parts)
    low, high = _two_places(count, number, generator)
    distance = 2.0 * np.exp2(generator.uniform(0.0, np.log2(_WIDEST), size=count))
    place = generator.uniform(_NEAREST, 1.0 - _NEAREST, size=count)
    shares = np.stack([distance * place, distance * (1.0 - place)])
    if order is not None:
        first, second = order[0 : count - 1 : 2], order[1::2]
        # Mirrored: where one is lowest the other is highest, by the same shares of nearly the same size.
        low[second], high[second] = high[first], low[first]
        shares[:, second] = shares[::-1, first]
    size = np.maximum(np.abs(true), np.int64(max(1, round(_LEAST_SHARE * largest)))) * width
    below = np.maximum(np.rint(shares[0] * size), 1).astype(np.int64)
    above = np.maximum(np.rint(shares[1] * size), 1).astype(np.int64)
    records = np.arange(count)
    moved = np.zeros((number, count), np.int64)
    moved[low, records] = -below
    moved[high, records] = above
    # What the two leave over is shared out among the other vectors; one of them takes what whole numbers leave.
    rest = -(parts[low] * moved[low, records] + parts[high] * moved[high, records])
    is_other = np.ones((number, count), np.bool_)
    is_other[low, records] = is_other[high, records] = False
    of_others = (is_other * parts[:, None]).sum(axis=0)
    moved += is_other * (rest // of_others)
    scaled = parts[:, None] * (true + moved)
    balancing = is_other.argmax(axis=0)
    scaled[balancing, records] += parts.sum() * true - scaled.sum(axis=0)
    return scaled


def _two_places(count: int, number: int, generator: np.random.Generator) -> tuple[Ints, Ints]:
    """Return two different vectors for each record."""
    low = generator.integers(0, number, size=count)
    high = (low + generator.integers(1, number, size=count)) % number
    return low.astype(np.int64), high.astype(np.int64)
