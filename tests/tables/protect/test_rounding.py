"""Rounding and what else is drawn, by the front door: nobody can guess it, and what is not drawn comes out the same."""

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


@pytest.mark.slow
@pytest.mark.parametrize("method", ["adjustment", "intervals"])
def test_a_seed_repeats_what_is_drawn_and_without_one_nobody_can(tmp_path: Path, method: str) -> None:
    path = write_example(tmp_path)
    first, again, other = (
        protect_table(path, method=method, seed=seed, seconds=1e6).tables[0] for seed in (3, 3, None)
    )
    for table in (first, again, other):
        assert table.audit.passed
        assert table.audit.figures["recovered"] < 0.6 * table.case.levels.sensitive.sum()
    assert other.figures["seed"] > 2**32
    for one, same, different in (
        (first.values, again.values, other.values),
        *(() if first.lower is None else ((first.lower, again.lower, other.lower),)),
    ):
        assert one.tobytes() == same.tobytes()
        assert one.tobytes() != different.tobytes()
