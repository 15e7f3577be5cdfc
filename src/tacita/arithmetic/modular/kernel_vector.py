"""A random vector that all known sums map to zero: one product with it tells whether another sum follows from them.

Let the rows of A be known sums, and z a random vector with A z = 0 modulo a secret prime. A sum t is in the span of the
rows if and only if t is zero on the whole kernel of A; if it is not, t z is zero with probability 1 / prime. So one
vector answers the question for any number of sums: single unknowns (their entry is 0), pairs (two entries that add up
to 0), unions.

The vector is w - D A' y for random w, with A D A' y = A w and a random diagonal matrix D, with which A D A' almost
surely has the rank of A (Eberly and Kaltofen 1997). The work grows with the cube of the number of sums in a connected
part, after those were put aside that need no elimination.

>>> known = SparseRows.of([[0, 1, 2], [1, 2]], 4)
>>> vector = kernel_vector(known)
>>> vector.follows(SparseRows.of([[0], [1], [0, 1, 2], [3]], 4)).tolist()
[True, False, True, False]
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.modular.primes import random_prime
from tacita.errors import LimitError

Ints = NDArray[np.int64]
_MOST_STEPS = 2 * 10**10
"""Multiplications that an elimination may take: some 40 seconds."""
_LONGEST = 4_096
"""Rows up to this length are eliminated in blocks."""
_MOST_ROWS, _MOST_COLUMNS = 200, 2_000
"""Blocks up to this size are eliminated by themselves."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SparseRows:
    """Rows of whole numbers: row r has `coefficients` at `columns`, both from ``starts[r]`` to ``starts[r + 1]``."""

    starts: Ints
    columns: Ints
    coefficients: Ints
    width: int

    @classmethod
    def of(cls, rows: Iterable[Sequence[int]], width: int) -> SparseRows:
        """Return rows that are sums of columns."""
        listed = [list(row) for row in rows]
        starts = np.concatenate([[0], np.cumsum([len(row) for row in listed])]).astype(np.int64)
        columns = np.array([column for row in listed for column in row], np.int64)
        return cls(starts, columns, np.ones(len(columns), np.int64), width)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def row(self, number: int) -> tuple[Ints, Ints]:
        """Return columns and coefficients of a row."""
        part = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.columns[part], self.coefficients[part]

    def taken(self, rows: Ints) -> SparseRows:
        """Return some of the rows."""
        sizes = np.diff(self.starts)[rows]
        starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        places = np.repeat(self.starts[rows] - starts[:-1], sizes) + np.arange(starts[-1])
        return SparseRows(starts, self.columns[places], self.coefficients[places], self.width)

    def by_column(self) -> tuple[Ints, Ints, Ints]:
        """Return where each column starts, the rows it is in, and its coefficients there."""
        order = np.argsort(self.columns, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(self.columns, minlength=self.width))]).astype(np.int64)
        rows = np.repeat(np.arange(len(self), dtype=np.int64), np.diff(self.starts))
        return starts, rows[order], self.coefficients[order]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KernelVector:
    """A random vector of the kernel of known sums, modulo a secret prime."""

    vector: Ints = field(repr=False)
    prime: int = field(repr=False)

    def products(self, rows: SparseRows) -> Ints:
        """Return the product of each row with the vector."""
        from tacita.arithmetic.modular.loops import products

        return products(rows.starts, rows.columns, rows.coefficients % self.prime, self.vector, self.prime)

    def follows(self, rows: SparseRows) -> NDArray[np.bool_]:
        """Return which rows follow from the known sums."""
        follows: NDArray[np.bool_] = self.products(rows) == 0
        return follows


def kernel_vector(known: SparseRows, prime: int | None = None) -> KernelVector:
    """Return a random vector that every known sum maps to zero.

    Rows that need no elimination are put aside. Then short rows are eliminated in their connected blocks, and what they
    tell is put into the longer ones, until the rest is solved at once. Raises `LimitError` if that would take too long.
    """
    from tacita.arithmetic.modular.loops import peel, put_back
    from tacita.arithmetic.modular.sparse_loops import put_in

    prime = prime or random_prime()
    draw = np.random.Generator(np.random.PCG64(secrets.randbits(128)))
    coefficients = known.coefficients % prime
    starts, rows_of, _ = known.by_column()
    order, owner = np.empty(len(known), np.int64), np.empty(len(known), np.int64)
    aside, rows_left, columns_left = peel(known.starts, known.columns, starts, rows_of, order, owner)
    vector = np.where(columns_left, draw.integers(0, prime, known.width), 0)
    rest, expressions = _without_short_rows(_of_columns(known.taken(np.flatnonzero(rows_left)), columns_left), prime)
    for part, columns in _parts(rest):
        vector[columns] = _projected(part, vector[columns], draw, prime)
    for expression in reversed(expressions):
        put_in(vector, *expression, prime)
    put_back(known.starts, known.columns, coefficients, order, owner, aside, vector, prime)
    return KernelVector(vector, prime)


