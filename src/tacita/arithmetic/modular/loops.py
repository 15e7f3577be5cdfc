"""Compiled loops over residues. Importing it loads numba: do it where a calculation runs.

All of them are in one file, since the cache of numba looks at the file of a function only.
"""

from __future__ import annotations

import numpy as np
from numba import njit
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@njit(cache=True, nogil=True, inline="always")
def _times(a: int, b: int, prime: int, inverse: float) -> int:
    """Return a * b modulo the prime; the quotient of doubles is off by one at most, and differences do not overflow."""
    rest: int = a * b - np.int64(np.float64(a) * np.float64(b) * inverse) * prime  # type: ignore[assignment]
    if rest < 0:
        rest += prime
    elif rest >= prime:
        rest -= prime
    return rest


@njit(cache=True, nogil=True)
def inverse_of(number: int, prime: int) -> int:
    """Return the number whose product with this one is 1 modulo the prime."""
    a, b, x, y = number % prime, prime, 1, 0
    while a > 1:
        quotient = b // a
        a, b = b - quotient * a, a
        x, y = y - quotient * x, x
    return x % prime


@njit(cache=True, nogil=True)
def reduce_row(rows: Ints, pivots: Ints, rank: int, row: Ints, prime: int) -> int:
    """Take the combination of basis rows off a row that has the same entries at the pivots; return its first entry.

    -1 if nothing is left. In reduced form the factors are the entries of the row at the pivots.
    """
    inverse = 1.0 / prime
    for at in range(rank):
        factor = row[pivots[at]]
        if factor:
            for column in range(len(row)):
                entry = rows[at, column]
                if entry:
                    rest = row[column] - _times(factor, entry, prime, inverse)
                    row[column] = rest + prime if rest < 0 else rest
    for column in range(len(row)):
        if row[column]:
            return column
    return -1


@njit(cache=True, nogil=True)
def join_row(rows: Ints, rank: int, row: Ints, pivot: int, prime: int) -> None:
    """Make a reduced row the last of the basis, and take it off the others so that its pivot is in no other row."""
    inverse = 1.0 / prime
    factor = inverse_of(row[pivot], prime)
    for column in range(len(row)):
        if row[column]:
            row[column] = _times(row[column], factor, prime, inverse)
    for at in range(rank):
        factor = rows[at, pivot]
        if factor:
            for column in range(len(row)):
                entry = row[column]
                if entry:
                    rest = rows[at, column] - _times(factor, entry, prime, inverse)
                    rows[at, column] = rest + prime if rest < 0 else rest
    rows[rank, : len(row)] = row


@njit(cache=True, nogil=True)
def fixed_rows(rows: Ints, pivots: Ints, rank: int, row: Ints, pivot: int, prime: int, fixed: Mask) -> None:
    """Mark the columns that would be known if a reduced row joined the basis: rows with one entry left (-1: no row)."""
    inverse = 1.0 / prime
    columns = len(fixed)
    back = inverse_of(row[pivot], prime) if pivot >= 0 else 0
    for at in range(rank):
        factor = _times(rows[at, pivot], back, prime, inverse) if pivot >= 0 else 0
        entries = 0
        for column in range(columns):
            entry = rows[at, column]
            if factor and row[column]:
                entry -= _times(factor, row[column], prime, inverse)
            if entry:
                entries += 1
                if entries > 1:
                    break
        if entries == 1:
            fixed[pivots[at]] = True
    if pivot >= 0:
        entries = 0
        for column in range(columns):
            entries += row[column] != 0
        fixed[pivot] |= entries == 1


