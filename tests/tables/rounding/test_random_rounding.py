"""Random rounding is unbiased, and the same cell is rounded the same in every table."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables.grids import grid

from tacita.errors import InputError
from tacita.tables.rounding.rounded import round_randomly


@pytest.mark.parametrize("per_cell", [True, False])
def test_the_mean_is_the_value(per_cell: bool) -> None:
    table = grid(np.array([[1, 2, 3], [4, 5, 6]]))
    drawn = np.array([round_randomly(table, 5, seed=seed, per_cell=per_cell).values for seed in range(4000)])
    assert np.abs(drawn.mean(axis=0) - table.values).max() < 0.16
    assert (np.abs(drawn - table.values) < 5).all()
    assert (drawn[:, table.values % 5 == 0] == table.values[table.values % 5 == 0]).all()


def test_the_same_seed_gives_the_same_table_and_another_another() -> None:
    table = grid(np.arange(1, 50).reshape(7, 7))
    first = round_randomly(table, 3, seed=1).values
    assert (first == round_randomly(table, 3, seed=1).values).all()
    assert (first != round_randomly(table, 3, seed=2).values).any()


def test_a_cell_is_rounded_the_same_in_a_table_with_another_dimension() -> None:
    inner = np.random.default_rng(0).integers(0, 9, (4, 5, 3))
    large, small = grid(inner), grid(inner.sum(axis=2))
    here, there = round_randomly(large, 7, seed=5).values, round_randomly(small, 7, seed=5).values
    totals = large.codes[:, 2] == 0
    assert (here[totals] == there).all()
    other = round_randomly(replace(small, response="turnover"), 7, seed=5).values
    assert (other != there).any()


def test_counts_that_are_no_counts_are_refused() -> None:
    with pytest.raises(InputError, match="whole"):
        round_randomly(grid(np.array([[1.5, 2], [3, 4]])), 5, seed=1)
