"""Sums that follow from others: modulo a random prime against fractions, and systems built for one prime."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.arithmetic.modular.basis import ModularBasis
from tacita.arithmetic.modular.combination import combination
from tacita.arithmetic.modular.kernel_vector import SparseRows, kernel_vector
from tacita.arithmetic.modular.primes import is_prime, random_prime
from tacita.errors import LimitError

MATRICES = st.integers(1, 7).flatmap(
    lambda width: st.lists(
        st.lists(st.sampled_from([0, 0, 1, 1, 1, 2, -1]), min_size=width, max_size=width), min_size=1, max_size=9
    )
)


def follows_in_fractions(rows: list[list[int]], wanted: list[int]) -> bool:
    """Return whether a row is in the span of others, by elimination with fractions."""
    return _rank(rows) == _rank([*rows, wanted])


def _rank(rows: list[list[int]]) -> int:
    matrix = [[Fraction(entry) for entry in row] for row in rows]
    rank = 0
    for column in range(len(matrix[0]) if matrix else 0):
        pivot = next((at for at in range(rank, len(matrix)) if matrix[at][column]), None)
        if pivot is None:
            continue
        matrix[rank], matrix[pivot] = matrix[pivot], matrix[rank]
        for at in range(rank + 1, len(matrix)):
            factor = matrix[at][column] / matrix[rank][column]
            matrix[at] = [one - factor * two for one, two in zip(matrix[at], matrix[rank], strict=True)]
        rank += 1
    return rank


def sparse(rows: list[list[int]]) -> SparseRows:
    """Return dense rows as sparse ones."""
    width = len(rows[0])
    columns = [[at for at, entry in enumerate(row) if entry] for row in rows]
    starts = np.concatenate([[0], np.cumsum([len(row) for row in columns])]).astype(np.int64)
    entries = np.array([row[at] for row, some in zip(rows, columns, strict=True) for at in some], np.int64)
    return SparseRows(starts, np.array([at for some in columns for at in some], np.int64), entries, width)


@given(MATRICES)
def test_what_follows_is_what_follows_in_fractions(rows: list[list[int]]) -> None:
    known, wanted = rows[: len(rows) // 2], rows[len(rows) // 2 :]
    wanted += [[int(at == one) for at in range(len(rows[0]))] for one in range(len(rows[0]))]
    expected = [follows_in_fractions(known, row) if known else not any(row) for row in wanted]
    basis = ModularBasis(len(rows[0]))
    for row in known:
        basis.add(row)
    assert [basis.follows(row) for row in wanted] == expected
    if known:
        assert kernel_vector(sparse(known)).follows(sparse(wanted)).tolist() == expected
        assert basis.rank == _rank(known)


@given(MATRICES)
def test_what_a_sum_would_tell_is_what_it_tells(rows: list[list[int]]) -> None:
    basis = ModularBasis(len(rows[0]))
    for row in rows:
        would = basis.known_with(row)
        before = basis.copy()
        basis.add(row)
        assert basis.known().tolist() == would.tolist()
        units = np.eye(len(row), dtype=np.int64)
        assert would.tolist() == [basis.follows(unit) for unit in units]
        assert before.rank in (basis.rank, basis.rank - 1)


@given(MATRICES, st.data())
def test_a_split_unknown_is_the_sum_of_its_parts(rows: list[list[int]], data: st.DataObject) -> None:
    column = data.draw(st.integers(0, len(rows[0]) - 1))
    basis = ModularBasis(len(rows[0]))
    for row in rows:
        basis.add(row)
    assert basis.split(column, 3).tolist() == [column, len(rows[0]), len(rows[0]) + 1]
    wider = [[*row, row[column], row[column]] for row in rows]
    for unit in np.eye(len(wider[0]), dtype=int).tolist():
        assert basis.follows(unit) == follows_in_fractions(wider, unit)


def test_a_wide_sparse_system_is_what_the_basis_says() -> None:
    draw = np.random.default_rng(5)
    for _ in range(30):
        width = int(draw.integers(20, 60))
        rows = [
            sorted(draw.choice(width, int(draw.integers(1, 6)), replace=False).tolist())
            for _ in range(int(draw.integers(5, 50)))
        ]
        basis = ModularBasis(width)
        for row in rows:
            basis.add(np.bincount(row, minlength=width))
        follows = kernel_vector(SparseRows.of(rows, width)).follows(SparseRows.of([[at] for at in range(width)], width))
        assert follows.tolist() == basis.known().tolist()


def test_a_system_for_a_known_prime_is_seen_through() -> None:
    """A system of zeros and ones whose determinant is a prime: modulo that prime nothing would follow."""
    prime = 7919
    rows = system_with_determinant(prime)
    unit = [1] + [0] * (len(rows) - 1)
    assert follows_in_fractions(rows, unit)

    def follows(modulus: int | None) -> bool:
        basis = ModularBasis(len(rows), prime=modulus)
        for row in rows:
            basis.add(row)
        return basis.rank == len(rows) and basis.follows(unit)

    assert not follows(prime)
    assert follows(None)
    assert not kernel_vector(sparse(rows), prime).follows(sparse([unit]))[0]
    assert kernel_vector(sparse(rows)).follows(sparse([unit]))[0]


def system_with_determinant(number: int) -> list[list[int]]:
    """Return rows whose determinant is a number, up to its sign: x[i+1] = 2 x[i] + bit, by Horner's rule."""
    digits = [int(digit) for digit in bin(number)[2:]]
    size = len(digits)
    rows = [[0] * size for _ in range(size)]
    for at in range(size - 1):
        rows[at][at], rows[at][at + 1] = 2, -1
    for at, digit in enumerate(digits):
        rows[size - 1][size - 1 - at] = digit
    return rows


def test_primes_are_secret_random_and_of_fifty_bits() -> None:
    primes = {random_prime() for _ in range(20)}
    assert len(primes) == 20
    assert all(is_prime(prime) and prime.bit_length() == 50 for prime in primes)
    assert "7919" not in repr(ModularBasis(3, prime=7919))


def test_a_basis_that_is_too_large_says_so() -> None:
    basis = ModularBasis(100, most_bytes=8 * 100 * 20)
    for at in range(20):
        basis.add(np.eye(100, dtype=np.int64)[at])
    with pytest.raises(LimitError, match="to keep"):
        basis.add(np.eye(100, dtype=np.int64)[50])
    assert basis.rank == 20


@given(MATRICES)
def test_factors_add_up_to_the_sum(rows: list[list[int]]) -> None:
    known, wanted = rows[:-1], rows[-1]
    if not known or not any(wanted):
        return
    factors = combination(sparse(known), sparse([wanted]))
    if factors is None:
        assert not follows_in_fractions(known, wanted)
        return
    total = [sum(factor * known[row][at] for row, factor in factors.items()) for at in range(len(wanted))]
    assert total == wanted
    for row in factors:
        assert not follows_in_fractions(
            [known[other] for other in factors if other != row] or [[0] * len(wanted)], wanted
        )
