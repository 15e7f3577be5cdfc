"""Values of aggregates in a recursion: all that rules say stays, and of an aggregating rule only the final value."""

from __future__ import annotations

import pytest
from tests.rules.generated import assert_same

from tacita.rules.reasoner import reason


def found(text, inputs, predicate):
    assert_same(text, inputs)
    return set(reason(text, inputs=inputs).facts(predicate))


@pytest.mark.slow
def test_a_rule_says_something_in_each_of_its_head_atoms():
    text = "E(X, Y, _) -> C(X, Y). C(X, Y), E(Y, Z, W), msum(W, <Y>) > 0 -> C(X, Z), C(Z, X)."
    edges = {"E": [("a", "b", 1), ("b", "c", 1)]}
    assert found(text, edges, "C") == {("a", "b"), ("b", "c"), ("a", "c"), ("c", "a"), ("c", "b"), ("c", "c")}


@pytest.mark.slow
def test_two_aggregates_in_one_head_leave_no_value_that_was_overtaken():
    text = """
    E(X, Y, _) -> R(X, Y).
    R(X, Y), E(Y, Z, W), S = msum(W, <Y>), N = mcount(<Y>) -> T(X, Z, S, N).
    T(X, Z, S, _), S > 0 -> R(X, Z).
    """
    edges = {"E": [("a", "c", 1), ("c", "d", 1), ("d", "b", 5), ("c", "b", 1)]}
    assert found(text, edges, "T") == {("a", "d", 1, 1), ("a", "b", 6, 2), ("c", "b", 5, 1)}


def test_a_set_beats_another_only_if_it_holds_it():
    text = "Base(X, W), S = {W} -> T(X, S). E(X, Y), T(Y, S), W in S, U = munion(W) -> T(X, U)."
    facts = {"Base": [("a", "x"), ("b", "z")], "E": [("a", "b"), ("c", "a")]}
    sets = {("a", "x"), ("a", "z"), ("b", "z"), ("c", "xz")}
    assert found(text, facts, "T") == {(name, frozenset(members)) for name, members in sets}


@pytest.mark.slow
def test_what_is_given_and_what_plain_rules_say_stays_beside_the_values_of_an_aggregate():
    text = """
    Dist("s", "z", 9). Dist("s", "z", 4).
    E0(X, Y, W) -> Dist(X, Y, W).
    Dist(S, X, D), E(X, Y, W), V = mmin(D + W) -> Dist(S, Y, V).
    """
    facts = {"E0": [("s", "a", 5), ("s", "a", 9), ("s", "b", 1)], "E": [("b", "a", 1), ("b", "c", 2), ("a", "c", 1)]}
    plain = {("s", "z", 9), ("s", "z", 4), ("s", "a", 5), ("s", "a", 9), ("s", "b", 1)}
    assert found(text, facts, "Dist") == plain | {("s", "a", 2), ("s", "c", 3)}


def test_a_sum_is_a_fact_of_its_own_also_where_a_plain_one_is_larger():
    text = "S(X, W) -> In(X, W). In(X, U), E(X, Y, W), V = msum(U * W, <X>) -> In(Y, V)."
    facts = {"S": [("a", 1), ("b", 10)], "E": [("a", "b", 2), ("b", "c", 1)]}
    assert found(text, facts, "In") == {("a", 1), ("b", 10), ("b", 2), ("c", 10)}


@pytest.mark.slow
def test_what_an_aggregate_had_in_passing_stays_if_a_plain_rule_says_it_later():
    text = """
    B(X, V) -> S(X, V).
    E(X, Y), S(Y, V), M = mmax(V) -> S(X, M).
    S(X, M), M >= 7, Late(X, V) -> S(X, V).
    """
    facts = {"B": [("b", 3), ("c", 7)], "E": [("a", "b"), ("b", "c")], "Late": [("a", 3)]}
    assert found(text, facts, "S") == {("b", 3), ("c", 7), ("b", 7), ("a", 7), ("a", 3)}


@pytest.mark.slow
def test_nulls_that_become_one_leave_no_value_that_was_overtaken():
    text = """
    A(X) -> exists Z: C(X, Z).
    C(X, Z), E(X, Y), N = mcount(<Y>) -> S(Z, N).
    S(Z, N), N >= 5, C(X, Z) -> C(Z, X).
    E(X, Y), C(X, P), C(Y, Q) -> P = Q.
    """
    facts = {"A": [("1",), ("2",), ("3",)], "E": [("1", "2"), ("1", "3"), ("2", "3")]}
    assert_same(text, facts, up_to="homomorphism")
    assert [number for _, number in reason(text, inputs=facts).facts("S")] == [2]


@pytest.mark.slow
def test_many_rules_for_one_predicate():
    rules = 45
    several = " ".join(f"S(X, V), E{i}(X, Y), M = mmax(V + {i}) -> S(Y, M)." for i in range(rules))
    facts = {"B": [(0, 0)], **{f"E{i}": [(0, i + 1)] for i in range(rules)}}
    rows = set(reason(f"B(X, V) -> S(X, V). {several}", inputs=facts).facts("S"))
    assert rows == {(0, 0), *((i + 1, i) for i in range(rules))}
