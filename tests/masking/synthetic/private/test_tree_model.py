"""The model behind private synthesis: nearest shares, tables that agree, draws that follow them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.masking.synthetic.private.tree_model import TreeModel, nearest_shares, nearest_table, raked


@settings(max_examples=80, deadline=None)
@given(st.lists(st.floats(-3, 3), min_size=1, max_size=12))
def test_nearest_shares_are_shares_and_nearest(values: list[float]) -> None:
    held = np.array(values)
    found = nearest_shares(held)
    assert found.min() >= 0 and np.isclose(found.sum(), 1)
    # the conditions of an optimum: what is above 0 was lowered by the same amount, what is 0 by no more
    lowered = held - found
    level = lowered[found > 0]
    assert np.allclose(level, level[0]) and np.all(lowered[found == 0] <= level[0] + 1e-9)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 999))
def test_the_nearest_table_has_the_sums_and_is_nearest(rows: int, columns: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    noisy = draw.normal(0.1, 0.2, (rows, columns))
    one, two = draw.dirichlet(np.ones(rows)), draw.dirichlet(np.ones(columns))
    found = nearest_table(noisy, one, two)
    assert found.min() >= 0
    assert np.allclose(found.sum(axis=1), one, atol=1e-2) and np.allclose(found.sum(axis=0), two, atol=1e-6)
    for _ in range(20):  # no other table with these sums is nearer
        other = raked(draw.random((rows, columns)) ** 3 + 1e-6, one, two)
        assert np.sum((found - noisy) ** 2) <= np.sum((other - noisy) ** 2) + 1e-2


@settings(max_examples=40, deadline=None)
@given(st.integers(2, 5), st.integers(2, 5), st.integers(0, 999))
def test_raked_tables_have_the_sums(rows: int, columns: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    one, two = draw.dirichlet(np.ones(rows)), draw.dirichlet(np.ones(columns))
    found = raked(draw.random((rows, columns)) + 0.01, one, two)
    assert np.allclose(found.sum(axis=1), one, atol=1e-6) and np.allclose(found.sum(axis=0), two, atol=1e-6)


def test_tables_without_noise_come_back() -> None:
    draw = np.random.default_rng(1)
    joint = draw.dirichlet(np.ones(12)).reshape(3, 4)
    single = {"a": joint.sum(axis=1) * 1000, "b": joint.sum(axis=0) * 1000, "c": np.array([400.0, 600.0])}
    model = TreeModel.of(single, {("a", "b"): joint * 1000}, 1000, (1.0, 1.0))
    assert np.allclose(model.pairs["a", "b"], joint, atol=1e-4)
    drawn = model.drawn(100_000, draw)
    table = np.histogram2d(drawn["a"], drawn["b"], bins=(np.arange(4), np.arange(5)))[0] / 100_000
    assert np.abs(table - joint).max() < 1e-3  # draws are systematic: less than by chance
    assert np.bincount(drawn["c"]).tolist() == [40_000, 60_000]
    free = np.histogram2d(drawn["a"], drawn["c"], bins=(np.arange(4), np.arange(3)))[0] / 100_000
    assert np.abs(free - np.outer(joint.sum(axis=1), [0.4, 0.6])).max() < 0.01


def test_noise_is_averaged_by_its_variance() -> None:
    """A table of one attribute and the sum of a pair of two cells: weights 1/s1^2 and 1/(2 s2^2)."""
    model = TreeModel.of(
        {"a": np.array([60.0, 40.0]), "b": np.array([50.0, 50.0])},
        {("a", "b"): np.array([[10.0, 10.0], [40.0, 40.0]])},
        100,
        (1.0, 1.0),
    )
    assert np.allclose(model.single["a"], [(60 * 2 + 20) / 300, (40 * 2 + 80) / 300])


def test_values_that_noise_emptied_do_not_break_draws() -> None:
    model = TreeModel.of(
        {"a": np.array([-5.0, 3.0]), "b": np.array([0.0, 0.0, -9.0])},
        {("a", "b"): np.full((2, 3), -2.0)},
        3,
        (9.0, 9.0),
    )
    drawn = model.drawn(50, np.random.default_rng(1))
    assert all(len(cells) == 50 for cells in drawn.values())
    assert drawn["a"].max() <= 1 and drawn["b"].max() <= 2
