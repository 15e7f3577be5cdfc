"""How far equality rules reach: nulls of the data, other types, rules that already ran, and what they cannot change."""

from __future__ import annotations

import datetime
from typing import Any

import pytest
from tests.rules.generated import assert_same

from tacita.errors import ReasoningError, RuleError
from tacita.rules.reasoner import ReasoningOptions, reason


def facts(text: str, inputs: dict[str, Any], predicate: str) -> list[tuple[Any, ...]]:
    result = reason(text, inputs)
    found = result.facts(predicate)
    result.close()
    return found


def test_a_null_among_integers_may_become_a_number():
    text = "[e] T(X, A), U(X, B) -> A = B. T(X, A), A is null -> N(X). T(X, A), A is not null -> M(X)."
    inputs = {"T": [("a", None), ("b", 1)], "U": [("a", 2.5), ("b", 1.0)]}
    assert facts(text, inputs, "T") == [("a", 2.5), ("b", 1.0)]
    assert_same(text, inputs)


def test_a_null_among_timestamps_may_become_a_date():
    day, moment = datetime.date(2020, 1, 1), datetime.datetime(2021, 1, 1, 12)
    inputs = {"T": [("a", None), ("b", moment)], "U": [("a", day)]}
    found = facts("T(X, A), U(X, B) -> A = B.", inputs, "T")
    assert found == [("a", datetime.datetime(2020, 1, 1)), ("b", moment)]


def test_what_can_never_be_the_same_is_a_fault():
    with pytest.raises(RuleError, match="R412: integer is compared with text"):
        reason("T(X, A), U(X, B) -> A = B.", {"T": [("a", None), ("b", 1)], "U": [("a", "x")]})


@pytest.mark.slow
def test_rules_that_ask_for_nulls_of_the_data_wait_for_the_equality():
    text = """
    In(X, Y), Y is null -> Missing(X).  In(X, Y), N = count(Y) -> How(N).
    In(X, Y) -> Q(X, Y).  Q(X, Y), K(X, Z) -> Y = Z.
    """
    inputs = {"In": [("a", None), ("b", "found")], "K": [("a", "found")]}
    assert facts(text, inputs, "Missing") == []
    assert facts(text, inputs, "How") == [(1,)]


def test_a_condition_that_an_equality_of_its_own_recursion_overturns_is_refused():
    text = """
    Town(X, T), not Cap(T) -> Un(X).  Town(X, T), Un(X) -> Q(X, T).  Q(X, T), K(X, U) -> T = U.  Cap("roma").
    """
    known = {"Town": [("b", "bari")], "K": [("a", "roma")]}
    assert facts(text, known, "Un") == [("b",)]
    with pytest.raises(RuleError, match="R509"):
        reason(text, known | {"Town": [("a", None), ("b", "bari")]})


def test_a_null_inside_a_set_is_out_of_reach_and_no_endless_run():
    text = 'In(X, Z), S = {Z, "k"} -> H(X, S). H(X, S), Y in S, K(X, C), Y is null -> Y = C.'
    with pytest.raises(ReasoningError, match="inside a set or record"):
        reason(text, {"In": [("a", None)], "K": [("a", "c")]})


def test_existential_rules_see_what_an_equality_made_the_same():
    text = """
    Person(X) -> exists C: HasCar(X, C).  Person(X) -> exists C: HasIns(X, C).  HasCar(X, C), HasIns(X, D) -> C = D.
    HasCar(X, C), HasIns(Y, C) -> exists P: Policy(X, Y, P).  Policy(X, Y, P), Flag(P) -> HasCar(X, P).
    """
    inputs = {"Person": [("a",), ("b",)], "Flag": [("z",)]}
    assert [row[:2] for row in facts(text, inputs, "Policy")] == [("a", "a"), ("b", "b")]


def test_functions_are_asked_about_what_an_equality_made_known():
    text = "In(X, Y), #g(Y, Z) -> Val(X, Z). In(X, Y), K(X, C) -> Y = C."

    def g(value: int) -> int:
        return value * 2 if isinstance(value, int) else 0

    result = reason(text, {"In": [("a", None)], "K": [("a", 5)]}, options=ReasoningOptions(functions={"g": g}))
    assert ("a", 10) in result.facts("Val")


@pytest.mark.parametrize("rules", ["E(K, V) -> P(K, V).", "E(K, V), V > 0 -> P(K, V)."], ids=["a view", "a table"])
def test_facts_of_a_view_can_be_taken_out(rules: str):
    text = f'{rules} @on_violation("quarantine") P(K, S), S > 2 -> false "x".'
    assert facts(text, {"E": [("a", 1), ("b", 3)]}, "P") == [("a", 1)]


def test_a_view_can_be_changed_by_an_equality():
    text = "In(X, Z) -> V(X, Z). In(X, Z), K2(X) -> Q(X, Z). Q(X, Z), K(X, C) -> Z = C."
    assert facts(text, {"In": [("a", None)], "K2": [("a",)], "K": [("a", "c")]}, "V") == [("a", "c")]


def test_types_are_checked_in_heads():
    with pytest.raises(RuleError, match="'\\+' needs numbers, and gets text"):
        reason('A("x", 1). A(X, Y) -> P(X + Y).')
