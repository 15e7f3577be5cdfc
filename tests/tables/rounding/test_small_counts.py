"""Small-count rounding changes the published counts no more than SmallCountRounding does."""

from __future__ import annotations

import csv
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from tests.tables.grids import grid, reference

from tacita.errors import InputError
from tacita.tables.rounding.small_counts import round_small_counts


@pytest.mark.parametrize(
    ("name", "base", "columns", "groups"),
    [
        ("z2", 3, ["region", "hovedint"], "kostragr"),
        ("z2", 5, ["region", "hovedint"], "kostragr"),
        ("z3", 5, ["region", "hovedint", "mnd"], None),
    ],
)
def test_published_counts_change_no_more_than_with_plsrounding(
    shared: Path, name: str, base: int, columns: list[str], groups: str | None
) -> None:
    table = reference(shared, name, columns, groups=groups)
    with (shared / f"tables/PLSrounding_{name}_b{base}.csv").open() as lines:
        theirs = list(csv.DictReader(lines))
    assert sorted(float(row["original"]) for row in theirs) == sorted(table.values)
    result = round_small_counts(table, base, seconds=0)
    differences = [abs(float(row["difference"])) for row in theirs]
    assert result.largest <= max(differences)
    assert result.total <= sum(differences)
    assert np.abs(table.equations.residuals(result.values)).max() == 0
    assert not ((result.values > 0) & (result.values < base)).any()


@pytest.mark.parametrize("seed", range(5))
def test_no_choice_is_better_on_small_tables(seed: int) -> None:
    inner = np.random.default_rng(seed).integers(0, 5, (3, 3))
    table = grid(inner)
    small = np.flatnonzero((inner.ravel() > 0) & (inner.ravel() < 3))

    def cost(values: np.ndarray) -> float:  # type: ignore[type-arg]
        off = np.abs(values - table.values)
        return float(off.sum() + 10 * off.max())

    best = np.inf
    for choice in product((0, 3), repeat=len(small)):
        tried = inner.ravel().copy()
        tried[small] = choice
        best = min(best, cost(grid(tried.reshape(3, 3)).values))
    assert cost(round_small_counts(table, 3).values) == best


def test_only_what_shows_in_a_small_published_count_is_rounded() -> None:
    table = grid(np.array([[1, 9], [9, 9]]))
    totals = (table.codes == 0).any(axis=1)
    assert (round_small_counts(table, 3, published=totals).values == table.values).all()
    assert (round_small_counts(table, 3).values != table.values).any()


def test_counts_that_become_small_by_the_rounding_are_rounded_too() -> None:
    table = grid(np.array([[2.0, 2, 0], [2, 2, 0]]))
    shown = np.zeros(len(table), bool)
    shown[[at for at in range(len(table)) if table.codes[at].tolist() in ([1, 0], [0, 1], [2, 2], [2, 0])]] = True
    result = round_small_counts(table, 3, published=shown)
    assert not ((result.values[shown] > 0) & (result.values[shown] < 3)).any()


def test_the_same_seed_and_no_time_give_the_same_table() -> None:
    table = grid(np.random.default_rng(1).poisson(2, (12, 12)))
    assert (round_small_counts(table, 5, seconds=0).values == round_small_counts(table, 5, seconds=0).values).all()


def test_magnitudes_are_refused() -> None:
    with pytest.raises(InputError, match="counts"):
        round_small_counts(grid(np.ones((2, 2)), is_count=False), 3)
