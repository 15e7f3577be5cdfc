"""Controlled adjustment is the nearest there is, adds up, and has every sensitive cell at a safe value."""

from __future__ import annotations

import csv
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import linprog
from tests.tables.grids import PLENTY, grid, investments

from tacita.errors import InputError
from tacita.model.table import Dimension, Equations, Knowledge, Levels, Table
from tacita.tables.adjustment.adjust import Adjusted, adjust


def require_safe(table: Table, levels: Levels, result: Adjusted) -> None:
    change = result.values - table.values
    assert np.abs(table.equations.residuals(result.values)).max() < 1e-6
    assert (result.values[table.values >= 0] >= -1e-9).all()
    safe = (change >= levels.upper - 1e-6) | (change <= -levels.lower + 1e-6)
    assert safe[levels.sensitive].all()


def least_distance(table: Table, levels: Levels) -> float:
    """Every pattern of signs, one linear program each; written for the test alone."""
    cells = np.flatnonzero(levels.sensitive)
    sums = np.zeros((len(table.equations), len(table)))
    np.add.at(sums, (table.equations.row_of, table.equations.cells), table.equations.coefficients)
    best = np.inf
    for signs in product((True, False), repeat=len(cells)):
        up, down = [(0.0, None)] * len(table), [(0.0, value) for value in table.values]
        for cell, rises in zip(cells, signs, strict=True):
            up[cell] = (levels.upper[cell], None) if rises else (0, 0)
            down[cell] = (0, 0) if rises else (levels.lower[cell], table.values[cell])
        if any(low > (np.inf if high is None else high) for low, high in down):
            continue
        found = linprog(
            np.ones(2 * len(table)), A_eq=np.hstack((sums, -sums)), b_eq=np.zeros(len(sums)), bounds=up + down
        )
        if found.status == 0:
            best = min(best, found.fun)
    return best


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("shape", [(3, 3), (2, 2, 3)])
def test_no_adjustment_is_nearer(seed: int, shape: tuple[int, ...]) -> None:
    draw = np.random.default_rng(seed)
    table = grid(draw.integers(5, 60, shape), is_count=False)
    sensitive = draw.choice(len(table), 5, replace=False)
    levels = Levels.of(len(table), sensitive, 0, 0)
    levels = replace(
        levels,
        lower=np.where(levels.sensitive, draw.integers(1, 12, len(table)), 0).astype(float),
        upper=np.where(levels.sensitive, draw.integers(1, 12, len(table)), 0).astype(float),
    )
    result = adjust(table, levels)
    require_safe(table, levels, result)
    assert result.distance == pytest.approx(least_distance(table, levels))
    assert result.bound == pytest.approx(result.distance)


def published_instance(shared: Path) -> tuple[Table, Levels]:
    sheets = []
    for name in ("Sheet1", "Sheet2"):
        with (shared / f"data/tables/cta/{name}.csv").open() as lines:
            sheets.append([row for row in csv.reader(lines) if any(row)])
    columns = sheets[0][0][2:]
    # A blank is no cell: 194 are left.
    cells = {
        (row[0], row[1], column): (float(value), float(level or 0))
        for row, protections in zip(sheets[0][1:], sheets[1][1:], strict=True)
        for column, value, level in zip(columns, row[2:], protections[2:], strict=True)
        if value
    }
    place = {key: at for at, key in enumerate(cells)}
    codes = [list(dict.fromkeys(key[d] for key in cells if key[d] != "total")) for d in range(3)]
    dimensions = tuple(Dimension.flat(name, codes[d], "total") for d, name in enumerate(("plane", "row", "column")))
    sums = [
        (place[key], [place[part] for code in codes[d] if (part := (*key[:d], code, *key[d + 1 :])) in place])
        for key in cells
        for d in range(3)
        if key[d] == "total"
    ]
    levels = np.array([level for _, level in cells.values()])
    table = Table(
        "published",
        dimensions,
        np.array([[dimensions[d].position(key[d]) for d in range(3)] for key in cells], np.int32),
        np.array([value for value, _ in cells.values()]),
        Equations.of([each for each in sums if each[1]]),
        is_count=False,
    )
    given = Levels.of(len(table), np.flatnonzero(levels > 0), 0, 0)
    return table, replace(given, lower=levels, upper=levels)


@pytest.mark.slow
def test_the_published_instance_has_its_optimum(shared: Path) -> None:
    table, levels = published_instance(shared)
    assert (len(table), levels.sensitive.sum()) == (194, 24)
    result = adjust(table, levels)
    require_safe(table, levels, result)
    assert result.distance == pytest.approx(2420)
    assert result.gap < 1e-6


def test_no_time_still_gives_a_safe_table(shared: Path) -> None:
    table, levels = published_instance(shared)
    result = adjust(table, levels, seconds=0)
    require_safe(table, levels, result)
    assert result.bound <= 2420 <= result.distance


def test_counts_stay_whole() -> None:
    table = grid(np.random.default_rng(3).poisson(4, (3, 3, 3)))
    levels = Levels.of(len(table), np.flatnonzero((table.values > 0) & (table.values < 3)), 1, 1)
    result = adjust(table, levels, seconds=PLENTY)
    require_safe(table, levels, result)
    assert (result.values == np.rint(result.values)).all()


def test_kept_cells_and_zeros_do_not_change_and_large_cells_change_first_when_relative() -> None:
    table = investments()
    keep = (table.codes == 0).any(axis=1)
    levels = Levels.of(len(table), np.array([11]), 4, 4)
    result = adjust(table, levels, Knowledge.of(len(table)).knowing(keep), weight="relative")
    require_safe(table, levels, result)
    assert (result.values[keep] == table.values[keep]).all()
    with_zero = grid(np.array([[0.0, 5, 7], [8, 9, 10], [3, 4, 5]]), is_count=False)
    assert adjust(with_zero, Levels.of(16, np.array([6]), 2, 2)).values[5] == 0


def test_infeasible_demands_name_the_cells() -> None:
    table = investments()
    everything = np.ones(len(table), bool)
    with pytest.raises(InputError, match="d0=c1, d1=c2"):
        adjust(table, Levels.of(len(table), np.array([11]), 4, 4), Knowledge.of(len(table)).knowing(everything))
    all_but_one = np.arange(len(table)) != 11
    with pytest.raises(InputError, match="adds up"):
        adjust(table, Levels.of(len(table), np.array([11]), 4, 4), Knowledge.of(len(table)).knowing(all_but_one))
    with pytest.raises(InputError, match="exclude the true value"):
        adjust(
            table,
            Levels.of(len(table), np.array([11]), 4, 4),
            replace(Knowledge.of(len(table)), lower=table.values + 1),
        )


@pytest.mark.parametrize("shape", [(1, 1), (1, 3)])
def test_dimensions_with_one_category_and_everything_sensitive(shape: tuple[int, ...]) -> None:
    table = grid(np.full(shape, 10.0), is_count=False)
    levels = Levels.of(len(table), np.arange(len(table)), 1, 1)
    require_safe(table, levels, adjust(table, levels))
