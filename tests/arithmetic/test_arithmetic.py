"""Our own arithmetic against that of numpy and scipy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from tacita.arithmetic.draws import standard_normal
from tacita.arithmetic.functions import exponential, interpolated, logarithm
from tacita.arithmetic.matrices import (
    cross_products,
    eigen,
    principal_direction,
    product,
    pseudo_inverse,
    rank,
)
from tacita.arithmetic.normal import normal_quantile, normal_share
from tacita.arithmetic.orthogonal import contrasts, factored, from_contrasts

DRAW = np.random.default_rng(3)


def test_functions_are_those_of_the_libraries() -> None:
    far = DRAW.uniform(-700, 700, 100_000)
    assert np.abs(exponential(far) / np.exp(far) - 1).max() < 5e-16
    assert np.allclose(logarithm(np.exp(far)), np.log(np.exp(far)), rtol=4e-16, atol=1e-15)
    scores = DRAW.uniform(-37, 9, 100_000)
    assert np.abs(normal_share(scores) / special.ndtr(scores) - 1).max() < 1e-12
    shares = np.concatenate([DRAW.random(100_000), 10.0 ** np.linspace(-300, -1, 1_000)])
    assert np.allclose(normal_quantile(shares), special.ndtri(shares), rtol=2e-15, atol=1e-15)


def test_functions_at_their_ends() -> None:
    ends = np.array([-np.inf, np.inf, np.nan, 0.0, 1e300, -1e300])
    assert np.array_equal(exponential(ends), [0, np.inf, np.nan, 1, np.inf, 0], equal_nan=True)
    assert np.array_equal(logarithm(ends)[[0, 1, 2, 3, 5]], [np.nan, np.inf, np.nan, -np.inf, np.nan], equal_nan=True)
    assert np.array_equal(normal_share(ends), [0, 1, np.nan, 0.5, 1, 0], equal_nan=True)
    shares = np.array([0.0, 1.0, 0.5, np.nan, -0.1, 1.1])
    assert np.array_equal(normal_quantile(shares), [-np.inf, np.inf, 0, np.nan, np.nan, np.nan], equal_nan=True)


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=8, unique=True), st.floats(-2e6, 2e6))
def test_lines_are_those_of_numpy(places: list[float], value: float) -> None:
    at, heights = np.sort(places), np.arange(len(places), dtype=float) ** 2
    assert np.allclose(
        interpolated(np.array([value, *places]), at, heights), np.interp([value, *places], at, heights), rtol=1e-9
    )


@pytest.mark.parametrize("size", [1, 2, 3, 8, 31])
def test_eigenvalues_are_those_of_lapack(size: int) -> None:
    held = DRAW.standard_normal((size, size))
    for matrix in (held @ held.T, held + held.T, np.ones((size, size)), np.zeros((size, size))):
        values, vectors = eigen(matrix)
        scale = np.abs(matrix).max() * size + 1e-300
        assert np.abs(values - np.linalg.eigvalsh(matrix)).max() < 1e-13 * scale
        assert np.abs((vectors * values) @ vectors.T - matrix).max() < 1e-13 * scale
        assert np.abs(vectors.T @ vectors - np.eye(size)).max() < 1e-13
        assert np.allclose(pseudo_inverse(matrix), np.linalg.pinv(matrix, hermitian=True), rtol=1e-6, atol=1e-9)
        assert rank(matrix) == np.linalg.matrix_rank(matrix, hermitian=True)


@pytest.mark.parametrize("shape", [(3, 20_000), (1, 1), (5, 2), (2, 5)])
def test_products_are_those_of_blas(shape: tuple[int, int]) -> None:
    one, two = DRAW.standard_normal(shape), DRAW.standard_normal(shape)
    assert np.allclose(product(one, two.T), one @ two.T)
    assert np.allclose(product(one.T, two), one.T @ two) if one.size < 100 else True
    assert np.allclose(cross_products(one), one @ one.T) and np.allclose(cross_products(one, two), one @ two.T)
    assert np.allclose(product(one, two[0]), one @ two[0])
    turns = np.linalg.svd(one, full_matrices=False)[2][0]
    assert np.isclose(abs(principal_direction(one) @ turns), 1)


@pytest.mark.parametrize("shape", [(4, 4, 4), (4, 7, 3), (4, 3, 7), (4, 1, 2), (4, 2, 1)])
def test_factors_give_the_matrix_again(shape: tuple[int, int, int]) -> None:
    held = DRAW.standard_normal(shape)
    held[-1] = 0.0
    turned, upper = factored(held)
    assert np.allclose(turned @ upper, held)
    assert np.allclose(np.swapaxes(turned, 1, 2) @ turned, np.eye(turned.shape[2]))
    assert (np.diagonal(upper, axis1=1, axis2=2) >= 0).all()


def test_contrasts_keep_cross_products() -> None:
    held = 1e6 + DRAW.standard_normal((3, 6, 2))
    away = held - held.mean(axis=1, keepdims=True)
    found = contrasts(held)
    assert np.allclose(np.swapaxes(found, 1, 2) @ found, np.swapaxes(away, 1, 2) @ away)
    assert np.allclose(from_contrasts(found), away)


def test_draws_are_those_of_numpy_but_for_the_last_bits_of_tails() -> None:
    ours = standard_normal((4, 50_000), np.random.default_rng(9))
    theirs = np.random.default_rng(9).standard_normal((4, 50_000))
    assert 0 < (ours != theirs).sum() < 200 and np.abs(ours - theirs).max() < 2**-32
