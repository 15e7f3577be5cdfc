"""The search finds what the definitions say, on hundreds of random tables and every kind of relaxation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import pytest
from tests.dependencies.discovery.naive import Key, Naive
from tests.dependencies.discovery.tables import discovered, drawn
from tests.long import examples

from tacita.dependencies.dependency import Dependency, Discovery

SEEDS = range(40)
EVERYTHING = {"min_gain": float("-inf")}


def keys(discovery: Discovery) -> list[Key]:
    return [(one.left, one.right) for one in discovery.dependencies]


def thresholds(seed: int, cells: Mapping[str, list[Any]]) -> dict[str, float]:
    """Thresholds of some attributes; never of all by accident only."""
    random = np.random.default_rng(1000 + seed)
    return {name: float(random.choice([1, 2, 5])) for name in cells if random.random() < 0.6}


def check_facts(naive: Naive, one: Dependency) -> None:
    """Support, gain and witness are those of the definitions."""
    assert one.support == naive.support(one.left)
    assert one.is_key == (one.support == 0)
    assert one.gain == pytest.approx(naive.gain(one.left, one.right))
    both = [pair for pair in naive.pairs() if naive.alike((*one.left, one.right), *pair)]
    if one.witness is None:
        assert not both
    else:
        assert (one.witness[0] - 1, one.witness[1] - 1) in both


@pytest.mark.parametrize("seed", range(150))
def test_exact(seed: int) -> None:
    cells = drawn(seed, most_records=14, most_attributes=6)
    naive = Naive(cells)
    discovery = discovered(cells)
    assert keys(discovery) == naive.exact()
    assert discovery.is_complete
    for one in discovery.dependencies:
        assert (one.error, one.error_at_most, one.is_undecided) == (0.0, 0.0, False)
        check_facts(naive, one)


@pytest.mark.parametrize("seed", SEEDS)
def test_exact_up_to_a_size(seed: int) -> None:
    cells = drawn(seed, most_records=14, most_attributes=6)
    everything = Naive(cells).exact()
    discovery = discovered(cells, max_left=1)
    assert keys(discovery) == [key for key in everything if len(key[0]) <= 1]
    if any(len(left) > 1 for left, _ in everything):
        assert discovery.bounds == ("Dependencies with more than 1 attribute on the left were not looked for.",)


@pytest.mark.parametrize("seed", range(100))
def test_distances(seed: int) -> None:
    cells = drawn(seed, most_records=14, most_attributes=5)
    within = thresholds(seed, cells)
    naive = Naive(cells, within)
    discovery = discovered(cells, within=within, force=True)
    assert keys(discovery) == naive.exact()
    for one in discovery.dependencies:
        check_facts(naive, one)


@pytest.mark.parametrize("tolerance", [0.1, 0.25])
@pytest.mark.parametrize("seed", SEEDS)
def test_g1(seed: int, tolerance: float) -> None:
    cells = drawn(seed, most_records=12, most_attributes=5)
    for within in ({}, thresholds(seed, cells)):
        naive = Naive(cells, within)
        discovery = discovered(cells, within=within, force=True, tolerance=tolerance, error="g1", **EVERYTHING)
        assert keys(discovery) == naive.within_g1(tolerance)
        for one in discovery.dependencies:
            pairs = len(list(naive.pairs()))
            error = len(naive.violations(one.left, one.right)) / pairs if pairs else 0.0
            assert one.error == one.error_at_most == pytest.approx(error)
            check_facts(naive, one)


@pytest.mark.parametrize("tolerance", [0.1, 0.3])
@pytest.mark.parametrize("seed", SEEDS)
def test_g3_by_equality(seed: int, tolerance: float) -> None:
    cells = drawn(seed, most_records=9, most_attributes=5)
    naive = Naive(cells)
    discovery = discovered(cells, tolerance=tolerance, **EVERYTHING)
    assert keys(discovery) == naive.within_g3(tolerance)
    for one in discovery.dependencies:
        error = naive.deletions(one.left, one.right) / naive.records if naive.records else 0.0
        assert one.error == one.error_at_most == pytest.approx(error)
        assert not one.is_undecided
        check_facts(naive, one)


@pytest.mark.parametrize("tolerance", [0.12, 0.25])
@pytest.mark.parametrize("seed", range(60))
def test_g3_with_distances(seed: int, tolerance: float) -> None:
    cells = drawn(seed, most_records=9, most_attributes=4)
    within = thresholds(seed, cells)
    naive = Naive(cells, within)
    discovery = discovered(cells, within=within, force=True, tolerance=tolerance, **EVERYTHING)
    true = naive.within_g3(tolerance)
    found = keys(discovery)
    for one in discovery.dependencies:
        error = naive.deletions(one.left, one.right) / max(1, naive.records)
        assert one.error <= error + 1e-12 and error <= one.error_at_most + 1e-12
        assert one.is_undecided == (one.error <= tolerance < one.error_at_most)
        if not one.is_undecided:  # it holds, and nothing smaller does
            assert (one.left, one.right) in true
        check_facts(naive, one)
    for left, right in true:  # no dependency that holds is missed: what is listed instead is undecided and smaller
        instead = [one for one in discovery.of(right) if set(one.left) <= set(left)]
        assert instead
        assert (left, right) in found or all(one.is_undecided for one in instead)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize(
    ("error", "is_near"), [("", False), ("", True), ("g1", False), ("g1", True), ("g3", False)]
)  # g3 with distances is an interval, as without groups
def test_groups(seed: int, error: str, is_near: bool) -> None:
    cells = drawn(seed, most_records=12, most_attributes=4)
    within = thresholds(seed, cells) if is_near else {}
    cells = {"group": [value % 2 if value is not None else None for value in _numbers(cells)], **cells}
    naive = Naive(cells, within)

    def minimal(one: Naive) -> list[Key]:
        return {"": one.exact, "g3": lambda: one.within_g3(0.2), "g1": lambda: one.within_g1(0.2)}[error]()

    options = {"tolerance": 0.2, "error": error, **EVERYTHING} if error else {}
    discovery = discovered(cells, conditional=("group",), min_group=3, within=within, force=True, **options)
    whole = minimal(naive)
    expected = []
    skipped = 0
    for value in (0, 1, None):
        part = naive.group("group", value)
        size = sum(cell == value for cell in cells["group"])
        skipped += 0 < size < 3
        if size < 3:
            continue
        for left, right in minimal(part):
            known = any(right == a and set(one) <= {*left, "group"} for one, a in whole)
            expected += [] if known else [(left, right, "" if value is None else str(value), size)]
    found = [one for one in discovery.dependencies if one.condition is not None]
    assert [(o.left, o.right, o.condition.value, o.condition.records) for o in found if o.condition] == expected
    assert keys(discovery)[: len(whole)] == whole
    assert any("skipped" in note for note in discovery.notes) == (skipped > 0)


def _numbers(cells: Mapping[str, list[Any]]) -> list[int | None]:
    return [len(value) if isinstance(value, str) else value for value in next(iter(cells.values()))]


@pytest.mark.parametrize("seed", SEEDS)
def test_distinct_records(seed: int) -> None:
    cells = drawn(seed, most_records=14, most_attributes=4)
    rows = list(dict.fromkeys(zip(*cells.values(), strict=True)))
    alone = {name: [row[place] for row in rows] for place, name in enumerate(cells)}
    everything, distinct = discovered(cells), discovered(cells, distinct=True)
    assert keys(everything) == keys(distinct)  # duplicates violate nothing
    assert distinct.records == len(rows)
    for one in distinct.dependencies:
        assert one.support == Naive(alone).support(one.left)


_RELAXATIONS = list(
    product(["", "g1", "g3"], ["equal", "near"], ["whole", "in groups"], [None, 1, 2], ["all", "distinct"])
)
"""Tolerance, distances, conditions, bound on the left-hand side, distinct records: every combination of them."""


@pytest.mark.long
@pytest.mark.parametrize(("error", "near", "groups", "most", "records"), _RELAXATIONS)
def test_relaxations_together(error: str, near: str, groups: str, most: int | None, records: str) -> None:
    """Every combination of relaxations: equal to the definitions, or an interval around them (g3 with distances)."""
    place = _RELAXATIONS.index((error, near, groups, most, records))
    for seed in range(1000 * place, 1000 * place + examples(1)):
        cells = drawn(seed, most_records=8, most_attributes=3)
        within = thresholds(seed, cells) if near == "near" else {}
        cells = {"group": [value % 2 if value is not None else None for value in _numbers(cells)], **cells}
        options: dict[str, Any] = {"within": within, "force": True}
        options |= {"tolerance": 0.2, "error": error, **EVERYTHING} if error else {}
        options |= {"conditional": ("group",), "min_group": 3} if groups == "in groups" else {}
        options |= {"max_left": most} if most is not None else {}
        discovery = discovered(cells, distinct=records == "distinct", **options)
        if records == "distinct":
            rows = list(dict.fromkeys(zip(*cells.values(), strict=True)))
            cells = {name: [row[place] for row in rows] for place, name in enumerate(cells)}
        naive = Naive(cells, within)
        whole = _compared(naive, [one for one in discovery.dependencies if one.condition is None], error, most)
        parts = [one for one in discovery.dependencies if one.condition is not None]
        for value in (0, 1, None) if groups == "in groups" else ():
            if sum(cell == value for cell in cells["group"]) >= 3:
                text = "" if value is None else str(value)
                here = [one for one in parts if one.condition is not None and one.condition.value == text]
                largest = None if most is None else most - 1  # the condition counts as an attribute on the left
                _compared(naive.group("group", value), here, error, largest, whole)
                parts = [one for one in parts if one not in here]
        assert not parts


def _compared(
    naive: Naive, dependencies: Sequence[Dependency], error: str, most: int | None, known: Sequence[Key] = ()
) -> list[Key]:
    """Compare dependencies with the definitions; return them. What is `known` to hold in all groups is not repeated."""
    keys = [(one.left, one.right) for one in dependencies]
    total = {"g1": len(list(naive.pairs())), "g3": naive.records}.get(error, 1) or 1

    def off(left: Sequence[str], right: str) -> float:
        return (naive.deletions(left, right) if error == "g3" else len(naive.violations(left, right))) / total

    def is_known(left: Sequence[str], right: str) -> bool:
        return any(right == a and set(one) <= {*left, "group"} for one, a in known)

    limit = 0.2 if error else 0.0
    true = [key for key in naive.minimal(lambda left, right: off(left, right) <= limit, most) if not is_known(*key)]
    assert all(
        one.error - 1e-12 <= off(one.left, one.right) * (error != "") <= one.error_at_most + 1e-12
        for one in dependencies
    )
    if not any(one.is_undecided for one in dependencies):
        assert keys == true
    for one in dependencies:
        assert one.is_undecided or off(one.left, one.right) <= limit + 1e-12
        assert most is None or len(one.left) <= most
    for left, right in true:  # what is listed instead is smaller and undecided
        instead = [one for one in dependencies if one.right == right and set(one.left) <= set(left)]
        assert instead
        assert (left, right) in keys or all(one.is_undecided for one in instead)
    return keys