@njit(cache=True, nogil=True)
def peel(  # noqa: PLR0912 - one loop with two queues, which calls would slow down
    starts: Ints, columns: Ints, by_column: Ints, rows_of: Ints, order: Ints, owner: Ints
) -> tuple[int, Mask, Mask]:
    """Take off what needs no elimination; return how many rows were put aside, and which rows and columns are left.

    A row of one column fixes it. A row with a column that is in no other row tells nothing of the others: it is put
    aside (`order`, with the column in `owner`), and its column follows from the rest of the row later. `by_column` and
    `rows_of` are the system by columns.
    """
    rows, width = len(starts) - 1, len(by_column) - 1
    row_left, column_left = np.ones(rows, np.bool_), np.ones(width, np.bool_)
    entries, uses = np.diff(starts), np.diff(by_column)
    waiting_rows = np.empty(len(columns) + rows, np.int64)
    waiting_columns = np.empty(len(columns) + width, np.int64)
    many_rows = many_columns = aside = 0
    for row in range(rows):
        if entries[row] <= 1:
            waiting_rows[many_rows] = row
            many_rows += 1
    for column in range(width):
        if uses[column] == 1:
            waiting_columns[many_columns] = column
            many_columns += 1
    while many_rows or many_columns:
        if many_rows:
            many_rows -= 1
            row = waiting_rows[many_rows]
            if not row_left[row] or entries[row] > 1:
                continue
            row_left[row] = False
            for at in range(starts[row], starts[row + 1]):
                column = columns[at]
                if column_left[column]:
                    column_left[column] = False
                    for place in range(by_column[column], by_column[column + 1]):
                        other = rows_of[place]
                        if row_left[other]:
                            entries[other] -= 1
                            if entries[other] <= 1:
                                waiting_rows[many_rows] = other
                                many_rows += 1
            continue
        many_columns -= 1
        column = waiting_columns[many_columns]
        if not column_left[column] or uses[column] != 1:
            continue
        row = -1
        for place in range(by_column[column], by_column[column + 1]):
            if row_left[rows_of[place]]:
                row = rows_of[place]
        if row < 0:
            continue
        row_left[row] = False
        order[aside], owner[aside] = row, column
        aside += 1
        for at in range(starts[row], starts[row + 1]):
            other = columns[at]
            if column_left[other]:
                uses[other] -= 1
                if uses[other] == 1:
                    waiting_columns[many_columns] = other
                    many_columns += 1
    return aside, row_left, column_left


@njit(cache=True, nogil=True)
def put_back(
    starts: Ints, columns: Ints, coefficients: Ints, order: Ints, owner: Ints, aside: int, vector: Ints, prime: int
) -> None:
    """Complete a vector: the column of each row that was put aside is what makes its row zero, last row first."""
    inverse = 1.0 / prime
    for step in range(aside - 1, -1, -1):
        row, column = order[step], owner[step]
        total, own = 0, 0
        for at in range(starts[row], starts[row + 1]):
            if columns[at] == column:
                own = coefficients[at]
            else:
                total += _times(coefficients[at], vector[columns[at]], prime, inverse)
                if total >= prime:
                    total -= prime
        back = _times(total, inverse_of(own, prime), prime, inverse)
        vector[column] = prime - back if back else 0


@njit(cache=True, nogil=True)
def products(starts: Ints, columns: Ints, coefficients: Ints, vector: Ints, prime: int) -> Ints:
    """Return the product of each row of a sparse system with a vector."""
    inverse = 1.0 / prime
    result = np.zeros(len(starts) - 1, np.int64)
    for row in range(len(starts) - 1):
        total = 0
        for at in range(starts[row], starts[row + 1]):
            total += _times(coefficients[at], vector[columns[at]], prime, inverse)
            if total >= prime:
                total -= prime
        result[row] = total
    return result


@njit(cache=True, nogil=True)
def scaled_squares(by_column: Ints, rows_of: Ints, coefficients: Ints, scale: Ints, rows: int, prime: int) -> Ints:
    """Return A D A' of a system by columns, with the diagonal matrix D."""
    inverse = 1.0 / prime
    square = np.zeros((rows, rows), np.int64)
    for column in range(len(by_column) - 1):
        for one in range(by_column[column], by_column[column + 1]):
            scaled = _times(coefficients[one], scale[column], prime, inverse)
            for two in range(by_column[column], by_column[column + 1]):
                total = square[rows_of[one], rows_of[two]] + _times(scaled, coefficients[two], prime, inverse)
                square[rows_of[one], rows_of[two]] = total - prime if total >= prime else total
    return square


