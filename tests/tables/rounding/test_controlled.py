"""Controlled rounding is the nearest there is, keeps every sum, and leaves every sensitive cell its interval."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from tests.tables.grids import crossed, grid

from tacita.errors import InputError, UsageError
from tacita.model.table import Dimension, Equations, Knowledge, Levels, Table
from tacita.tables.rounding.controlled import round_controlled
from tacita.tables.rounding.rounded import Rounded


def require_zero_restricted(table: Table, base: float, result: Rounded) -> None:
    assert np.abs(table.equations.residuals(result.values)).max(initial=0) < 1e-9
    assert (np.abs(result.values / base - np.rint(result.values / base)) < 1e-9).all()
    assert (np.abs(result.values - table.values) < base).all()
    assert result.total == pytest.approx(np.abs(result.values - table.values).sum())


def nearest_by_brute_force(table: Table, base: int) -> float:
    whole = np.floor(table.values / base) * base
    options = [(low,) if low == value else (low, low + base) for low, value in zip(whole, table.values, strict=True)]
    inner = [at for at in range(len(table)) if (table.codes[at] > 0).all()]
    best = np.inf
    for choice in product(*[options[at] for at in inner]):
        shape = [len(each.codes) - 1 for each in table.dimensions]
        again = grid(np.array(choice).reshape(shape)).values
        if (np.abs(again - table.values) < base).all():
            best = min(best, float(np.abs(again - table.values).sum()))
    return best


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("shape", [(2, 3), (3, 3), (2, 2, 2)])
def test_no_rounding_is_nearer(seed: int, shape: tuple[int, ...]) -> None:
    table = grid(np.random.default_rng(seed).integers(0, 12, shape))
    result = round_controlled(table, 5)
    least = nearest_by_brute_force(table, 5)
    if np.isfinite(least):
        require_zero_restricted(table, 5, result)
        assert result.total == least == pytest.approx(result.bound)
    else:
        assert result.notes


def attacker_interval(table: Table, values: NDArray[Any], reach: float, cell: int) -> tuple[float, float]:
    """Written for the test alone: the interval of one cell under the sums and the distance to what is published."""
    sums = np.zeros((len(table.equations), len(table)))
    np.add.at(sums, (table.equations.row_of, table.equations.cells), table.equations.coefficients)
    bounds = [(max(value - reach, 0), value + reach) for value in values]
    ends = [
        linprog(sign * np.eye(len(table))[cell], A_eq=sums, b_eq=np.zeros(len(sums)), bounds=bounds).fun
        for sign in (1, -1)
    ]
    return ends[0], -ends[1]


@pytest.mark.parametrize("seed", range(4))
def test_every_sensitive_cell_keeps_its_interval(seed: int) -> None:
    table = grid(np.random.default_rng(seed).poisson(2, (4, 4)))
    sensitive = np.flatnonzero((table.values > 0) & (table.values <= 2))
    result = round_controlled(table, 3, Levels.of(len(table), sensitive, 1, 1))
    require_zero_restricted(table, 3, result)
    for cell in sensitive:
        assert result.reach is not None
        assert result.reach == 2 or result.notes
        low, high = attacker_interval(table, result.values, result.reach, int(cell))
        assert low <= table.values[cell] - 1 + 1e-6
        assert high >= table.values[cell] + 1 - 1e-6


def test_a_base_too_small_for_the_levels_is_refused_without_telling_a_share_of_the_value() -> None:
    table = grid(np.array([[30.0, 41], [52, 63]]), is_count=False)
    levels = Levels.of(len(table), np.array([4]), 6, 6)
    with pytest.raises(UsageError, match="choose a larger base") as told:
        round_controlled(table, 5, levels)
    assert "12" not in str(told.value)
    result = round_controlled(table, 12, levels)
    low, high = attacker_interval(table, result.values, 12, 4)
    assert low <= table.values[4] - 6 + 1e-6
    assert high >= table.values[4] + 6 - 1e-6


def test_hierarchies_and_alternative_groupings_are_more_sums() -> None:
    region = Dimension.tree("region", {"Total": {"a": ["a1", "a2", "a3"], "b": ["b1", "b2"], "c": []}})
    sex = Dimension.flat("sex", ["f", "m"])
    draw = np.random.default_rng(4)
    table = crossed((region, sex), {(r, s): float(draw.integers(0, 30)) for r in region.leaves for s in sex.leaves})
    require_zero_restricted(table, 10, round_controlled(table, 10))


@pytest.mark.slow
def test_three_dimensions_without_a_zero_restricted_rounding_go_further_and_say_so() -> None:
    # Two layers of opposite diagonals with every margin at the base: no adjacent multiples add up (Causey et al. 1985).
    found = [
        result
        for seed in range(40)
        if (result := round_controlled(grid(np.random.default_rng(seed).integers(0, 2, (3, 3, 3))), 2)).notes
    ]
    assert found
    assert all("no zero-restricted rounding" in result.notes[0] for result in found)


def test_real_values_and_real_bases() -> None:
    table = grid(np.array([[0.3, 0.25], [1.1, 0.0]]), is_count=False)
    result = round_controlled(table, 0.1)
    require_zero_restricted(table, 0.1, result)
    assert result.values[4] == pytest.approx(0.3)
    assert result.values[8] == 0


def test_no_time_still_gives_a_table_that_adds_up() -> None:
    table = grid(np.random.default_rng(0).poisson(8, (6, 6, 6)))
    result = round_controlled(table, 3, seconds=0)
    assert np.abs(table.equations.residuals(result.values)).max() == 0
    assert (result.values % 3 == 0).all()


@pytest.mark.parametrize("shape", [(1, 1), (1, 4), (1, 1, 3)])
def test_dimensions_with_one_category(shape: tuple[int, ...]) -> None:
    table = grid(np.full(shape, 4.0))
    require_zero_restricted(table, 3, round_controlled(table, 3))


def test_everything_sensitive() -> None:
    table = grid(np.full((3, 3), 4.0))
    levels = Levels.of(len(table), np.arange(len(table)), 1, 1)
    require_zero_restricted(table, 5, round_controlled(table, 5, levels))


@pytest.mark.parametrize("base", [0, -5, np.nan, 2.5, 1])
def test_bases_that_make_no_sense_are_refused(base: float) -> None:
    with pytest.raises(UsageError, match="base"):
        round_controlled(grid(np.ones((2, 2))), base)


def test_tables_that_cannot_be_rounded_are_refused_without_a_value() -> None:
    codes, sums = np.arange(3, dtype=np.int32).reshape(-1, 1), Equations.of([(0, (1, 2))])
    sex = (Dimension.flat("sex", ["f", "m"]),)
    for values in ([987.0, 321, 654], [975.5, 321.5, 654], [333.0, -321, 654], [np.nan, 321, 654]):
        with pytest.raises(InputError) as caught:
            round_controlled(Table("people", sex, codes, np.array(values), sums, is_count=True), 5)
        assert not any(each in str(caught.value) for each in ("321", "654", "987", "975", "333"))


def test_what_is_known_beforehand_cannot_be_protected() -> None:
    table = grid(np.full((2, 2), 4.0))
    known = Knowledge.of(len(table)).within(table.values, 0.1)
    with pytest.raises(InputError, match="bounds"):
        round_controlled(table, 5, Levels.of(len(table), np.array([4]), 1, 1), known)
