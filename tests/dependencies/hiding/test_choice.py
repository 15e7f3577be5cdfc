"""The choice of what to hide: cheapest, with no way left to a confidential attribute, whatever the dependencies."""

from __future__ import annotations

import itertools
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.dependencies.dependency import Dependency
from tacita.dependencies.hiding.choice import ChoiceMethod, choose
from tacita.dependencies.hiding.closure import closure
from tacita.dependencies.hiding.heuristics import HEURISTICS
from tacita.dependencies.hiding.hitting_set import smallest_hitting_set
from tacita.errors import UsageError

NAMES = "ABCDEFGH"

sets = st.lists(st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=4), max_size=12)
costs = st.dictionaries(st.sampled_from(NAMES), st.sampled_from([0.5, 1.0, 2.0, 3.25]))


@st.composite
def dependencies(draw: st.DrawFn) -> list[Dependency]:
    rules = draw(
        st.lists(
            st.tuples(st.frozensets(st.sampled_from(NAMES), min_size=1, max_size=3), st.sampled_from(NAMES)),
            max_size=14,
        )
    )
    support = draw(st.lists(st.integers(0, 3), min_size=len(rules), max_size=len(rules)))
    return [
        Dependency(tuple(sorted(left)), right, support=records)
        for (left, right), records in zip(rules, support, strict=True)
        if right not in left
    ]


@pytest.mark.slow
@given(sets, costs)
def test_no_cheaper_set_hits_all(wanted: list[frozenset[str]], prices: dict[str, float]) -> None:
    def cost(chosen: tuple[str, ...]) -> float:
        return sum(prices.get(name, 1.0) for name in chosen)

    answer = smallest_hitting_set(wanted, prices, NAMES)
    assert answer is not None
    assert all(one & set(answer) for one in wanted)
    hitting = (
        chosen
        for size in range(len(NAMES) + 1)
        for chosen in itertools.combinations(NAMES, size)
        if all(one & set(chosen) for one in wanted)
    )
    assert cost(answer) == pytest.approx(min(map(cost, hitting)))


@pytest.mark.slow
@pytest.mark.parametrize("name", HEURISTICS)
@given(wanted=sets)
def test_heuristics_hit_all_sets_and_are_never_cheaper(name: str, wanted: list[frozenset[str]]) -> None:
    answer = HEURISTICS[name](wanted, NAMES)
    best = smallest_hitting_set(wanted, {}, NAMES)
    assert answer is not None and best is not None
    assert all(one & set(answer) for one in wanted)
    assert len(answer) >= len(best)


@pytest.mark.slow
@pytest.mark.parametrize("method", ChoiceMethod)
@settings(max_examples=100)
@given(rules=dependencies(), secret=st.sets(st.sampled_from(NAMES), min_size=1, max_size=3))
def test_no_confidential_attribute_follows_from_free_ones(
    method: ChoiceMethod, rules: list[Dependency], secret: set[str]
) -> None:
    choice = choose(secret, NAMES, rules, method=method)
    free = set(NAMES) - choice.hidden
    assert not closure(free, [one for one in rules if not one.is_key]).keys() & secret
    assert set(choice.confidential) == secret and not set(choice.extra) & secret
    assert all(choice.reasons(name) for name in choice.extra)


@pytest.mark.slow
@given(rules=dependencies(), secret=st.sampled_from(NAMES))
def test_fewer_hidden_attributes_would_let_it_follow(rules: list[Dependency], secret: str) -> None:
    choice = choose([secret], NAMES, rules)
    threats = [one for one in rules if not one.is_key]
    others = [name for name in NAMES if name != secret]
    for hidden in itertools.combinations(others, max(len(choice.extra) - 1, 0)):
        if len(choice.extra) > len(hidden):
            assert secret in closure(set(others) - set(hidden), threats)


def test_a_hidden_attribute_that_follows_is_not_enough() -> None:
    # Four records of the columns X B Z A: {B, Z} -> A and X -> Z by which values can be learnt; {X, B} is a key.
    rules = [Dependency(("B", "Z"), "A", 2), Dependency(("X",), "Z", 2), Dependency(("X", "B"), "A", 0)]
    assert choose(["A"], "XBZA", rules).extra == ("B",)
    dear = choose(["A"], "XBZA", rules, costs={"B": 5})
    assert dear.extra == ("X", "Z")
    assert [one.in_words for one in dear.reasons("X")] == ["X determines Z, and {B, Z} determines A"]


def test_pairs_are_cycles() -> None:
    # As printed, the method hides Name and leaves four determining pairs of Table 1 open.
    pairs = [frozenset({"Name"}), *(frozenset({"Age", other}) for other in ("Sex", "Street", "City", "ZipCode"))]
    order = ("Name", "Age", "Street", "Sex", "City", "ZipCode")
    assert HEURISTICS["feedback-vertices"](pairs, order) == ("Name", "Age")


def test_what_must_stay_stays() -> None:
    rules = [Dependency(("A", "B"), "S", 2), Dependency(("B", "C"), "S", 2)]
    assert choose(["S"], "ABCS", rules).extra == ("B",)
    assert choose(["S"], "ABCS", rules, keep=["B"]).extra == ("A", "C")
    with pytest.raises(UsageError, match="'S' cannot be kept confidential while A, B must stay"):
        choose(["S"], "ABCS", rules, keep=["A", "B"])


def test_a_chain_through_attributes_that_must_stay_is_refused() -> None:
    rules = [Dependency(("X",), "Z", 2), Dependency(("B", "Z"), "A", 2)]
    with pytest.raises(UsageError, match=re.escape("X determines Z, and {B, Z} determines A")):
        choose(["A"], "XBZA", rules, keep=["X", "B"])


def test_a_constant_cannot_be_confidential() -> None:
    with pytest.raises(UsageError, match="all records have the same value"):
        choose(["S"], "AS", [Dependency((), "S", 5)])


def test_costs_are_above_zero() -> None:
    with pytest.raises(UsageError, match="hiding 'A' costs 0"):
        choose(["S"], "AS", [Dependency(("A",), "S", 5)], costs={"A": 0})
