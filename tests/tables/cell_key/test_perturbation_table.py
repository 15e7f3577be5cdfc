"""The perturbation tables are those of ptable, and impossible wishes are refused."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacita.errors import UsageError
from tacita.tables.cell_key.perturbation_table import PerturbationTable, design


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "maximum", "variance", "options"),
    [
        ("D3_V1", 3, 1.0, {}),
        # ptable keeps neither the variance nor the probability of no change where they cannot be had.
        ("D5_V3", 5, 3.0, {"relax": True}),
        ("D4_V2_pstay", 4, 2.0, {"stay": {1: 0.5, 2: 0.45, 3: 0.5, 4: 0.5}, "relax": True}),
        ("D8_V3_js2", 8, 3.0, {"smallest": 2}),
    ],
)
def test_perturbation_tables_are_those_of_ptable(
    shared: Path, file: str, maximum: int, variance: float, options: dict[str, Any]
) -> None:
    ours = design(maximum, variance, **options)
    theirs = np.zeros_like(ours.probabilities)
    with (shared / f"tables/ptable_cnt_{file}.csv").open() as lines:
        for row in csv.DictReader(lines):
            theirs[int(row["i"]), int(row["v"]) + maximum] = float(row["p"])
    assert np.abs(ours.probabilities - theirs).max() < 1e-6


@pytest.mark.slow
@pytest.mark.parametrize(("maximum", "variance", "smallest"), [(2, 1.0, 0), (6, 2.0, 1), (10, 6.0, 3), (8, 0.5, 0)])
def test_the_noise_is_unbiased_with_the_variance_and_hides_small_counts(
    maximum: int, variance: float, smallest: int
) -> None:
    table = design(maximum, variance, smallest=smallest)
    changes = np.arange(-maximum, maximum + 1)
    p = table.probabilities[1:]
    assert np.abs(p @ changes).max() < 1e-9
    assert np.abs(p @ changes**2 - variance).max() < 1e-9
    results = np.arange(len(table.probabilities))[:, None] + changes
    assert table.probabilities[(results < 0) | ((results > 0) & (results <= smallest))].max(initial=0) == 0


def test_no_distribution_with_the_same_moments_has_more_entropy() -> None:
    p = design(3, 1.0).probabilities[2, 1:]
    changes = np.arange(-2, 4, dtype=float)
    directions = np.linalg.svd(np.vstack((np.ones(6), changes, changes**2)))[2][3:]

    def entropy(q: np.ndarray[Any, Any]) -> float:
        return float(-(q * np.log(q)).sum())

    for direction in (*directions, *-directions):
        assert entropy(p + 1e-3 * direction) < entropy(p)


def test_all_impossible_counts_are_named_at_once() -> None:
    with pytest.raises(UsageError, match="count of 1") as caught:
        design(5, 9.0)
    assert "count of 5" not in str(caught.value)
    assert "count of 2" in str(caught.value)
    assert design(5, 3.0, relax=True).relaxed == (1,)


@pytest.mark.parametrize(
    ("maximum", "variance", "options"),
    [(0, 1.0, {}), (3, 0.0, {}), (3, np.nan, {}), (3, 1.0, {"smallest": 3}), (3, 1.0, {"stay": 1.0})],
)
def test_parameters_that_make_no_sense_are_refused(maximum: int, variance: float, options: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="perturbation table"):
        design(maximum, variance, **options)


def test_a_given_table_must_hold_distributions() -> None:
    with pytest.raises(UsageError, match="no distributions"):
        PerturbationTable(1, 1.0, 0, np.array([[0.5, 0.5, 0.0], [0.2, 0.6, 0.2]]))


@pytest.mark.slow
def test_the_last_key_never_means_a_change_that_cannot_happen() -> None:
    table = design(8, 3.0, smallest=2)
    counts = np.arange(0, 30)
    for share in (0.0, 1 - 2.0**-53):
        changes = table.changes(counts, np.full(30, share))
        rows = np.minimum(counts, table.largest_count)
        assert (table.probabilities[rows, changes + 8] > 0).all()
