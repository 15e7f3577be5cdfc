"""What an adjustment leaves to chance: further than the levels, in the decimals of the data, and not to be guessed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables.grids import grid

from tacita.model.table import Knowledge, Levels, Table
from tacita.tables.adjustment.adjust import adjust
from tacita.tables.adjustment.distances import Chance
from tacita.tables.unit import unit_of


def firms(seed: int, decimals: int = 0, shape: tuple[int, ...] = (7, 7)) -> tuple[Table, Levels]:
    """A table of amounts with levels of 15 % on some inner cells."""
    draw = np.random.default_rng(seed)
    table = grid(np.round(draw.lognormal(5, 1, shape) + 1, decimals), is_count=False)
    inner = np.flatnonzero((table.codes > 0).all(axis=1))
    sensitive = draw.choice(inner, len(inner) // 6, replace=False)
    levels = Levels.of(len(table), np.sort(sensitive), 0, 0)
    distance = np.where(levels.sensitive, 0.15 * table.values, 0.0)
    return table, replace(levels, lower=distance, upper=distance)


@pytest.mark.parametrize(("decimals", "shape"), [(0, (7, 7)), (2, (7, 7)), (1, (3, 3, 3))])
def test_cells_go_further_than_their_levels_in_the_decimals_of_the_data(decimals: int, shape: tuple[int, ...]) -> None:
    table, levels = firms(1, decimals, shape)
    result = adjust(table, levels, chance=Chance(5))
    assert (np.round(result.values, decimals) == result.values).all()
    assert np.abs(table.equations.residuals(np.rint(result.values * 10**decimals))).max() == 0
    moved = np.abs(result.values - table.values)[levels.sensitive]
    level = levels.lower[levels.sensitive]
    assert (moved >= level - 1e-9).all()
    assert (moved > 1.01 * level).mean() > 0.7


def test_a_seed_gives_the_same_table_and_another_one_another() -> None:
    table, levels = firms(2)
    first, again, other = (adjust(table, levels, chance=Chance(seed)).values for seed in (3, 3, 4))
    assert (first == again).all()
    assert (first != other)[levels.sensitive].all()
    assert (first != adjust(table, levels, chance=Chance(3, attempt=1)).values).any()
    assert "seed" not in repr(Chance(3))


@pytest.mark.slow
def test_amounts_are_uniform_and_directions_fair() -> None:
    shares, up = list[float](), list[bool]()
    for seed in range(30):
        table, levels = firms(seed, shape=(6, 6))
        moved = (adjust(table, levels, chance=Chance(seed + 1)).values - table.values)[levels.sensitive]
        level = levels.lower[levels.sensitive]
        shares += (np.abs(moved) / level - 1).tolist()
        up += (moved > 0).tolist()
    inside = np.array([share for share in shares if share <= 1.02])
    assert len(inside) > 0.8 * len(shares)  # the others went where the sums sent them
    assert np.histogram(inside, 4, (0, 1.02))[0].min() > 0.17 * len(inside)
    assert 0.4 < np.mean(up) < 0.6


def test_counts_and_bounds() -> None:
    table = grid(np.random.default_rng(3).poisson(4, (5, 5)))
    levels = Levels.of(len(table), np.flatnonzero((table.values > 0) & (table.values < 3)), 1, 1)
    knowledge = Knowledge.of(len(table), integer=True)
    knowledge.upper[:] = 400.0
    result = adjust(table, levels, knowledge, chance=Chance(1, margin=3))
    assert (result.values == np.rint(result.values)).all()
    assert ((result.values >= 0) & (result.values <= 400)).all()


def test_a_sensitive_zero_moves() -> None:
    table = grid(np.array([[0.0, 50, 70], [80, 90, 100], [30, 40, 50]]), is_count=False)
    levels = replace(Levels.of(16, np.array([5]), 0, 4))
    assert adjust(table, levels, chance=Chance(1)).values[5] >= 4


def test_units_of_ten_and_more_count_in_larger_tables() -> None:
    assert unit_of(grid(np.full((2, 2), 30.0), is_count=False)) == 1
    thousands = grid(1000 * np.arange(1.0, 26).reshape(5, 5), is_count=False)
    assert unit_of(thousands) == 1000
    assert unit_of(grid(np.full((5, 5), 0.25), is_count=False)) == 0.01
