"""Derivation by dependencies: printed examples, and a naive reference on random tables."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.dependencies.naive import NaiveChase, majorities, minimal_dependencies
from tests.attacks.dependencies.tables import concealed, derived_cells

from tacita.attacks.dependencies.chase import DerivationLimits, chase
from tacita.attacks.dependencies.concealed_file import ConcealedFile, KnownCondition, KnownDependency
from tacita.attacks.dependencies.derivations import DerivationStep
from tacita.model.records import Categories, Numbers, Records

FOUR = {
    "X": ["x1", "x1", "x2", "x3"],
    "B": ["b1", "b2", "b1", "b1"],
    "Z": ["z1", "z1", "z1", "z2"],
    "A": ["a1", "a2", "a1", "a3"],
}
"""Four records: {B, Z} -> A and X -> Z let an attacker derive what one dependency alone does not."""


@pytest.mark.slow
def test_a_hidden_attribute_comes_back_and_is_used() -> None:
    rules = minimal_dependencies(FOUR)
    assert {(("B", "Z"), "A"), (("X",), "Z")} <= {(rule.left, rule.right) for rule in rules}
    derived = chase(concealed(FOUR, [(0, "A"), (0, "Z")], rules, confidential=[(0, "A")]))
    (cell,) = derived.cells()
    assert (cell.row, cell.attribute, cell.is_right, cell.is_exact, cell.is_certain) == (1, "A", True, True, True)
    assert cell.steps == (
        DerivationStep(1, "Z", "twin", ("X",), "Z", (2,)),
        DerivationStep(1, "A", "twin", ("B", "Z"), "A", (3,)),
    )
    assert derived.by_attribute["Z"].protective == 1
    assert (derived.derived, derived.right, derived.confidential) == (1, 1, 1)


def test_the_right_choice_of_what_to_hide_gives_nothing_back() -> None:
    derived = chase(concealed(FOUR, [(0, "A"), (0, "B")], minimal_dependencies(FOUR)))
    assert derived.derived == 0
    assert list(derived.cells()) == []


def test_row_numbers_are_those_of_the_steward() -> None:
    file = concealed(FOUR, [(0, "A")], minimal_dependencies(FOUR), rows=np.array([50, 40, 30, 20]))
    (cell,) = chase(file).cells()
    assert cell.row == 50
    assert cell.steps[-1].twins == (30,)


def test_an_empty_left_hand_side_counts() -> None:
    table = {"A": ["x", "x", "x"], "B": [1, 2, 3]}
    derived = chase(concealed(table, [(0, "A"), (2, "A")], [KnownDependency((), "A")]))
    assert derived.by_attribute["A"].right == 2


_ATTRIBUTES = "Name Surname SSN Age Street Country Occupation Sex City Zip"
_CUSTOMERS = """
Katherine Swavely   029 35 ALOHA   US      Employee   F Pearl     96782
Matthew   Costabile 475 58 SARGENT US      Unemployed M Francisco 94132
Jarrett   Albarado  214 49 MARNE   England Worker     M Newburgh  12550
Rowena    Hemeyer   481 79 ESQUINA US      Retired    F francisco 94134
Corina    Torris    490 34 ALOHA   US      Employee   F Pearl     96782
Carlotta  Bracker   659 32 ALOHA   US      Unemployed F Pearl     96782
Zane      Bracker   678 32 PALOS   US      Teacher    M Illinois  60464
Joselyn   Bracker   004 32 PALOS   US      Teacher    M Illinois  60464
Sherry    Swavely   400 80 ALOHA   US      Retired    F Pearl     96782
Matthew   Costabile 255 24 SARGENT England Unemployed M Francisco 94132
"""
CUSTOMERS: dict[str, list[Any]] = {
    name: [line.split()[place] for line in _CUSTOMERS.strip().splitlines()]
    for place, name in enumerate(_ATTRIBUTES.split())
}
"""Table 1 of L. Caruccio et al. (IEEE Access 2020); numbers of social security, streets and cities are shortened."""
_LAST_FIVE = [(row, name) for row in range(5, 10) for name in ("Name", "Age", "Occupation")]
_CONFIDENTIAL = [(row, "Occupation") for row in range(5, 10)]


@pytest.mark.slow
def test_customers_have_five_determinants_of_occupation_with_twins() -> None:
    """Example 2 of the paper names three; the advice counts five that are not keys."""
    lefts = {rule.left for rule in minimal_dependencies(CUSTOMERS) if rule.right == "Occupation"}
    with_twins = {
        left
        for left in lefts
        if len(set(zip(*(CUSTOMERS[name] for name in left), strict=True))) < len(CUSTOMERS["SSN"])
    }
    assert {("Name",), ("Age", "Street"), ("Age", "Sex")} < with_twins
    assert len(with_twins) == 5


@pytest.mark.slow
def test_customers_as_printed_give_nothing_to_the_chase() -> None:
    """Table 2: Name, Age and Occupation of the last five are hidden."""
    assert chase(concealed(CUSTOMERS, _LAST_FIVE, minimal_dependencies(CUSTOMERS), _CONFIDENTIAL)).derived == 0


@pytest.mark.slow
def test_customers_with_occupation_hidden_alone_are_derived() -> None:
    derived = chase(concealed(CUSTOMERS, _CONFIDENTIAL, minimal_dependencies(CUSTOMERS)))
    assert (derived.derived, derived.right) == (1, 1)
    assert next(derived.cells()).row == 10


def test_a_rule_that_holds_in_one_street_tells_an_occupation() -> None:
    """Table 2, row 10: one visible twin by street, though Street -> Occupation does not hold."""
    rule = KnownDependency(("Street",), "Occupation", condition=KnownCondition("Street", "SARGENT"))
    file = concealed(CUSTOMERS, _LAST_FIVE, [rule], _CONFIDENTIAL)
    derived = chase(file)
    (cell,) = derived.cells()
    assert (cell.row, cell.is_right, cell.steps[0].twins, cell.steps[0].condition) == (10, True, (2,), "Street")
    assert chase(file, with_conditions=False).derived == 0


def test_a_condition_that_is_hidden_is_not_known_to_hold() -> None:
    rule = KnownDependency(("Street",), "Occupation", condition=KnownCondition("Sex", "M"))
    hidden = [(9, "Occupation"), (9, "Sex")]
    assert chase(concealed(CUSTOMERS, hidden[:1], [rule])).derived == 1
    assert chase(concealed(CUSTOMERS, hidden, [rule], hidden[:1])).derived == 0


SAMPLE_ONE = {"A": [1, 1, 3, 1], "B": [2, 2, 2, 3], "C": [7, 8, 6, 9], "D": [True, True, False, True]}


def test_masking_the_wrong_attribute_leaks() -> None:
    """Table 3(a): A -> D holds, so AB -> D is not minimal, and Example 5's 'B masked instead' leaks."""
    rules = minimal_dependencies(SAMPLE_ONE)
    assert (("A",), "D") in {(rule.left, rule.right) for rule in rules}
    masked_b = chase(concealed(SAMPLE_ONE, [(0, "B"), (0, "D")], rules, [(0, "D")]))
    assert (masked_b.derived, masked_b.right) == (1, 1)
    assert chase(concealed(SAMPLE_ONE, [(0, "A"), (0, "D")], rules, [(0, "D")])).derived == 0


