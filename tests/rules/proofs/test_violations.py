"""Violations with their proofs: which facts clash, and how each of them came about."""

from __future__ import annotations

import json

import pytest
from tests.rules.proofs.verifier import check_order, check_step

import tacita as tc
from tacita.errors import UsageError
from tacita.rules.proofs import Proof, why_violated
from tacita.rules.proofs.tree import Derived, GroundFact, Holds, Violated
from tacita.rules.reasoner import Reasoned, reason
from tacita.views.proofs.as_json import SCHEMA
from tacita.views.rules import violation_dicts, violation_lines

POLICIES = pytest.mark.parametrize("policy", ["ask", "quarantine"])


def proofs(program: str, inputs: dict[str, list[tuple[object, ...]]]) -> tuple[Reasoned, list[Proof]]:
    """Return a result, and the proofs of its violations, each looked at."""
    result = reason(program, inputs)
    found = [why_violated(result, violation) for violation in result.violations]
    for proof in found:
        assert isinstance(proof.steps[proof.goal], Violated)
        assert proof.is_complete
        check_order(proof)
        for step in proof.steps.values():
            if isinstance(step, Derived):
                check_step(result, step)
    return result, found


@POLICIES
def test_both_sides_of_an_equality_rule_are_proved(policy):
    program = f"""
    [1] Src(X, V) -> Id(X, V).
    [2] Other(X, V), V > 0 -> Id(X, V).
    @on_violation("{policy}")
    [same] Id(X, I), Id(X, J) -> I = J.
    """
    result, (proof,) = proofs(program, {"Src": [("a", 1), ("b", 2)], "Other": [("a", 5)]})
    assert str(proof) == (
        """\
rule [same] is violated: I = J
├─ Id("a", 1)  by rule [1]
│  └─ Src("a", 1)  given as input
├─ Id("a", 5)  by rule [2]
│  ├─ Other("a", 5)  given as input
│  └─ 5 is more than 0  [V > 0]
└─ 1 is not 5  [I = J] (they must be the same)"""
    )
    assert proof.as_sentences().splitlines()[0] == (
        'Rule [same] is violated: I = J, because Id("a", 1), Id("a", 5) and 1 is not 5.'
    )
    assert len(result.facts("Id")) == (3 if policy == "ask" else 1)


@pytest.mark.slow
@POLICIES
def test_what_a_null_was_found_to_be_is_told_on_both_sides(policy):
    program = f"""
    [1] N(X) -> exists I: Id(X, I).
    [k] Id(X, I), K(X, V) -> I = V.
    @on_violation("{policy}")
    [e] L(X, Y), Id(X, I), Id(Y, J) -> I = J.
    """
    _, (proof,) = proofs(program, {"N": [("a",), ("b",)], "K": [("a", "x"), ("b", "y")], "L": [("a", "b")]})
    text = str(proof)
    assert 'by rule [k] from Id("a", ⊥1), K("a", "x")' in text
    assert 'by rule [k] from Id("b", ⊥2), K("b", "y")' in text
    (clash,) = [p for p in proof.steps[proof.goal].premises if isinstance(p, Holds)]
    assert (clash.values, clash.terms) == (("x", "y"), ("I", "J"))


@POLICIES
def test_a_denial_over_a_recursion_is_proved_from_what_is_in_quarantine_too(policy):
    program = f"""
    [0] E(X, Y) -> P(X, Y).
    [1] P(X, Y), E(Y, Z) -> P(X, Z).
    @on_violation("{policy}")
    [short] P(X, Y), Y < 4 -> false "too near".
    """
    result, found = proofs(program, {"E": [(1, 2), (2, 3), (3, 4)]})
    assert len(found) == 3
    proof = next(p for p in found if GroundFact("P", (1, 3)) in p.steps)
    assert GroundFact("P", (1, 2)) in proof.steps  # which is in quarantine as well
    if policy == "quarantine":
        assert result.facts("P") == [(3, 4)]


def test_a_fact_that_rests_on_one_in_quarantine_is_gone_with_it():
    program = """
    [0] E(X, Y) -> P(X, Y).
    [1] P(X, Y), E(Y, Z) -> P(X, Z).
    @on_violation("quarantine")
    [short] P(1, Y), Y < 4 -> false "too near".
    """
    result = reason(program, {"E": [(1, 2), (2, 3), (3, 4)]})
    assert result.facts("P") == [(2, 3), (2, 4), (3, 4)]
    with pytest.raises(UsageError, match="no such fact of P holds"):
        result.why("P(1, 4)")


@pytest.mark.slow
@POLICIES
def test_negations_and_totals(policy):
    denied = f'@on_violation("{policy}")'
    _, (proof,) = proofs(f'{denied} [no] A(X), not B(X) -> false "no B".', {"A": [(1,), (2,)], "B": [(1,)]})
    assert "└─ nothing like B(2) was found" in str(proof)
    own = {"Own": [("a", "c", 0.5), ("b", "c", 0.75)]}
    for much in ("S = sum(W), S > 1", "sum(W) > 1"):
        _, (proof,) = proofs(f'{denied} [much] Own(_, _, W), {much} -> false "too much".', own)
        assert "the total of W is 1.25" in str(proof)
        assert 'Own("b", "c", 0.75)  given as input' in str(proof)


def test_on_the_command_line_the_first_have_their_proofs_and_in_json_many():
    program = '@on_violation("ask") [low] P(X, Y), Y < 100 -> false "too low".'
    with tc.reason(program, {"P": [("a", place) for place in range(25)]}) as found:
        lines = list(violation_lines(found.violations, found))
        told = violation_dicts(found)
        plain = list(violation_lines(found.violations))
    assert lines[:3] == [
        "25 violations:",
        '  rule [low]: too low (X = "a", Y = 0); ask',
        '    ├─ P("a", 0)  given as input',
    ]
    assert sum("given as input" in line for line in lines) == 3
    assert lines[-1] == plain[-1] == "  and 5 more; --json shows all"
    assert [len(one["why"]["proof"]["facts"]) for one in told] == [2] * 25
    assert told[3]["why"]["sentences"][0].startswith("Rule [low] is violated: too low, because P")


def test_from_python_and_in_all_forms():
    program = '@on_violation("ask") [low] P(X, Y), Y < 2 -> false "[X] is too low".'
    with tc.reason(program, {"P": [("a", 1), ("b", 3)]}) as found:
        (violation,) = found.violations
        proof = found.why(violation)
    told = json.loads(json.dumps(proof.as_json()))
    violated, given = told["facts"]
    assert (violated["kind"], violated["rule"]["name"], violated["binding"]) == (
        "violated",
        "[low]",
        {"X": "a", "Y": 1},
    )
    assert violated["premises"][0] == {"kind": "fact", "id": given["id"]}
    kinds = {kind["properties"]["kind"]["const"]: kind for kind in SCHEMA["$defs"]["fact"]["oneOf"]}
    assert set(kinds["violated"]["required"]) == set(violated)
    assert "is violated" in proof.as_svg()
    assert "is violated" in proof.as_dot()
