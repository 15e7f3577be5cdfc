"""Compiled loops of sparse elimination, one block of short rows at a time. Importing it loads numba.

They have a multiplication of their own, since the cache of numba looks at the file of a function only.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True, inline="always")
def _times(a: int, b: int, prime: int, inverse: float) -> int:
    rest: int = a * b - np.int64(np.float64(a) * np.float64(b) * inverse) * prime  # type: ignore[assignment]
    if rest < 0:
        rest += prime
    elif rest >= prime:
        rest -= prime
    return rest


@njit(cache=True, nogil=True)
def _inverse_of(number: int, prime: int) -> int:
    a, b, x, y = number, prime, 1, 0
    while a > 1:
        quotient = b // a
        a, b = b - quotient * a, a
        x, y = y - quotient * x, x
    return x % prime


@njit(cache=True, nogil=True)
def _reduce(block: Ints, pivots: Ints, prime: int) -> int:
    """Bring a dense block into reduced form, in place; return its rank. `pivots` gets the column of each row."""
    inverse = 1.0 / prime
    rows, columns = block.shape
    rank = 0
    for column in range(columns):
        at = rank
        while at < rows and block[at, column] == 0:
            at += 1
        if at == rows:
            continue
        if at != rank:
            for place in range(columns):
                block[at, place], block[rank, place] = block[rank, place], block[at, place]
        back = _inverse_of(block[rank, column], prime)
        for place in range(column, columns):
            if block[rank, place]:
                block[rank, place] = _times(block[rank, place], back, prime, inverse)
        for row in range(rows):
            factor = block[row, column]
            if row != rank and factor:
                for place in range(column, columns):
                    entry = block[rank, place]
                    if entry:
                        rest = block[row, place] - _times(factor, entry, prime, inverse)
                        block[row, place] = rest + prime if rest < 0 else rest
        pivots[rank] = column
        rank += 1
        if rank == rows:
            break
    return rank


@njit(cache=True, nogil=True)
def eliminate_blocks(
    starts: Ints, columns: Ints, entries: Ints, order: Ints, bounds: Ints, width: int, prime: int
) -> tuple[Ints, Ints, Ints, Ints]:
    """Express columns by others, block by block; return the columns, where their expressions start, and these.

    ``order[bounds[b]:bounds[b + 1]]`` are the rows of block b. A column that is determined has an empty expression.
    """
    place = np.full(width, -1, np.int64)
    used = np.empty(width, np.int64)
    pivot_columns = np.empty(len(order), np.int64)
    begins = np.zeros(len(order) + 1, np.int64)
    terms, factors = np.empty(1024, np.int64), np.empty(1024, np.int64)
    many = size = 0
    for block_number in range(len(bounds) - 1):
        wide = 0
        first, last = bounds[block_number], bounds[block_number + 1]
        for at in range(first, last):
            for entry in range(starts[order[at]], starts[order[at] + 1]):
                if place[columns[entry]] < 0:
                    place[columns[entry]] = wide
                    used[wide] = columns[entry]
                    wide += 1
        block = np.zeros((last - first, wide), np.int64)
        for at in range(first, last):
            for entry in range(starts[order[at]], starts[order[at] + 1]):
                block[at - first, place[columns[entry]]] = entries[entry]
        pivots = np.empty(last - first, np.int64)
        rank = _reduce(block, pivots, prime)
        while size + rank * wide > len(terms):
            terms = np.concatenate((terms, np.empty_like(terms)))
            factors = np.concatenate((factors, np.empty_like(factors)))
        for row in range(rank):
            pivot_columns[many] = used[pivots[row]]
            for column in range(wide):
                if column != pivots[row] and block[row, column]:
                    terms[size] = used[column]
                    factors[size] = prime - block[row, column]
                    size += 1
            many += 1
            begins[many] = size
        for column in range(wide):
            place[used[column]] = -1
    return pivot_columns[:many].copy(), begins[: many + 1].copy(), terms[:size].copy(), factors[:size].copy()


@njit(cache=True, nogil=True)
def substitute(
    starts: Ints, columns: Ints, entries: Ints, expression: Ints, begins: Ints, terms: Ints, factors: Ints, prime: int
) -> tuple[Ints, Ints, Ints]:
    """Return rows with columns replaced by their expressions; `expression` has the number of each, or -1."""
    inverse = 1.0 / prime
    width = len(expression)
    sums = np.zeros(width, np.int64)
    seen = np.zeros(width, np.bool_)
    touched = np.empty(width, np.int64)
    new_starts = np.zeros(len(starts), np.int64)
    new_columns, new_entries = np.empty(len(columns) + 16, np.int64), np.empty(len(columns) + 16, np.int64)
    size = 0
    for row in range(len(starts) - 1):
        some = 0
        for at in range(starts[row], starts[row + 1]):
            column = columns[at]
            number = expression[column]
            first, last = (0, 1) if number < 0 else (begins[number], begins[number + 1])
            for term in range(first, last):
                target = column if number < 0 else terms[term]
                value = entries[at] if number < 0 else _times(entries[at], factors[term], prime, inverse)
                if not seen[target]:
                    seen[target] = True
                    touched[some] = target
                    some += 1
                total = sums[target] + value
                sums[target] = total - prime if total >= prime else total
        if size + some > len(new_columns):
            more = max(len(new_columns), some)
            new_columns = np.concatenate((new_columns, np.empty(more, np.int64)))
            new_entries = np.concatenate((new_entries, np.empty(more, np.int64)))
        for at in range(some):
            target = touched[at]
            if sums[target]:
                new_columns[size], new_entries[size] = target, sums[target]
                size += 1
            sums[target] = 0
            seen[target] = False
        new_starts[row + 1] = size
    return new_starts, new_columns[:size].copy(), new_entries[:size].copy()


@njit(cache=True, nogil=True)
def put_in(vector: Ints, pivots: Ints, begins: Ints, terms: Ints, factors: Ints, prime: int) -> None:
    """Give expressed columns of a vector their values."""
    inverse = 1.0 / prime
    for number in range(len(pivots)):
        total = 0
        for at in range(begins[number], begins[number + 1]):
            total += _times(factors[at], vector[terms[at]], prime, inverse)
            if total >= prime:
                total -= prime
        vector[pivots[number]] = total