def _of_columns(rows: SparseRows, columns_left: NDArray[np.bool_]) -> SparseRows:
    """Return rows without the columns that are known to be zero."""
    stays = columns_left[rows.columns]
    row = np.repeat(np.arange(len(rows)), np.diff(rows.starts))[stays]
    starts = np.concatenate([[0], np.cumsum(np.bincount(row, minlength=len(rows)))]).astype(np.int64)
    return SparseRows(starts, rows.columns[stays], rows.coefficients[stays], rows.width)


_Expression = tuple[Ints, Ints, Ints, Ints]
"""Columns, where the expression of each starts, the columns it is made of, and their factors."""


def _without_short_rows(rows: SparseRows, prime: int) -> tuple[SparseRows, list[_Expression]]:
    """Return the rows that are left after elimination in blocks of short ones, and the expressions of columns."""
    from tacita.arithmetic.modular.sparse_loops import eliminate_blocks, substitute

    rows = SparseRows(rows.starts, rows.columns, rows.coefficients % prime, rows.width)
    expressions: list[_Expression] = []
    longest = 2
    while len(rows) and longest <= _LONGEST:
        sizes = np.diff(rows.starts)
        order, bounds = _blocks(rows, np.flatnonzero((sizes > 0) & (sizes <= longest)))
        if not len(order):
            longest *= 2
            continue
        expression = eliminate_blocks(rows.starts, rows.columns, rows.coefficients, order, bounds, rows.width, prime)
        expressions.append(expression)
        numbers = np.full(rows.width, -1, np.int64)
        numbers[expression[0]] = np.arange(len(expression[0]))
        left = np.ones(len(rows), np.bool_)
        left[order] = False
        rows = rows.taken(np.flatnonzero(left))
        changed = substitute(rows.starts, rows.columns, rows.coefficients, numbers, *expression[1:], prime)
        rows = SparseRows(*changed, rows.width)
        rows = rows.taken(np.flatnonzero(np.diff(rows.starts) > 0))
    return rows, expressions


def _blocks(rows: SparseRows, short: Ints) -> tuple[Ints, Ints]:
    """Return some rows by connected block, and where each block begins; blocks that are too large are left out."""
    part = rows.taken(short)
    labels = _labels(part)
    of_row = labels[: len(part)]
    columns = np.bincount(labels[len(part) :][np.unique(part.columns)], minlength=len(part) + rows.width)
    many = np.bincount(of_row, minlength=len(columns))
    fits = (many[of_row] <= _MOST_ROWS) & (columns[of_row] <= _MOST_COLUMNS)
    order = np.flatnonzero(fits)
    order = order[np.argsort(of_row[order], kind="stable")]
    bounds = np.flatnonzero(np.diff(of_row[order])) + 1
    return short[order], np.concatenate([[0], bounds, [len(order)]]).astype(np.int64)


def _labels(rows: SparseRows) -> NDArray[np.int32]:
    """Return the connected part of each row, then of each column."""
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    row = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    size = len(rows) + rows.width
    entries = np.ones(len(rows.columns), np.int8)
    graph = csr_array((entries, (row, len(rows) + rows.columns)), shape=(size, size))
    labels: NDArray[np.int32] = connected_components(graph, directed=False)[1]
    return labels


def _parts(rows: SparseRows) -> Iterable[tuple[SparseRows, Ints]]:
    """Yield the connected parts of rows, with their columns renumbered, and which columns these are."""
    if not len(rows):
        return
    row_of = np.repeat(np.arange(len(rows)), np.diff(rows.starts))
    label = _labels(rows)[row_of]
    order = np.argsort(label, kind="stable")
    for entries in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
        used, column = np.unique(rows.columns[entries], return_inverse=True)
        _, row = np.unique(row_of[entries], return_inverse=True)
        by_row = np.argsort(row, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(row))]).astype(np.int64)
        part = SparseRows(starts, column[by_row].astype(np.int64), rows.coefficients[entries][by_row], len(used))
        yield part, used


def _projected(rows: SparseRows, vector: Ints, draw: np.random.Generator, prime: int) -> Ints:
    """Return a random vector moved into the kernel of a connected system."""
    from tacita.arithmetic.modular.loops import products, scaled_squares, solve

    if len(rows) ** 3 > 3 * _MOST_STEPS:
        raise LimitError(
            f"{len(rows):,} known sums hang together, too many to tell exactly what follows from them",
            do="publish less at a time, or tables of fewer dimensions",
        )
    coefficients = rows.coefficients % prime
    by_column, rows_of, entries = rows.by_column()
    scale = draw.integers(1, prime, rows.width)
    square = scaled_squares(by_column, rows_of, entries % prime, scale, len(rows), prime)
    right = products(rows.starts, rows.columns, coefficients, vector, prime)
    if not solve(square, right, prime):
        # The rank of A D A' was less than that of A, which happens once in 10**12 times: another D.
        return _projected(rows, vector, draw, prime)
    moved = SparseRows(by_column, rows_of, entries % prime, len(rows))
    back = products(moved.starts, moved.columns, moved.coefficients, right, prime)
    scaled = np.array([one * int(by) % prime for one, by in zip(back.tolist(), scale.tolist(), strict=True)], np.int64)
    return (vector - scaled) % prime
