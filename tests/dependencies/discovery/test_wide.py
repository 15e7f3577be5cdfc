"""Tables with more attributes than one search can look at: parts find what a whole search would."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from tests.dependencies.discovery.naive import Naive
from tests.dependencies.discovery.tables import coded, discovered, drawn

from tacita.dependencies.discovery import exact, patterns, windows
from tacita.dependencies.discovery.comparing import compared_table
from tacita.dependencies.discovery.exact import exact_dependencies, small_dependencies
from tacita.dependencies.discovery.options import DiscoveryOptions
from tacita.dependencies.discovery.search import Effort
from tacita.errors import InputError, UsageError


@pytest.fixture
def narrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """One search can look at six attributes only."""
    monkeypatch.setattr(windows, "MOST_ATTRIBUTES", 6)
    monkeypatch.setattr("tacita.dependencies.discovery.discover.MOST_ATTRIBUTES", 6)


@pytest.mark.parametrize(("attributes", "largest"), [(65, 1), (100, 2), (200, 1), (130, 0)])
def test_every_small_set_is_in_a_window(attributes: int, largest: int) -> None:
    parts = [set(one) for one in windows.windows(attributes, largest, always=[7])]
    assert len(parts) == windows.number_of_windows(attributes, largest, 1)
    assert all(len(one) <= 64 and 7 in one for one in parts)
    random = np.random.default_rng(1)
    sets = [set(random.choice(attributes, largest + 1, replace=False).tolist()) for _ in range(300)]
    assert all(any(one <= part for part in parts) for one in sets)


OPTIONS: list[dict[str, Any]] = [
    {"max_left": 2},
    {"max_left": 1},
    {"max_left": 1, "tolerance": 0.2, "min_gain": float("-inf")},
    {"max_left": 1, "tolerance": 0.2},
    {"max_left": 2, "within_all": 1.0, "force": True},
    {"max_left": 1, "conditional": ("a",), "min_group": 2},
]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(12))
def test_parts_find_what_a_whole_search_finds(seed: int, options: dict[str, Any], request: Any) -> None:
    cells = drawn(seed, most_records=14, most_attributes=10)
    whole = discovered(cells, **options)
    request.getfixturevalue("narrow")
    parts = discovered(cells, **options)
    assert sorted(map(str, parts.dependencies)) == sorted(map(str, whole.dependencies))
    assert parts.left_out == whole.left_out
    if "conditional" not in options:
        assert parts.dependencies == whole.dependencies
    assert set(whole.bounds) <= set(parts.bounds)


def test_it_says_how_far_it_looked() -> None:
    random = np.random.default_rng(2)
    cells = {f"x{n}": random.integers(0, 5, 60).tolist() for n in range(80)}
    cells["copy"] = [value * 3 for value in cells["x70"]]
    discovery = discovered(cells)
    assert {(one.left, one.right) for one in discovery.dependencies if len(one.left) == 1} == {
        (("x70",), "copy"),
        (("copy",), "x70"),
    }
    assert discovery.bounds == ("Dependencies with more than 2 attributes on the left were not looked for.",)
    assert any("81 attributes were looked at in 4 parts" in note for note in discovery.notes)
    assert discovered(cells, tolerance=0.1).bounds[0].startswith("Dependencies with more than 1 attribute on")


def test_too_many_attributes_for_large_left_hand_sides() -> None:
    import pyarrow as pa

    import tacita as tc

    data = tc.read(pa.table({f"x{n}": [1, 2] for n in range(200)}), name="wide")
    with pytest.raises(UsageError, match="too many to look for left-hand sides of 3 attributes"):
        data.discover_dependencies(DiscoveryOptions(max_left=3))


@pytest.mark.parametrize("seed", range(10))
def test_small_left_hand_sides_are_those_of_the_whole_search(seed: int) -> None:
    cells = drawn(seed, most_records=20, most_attributes=7)
    table, _, _ = compared_table(coded(cells), DiscoveryOptions())
    for largest in range(4):
        one = small_dependencies(table.codes, table.counts, largest, Effort())
        two = exact_dependencies(table.codes, table.counts, largest, Effort())
        assert _pairs(one) == _pairs(two) and (one.bound is None) <= (two.bound is None or one.bound is None)


def test_small_left_hand_sides_and_little_work() -> None:
    cells = drawn(3, most_records=40, most_attributes=7)
    table, _, _ = compared_table(coded(cells), DiscoveryOptions())
    everything = set(Naive(cells).exact())
    for work in (0, 100, 400):
        minimal = small_dependencies(table.codes, table.counts, 2, Effort(work=work))
        most = 2 if minimal.bound is None else minimal.bound
        expected = {key for key in everything if len(key[0]) <= most}
        assert len(minimal.lefts) == len(expected)


def _pairs(minimal: Any) -> set[tuple[int, int]]:
    return set(zip(minimal.lefts.tolist(), minimal.rights.tolist(), strict=True))


@pytest.mark.parametrize("seed", range(6))
def test_few_agree_sets_change_nothing(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Guesses are from some records, and memory keeps some sets: what is verified is the same."""
    cells = drawn(seed, most_records=60, most_attributes=8)
    expected = discovered(cells)
    monkeypatch.setattr(exact, "_FIRST_ROOM", 16)
    monkeypatch.setattr(exact, "_MOST_KEPT", 8)
    monkeypatch.setattr(exact, "_MOST_COMPARED", 100)
    assert discovered(cells) == expected


def test_too_many_patterns_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patterns, "_DENSE", 0)
    monkeypatch.setattr(patterns, "MOST_PATTERNS", 1 << 15)
    random = np.random.default_rng(1)
    cells = {f"x{n}": random.integers(0, 3, 500).tolist() for n in range(25)}
    with pytest.raises(InputError, match="too many to compare by distances"):
        discovered(cells, within={"x0": 1.0}, force=True)


def test_the_strongest_are_of_all_attributes() -> None:
    from tacita.dependencies.dependency import Dependency
    from tacita.views.dependency_graph import strongest

    many = [Dependency((f"a{n}",), "x", 9, gain=0.9) for n in range(10)]
    other = [Dependency((f"b{n}",), "y", 9, gain=0.1 * n) for n in range(3)]
    chosen = strongest([*other, *many], 4)
    assert [(one.left[0], one.right) for one in chosen] == [("a0", "x"), ("a1", "x"), ("b2", "y"), ("b1", "y")]
