"""Existentials, equality rules, denials and their policies."""

from __future__ import annotations

import pytest
from tests.oracles.rules import Null, record, same_up_to_nulls
from tests.rules.generated import interpreted

from tacita.errors import ReasoningError, RuleError

N = [Null(number) for number in range(1, 10)]


def same(text, expected, inputs=None, **options):
    facts = interpreted(text, inputs, **options).facts
    return same_up_to_nulls({predicate: facts[predicate] for predicate in expected}, expected)


def test_one_null_per_frontier():
    assert same("E(1,2). E(1,3). E(2,3). E(X,Y) -> exists Z: P(X,Z).", {"P": [(1, N[0]), (2, N[1])]})
    assert same("E(1,2). E(1,3). E(X,Y) -> P(X,Y,Z).", {"P": [(1, 2, N[0]), (1, 3, N[1])]})
    assert same("E(1,2). E(X,Y) -> P(X,_).", {"P": [(1, N[0])]})


def test_several_atoms_share_their_null():
    assert same("E(1,2). E(X,Y) -> exists Z: P(X,Z), R(Z,Y).", {"P": [(1, N[0])], "R": [(N[0], 2)]})
    assert same("E(1). E(X) -> exists Y, Z: P(X,Y,Z).", {"P": [(1, N[0], N[1])]})


def test_nothing_is_invented_where_the_head_holds():
    assert same("E(1,2). P(1,7). E(X,Y) -> exists Z: P(X,Z).", {"P": [(1, 7)]})
    assert same("E(1,2). R(1,7). E(X,Y) -> exists Z: P(X,Z). R(X,Y) -> P(X,Y).", {"P": [(1, 7)]})
    assert same("E(1). E(X) -> exists Z: P(X,Z). E(X) -> exists Z: P(X,Z).", {"P": [(1, N[0])]})
    assert same("E(1,2). P(1,7). R(8,2). E(X,Y) -> exists Z: P(X,Z), R(Z,Y).", {"P": [(1, 7), (1, N[0])]})
    assert same("E(1,2). P(1,7). R(7,2). E(X,Y) -> exists Z: P(X,Z), R(Z,Y).", {"P": [(1, 7)], "R": [(7, 2)]})


def test_existentials_inside_terms():
    text = 'T(1, "x"). T(I,A), R = {("a", A)} -> exists Z: P(I, R["a" := Z]).'
    assert same(text, {"P": [(1, record({"a": N[0]}))]})
    assert same(text.replace("T(1", 'P(1, {("a", 5)}). T(1', 1), {"P": [(1, record({"a": 5}))]})


def test_nulls_are_complete_before_they_are_counted_or_denied():
    text = "E(1). E(2). P(2,7). E(X) -> exists Z: P(X,Z). E(X), not P(X,_) -> Q(X). P(X,Z), C = mcount(<Z>) -> R(X,C)."
    facts = interpreted(text).facts
    assert (facts["Q"], facts["R"]) == (set(), {(1, 1), (2, 1)})


def test_an_endless_chase_is_stopped():
    with pytest.raises(ReasoningError, match="more than 40 labelled nulls"):
        interpreted("P(1,2). P(X,Y) -> exists Z: P(Y,Z).", limit=40)


# -- equality rules ----------------------------------------------------------------------------------------------------


def test_a_null_becomes_the_constant_everywhere():
    text = "E(1). E(2). K(1,7). E(X) -> exists Z: P(X,Z). P(X,Z) -> R(Z,X). P(X,Z), K(X,V) -> Z = V."
    assert same(text, {"P": [(1, 7), (2, N[0])], "R": [(7, 1), (N[0], 2)]})


def test_nulls_are_merged():
    text = "E(1). E(2). L(1,2). E(X) -> exists Z: P(X,Z). P(X,Z1), P(Y,Z2), L(X,Y) -> Z1 = Z2."
    assert same(text, {"P": [(1, N[0]), (2, N[0])]})
    assert same(text + " K(7). K(V), P(2,Z) -> V = Z.", {"P": [(1, 7), (2, 7)]})


def test_nulls_inside_values_are_replaced():
    text = 'E(1). E(X) -> exists Z: P(X,Z). P(X,Z) -> S({Z, 7}), T({("a", Z)}). P(X,Z) -> Z = 7.'
    assert same(text, {"S": [(frozenset({7}),)], "T": [(record({"a": 7}),)]})


def test_an_equality_enables_rules():
    text = "E(1). K(7). E(X) -> exists Z: P(X,Z). P(X,Z), K(Z) -> Q(X). P(X,Z) -> Z = 7. Q(X) -> exists Y: W(X,Y)."
    assert same(text, {"Q": [(1,)], "W": [(1, N[0])]})


def test_violations_count_once_per_pair_and_key():
    text = 'C("a","x"). C("a","y"). C("a","z"). C("b","x"). C("b","y"). C(A,C1), C(A,C2) -> C1 = C2.'
    result = interpreted(text)
    assert len(result.violations) == 4
    first = result.violations[0]
    assert (first.values, first.key, first.policy) == (("x", "y"), (("A", "a"),), "ask")
    assert len(result.facts["C"]) == 5


def test_a_null_between_two_constants():
    text = "E(1). K(1,7). K(1,6). E(X) -> exists Z: P(X,Z). P(X,Z), K(X,V) -> Z = V."
    result = interpreted(text)
    assert result.facts["P"] == {(1, 6)}
    assert [violation.values for violation in result.violations] == [(6, 7)]


def test_policies_of_equality_rules():
    text = '@on_violation("{}") C(A,C1), C(A,C2) -> C1 = C2. C("a","x"). C("a","y"). C("b","z"). C(A,B) -> Q(B).'
    with pytest.raises(ReasoningError, match="1 violation"):
        interpreted(text.format("fail"))
    result = interpreted(text.format("quarantine"))
    assert result.facts["C"] == {("b", "z")}
    assert result.quarantined == {"C": {("a", "x"), ("a", "y")}}
    assert result.facts["Q"] == {("z",)}  # what follows from facts in quarantine is gone with them


def test_denials():
    text = 'P(1). P(2). P(X), X > 1 -> false "too large".'
    with pytest.raises(ReasoningError, match='1 violation: "too large"'):
        interpreted(text)
    asked = interpreted(text.replace("P(X), X", '@on_violation("ask") P(X), X'))
    assert [(v.text, v.key, v.values) for v in asked.violations] == [("too large", (("X", 2),), ())]
    assert asked.facts["P"] == {(1,), (2,)}
    apart = interpreted(text.replace("P(X), X", '@on_violation("quarantine") P(X), X'))
    assert apart.facts["P"] == {(1,)}
    assert interpreted(text.replace("X > 1", "X > 2")).violations == []


def test_external_predicates_must_be_resolved():
    with pytest.raises(RuleError, match="#risk"):
        interpreted("P(I), #risk(I, R) -> Q(R).")
