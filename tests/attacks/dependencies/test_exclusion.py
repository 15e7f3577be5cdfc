"""Exclusion: the borderline cases of the paper, totals, and all files that fit what an intruder knows."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.dependencies.naive import completions, holds, minimal_dependencies
from tests.attacks.dependencies.tables import concealed, derived_cells
from tests.attacks.dependencies.test_chase import SAMPLE_ONE

from tacita.attacks.dependencies.chase import DerivationLimits, chase
from tacita.attacks.dependencies.concealed_file import KnownDependency
from tacita.attacks.dependencies.derivations import Derivations
from tacita.attacks.dependencies.exclusion import exclude

SAMPLE_TWO = {"A": [1, 3, 3, 1], "B": [2, 2, 2, 4], "C": [7, 8, 6, 9], "D": [True, False, False, False]}
"""Table 3(c) of L. Caruccio et al. (IEEE Access 2020)."""
_D = [(0, "D")]


def _ways(derived: Derivations) -> set[str]:
    return {step.way for cell in derived.cells() for step in cell.steps}


def test_the_borderline_case_is_derived_without_totals() -> None:
    """Table 3(d): B -> D does not hold, and only the hidden cell can be the reason (Example 6)."""
    rules = minimal_dependencies(SAMPLE_TWO)
    assert (("A", "B"), "D") in {(rule.left, rule.right) for rule in rules}
    file = concealed(SAMPLE_TWO, [(0, "A"), (0, "D")], rules, _D, totals=())
    assert chase(file).derived == 0
    assert exclude(file).right == 1
    derived = exclude(concealed(SAMPLE_TWO, [(0, "A"), (0, "D")], [KnownDependency(("A", "B"), "D")], _D, totals=()))
    assert (derived.derived, derived.right) == (1, 1)
    (cell,) = derived.cells()
    assert [step.way for step in cell.steps] == ["exception"]
    assert (cell.steps[0].right, cell.steps[0].twins) == ("D", (2,))


def test_the_repair_of_the_borderline_case_still_leaks() -> None:
    """Example 7 hides B as well: the visible values of D are all False, and the distribution has a True."""
    rules = minimal_dependencies(SAMPLE_TWO)
    hidden = [(0, "A"), (0, "B"), (0, "D")]
    by_totals = exclude(concealed(SAMPLE_TWO, hidden, rules, _D))
    assert (by_totals.derived, by_totals.right) == (1, 1)
    by_values = exclude(concealed(SAMPLE_TWO, hidden, rules, _D, totals=()))
    assert (by_values.derived, by_values.right) == (1, 1)  # some record must have True: the empty left-hand side
    assert _ways(by_values) == {"exception"}
    nothing = exclude(concealed(SAMPLE_TWO, hidden, rules, _D, totals=(), domains=()))
    assert nothing.derived == 0


def test_the_masked_sample_leaks_by_its_totals() -> None:
    """Table 3(b): nothing follows from A -> D once A is hidden, but only True is left over."""
    rules = minimal_dependencies(SAMPLE_ONE)
    hidden = [(0, "A"), (0, "D")]
    assert chase(concealed(SAMPLE_ONE, hidden, rules, _D)).derived == 0
    assert exclude(concealed(SAMPLE_ONE, hidden, rules, _D, totals=())).derived == 0
    derived = exclude(concealed(SAMPLE_ONE, hidden, rules, _D))
    assert (derived.derived, derived.right) == (1, 1)
    assert _ways(derived) == {"totals"}


@pytest.mark.parametrize(("hidden", "derived"), [([0], 1), ([0, 2], 2), ([0, 1], 0), ([0, 1, 2], 0)])
def test_totals_tell_a_single_value(hidden: list[int], derived: int) -> None:
    """One person who hides is known, and so are several whose values are the same."""
    table = {"A": ["x", "y", "x", "z", "z"]}
    cells = [(row, "A") for row in hidden]
    assert exclude(concealed(table, cells)).right == derived
    assert exclude(concealed(table, cells, totals=())).derived == 0


def test_totals_count_cells_that_were_derived() -> None:
    table = {"K": ["k", "k", "l", "m"], "A": ["x", "x", "y", "z"]}
    file = concealed(table, [(0, "A"), (2, "A")], [KnownDependency(("K",), "A")])
    cells = {cell.row: cell for cell in exclude(file).cells()}
    assert [step.way for step in cells[3].steps] == ["twin", "totals"]
    assert cells[3].steps[-1].twins == (1,)


def test_a_contradiction_tells_the_left_hand_side() -> None:
    """City -> Country: whoever lives in the country with one city lives there, though Country -> City does not hold."""
    table = {"City": ["Rome", "Milan", "Vaduz", "Vaduz", "Rome"], "Country": ["I", "I", "L", "L", "I"]}
    rules = minimal_dependencies(table)
    assert [(rule.left, rule.right) for rule in rules] == [(("City",), "Country")]
    file = concealed(table, [(0, "City"), (2, "City")], rules, totals=())
    assert chase(file).derived == 0
    derived = exclude(file)
    assert {(cell.row, cell.attribute) for cell in derived.cells()} == {(3, "City")}
    (cell,) = derived.cells()
    assert [(step.way, step.left, step.twins) for step in cell.steps] == [("contradiction", ("City",), (2, 5))]


def test_an_exception_shows_a_hidden_left_hand_side() -> None:
    """B -> A does not hold, and only the record that hides B can be the exception: its B is that of the other A."""
    table = {"B": ["p", "p", "q", "r"], "C": ["1", "2", "3", "4"], "A": ["x", "y", "x", "x"]}
    rules = [KnownDependency(("B", "C"), "A")]
    derived = exclude(concealed(table, [(1, "B")], rules, totals=(), domains=()))
    assert derived.derived == 0  # it may be p, q or r: each of them has another A
    table["A"] = ["x", "y", "y", "y"]
    derived = exclude(concealed(table, [(1, "B")], rules, totals=(), domains=()))
    assert (derived.derived, derived.right) == (1, 1)
    assert _ways(derived) == {"exception"}


def test_knowledge_that_contradicts_itself_derives_nothing_and_is_said() -> None:
    """A -> D does not hold on the truth: both hidden cells would have to be the one 2 that is left over."""
    table = {"A": ["1", "1", "2", "3"], "D": ["x", "y", "x", "y"]}
    derived = exclude(concealed(table, [(0, "A"), (2, "A")], [KnownDependency(("A",), "D")]))
    assert derived.derived == 0
    assert any("contradicts" in note for note in derived.notes)


def test_bounds_leave_one_value() -> None:
    """Within 1 of 5 there is one value of those that occur."""
    table = {"X": ["a", "a", "b", "c"], "A": [5, 6, 9, 2]}
    rules = [KnownDependency(("X",), "A", {"A": 1})]
    file = concealed(table, [(1, "A"), (3, "A")], rules)
    assert {cell.is_exact for cell in chase(file).cells()} == {False}
    cells = {cell.row: cell for cell in exclude(file).cells()}
    assert cells[2].is_exact
    assert cells[2].is_right
    assert [step.way for step in cells[2].steps] == ["near twin", "totals"]


def test_limits_are_said() -> None:
    table = {"A": [str(number) for number in range(30)], "B": ["x", "y"] * 15}
    hidden = [(row, "A") for row in range(20)]
    assert any("A" in note for note in exclude(concealed(table, hidden), limits=DerivationLimits(candidates=10)).notes)
    assert exclude(concealed(table, hidden)).notes == ()


def _tiny(random: np.random.Generator) -> tuple[dict[str, list[Any]], list[tuple[int, str]]]:
    records = int(random.integers(3, 6))
    table: dict[str, list[Any]] = {}
    for name in "ABCD"[: int(random.integers(2, 5))]:
        values = random.integers(0, int(random.integers(2, 4)), records)
        if table and random.random() < 0.5:
            values = random.integers(0, 3, 3)[[int(value) for value in next(iter(table.values()))]]
        table[name] = [str(value) for value in values]
    cells = [(row, name) for name in table for row in range(records)]
    count = int(random.integers(1, 7))
    return table, [cells[place] for place in random.choice(len(cells), min(count, len(cells)), replace=False)]


def _known_everywhere(table: dict[str, list[Any]], files: list[dict[str, list[Any]]]) -> set[tuple[int, str]]:
    return {
        (row, name)
        for name, values in table.items()
        for row, value in enumerate(values)
        if all(other[name][row] == value for other in files)
    }


@pytest.mark.slow
@pytest.mark.parametrize("totals", [False, True])
@pytest.mark.parametrize("lists_all", [False, True])
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_what_is_derived_is_the_same_in_all_files_that_fit(totals: bool, lists_all: bool, seed: int) -> None:
    table, hidden = _tiny(np.random.default_rng(seed))
    rules = minimal_dependencies(table)
    files = list(completions(table, hidden, rules, totals=totals, lists_all=lists_all))
    assert files
    knowledge: dict[str, Any] = {"totals": None if totals else (), "lists_all": lists_all}
    derived = exclude(concealed(table, hidden, rules, **knowledge))
    assert set(derived_cells(derived)) <= _known_everywhere(table, files)
    assert derived.right == derived.derived
    assert derived.notes == ()


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_bounds_exclude_only_what_no_file_has(seed: int) -> None:
    """The same with thresholds and known totals: exact values are those of all files, intervals hold the truth."""
    random = np.random.default_rng(seed)
    records = int(random.integers(3, 6))
    table = {name: [int(v) for v in random.integers(0, int(random.integers(2, 5)), records)] for name in "ABC"}
    table["C"] = [value + int(random.integers(0, 2)) for value in table["A"]]
    cells = [(row, name) for name in table for row in range(records)]
    hidden = [cells[place] for place in random.choice(len(cells), int(random.integers(1, 6)), replace=False)]
    rules = minimal_dependencies(table, {name: int(random.integers(0, 3)) for name in table})
    files = [
        other
        for other in completions(table, hidden, (), totals=True, lists_all=False)
        if all(holds(other, rule.left, rule.right, rule.thresholds) for rule in rules)
        and not any(
            holds(other, [name for name in rule.left if name != gone], rule.right)
            for rule in rules
            if rule.is_exact
            for gone in rule.left
        )
    ]
    assert files
    derived = exclude(concealed(table, hidden, rules))
    exact = {cell for cell, is_exact in derived_cells(derived).items() if is_exact}
    assert exact <= _known_everywhere(table, files)
    assert derived.right == derived.derived


@pytest.mark.slow
def test_exclusion_reaches_most_of_what_can_be_known() -> None:
    """How often all files that fit agree, and how often the attacker sees it: fixed draws, wide bounds."""
    count: Counter[str] = Counter()
    for seed in range(150):
        table, hidden = _tiny(np.random.default_rng(seed))
        rules = minimal_dependencies(table)
        files = list(completions(table, hidden, rules, totals=True, lists_all=False))
        known = _known_everywhere(table, files) & set(hidden)
        count["known"] += len(known)
        count["derived"] += len(set(derived_cells(exclude(concealed(table, hidden, rules)))) & known)
        count["by the chase"] += chase(concealed(table, hidden, rules)).derived
    assert count["derived"] >= 0.7 * count["known"]
    assert count["derived"] > 1.5 * count["by the chase"]