@njit(cache=True, nogil=True)
def solve(  # noqa: PLR0912 - loops within loops, which calls would slow down
    square: Ints, right: Ints, prime: int
) -> bool:
    """Put a solution of a square system in the place of its right-hand side; return whether there is one."""
    inverse = 1.0 / prime
    size = len(right)
    pivot_row = np.full(size, -1, np.int64)
    rank = 0
    for column in range(size):
        at = rank
        while at < size and square[at, column] == 0:
            at += 1
        if at == size:
            continue
        if at != rank:
            for place in range(column, size):
                square[at, place], square[rank, place] = square[rank, place], square[at, place]
            right[at], right[rank] = right[rank], right[at]
        back = inverse_of(square[rank, column], prime)
        for place in range(column, size):
            if square[rank, place]:
                square[rank, place] = _times(square[rank, place], back, prime, inverse)
        right[rank] = _times(right[rank], back, prime, inverse)
        for row in range(rank + 1, size):
            factor = square[row, column]
            if factor:
                for place in range(column, size):
                    entry = square[rank, place]
                    if entry:
                        rest = square[row, place] - _times(factor, entry, prime, inverse)
                        square[row, place] = rest + prime if rest < 0 else rest
                rest = right[row] - _times(factor, right[rank], prime, inverse)
                right[row] = rest + prime if rest < 0 else rest
        pivot_row[column] = rank
        rank += 1
    for row in range(rank, size):
        if right[row]:
            return False
    solution = np.zeros(size, np.int64)
    for column in range(size - 1, -1, -1):
        row = pivot_row[column]
        if row >= 0:
            total = right[row]
            for place in range(column + 1, size):
                if square[row, place] and solution[place]:
                    total -= _times(square[row, place], solution[place], prime, inverse)
                    if total < 0:
                        total += prime
            solution[column] = total
    right[:] = solution
    return True


@njit(cache=True, nogil=True)
def divide_columns(vectors: Ints, parents: Ints, prime: int) -> None:
    """Take each of the last columns off its parent, in their order: entries of parts add up to that of the whole."""
    first = vectors.shape[1] - len(parents)
    for at in range(len(parents)):
        for row in range(len(vectors)):
            rest = vectors[row, parents[at]] - vectors[row, first + at]
            vectors[row, parents[at]] = rest + prime if rest < 0 else rest


@njit(cache=True, nogil=True)
def into_kernel(vectors: Ints, sums: Mask, prime: int) -> tuple[int, Mask]:
    """Mix vectors until each sum of columns maps them to zero; return how many are left, and which sums were new.

    A sum that maps one of the vectors to something else costs this vector.
    """
    inverse = 1.0 / prime
    left, columns = vectors.shape
    new = np.zeros(len(sums), np.bool_)
    totals = np.zeros(left, np.int64)
    for row in range(len(sums)):
        last = -1
        for at in range(left):
            total = 0
            for column in range(columns):
                if sums[row, column]:
                    total += vectors[at, column]
                    if total >= prime:
                        total -= prime
            totals[at] = total
            if total:
                last = at
        if last < 0:
            continue
        new[row] = True
        left -= 1
        for column in range(columns):
            vectors[last, column], vectors[left, column] = vectors[left, column], vectors[last, column]
        totals[last], totals[left] = totals[left], totals[last]
        back = inverse_of(np.int64(totals[left]), prime)  # type: ignore[arg-type]
        for at in range(left):
            factor = _times(totals[at], back, prime, inverse)
            if factor:
                for column in range(columns):
                    rest = vectors[at, column] - _times(factor, vectors[left, column], prime, inverse)
                    vectors[at, column] = rest + prime if rest < 0 else rest
    return left, new


@njit(cache=True, nogil=True)
def complete_vector(rows: Ints, pivots: Ints, rank: int, vector: Ints, prime: int) -> None:
    """Give a vector the entries at the pivots of a reduced basis with which every row maps it to zero."""
    inverse = 1.0 / prime
    for at in range(rank):
        vector[pivots[at]] = 0
    for at in range(rank):
        total = 0
        for column in range(len(vector)):
            entry = rows[at, column]
            if entry and vector[column]:
                total += _times(entry, vector[column], prime, inverse)
                if total >= prime:
                    total -= prime
        vector[pivots[at]] = prime - total if total else 0
