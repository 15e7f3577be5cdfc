"""Bounds of work: what is left out is said, the rest is complete, and slices of work change nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from tests.dependencies.discovery.naive import Key, Naive
from tests.dependencies.discovery.tables import coded, discovered, drawn

from tacita.dependencies.dependency import ErrorMeasure
from tacita.dependencies.discovery import alike_facts, deletions, equal, exact, levels, patterns
from tacita.dependencies.discovery.comparing import ComparedTable, compared_table
from tacita.dependencies.discovery.masks import bits_of
from tacita.dependencies.discovery.options import DiscoveryOptions
from tacita.dependencies.discovery.search import Effort, Minimal
from tacita.progress import Step


def table_of(cells: dict[str, list[Any]]) -> ComparedTable:
    return compared_table(coded(cells), DiscoveryOptions())[0]


def keys(minimal: Minimal, names: Sequence[str]) -> set[Key]:
    pairs = zip(minimal.lefts.tolist(), minimal.rights.tolist(), strict=True)
    return {(tuple(names[place] for place in bits_of(left)), names[right]) for left, right in pairs}


def wide(seed: int, records: int = 14) -> dict[str, list[Any]]:
    """A table of seven attributes with few values, which has dependencies with large left-hand sides."""
    random = np.random.default_rng(seed)
    return {name: random.integers(0, 3, records).tolist() for name in "abcdefg"}


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("candidates", [1, 10, 30, 100])
def test_too_many_exact_candidates_lower_the_bound(seed: int, candidates: int) -> None:
    cells = wide(seed)
    table = table_of(cells)
    minimal = exact.exact_dependencies(table.codes, table.counts, None, Effort(candidates=candidates))
    everything = set(Naive(cells).exact())
    if minimal.bound is None:
        assert keys(minimal, table.names) == everything
    else:
        assert keys(minimal, table.names) == {key for key in everything if len(key[0]) <= minimal.bound}
    assert len(minimal.lefts) <= max(candidates, len(cells))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(15))
@pytest.mark.parametrize("work", [1, 200, 3000])
def test_too_much_work_lowers_the_bound(seed: int, work: int) -> None:
    cells = wide(seed)
    table = table_of(cells)
    minimal = exact.exact_dependencies(table.codes, table.counts, None, Effort(work=work))
    everything = set(Naive(cells).exact())
    most = len(cells) if minimal.bound is None else minimal.bound
    assert keys(minimal, table.names) == {key for key in everything if len(key[0]) <= most}


def test_bounds_are_reached_and_not_reached() -> None:
    """The two tests above see both cases."""
    table = table_of(wide(0))
    assert exact.exact_dependencies(table.codes, table.counts, None, Effort(candidates=10)).bound is not None
    assert exact.exact_dependencies(table.codes, table.counts, None, Effort()).bound is None


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("effort", [{"candidates": 20}, {"work": 500}, {}], ids=str)
def test_a_search_by_levels_ends_before_a_level(seed: int, effort: dict[str, int]) -> None:
    cells = wide(seed, records=9)
    table = table_of(cells)
    minimal = equal.tolerant_dependencies(table, ErrorMeasure.G3, 1, None, Effort(**effort))
    everything = set(Naive(cells).within_g3(1 / 9))
    most = len(cells) if minimal.bound is None else minimal.bound
    assert keys(minimal, table.names) == {key for key in everything if len(key[0]) <= most}
    assert (minimal.bound is None) == (not effort)


def test_a_bound_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    cells = wide(3)
    bounded = discovered(cells, max_left=2)
    assert bounded.bounds == ("Dependencies with more than 2 attributes on the left were not looked for.",)
    assert not bounded.is_complete and not any("candidates" in note for note in bounded.notes)
    monkeypatch.setattr(
        "tacita.dependencies.discovery.discover.Effort", lambda *args, **more: Effort(candidates=20, **more)
    )
    lowered = discovered(cells)
    assert len(lowered.bounds) == 1 and any("candidates" in note for note in lowered.notes)


def test_a_bound_that_cuts_nothing_is_not_said() -> None:
    assert discovered({"a": [1, 2, 2], "b": [1, 1, 1]}, max_left=1).is_complete


@pytest.fixture
def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every loop returns after one step, every table grows, and patterns are kept in a hash table."""
    for module in (alike_facts, deletions, equal, exact, levels, patterns):
        monkeypatch.setattr(module, "SLICE", 1)
    monkeypatch.setattr(exact, "_FIRST_ROOM", 16)
    monkeypatch.setattr(exact, "_MOST_SETS", 2)
    monkeypatch.setattr(patterns, "_DENSE", 0)
    monkeypatch.setattr(deletions, "_MOST_PAIRS", 5)


ASKED: list[dict[str, Any]] = [
    {},
    {"tolerance": 0.2, "min_gain": float("-inf")},
    {"within_all": 1.0, "force": True},
    {"within_all": 2.0, "force": True, "tolerance": 0.1, "error": "g1", "min_gain": float("-inf")},
    {"within_all": 1.0, "force": True, "tolerance": 0.2, "min_gain": float("-inf")},
]


@pytest.mark.parametrize("options", ASKED, ids=str)
@pytest.mark.parametrize("seed", range(8))
def test_slices_of_work_change_nothing(seed: int, options: dict[str, Any], request: pytest.FixtureRequest) -> None:
    cells = drawn(seed, most_records=30, most_attributes=6)
    at_once = discovered(cells, **options)
    request.getfixturevalue("in_small_steps")
    in_steps = discovered(cells, **options)
    if options.get("tolerance") and "error" not in options and options.get("within_all"):
        # With fewer pairs in memory the bounds of deletions are wider, and more dependencies undecided.
        for one in at_once.dependencies:
            assert any({*other.left} <= {*one.left} for other in in_steps.of(one.right))
        return
    assert in_steps == at_once


@pytest.mark.parametrize("options", ASKED, ids=str)
def test_progress_is_reported(options: dict[str, Any]) -> None:
    from tacita.dependencies.discovery.discover import discover_coded

    steps: list[Step] = []
    cells = drawn(5, most_records=30, most_attributes=6)
    discover_coded("table", coded(cells), DiscoveryOptions(**options), steps.append)
    assert steps and all(step.total is None or step.done <= step.total for step in steps)


def test_an_interrupt_ends_the_search() -> None:
    """Whoever shows progress may raise: nothing catches it on the way."""
    from tacita.dependencies.discovery.discover import discover_coded

    def interrupt(_: Step) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        discover_coded("table", coded(wide(1)), DiscoveryOptions(), interrupt)
