"""Which match of a version rule is taken: the order, one per key, one per choice, one at a time, a whole column."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.rules.generated import assert_same

from tacita.rules.reasoner import ReasoningOptions, reason
from tacita.rules.reasoner.program import Budget

CHOICE = """@versioned("V", key = ["G", "K"]).
V("g", 1, 0). V("g", 2, 0). V("h", 1, 0).
@route(choose_one_per = ["G"])
V(G, K, X), not Full(G), X < 1 -> V(G, K, X + 1).
V(G, K, X), msum(X, <K>) >= 1 -> Full(G)."""


def test_one_choice_for_several_keys():
    assert reason(CHOICE).facts("V") == [("g", 1, 1), ("g", 2, 0), ("h", 1, 1)]
    assert_same(CHOICE, {})


def paired(route, more=""):
    """A program in which every pair of a person and a task is an offer, and only the first epoch counts."""
    return f"""@versioned("Has", key = ["P"]). Has(P, "none") -> Free(P). Can(P, _, _), not Begun() -> Start(P).
    Can(P, _, _) -> Has(P, "none").
    Has(P, T), T != "none" -> Begun().
    {route}
    Has(P, "none"), not Begun(), Can(P, T, C) -> Has(P, T).
    {more}"""


@pytest.mark.slow
def test_a_choice_across_keys_is_made_in_order():
    text = paired('@route(choose_one_per = ["T"], order = ["C"])')
    # ann takes x; bob loses x and takes y next; eve loses both.
    facts = {"Can": [("ann", "x", 1), ("bob", "x", 2), ("bob", "y", 3), ("eve", "y", 4), ("eve", "x", 5)]}
    assert reason(text, facts).facts("Has") == [("ann", "x"), ("bob", "y"), ("eve", "none")]
    assert_same(text, facts)


@pytest.mark.slow
@settings(deadline=None, max_examples=25)
@given(
    st.lists(st.tuples(st.integers(1, 4), st.integers(1, 4)), max_size=9, unique=True),
    st.sampled_from(["", 'choose_one_per = ["T"], ', 'choose_one_per = ["P", "T"], ', 'step = "one", ']),
    st.sampled_from(["C", "-C", "T", "-T"]),
)
def test_choices_are_those_of_the_oracle(pairs, choice, order):
    facts = {"Can": [(f"p{p}", f"t{t}", n) for n, (p, t) in enumerate(pairs)]}
    assert_same(paired(f'@route({choice}order = ["{order}", "C"])'), facts)


def test_the_largest_first_whatever_it_is():
    text = paired('@route(order = ["-T"])')
    facts = {"Can": [("ann", "x", 1), ("ann", "y", 2)]}
    assert reason(text, facts).facts("Has") == [("ann", "y")]


@pytest.mark.slow
def test_rules_are_taken_in_their_order():
    more = '@route(order = ["T"]) Has(P, "none"), not Begun(), May(P, T) -> Has(P, T).'
    facts = {"Can": [("ann", "x", 9), ("bob", "y", 8)], "May": [("ann", 1), ("bob", 1)]}
    text = paired('@route(order = ["C"])', more).replace("May(P, T)", "May(P, S), T = text(S)")
    assert reason(text, facts).facts("Has") == [("ann", "x"), ("bob", "y")]
    assert_same(text, facts)


@pytest.mark.parametrize("first", [True, False])
def test_each_rule_has_its_own_step(first):
    one = '@route(order = ["I"], step = "one") V(I, "a"), not Begun() -> V(I, "b").'
    every = '@route(order = ["I"]) V(I, "c"), not Begun() -> V(I, "d").'
    rules = f"{one} {every}" if first else f"{every} {one}"
    text = f'@versioned("V", key = ["I"]). {rules} V(_, "b") -> Begun(). V(_, "d") -> Begun().'
    facts = {"V": [(1, "a"), (2, "a"), (3, "c"), (4, "c")]}
    assert reason(text, facts).facts("V") == [(1, "b"), (2, "a"), (3, "d"), (4, "d")]
    assert_same(text, facts)


WHOLE = """@versioned("Tuple", key = ["M", "I"]).
Val(M, I, A, V), R = munion((A, V)) -> Tuple(M, I, R).
@route(scope = "whole_column")
Tuple(M, I, R), Risky(I), Key(A), Up(R[A], Z) -> Tuple(M, I, R[A := Z]).
Tuple(M, I, R), Risky(I), Last(I, A), R[A] != "gone" -> Tuple(M, I, R[A := "gone"])."""


@pytest.mark.slow
@pytest.mark.parametrize("db", ["m", None], ids=["known", "unknown"])
def test_a_whole_column_goes_before_anything_else(db):
    rows = [(db, 0, "a", "Roma"), ("m", 1, "a", "Milano"), ("m", 1, "b", "x"), ("m", 2, "a", "Torino")]
    facts = {
        "Val": rows,  # without a name of the microdata DB, the key is two columns wide
        "Risky": [(1,)],
        "Key": [("a",)],
        "Up": [("Milano", "North"), ("Torino", "North")],
        "Last": [(1, "b")],
    }
    result = reason(WHOLE, facts, options=ReasoningOptions(budget=Budget(rounds=20)))
    found = {i: dict(record.items) for _, i, record in result.facts("Tuple")}
    assert found == {0: {"a": "Roma"}, 1: {"a": "North", "b": "gone"}, 2: {"a": "North"}}


def test_one_version_per_key_of_a_whole_column():
    facts = {
        "Val": [("m", 1, "a", "Milano"), ("m", 2, "a", "Torino")],
        "Risky": [(1,)],
        "Key": [("a",)],
        "Up": [("Milano", "North"), ("Torino", "North"), ("Torino", "Alps")],
        "Last": [],
    }
    text = WHOLE[: WHOLE.rindex("\n")]
    result = reason(text, facts, options=ReasoningOptions(budget=Budget(rounds=20)))
    assert len(result.facts("Tuple")) == 2


STRATEGY = """@versioned("Tuple", key = ["M", "I"]).
Given(M, I, A, W) -> Tuple(M, I, {("Area", A), ("Weight", W)}).
Tuple(_, I, V), V["Area"] is null -> Done().
@route(step = "one", order = %s)
Tuple(M, I, V), not Done(), V["Area"] is not null -> exists Z: Tuple(M, I, V["Area" := Z])."""
WEIGHTED = [("d", 1, "x", 9), ("d", 2, "x", 5), ("d", 3, "y", 7), ("e", 4, "x", 7), ("e", 5, "y", 9), ("e", 6, "y", 9)]


@pytest.mark.parametrize(
    ("order", "first"),
    [
        ('"less_significant_first"', 2),
        ('["less_significant_first", "-I"]', 2),
        ('["-I"]', 6),
        ('"most_risky_first"', 3),  # counted in its own microdata DB: x of e is as rare, and stands behind it
        ('["most_risky_first", "-I"]', 4),
    ],
)
def test_strategies(order, first):
    facts = {"Given": WEIGHTED, "Cat": [("d", "Weight", "Weight"), ("e", "Weight", "Weight")]}
    text = STRATEGY % order + ' Cat(M, A, "Weight") -> Weighed(M, A).'
    found = [number for _, number, values in reason(text, facts).facts("Tuple") if values["Area"] not in {"x", "y"}]
    assert found == [first]


def test_without_weights_nobody_is_less_significant():
    found = reason(STRATEGY % '"less_significant_first"', {"Given": WEIGHTED}).facts("Tuple")
    assert [n for _, n, values in found if values["Area"] not in {"x", "y"}] == [1]
