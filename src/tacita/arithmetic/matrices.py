"""Products, factors and eigenvalues of matrices, in an order of additions that is the same on every machine."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]

_CHUNK = 8_192
_SWEEPS = 40
_SQUARINGS = 14
"""Of cross products: what is shorter by a thousandth is then gone."""


def product(one: Array, two: Array) -> Array:
    """Return the product of two matrices, or of a matrix and a vector on either side.

    >>> product(np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, 10.0])).tolist()
    [21.0, 43.0]
    """
    if one.ndim == 1:
        return np.asarray(product(one[None, :], two)[0])
    if two.ndim == 1:
        return np.asarray(product(one, two[:, None])[:, 0])
    if len(one) > two.shape[1]:  # so that what is added up at once lies side by side
        return np.ascontiguousarray(product(two.T, one.T).T)
    result = np.zeros((len(one), two.shape[1]))
    for start in range(0, two.shape[1], _CHUNK):
        part = result[:, start : start + _CHUNK]
        for place, row in enumerate(two):
            part += one[:, place, None] * row[start : start + _CHUNK]
    return result


def cross_products(one: Array, two: Array | None = None) -> Array:
    """Return the sums of products of the rows of one matrix with those of another, or with its own.

    >>> cross_products(np.array([[1.0, 2.0], [3.0, 4.0]])).tolist()
    [[5.0, 11.0], [11.0, 25.0]]
    """
    other = one if two is None else two
    result = np.zeros((len(one), len(other)))
    for start in range(0, one.shape[1], _CHUNK):
        left = np.ascontiguousarray(one[:, start : start + _CHUNK])
        right = left if two is None else np.ascontiguousarray(other[:, start : start + _CHUNK])
        for place, row in enumerate(left):
            first = place if two is None else 0
            result[place, first:] += (row * right[first:]).sum(axis=1)
    return result if two is not None else np.triu(result) + np.triu(result, 1).T


def eigen(matrix: Array) -> tuple[Array, Array]:
    """Return the eigenvalues of a symmetric matrix, ascending, and its eigenvectors as columns.

    The largest part of each vector is positive. Jacobi's method: rotations of two rows and columns each make what is
    off the diagonal vanish; rows that are rotated at a time have none in common (the order of a tournament). Source:
    G. Golub and C. Van Loan, Matrix Computations, 4th edition, section 8.5.

    >>> values, vectors = eigen(np.array([[2.0, 1.0], [1.0, 2.0]]))
    >>> values.round(9).tolist(), vectors.round(3).tolist()
    ([1.0, 3.0], [[0.707, 0.707], [-0.707, 0.707]])
    """
    size = len(matrix)
    working, vectors = np.array(matrix, dtype=np.float64), np.eye(size)
    if not np.isfinite(working).all():
        raise ValueError("a matrix with eigenvalues has to be finite")
    nothing = np.finfo(float).eps / 8 * np.abs(working).max(initial=0.0)
    for _ in range(_SWEEPS if size > 1 else 0):
        rotated = False
        for first, second in _rounds(size):
            needed = np.abs(working[first, second]) > nothing
            if not needed.any():
                continue
            rotated = True
            one, two = first[needed], second[needed]
            cosine, sine = _rotation(working[one, one], working[two, two], working[one, two])
            working[one], working[two] = (
                cosine[:, None] * working[one] - sine[:, None] * working[two],
                sine[:, None] * working[one] + cosine[:, None] * working[two],
            )
            working[:, one], working[:, two] = (
                cosine * working[:, one] - sine * working[:, two],
                sine * working[:, one] + cosine * working[:, two],
            )
            working[one, two] = working[two, one] = 0.0
            vectors[:, one], vectors[:, two] = (
                cosine * vectors[:, one] - sine * vectors[:, two],
                sine * vectors[:, one] + cosine * vectors[:, two],
            )
        if not rotated:
            break
    values = np.diag(working)
    order = np.argsort(values, kind="stable")
    vectors = vectors[:, order]
    largest = vectors[np.argmax(np.abs(vectors), axis=0), np.arange(size)] if size else np.empty(0)
    return values[order], vectors * np.where(largest < 0, -1.0, 1.0)


def principal_direction(points: Array) -> Array:
    """Return the direction in which the rows of a matrix, as they are, have the largest sum of squares.

    The cross products, squared again and again, are left with that direction alone; of hundreds of columns it is much
    quicker than all eigenvectors. The largest part of the direction is positive. Where two directions are equally
    long, a mixture of them is found.

    >>> principal_direction(np.array([[1.0, 1.0], [2.0, 2.0], [1.0, 0.0]])).round(3).tolist()
    [0.741, 0.671]
    """
    if len(points) < points.shape[1]:  # through the smaller matrix
        projection = product(principal_direction(np.ascontiguousarray(points.T)), points)
    else:
        power = cross_products(np.ascontiguousarray(points.T))
        for _ in range(_SQUARINGS):
            power = power / max(float(np.abs(power).max(initial=0.0)), 1e-300)
            power = product(power, power)
        projection = power[:, int(np.argmax(np.diag(power)))] if len(power) else np.empty(0)
    length = float(np.sqrt(np.square(projection / max(float(np.abs(projection).max(initial=0.0)), 1e-300)).sum()))
    if not length:
        return np.asarray(np.eye(1, points.shape[1])[0])
    projection = projection / (np.abs(projection).max() * length)
    return np.asarray(projection * (-1.0 if projection[np.argmax(np.abs(projection))] < 0 else 1.0))


def pseudo_inverse(matrix: Array, tolerance: float | None = None) -> Array:
    """Return the pseudo-inverse of a symmetric matrix; eigenvalues up to a share of the largest count as 0.

    >>> pseudo_inverse(np.array([[2.0, 0.0], [0.0, 0.0]])).tolist()
    [[0.5, 0.0], [0.0, 0.0]]
    """
    values, vectors = eigen((matrix + matrix.T) / 2)
    kept = _above(values, tolerance)
    return product(vectors[:, kept] / values[kept], np.ascontiguousarray(vectors[:, kept].T))


def rank(matrix: Array, tolerance: float | None = None) -> int:
    """Return how many eigenvalues of a symmetric matrix are not 0.

    >>> rank(np.array([[1.0, 1.0], [1.0, 1.0]]))
    1
    """
    return int(_above(eigen((matrix + matrix.T) / 2)[0], tolerance).sum())


def _above(values: Array, tolerance: float | None) -> NDArray[np.bool_]:
    share = len(values) * float(np.finfo(float).eps) if tolerance is None else tolerance
    is_large: NDArray[np.bool_] = np.abs(values) > share * np.abs(values).max(initial=0.0)
    return is_large


def _rotation(a: Array, b: Array, off: Array) -> tuple[Array, Array]:
    """Return cosine and sine of the rotations that make `off` between diagonals a and b vanish."""
    with np.errstate(over="ignore"):
        tau = (b - a) / (2.0 * off)
        tangent = np.where(tau >= 0, 1.0, -1.0) / (np.abs(tau) + np.sqrt(1.0 + tau * tau))
    cosine = 1.0 / np.sqrt(1.0 + tangent * tangent)
    return cosine, tangent * cosine


@cache
def _rounds(size: int) -> tuple[tuple[Whole, Whole], ...]:
    """Return pairs so that in every round each row is in one pair at most, and each pair is in one round."""
    seats = list(range(size)) + [-1] * (size % 2)
    solution = []
    for _ in range(len(seats) - 1):
        pairs = zip(seats[: len(seats) // 2], reversed(seats[len(seats) // 2 :]), strict=True)
        both = np.array([sorted(pair) for pair in pairs if -1 not in pair], dtype=np.int64).reshape(-1, 2)
        solution.append((both[:, 0], both[:, 1]))
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return tuple(solution)
