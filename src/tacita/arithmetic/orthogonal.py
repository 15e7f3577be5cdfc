"""Many small matrices at once: orthogonal factors, contrasts, products. Importing it loads numba."""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


def factored(matrices: Array) -> tuple[Array, Array]:
    """Return Q and R of each matrix (matrix, row, column), the diagonal of R not being negative.

    Q has as many columns as the matrix, or as it has rows if these are fewer. Reflections of Householder: Golub and Van
    Loan, Matrix Computations, section 5.2. No option of the compiler lets it add in another order.

    >>> turned, upper = factored(np.array([[[3.0, 1.0], [4.0, 1.0]]]))
    >>> turned.round(3).tolist(), upper.round(3).tolist()
    ([[[0.6, 0.8], [0.8, -0.6]]], [[[5.0, 1.4], [0.0, 0.2]]])
    """
    count, rows, columns = matrices.shape
    rank = min(rows, columns)
    turned, upper = np.zeros((count, rows, rank)), np.zeros((count, rank, columns))
    _factor(np.ascontiguousarray(matrices, dtype=np.float64), turned, upper)
    return turned, upper


def contrasts(blocks: Array) -> Array:
    """Return the Helmert contrasts of the records of each block (block, record, attribute), one fewer than records.

    They are the coordinates of what is left without the mean, in an orthonormal basis: each record from the mean of
    those before it. Squares and cross products are those of the deviations from the mean.

    >>> contrasts(np.array([[[1.0], [3.0], [2.0]]])).round(3).tolist()
    [[[-1.414], [0.0]]]
    """
    size = blocks.shape[1]
    number = np.arange(1.0, size)[:, None]
    # The first as the origin: sums of large numbers that hardly differ would lose digits.
    away = blocks - blocks[:, :1]
    return (np.cumsum(away, axis=1)[:, :-1] - number * away[:, 1:]) / np.sqrt(number * (number + 1))


def from_contrasts(contrasts: Array) -> Array:
    """Return the records of blocks, with mean 0, of which these are the contrasts.

    >>> from_contrasts(contrasts(np.array([[[1.0], [3.0], [2.0]]]))).round(6).tolist()
    [[[-1.0], [1.0], [0.0]]]
    """
    count, fewer, attributes = contrasts.shape
    number = np.arange(1.0, fewer + 1)[:, None]
    scaled = contrasts / np.sqrt(number * (number + 1))
    vectors = np.zeros((count, fewer + 1, attributes))
    # Each contrast raises all records before its own and lowers its own.
    vectors[:, :-1] = np.cumsum(scaled[:, ::-1], axis=1)[:, ::-1]
    vectors[:, 1:] -= number * scaled
    return vectors


def products(ones: Array, twos: Array) -> Array:
    """Return the product of each matrix with the one at its place.

    >>> products(np.array([[[1.0, 2.0]]]), np.array([[[3.0], [4.0]]])).tolist()
    [[[11.0]]]
    """
    result = np.zeros((len(ones), ones.shape[1], twos.shape[2]))
    _multiply(np.ascontiguousarray(ones), np.ascontiguousarray(twos), result)
    return result


@njit(cache=True, nogil=True)
def _multiply(ones: Array, twos: Array, result: Array) -> None:
    for number in range(len(ones)):
        for row in range(ones.shape[1]):
            for along in range(ones.shape[2]):
                for column in range(twos.shape[2]):
                    result[number, row, column] += ones[number, row, along] * twos[number, along, column]


@njit(cache=True, nogil=True)
def _factor(matrices: Array, turned: Array, upper: Array) -> None:
    rows, columns = matrices.shape[1:]
    rank = min(rows, columns)
    reduced = np.empty((rows, columns))
    scales, signs = np.empty(rank), np.empty(rank)
    sums = np.empty(columns)
    for number in range(len(matrices)):
        reduced[:] = matrices[number]
        own = turned[number]
        for step in range(rank):
            _reflect(reduced, step, scales, signs, sums)
        for step in range(rank - 1, -1, -1):
            own[step, step] = 1.0
            _apply(reduced, step, scales[step], own, step, sums)
        for step in range(rank):
            for column in range(step, columns):
                upper[number, step, column] = signs[step] * reduced[step, column]
            for row in range(rows):
                own[row, step] *= signs[step]


@njit(cache=True, nogil=True)
def _reflect(reduced: Array, step: int, scales: Array, signs: Array, sums: Array) -> None:
    """Make what is below the diagonal vanish in a column; the vector of the reflection is kept there."""
    square = 0.0
    for row in range(step, len(reduced)):
        square += reduced[row, step] * reduced[row, step]
    length = math.sqrt(square)
    scales[step] = 0.0
    signs[step] = -1.0 if reduced[step, step] < 0.0 else 1.0
    if step == len(reduced) - 1 or length == 0.0:
        return
    # The column becomes minus its sign times its length: a difference of equal numbers would lose digits.
    signs[step] = -signs[step]
    onto = signs[step] * length
    first = reduced[step, step] - onto
    scales[step] = -first / onto
    for row in range(step + 1, len(reduced)):
        reduced[row, step] /= first
    reduced[step, step] = onto
    _apply(reduced, step, scales[step], reduced, step + 1, sums)


@njit(cache=True, nogil=True)
def _apply(reduced: Array, step: int, scale: float, target: Array, start: int, sums: Array) -> None:
    """Reflect the columns of a matrix, from one on, by the vector that is kept below the diagonal."""
    if scale == 0.0:
        return
    width = target.shape[1]
    for column in range(start, width):
        sums[column] = target[step, column]
    for row in range(step + 1, len(reduced)):
        for column in range(start, width):
            sums[column] += reduced[row, step] * target[row, column]
    for column in range(start, width):
        sums[column] *= scale
        target[step, column] -= sums[column]
    for row in range(step + 1, len(reduced)):
        for column in range(start, width):
            target[row, column] -= reduced[row, step] * sums[column]