def _random_table(random: np.random.Generator, *, with_texts: bool) -> dict[str, list[Any]]:
    """Return a table in which some columns are functions of one or two earlier ones, some nearly so."""
    records = int(random.integers(4, 11))
    columns: list[np.ndarray[Any, Any]] = []
    for _ in range(int(random.integers(3, 5))):
        if columns and random.random() < 0.7:
            first, second = (columns[place] for place in random.integers(0, len(columns), 2))
            column = random.integers(0, 9, (9, 9))[first, second]
            column = np.clip(column + random.integers(0, 2, records) * random.integers(0, 2), 0, 8)
        else:
            column = random.integers(0, int(random.integers(2, 9)), records)
        columns.append(column)
    table: dict[str, list[Any]] = {
        name: [None if random.random() < 0.03 else int(value) for value in column]
        for name, column in zip("PQRS", columns, strict=False)
    }
    if with_texts:
        words = ["cat", "cut", "cute", "cuter", "dog", "dig", "digs", "do", "dot"]
        table["T"] = [words[place] for place in columns[int(random.integers(0, len(columns)))]]
    return table


def _random_cells(random: np.random.Generator, table: dict[str, list[Any]], share: float) -> set[tuple[int, str]]:
    return {(row, name) for name, values in table.items() for row in range(len(values)) if random.random() < share}


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_equality_is_chased_as_by_the_naive_reference(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = _random_table(random, with_texts=bool(random.integers(2)))
    hidden = _random_cells(random, table, random.uniform(0.1, 0.6))
    rules = minimal_dependencies(table)
    derived = chase(concealed(table, hidden, rules))
    assert derived_cells(derived) == NaiveChase(table, hidden, rules).derived(hidden)
    assert derived.right == derived.derived


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_distances_are_chased_as_by_the_naive_reference(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = _random_table(random, with_texts=bool(random.integers(2)))
    hidden = _random_cells(random, table, random.uniform(0.1, 0.6))
    rules = []
    for _ in range(2):
        rules += minimal_dependencies(table, {name: int(random.integers(0, 3)) for name in table})
    derived = chase(concealed(table, hidden, rules))
    assert derived_cells(derived) == NaiveChase(table, hidden, rules).derived(hidden)
    assert derived.right == derived.derived
    assert derived.notes == ()


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=100)
def test_conditions_are_chased_as_by_the_naive_reference(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = _random_table(random, with_texts=False)
    hidden = _random_cells(random, table, 0.3)
    rules = minimal_dependencies(table)
    for name in table:
        for value in sorted({value for value in table[name] if value is not None}):
            rows = [row for row, other in enumerate(table[name]) if other == value]
            part = {other: [values[row] for row in rows] for other, values in table.items()}
            condition = KnownCondition(name, str(value))
            rules += [
                KnownDependency(rule.left, rule.right, condition=condition) for rule in minimal_dependencies(part)
            ]
    derived = chase(concealed(table, hidden, rules))
    assert derived_cells(derived) == NaiveChase(table, hidden, rules).derived(hidden)
    assert derived.right == derived.derived


def test_intervals_of_several_twins_are_intersected() -> None:
    """One twin says 3 to 7, the other 5 to 9: together 5 to 7, which is within 2 of 6, and a third one leaves 5."""
    table = {"X": ["a", "a", "a", "b"], "A": [5, 7, 6, 1]}
    rules = [KnownDependency(("X",), "A", {"A": 2})]
    (cell,) = chase(concealed(table, [(2, "A")], rules)).cells()
    assert (cell.is_exact, cell.is_right, cell.steps[-1].twins) == (False, True, (2, 1))
    table["A"] = [5, 9, 7, 1]
    (cell,) = chase(concealed(table, [(2, "A")], rules)).cells()
    assert (cell.is_exact, cell.is_right) == (True, True)


def test_an_interval_is_used_where_it_is_narrow_enough() -> None:
    """Record 2 has an A within 1 of 10, so it is alike to record 3, whose A is 10, and takes its B."""
    table = {"X": ["a", "a", "b"], "A": [10, 11, 10], "B": ["no", "yes", "yes"], "C": ["p", "q", "q"]}
    rules = [KnownDependency(("X",), "A", {"A": 1}), KnownDependency(("A", "C"), "B", {"A": 1})]
    derived = chase(concealed(table, [(1, "A"), (1, "B")], rules, [(1, "B")]))
    (cell,) = derived.cells()
    assert [(step.attribute, step.way) for step in cell.steps] == [("A", "near twin"), ("B", "twin")]
    wide = [KnownDependency(("X",), "A", {"A": 2}), rules[1]]
    assert chase(concealed(table, [(1, "A"), (1, "B")], wide, [(1, "B")])).derived == 0


def test_ordered_categories_are_compared_by_their_places() -> None:
    grades = Categories.of(["low", "middle", "high"], order=["low", "middle", "high"])
    truth = Records({"X": Categories.of([1, 1, 2]), "Grade": grades})
    mask = {"Grade": np.array([True, False, False])}
    file = ConcealedFile(truth, mask, mask, (KnownDependency(("X",), "Grade", {"Grade": 1}),))
    (cell,) = chase(file).cells()
    assert (cell.is_exact, cell.is_right) == (False, True)


def test_numbers_that_are_categories_are_compared_by_difference() -> None:
    file = concealed({"X": ["a", "a"], "A": [1, 2]}, [(0, "A")], [KnownDependency(("X",), "A", {"A": 1})])
    assert chase(file).right == 1
    texts = concealed({"X": ["a", "a"], "A": ["1x", "2x"]}, [(0, "A")], [KnownDependency(("X",), "A", {"A": 1})])
    assert chase(texts).right == 1


@pytest.mark.slow
@given(st.integers(0, 2**32 - 1))
@settings(max_examples=150)
def test_dependencies_with_exceptions_take_the_most_frequent_value(seed: int) -> None:
    random = np.random.default_rng(seed)
    table = _random_table(random, with_texts=False)
    hidden = _random_cells(random, table, 0.3)
    names = list(table)
    rules = minimal_dependencies(table)
    rules += [KnownDependency((names[0],), name, error=0.1) for name in names[1:]]
    rules += [KnownDependency((names[-1], names[1]), names[0], error=0.2)] if len(names) > 2 else []
    said = majorities(table, hidden, rules)
    derived = chase(concealed(table, hidden, rules))
    assert set(derived_cells(derived)) == said.keys()
    right = {(cell.row - 1, cell.attribute) for cell in derived.cells() if cell.is_right}
    assert right == {(row, name) for (row, name), value in said.items() if table[name][row] == value}
    certain = {(cell.row - 1, cell.attribute) for cell in derived.cells() if cell.is_certain}
    assert certain == NaiveChase(table, hidden, rules).derived(hidden).keys()


def test_a_wrong_guess_is_neither_certain_nor_right() -> None:
    table = {"X": ["a", "a", "a", "b"], "A": ["p", "q", "q", "q"]}
    (cell,) = chase(concealed(table, [(0, "A")], [KnownDependency(("X",), "A", error=0.25)])).cells()
    assert (cell.is_right, cell.is_certain, cell.steps[0].way) == (False, False, "majority")


def test_exceptions_and_thresholds_take_the_most_frequent_near_value() -> None:
    table = {"X": [1, 2, 2, 3, 9], "A": ["p", "q", "p", "q", "r"]}
    rules = [KnownDependency(("X",), "A", {"X": 1}, error=0.2)]
    derived = chase(concealed(table, [(1, "A")], rules))
    (cell,) = derived.cells()
    assert (cell.row, cell.is_right, cell.is_certain) == (2, False, False)  # p, p and q are near


def test_work_that_was_cut_is_said() -> None:
    random = np.random.default_rng(1)
    truth = Records({"X": Numbers.of(random.integers(0, 50, 400)), "A": Numbers.of(np.arange(400) // 400)})
    mask = {"A": random.random(400) < 0.5}
    file = ConcealedFile(truth, mask, mask, (KnownDependency(("X",), "A", {"X": 1}),))
    everything = chase(file)
    assert everything.notes == ()
    some = chase(file, limits=DerivationLimits(comparisons=300))
    assert 0 < some.derived < everything.derived
    assert len(some.notes) == 1
    texts = concealed(
        {"T": ["cat", "cut", "dog"], "A": ["x", "x", "y"]}, [(0, "A")], [KnownDependency(("T",), "A", {"T": 1})]
    )
    assert chase(texts).derived == 1
    by_equality = chase(texts, limits=DerivationLimits(texts=2))
    assert by_equality.derived == 0
    assert len(by_equality.notes) == 1
    in_vain = [KnownDependency(("B", "Z"), "A"), KnownDependency(("X",), "Z")]
    rounds = chase(concealed(FOUR, [(0, "A"), (0, "Z")], in_vain), limits=DerivationLimits(rounds=1))
    assert (rounds.by_attribute["Z"].derived, rounds.by_attribute["A"].derived, len(rounds.notes)) == (1, 0, 1)


@pytest.mark.slow
def test_a_large_file_is_chased_to_the_end() -> None:
    """A hundred thousand records: every cell whose determinants are known and occur elsewhere comes back, all right."""
    random = np.random.default_rng(3)
    number = 100_000
    base = [random.integers(0, size, number) for size in (40, 60, 300)]
    columns = {f"b{place}": column for place, column in enumerate(base)}
    columns |= {"f": (base[0] * 7 + base[1] * 3) % 11, "g": (base[2] * 5) % 17}
    columns["h"] = (columns["f"] * 17 + columns["g"]) % 5
    truth = Records({n: Categories(c.astype(np.int32), tuple(range(int(c.max()) + 1))) for n, c in columns.items()})
    rules = [KnownDependency(("b0", "b1"), "f"), KnownDependency(("b2",), "g"), KnownDependency(("f", "g"), "h")]
    hidden = {name: random.random(number) < 0.2 for name in columns}
    derived = chase(ConcealedFile(truth, hidden, hidden, tuple(rules)))
    assert derived.right == derived.derived
    assert derived.by_attribute["g"].derived == int((hidden["g"] & ~hidden["b2"]).sum())
    shown = [~hidden[name] | derived.is_derived(name) for name in ("f", "g")]
    assert derived.by_attribute["h"].derived == int((hidden["h"] & shown[0] & shown[1]).sum())
    assert derived.by_attribute["b0"].derived == 0
