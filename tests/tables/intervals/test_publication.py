"""Published intervals protect every sensitive cell, and tell more than suppression does."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from tests.tables.grids import PLENTY, grid, investments, reference

from tacita.errors import InputError, UsageError
from tacita.model.table import Knowledge, Levels, Table
from tacita.tables.intervals import deadline
from tacita.tables.intervals.publication import PublishedIntervals, publish_intervals


def attacker_interval(table: Table, lower: NDArray[Any], upper: NDArray[Any], cell: int) -> tuple[float, float]:
    """Written for the test alone: what the sums and the intervals leave of one cell."""
    sums = np.zeros((len(table.equations), len(table)))
    np.add.at(sums, (table.equations.row_of, table.equations.cells), table.equations.coefficients)
    bounds = [(low, None if np.isinf(high) else high) for low, high in zip(lower, upper, strict=True)]
    ends = []
    for sign in (1, -1):
        found = linprog(sign * np.eye(len(table))[cell], A_eq=sums, b_eq=np.zeros(len(sums)), bounds=bounds)
        ends.append(np.inf if found.status == 3 else sign * found.fun)
    return ends[0], ends[1]


def require_protected(table: Table, levels: Levels, result: PublishedIntervals) -> None:
    assert (result.lower <= table.values).all()
    assert (result.upper >= table.values).all()
    for cell in np.flatnonzero(levels.sensitive):
        low, high = attacker_interval(table, result.lower, result.upper, int(cell))
        assert low <= table.values[cell] - levels.lower[cell] + 1e-6
        assert high >= table.values[cell] + levels.upper[cell] - 1e-6
        assert high - low >= levels.sliding[cell] - 1e-6


@pytest.mark.parametrize("ends", ["exact", "round"])
@pytest.mark.parametrize("seconds", [0, PLENTY])
def test_the_example_is_told_better_than_by_suppression(ends: Any, seconds: float) -> None:
    table = investments()
    levels = Levels.of(len(table), np.array([11]), 4, 4)
    result = publish_intervals(table, levels, ends=ends, seconds=seconds)
    require_protected(table, levels, result)
    # Four cells suppressed leave the attacker intervals of 25 each.
    assert result.published_width < 100
    if seconds:
        assert result.width == pytest.approx(result.bound)


def test_what_is_not_done_in_time_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    table = investments()
    monkeypatch.setattr(deadline, "GRACE", 0.0)
    with pytest.raises(UsageError, match="the time was up before intervals that protect"):
        publish_intervals(table, Levels.of(len(table), np.array([11]), 4, 4), seconds=0)


def test_a_sum_is_kept_unknown() -> None:
    """Two cells that hide each other leave their sum known; as a union it is as uncertain as is asked."""
    table, levels = grid(np.array([160, 160, 260, 280]), is_count=False), Levels.of(5, np.array([1, 2]), 24, 24)
    alone = publish_intervals(table, levels, ends="exact")
    assert np.flatnonzero(~alone.exact).tolist() == [1, 2]
    result = publish_intervals(table, levels, ends="exact", unions=[(np.array([1, 2]), 30.0)])
    require_protected(table, levels, result)
    others = [0, 3, 4]
    assert (result.upper - result.lower)[others].sum() >= 30 - 1e-6
    assert len(result.lower) == 5
    assert result.published_width == pytest.approx((result.upper - result.lower).sum())


def test_z2_is_told_better_than_by_the_suppressions_of_sdctable(shared: Path) -> None:
    table = reference(shared, "z2", ["region", "hovedint"])
    with (shared / "tables/sdcTable_ssb_z2_freq_OPT.csv").open() as lines:
        status = {(row["region"], row["hovedint"]): row["sdcStatus"] for row in csv.DictReader(lines)}
    withheld = np.array([status[table.cell_codes(cell)] in "ux" for cell in range(len(table))])
    levels = Levels.of(
        len(table), np.flatnonzero([status[table.cell_codes(c)] == "u" for c in range(len(table))]), 1, 1
    )
    result = publish_intervals(table, levels)
    require_protected(table, levels, result)
    lower, upper = np.where(withheld, 0, table.values), np.where(withheld, np.inf, table.values)
    left = [attacker_interval(table, lower, upper, int(cell)) for cell in np.flatnonzero(withheld)]
    assert result.published_width < sum(high - low for low, high in left)


@pytest.mark.parametrize("seed", range(3))
def test_one_after_the_other_is_safe_and_all_together_no_wider(seed: int) -> None:
    draw = np.random.default_rng(seed)
    table = grid(draw.integers(1, 50, (4, 4)), is_count=False)
    levels = Levels.of(len(table), draw.choice(len(table), 4, replace=False), 2, 3)
    levels = replace(levels, lower=np.minimum(levels.lower, table.values))
    greedy = publish_intervals(table, levels, ends="exact", seconds=0)
    best = publish_intervals(table, levels, ends="exact")
    require_protected(table, levels, greedy)
    require_protected(table, levels, best)
    assert best.width <= greedy.width + 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_cuts_find_the_same_width_as_the_program_at_once(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    draw = np.random.default_rng(seed)
    table = grid(draw.integers(5, 50, (3, 3, 2)), is_count=False)
    levels = Levels.of(len(table), draw.choice(len(table), 5, replace=False), 3, 4)
    at_once = publish_intervals(table, levels, ends="exact")
    monkeypatch.setattr("tacita.tables.intervals.publication._LARGEST_JOINT", 0)
    by_cuts = publish_intervals(table, levels, ends="exact")
    require_protected(table, levels, by_cuts)
    assert by_cuts.width == pytest.approx(at_once.width)
    assert by_cuts.bound == pytest.approx(at_once.bound)


def test_a_contributor_who_knows_its_own_cell_gains_nothing() -> None:
    table = investments()
    levels = Levels.of(len(table), np.array([11]), 4, 4)
    alone = Knowledge.of(len(table))
    first = publish_intervals(table, levels, alone, ends="exact")
    own = int(np.flatnonzero(~first.exact & (table.codes > 0).all(axis=1) & ~levels.sensitive)[0])
    alone.owners[own] = 7
    result = publish_intervals(table, levels, alone, ends="exact")
    seen = replace(table)
    lower, upper = result.lower.copy(), result.upper.copy()
    lower[own] = upper[own] = table.values[own]
    low, high = attacker_interval(seen, lower, upper, 11)
    assert low <= 18 + 1e-6
    assert high >= 26 - 1e-6


def test_round_ends_do_not_show_the_value() -> None:
    table = investments()
    result = publish_intervals(table, Levels.of(len(table), np.array([11]), 4, 4))
    wide = ~result.exact
    assert (result.lower[wide] < table.values[wide]).all()
    assert (result.upper[wide] > table.values[wide]).all()


def test_sliding_levels_and_kept_totals() -> None:
    table = investments()
    levels = replace(Levels.of(len(table), np.array([11]), 2, 2, sliding=12.0))
    keep = (table.codes == 0).any(axis=1)
    result = publish_intervals(table, levels, Knowledge.of(len(table), integer=table.is_count).knowing(keep))
    require_protected(table, levels, result)
    assert result.exact[keep].all()


def test_what_cannot_be_protected_is_named() -> None:
    table = investments()
    levels = Levels.of(len(table), np.array([11]), 4, 4)
    with pytest.raises(InputError, match="d0=c1, d1=c2 cannot be protected"):
        publish_intervals(table, levels, Knowledge.of(len(table)).knowing(np.arange(len(table)) != 11))
    outside = Knowledge.of(len(table))
    outside.upper[3] = 1.0
    with pytest.raises(InputError, match="exclude"):
        publish_intervals(table, levels, outside)


def test_one_cell_and_everything_sensitive() -> None:
    table = grid(np.full((1, 1), 10.0), is_count=False)
    levels = Levels.of(len(table), np.arange(len(table)), 1, 1)
    require_protected(table, levels, publish_intervals(table, levels))


def owned(table: Table, cells: dict[int, int]) -> Knowledge:
    owners = np.full(len(table), -1, np.int64)
    owners[list(cells)] = list(cells.values())
    return replace(Knowledge.of(len(table)), owners=owners)


@pytest.mark.parametrize("seed", range(6))
def test_who_knows_several_cells_finds_no_other(seed: int) -> None:
    """Each of three contributors knows two cells; the others keep their levels against all of them."""
    random = np.random.default_rng(seed)
    table = grid(random.integers(20, 200, (4, 5)))
    inner = np.flatnonzero((table.codes > 0).all(axis=1))
    own = random.choice(inner, 6, replace=False).tolist()
    knowledge = owned(table, {cell: at // 2 for at, cell in enumerate(own)})
    levels = Levels.of(len(table), np.array([*own, int(inner[0])]), 9, 9)
    result = publish_intervals(table, levels, knowledge, seed=seed)
    for owner in range(3):
        known = knowledge.owners == owner
        lower, upper = (np.where(known, table.values, end) for end in (result.lower, result.upper))
        for cell in np.flatnonzero(levels.sensitive & ~known).tolist():
            low, high = attacker_interval(table, lower, upper, cell)
            assert low <= table.values[cell] - 9 + 1e-6 and high >= table.values[cell] + 9 - 1e-6


def test_what_no_intervals_protect_from_a_contributor_is_refused_at_once() -> None:
    """Two cells of one column under a published total: who knows one of them knows the other."""
    table = grid(np.array([[50, 70], [30, 90]]))
    inner = np.flatnonzero((table.codes > 0).all(axis=1))
    totals = (table.codes == 0).any(axis=1)
    knowledge = owned(table, {int(inner[0]): 0}).knowing(totals)
    levels = Levels.of(len(table), inner[3:], 5, 5)
    with pytest.raises(InputError, match=r"(?s)cannot be protected .*, against the contributor .*singletons = false"):
        publish_intervals(table, levels, knowledge, seed=1)
