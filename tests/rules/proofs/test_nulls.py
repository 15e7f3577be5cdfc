"""Proofs through labelled nulls and equality rules."""

from __future__ import annotations

import pytest
from tests.rules.proofs.verifier import check, check_order

from tacita.rules.proofs.tree import Derived, GivenFact, GroundFact
from tacita.rules.reasoner import Null, reason

COMPONENTS = """
[1] N(X) -> exists Z: C(X, Z).
[2] E(X, Y), C(X, Z1), C(Y, Z2) -> Z1 = Z2.
[3] C(X, Z), K(X, V) -> Z = V.
[4] C(X, Z), C(Y, Z) -> Same(X, Y).
"""


def test_a_null_is_explained_by_the_rule_and_what_it_was_made_for():
    result = reason("[1] Emp(X) -> exists D, B: In(X, D), Boss(D, B). [2] Boss(D, B) -> Person(B).", {"Emp": [("e",)]})
    proof = result.why("Person(_)", limit=None)
    check(result, proof)
    (boss,) = [f for f in proof.steps if f.predicate == "Boss"]
    made = proof.steps[boss].new_nulls
    assert [(m.variable, m.frontier) for m in made] == [("D", (("X", "e"),)), ("B", (("X", "e"),))]
    assert boss.values == tuple(m.null for m in made)
    assert "⊥1 stands for D" in proof.as_text()


def test_a_null_of_another_rule_is_not_mistaken():
    result = reason("[1] A(X) -> exists Z: C(X, Z). [2] B(X) -> exists Z: C(X, Z).", {"A": [(1,)], "B": [(2,)]})
    for question, rule in (("C(1, _)", "[1]"), ("C(2, _)", "[2]")):
        proof = result.why(question)
        check(result, proof)
        assert proof.steps[proof.goal].rule.name == rule


def test_a_null_can_be_asked_about_by_its_label():
    result = reason("[1] A(X) -> exists Z: C(X, Z).", {"A": [(1,), (2,)]})
    second = result.facts("C")[1]
    assert result.why(f"C(_, {second[1]})").goal == GroundFact("C", second)


def test_inputs_without_a_value_are_given_nulls():
    result = reason("[1] A(X, V) -> B(V, X).", {"A": [(1, None), (2, "x")]})
    proof = result.why("B(_, 1)")
    check(result, proof)
    assert isinstance(proof.goal.values[0], Null)
    assert [type(s) for s in proof.steps.values()] == [Derived, GivenFact]


@pytest.fixture(scope="module")
def components():
    return reason(COMPONENTS, {"N": [(i,) for i in range(6)], "E": [(0, 1), (1, 2), (3, 4)], "K": [(4, "k")]})


@pytest.mark.slow
def test_connected_components_say_along_which_edges(components):
    proof = components.why("C(2, _)")
    check(components, proof)
    (merged,) = proof.steps[proof.goal].merged
    assert merged.became == Null(1)
    facts = [[str(f) for f in equation.facts] for equation in merged.because]
    assert facts == [["E(1, 2)", "C(1, ⊥2)", "C(2, ⊥3)"], ["E(0, 1)", "C(0, ⊥1)", "C(1, ⊥2)"]]
    assert [e.rule.name for e in merged.because] == ["[2]", "[2]"]


def test_a_null_that_became_a_constant_says_which_rule_told(components):
    proof = components.why("Same(3, 4)", limit=None)
    check(components, proof)
    (merged,) = proof.steps[GroundFact("C", (3, "k"))].merged
    assert merged.became == "k"
    facts = [[str(f) for f in equation.facts] for equation in merged.because]
    assert facts == [["E(3, 4)", "C(3, ⊥4)", "C(4, ⊥5)"], ["C(4, ⊥5)", 'K(4, "k")']]
    assert 'was found to be "k"' in proof.as_text()


def test_an_equality_rule_is_shown_with_all_its_premises_as_they_were():
    program = "[1] N(X) -> exists I: Id(X, I). [e] Id(X, I), Id(Y, J), L(X, Y) -> I = J."
    result = reason(program, {"N": [("a",), ("b",)], "L": [("a", "b")]})
    text = str(result.why('Id("b", _)'))
    assert 'by rule [e] from Id("a", ⊥1), Id("b", ⊥2), L("a", "b")' in text


@pytest.mark.slow
def test_the_nulls_that_facts_had_are_found_behind_other_rules():
    program = """
    [1] N(X) -> exists I: Id(X, I).
    [2] Id(X, I) -> Key(I, X).
    [e] Key(I, X), Key(J, Y), L(X, Y) -> I = J.
    """
    result = reason(program, {"N": [("a",), ("b",)], "L": [("a", "b")]})
    proof = result.why('Key(_, "b")')
    check_order(proof)
    assert 'by rule [e] from Key(⊥1, "a"), Key(⊥2, "b"), L("a", "b")' in str(proof)


def test_an_equality_rule_that_has_the_value_itself_is_shown_with_its_premises():
    program = '[1] N(X) -> exists I: Id(X, I). [c] Id(X, I), Bad(X) -> I = "none".'
    result = reason(program, {"N": [("a",), ("b",)], "Bad": [("b",)]})
    assert 'by rule [c] from Id("b", ⊥2), Bad("b")' in str(result.why('Id("b", _)'))


def test_a_constant_is_rather_explained_by_what_says_it():
    program = """
    [1] Att(A) -> exists C: Cat(A, C).
    [2] Att(A), Exp(B, C), Like(A, B) -> Cat(A, C).
    [3] Cat(A, C), C is not null -> Exp(A, C).
    [4] Cat(A, C1), Cat(A, C2) -> C1 = C2.
    """
    like = [(a, b) for a in "wxyz" for b in "wxyz" if abs(ord(a) - ord(b)) <= 1]
    result = reason(program, {"Att": [(a,) for a in "xyz"], "Like": like, "Exp": [("w", "weight")]})
    assert result.facts("Cat") == [(a, "weight") for a in "xyz"]
    proof = result.why('Cat("z", "weight")', limit=None)
    check_order(proof)
    assert proof.steps[proof.goal].rule.name == "[2]"
    # The chain goes z, y, x, w, whatever the rounds in which the nulls of z, y and x were made.
    assert GroundFact("Exp", ("w", "weight")) in proof.steps


def test_what_equality_rules_took_the_ground_from_still_has_a_proof_or_says_so():
    program = """
    [1] A(X) -> exists Z: C(X, Z).
    [2] C(X, Z), Z is null -> Unknown(X).
    [3] C(X, Z), K(X, V) -> Z = V.
    [4] Unknown(X) -> Seen(X).
    """
    result = reason(program, {"A": [(1,), (2,)], "K": [(1, "k")]})
    for (x,) in result.facts("Seen"):
        check_order(result.why(f"Seen({x})", limit=None))
