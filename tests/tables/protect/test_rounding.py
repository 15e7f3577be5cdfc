"""Rounding by the front door: what is drawn cannot be guessed, and what is not drawn comes out the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacita.tables.example import write_example
from tacita.tables.protect.protect import protect_table


@pytest.fixture
def counts(tmp_path: Path) -> Path:
    path = write_example(tmp_path)
    path.write_text(path.read_text().replace('response = "turnover"', "").replace("p_percent", "# p_percent"))
    return path


@pytest.mark.slow
def test_random_rounding_without_a_seed_cannot_be_repeated_by_others(counts: Path) -> None:
    first, second = (protect_table(counts, method="random_rounding").tables[0] for _ in range(2))
    assert first.figures["seed"] != second.figures["seed"]
    assert min(first.figures["seed"], second.figures["seed"]) > 2**32
    again = protect_table(counts, method="random_rounding", seed=first.figures["seed"])
    assert (again.values == first.values).all()
    assert (second.values != first.values).any()


def test_methods_that_only_break_ties_need_no_seed(counts: Path) -> None:
    first, second = (protect_table(counts, method="small_count_rounding", seconds=0) for _ in range(2))
    assert (first.values == second.values).all()


def test_nobody_says_that_a_random_rounding_is_the_best(counts: Path) -> None:
    found = protect_table(counts, method="random_rounding", seed=5).to_dict()
    assert found["tables"][0]["gap"] is None
    best = protect_table(counts, method="controlled_rounding").to_dict()
    assert best["tables"][0]["gap"] == 0
