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

In a new version of the data, weights are kept, and so are the vectors of every record whose value is as it was: drawn
anew, they would have other intervals, and the truth is in both. Only new records and new values are drawn; these alone
are neighbours of each other.

Everything is in whole numbers: the weight of vector j is ``parts[j] / sum(parts)``, and its values are kept times
``parts[j]``. So a mixture is exact, and the truth is inside of every answer.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacita.errors import LimitError, counted
from tacita.queries.cube.build import numbered
from tacita.queries.cube.cube import Cube, Ints
from tacita.queries.noise.keyed import generator_for, generator_of
from tacita.queries.question import Mask

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
_LEAST_DISTANCE = 16
"""The ends are so many whole numbers apart at least, so that there are others than the value within any bounds."""
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
    """Return the vectors of a cube: the same for the same secret.

    Raises `LimitError` if numbers would be too large, or a new version leaves too few records around a mirrored pair.
    """
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
        for batch in _batches(cube, measure.name, expected):
            generator = _generator(cube, secret, f"camouflage of {measure.name}{batch.name}")
            own = true[batch.rows]
            pairs = mirrored_pairs(batch, own, number) if tuned else np.zeros((0, 2), np.int64)
            vectors[:, batch.rows] = _vectors(own, largest, parts, float(width), pairs, generator)
            _check_pairs(cube, batch.rows[pairs], number)
        values[measure.name] = vectors[:, _standing(cube, measure.name)]
    return CamouflageVectors(tuple(parts.tolist()), values)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class VectorBatch:
    """Rows whose vectors are drawn together, in an order that no later version changes."""

    name: str
    rows: Ints
    cell_of: Ints
    """Of each of them the cell in the version that had it first."""
    group_of: Ints | None = None
    """And the combination of expected attributes; None: none are expected."""


def _batches(cube: Cube, measure: str, expected: Sequence[str]) -> Iterator[VectorBatch]:
    """Yield the rows that each version brought, of those that have a value for the first time."""
    cell_of = np.repeat(np.arange(len(cube), dtype=np.int64), cube.n)
    labels = {one.name: len(one.labels) for one in cube.attributes}

    def combined(codes: Mapping[str, NDArray[np.int32]], names: Sequence[str], rows: Ints) -> Ints:
        return numbered([codes[name][cell_of[rows]] for name in names], [labels[name] for name in names])

    if cube.history is None:
        rows = np.arange(len(cell_of), dtype=np.int64)
        yield VectorBatch("", rows, cell_of, combined(cube.codes, expected, rows) if expected else None)
        return
    is_first = cube.standing(measure)[cell_of] == cell_of
    for number, seen in enumerate(cube.history.versions, 1):
        rows = np.flatnonzero(is_first & (cube.history.born == number))
        rows = rows[np.argsort(cube.history.order[rows], kind="stable")]
        if len(rows):
            groups = combined(seen.codes, expected, rows) if expected else None
            yield VectorBatch(f" in version {number}", rows, combined(seen.codes, list(labels), rows), groups)


def _check_pairs(cube: Cube, pairs: Ints, least: int) -> None:
    """Raise if questions to several versions could be about a mirrored pair and fewer others than were around it.

    What left one cell in one version is a cell of the cube of all versions. A sum over both records of a pair hardly
    moves, so that each of them would learn the other.
    """
    cell_of = np.repeat(np.arange(len(cube), dtype=np.int64), cube.n)
    first, second = cell_of[pairs[:, 0]], cell_of[pairs[:, 1]]
    around = cube.n[first] + np.where(first == second, 0, cube.n[second])
    if alone := int((around < least).sum()):
        raise LimitError(
            f"the new version would leave {counted(alone, 'pair')} of records with mirrored vectors among fewer than "
            f"{least} records that moved or left together",
            where=cube.policy.name,
            do="wait until more records of these cells have changed; a data set without 'tuned' has no such pairs",
        )


def _standing(cube: Cube, measure: str) -> Ints:
    """Return for each row the first one of the same record with the same value."""
    cell_of = np.repeat(np.arange(len(cube), dtype=np.int64), cube.n)
    within = np.arange(len(cell_of)) - cube.starts[cell_of]
    return np.asarray(cube.starts[cube.standing(measure)[cell_of]] + within, np.int64)


def _generator(cube: Cube, secret: bytes, what: str) -> np.random.Generator:
    if cube.history is None:
        return generator_for(secret, np.ones(len(cube), np.bool_), what)
    return generator_of(secret, what)


def mirrored_pairs(batch: VectorBatch, true: Ints, least: int) -> Ints:
    """Return pairs of records of nearly the same size, so that whoever asks about both asks about so many at least.

    They are in one cell that is so large; records that are left are paired with those of another cell with the same
    codes of the expected attributes, if both cells together are so large.
    """
    cell_of, everything = batch.cell_of, np.arange(len(true), dtype=np.int64)
    size = np.bincount(cell_of)[cell_of]
    pairs = _neighbours(everything[size >= least], cell_of, true)
    if batch.group_of is None:
        return pairs
    more = _neighbours(np.setdiff1d(everything, pairs), batch.group_of, true)
    first, second = more[:, 0], more[:, 1]
    is_large = (cell_of[first] != cell_of[second]) & (size[first] + size[second] >= least)
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
    distance = np.maximum(np.ceil(2.0 * multiple * size), _LEAST_DISTANCE)
    moves = _moves(patterns, distance, parts)
    while len(narrow := _narrow(moves, parts, pairs)):
        patterns[:, narrow] = _patterns(len(narrow), len(parts), generator)
        patterns[:, pairs[:, 1]] = _GRID - patterns[:, pairs[:, 0]]
        moves = _moves(patterns, distance, parts)
    return np.asarray(parts[:, None] * true + moves, np.int64)


def _moves(patterns: NDArray[np.int64], distance: NDArray[np.float64], parts: Ints) -> NDArray[np.int64]:
    """Return how far each vector is from the data, for each record, times the part of the vector.

    The mixture of all moves is taken back everywhere; one vector takes what whole numbers leave.
    """
    moved = np.rint(distance * patterns / _GRID).astype(np.int64)
    everything = int(parts.sum())
    back = parts @ moved
    moves = np.asarray(parts[:, None] * (moved - back // everything), np.int64)
    moves[int(parts.argmax())] -= back % everything
    return moves


def _narrow(moves: NDArray[np.int64], parts: Ints, pairs: Ints) -> Ints:
    """Return the records that do not have another whole number on both sides; of mirrored ones the first of the pair.

    A value at one of its bounds would follow from an interval in which it is the only whole number. Values decide
    nothing here, so that a pattern that is drawn again tells nothing of them.
    """
    has_both = (moves <= -parts[:, None]).any(axis=0) & (moves >= parts[:, None]).any(axis=0)
    is_narrow: Mask = np.asarray(~has_both)
    is_narrow[pairs[:, 0]] |= is_narrow[pairs[:, 1]]
    is_narrow[pairs[:, 1]] = False
    return np.asarray(np.flatnonzero(is_narrow), np.int64)


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
