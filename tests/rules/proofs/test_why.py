"""Why a fact holds: rules, aggregates, negation, functions, and what a question may look like."""

from __future__ import annotations

import datetime

import pytest
from tests.rules.proofs.verifier import check

from tacita.errors import UsageError
from tacita.rules.proofs.tree import (
    Computed,
    Computes,
    Derived,
    Gathers,
    GivenFact,
    GroundFact,
    Holds,
    Misses,
    Open,
    used,
)
from tacita.rules.reasoner import ReasoningOptions, reason

CONTROL = """
[1] Own(X, Y, W), W > 0.5 -> Control(X, Y).
[2] Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
"""
REFLEXIVE = """
[1] Own(X, _, _) -> Control(X, X).
[2] Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
"""


def fact(predicate, *values):
    return GroundFact(predicate, values)


def proved(result, question, **options):
    proof = result.why(question, limit=None, most=None, **options)
    check(result, proof)
    return proof


# -- company control ---------------------------------------------------------------------------------------------------


def test_control_through_a_subsidiary_lists_all_contributors():
    own = [("a", "b", 0.6), ("a", "c", 0.3), ("b", "c", 0.25)]
    result = reason(REFLEXIVE, {"Own": own})
    proof = proved(result, 'Control("a", "c")')
    step = proof.steps[proof.goal]
    assert isinstance(step, Derived)
    assert (step.rule.name, step.binding) == ("[2]", (("X", "a"), ("Y", "c")))
    gathers, holds = step.premises
    assert isinstance(gathers, Gathers) and isinstance(holds, Holds)
    assert (gathers.value, gathers.number) == (0.55, 2)
    assert [(c.names, c.value) for c in gathers.contributors] == [((("Z", "a"),), 0.3), ((("Z", "b"),), 0.25)]
    assert list(used(gathers.contributors[1].premises)) == [fact("Control", "a", "b"), fact("Own", "b", "c", 0.25)]
    assert (holds.operator, holds.values) == (">", (0.55, 0.5))
    assert proof.steps[fact("Own", "b", "c", 0.25)] == GivenFact(fact("Own", "b", "c", 0.25), "input")


def test_control_as_printed_ignores_the_direct_share():
    own = [("a", "b", 0.6), ("a", "c", 0.3), ("b", "c", 0.25)]
    result = reason(CONTROL, {"Own": own})
    assert result.facts("Control") == [("a", "b")]
    proof = proved(result, 'Control("a", "b")')
    assert [type(s).__name__ for s in proof.steps.values()] == ["Derived", "GivenFact"]
    assert proof.steps[proof.goal].rule.name == "[1]"


@pytest.mark.slow
def test_only_contributors_of_earlier_rounds_are_named():
    # e is controlled as soon as b and c are; d joins the contributors a round later.
    own = [("a", "b", 0.6), ("a", "c", 0.6), ("c", "d", 0.6), ("b", "e", 0.3), ("c", "e", 0.3), ("d", "e", 0.4)]
    result = reason(CONTROL, {"Own": own})
    proof = proved(result, 'Control("a", "e")')
    gathers = proof.steps[proof.goal].premises[0]
    assert [dict(c.names)["Z"] for c in gathers.contributors] == ["b", "c"]
    assert gathers.value == 0.6


# -- recursion, cycles -------------------------------------------------------------------------------------------------


def test_a_proof_in_a_circle_of_edges_ends():
    result = reason(
        "[1] E(X, Y) -> P(X, Y). [2] P(X, Y), E(Y, Z) -> P(X, Z).", {"E": [(i, (i + 1) % 5) for i in range(5)]}
    )
    proof = proved(result, "P(2, 2)")
    assert sum(isinstance(s, Derived) for s in proof.steps.values()) == 5
    assert proof.depth == 5


def test_the_shortest_way_is_taken():
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    result = reason("E(X, Y) -> P(X, Y). P(X, Y), P(Y, Z) -> P(X, Z).", {"E": edges})
    assert proved(result, "P(0, 3)").steps.keys() == {fact("P", 0, 3), fact("E", 0, 3)}


def test_levels_beyond_the_limit_are_left_open():
    result = reason("E(X, Y) -> P(X, Y). P(X, Y), E(Y, Z) -> P(X, Z).", {"E": [(i, i + 1) for i in range(6)]})
    proof = result.why("P(0, 6)", limit=2)
    assert proof.steps[fact("P", 0, 4)] == Open(fact("P", 0, 4), 4)
    assert not proof.is_complete
    assert "P(0, 4)  not followed further" in proof.as_text()
    few = result.why("P(0, 6)", most=3)
    assert sum(not isinstance(s, Open) for s in few.steps.values()) <= 4
    assert result.why("P(0, 6)", limit=None).is_complete


# -- negation, functions, assignments ----------------------------------------------------------------------------------


def test_negation_says_what_was_looked_for():
    result = reason(
        "[1] N(X), not E(X, _) -> Sink(X). [2] N(X), not (E(X, Y), N(Y), Y > X) -> Top(X).",
        {"N": [(1,), (2,), (3,)], "E": [(1, 2), (1, 3), (3, 1)]},
    )
    proof = proved(result, "Sink(2)")
    assert proof.steps[proof.goal].premises[1] == Misses("not E(X, _)", "E(2, _)")
    proof = proved(result, "Top(3)")
    assert proof.steps[proof.goal].premises[1].looked_for == "E(3, Y), N(Y), Y > 3"


def test_conditions_and_assignments_carry_their_values():
    result = reason("[1] A(X), Y = X * 2, Y >= 4, X in {2, 3} -> B(Y).", {"A": [(1,), (2,)]})
    proof = proved(result, "B(_)")
    premises = proof.steps[proof.goal].premises
    assert Computes("Y", "X * 2", 4) in premises
    assert ("Y >= 4", (4, 4)) in [(p.written, p.values) for p in premises if isinstance(p, Holds)]


def test_a_function_of_the_caller_is_named():
    def risk(identifier: int) -> float:
        return identifier / 10

    result = reason(
        "[1] T(I), #risk(I, R), R > 0.15 -> Risky(I).",
        {"T": [(1,), (2,)]},
        options=ReasoningOptions(functions={"risk": risk}),
    )
    proof = result.why("Risky(2)")
    assert isinstance(proof.steps[fact("riskOutput", 2, 0.2)], Computed)
    assert "riskOutput(2, 0.2)  computed by #risk" in proof.as_text()
    assert proof.is_complete


# -- aggregates --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("aggregate", "value", "first"),
    [
        ("sum(W, <Y>)", 1.75, 1.0),
        ("min(W)", 0.25, 0.25),
        ("max(W)", 1.0, 1.0),
        ("avg(W, <Y>)", 1.75 / 3, 1.0),
        ("prod(W, <Y>)", 0.125, 0.25),
        ("collect(W)", frozenset({0.25, 0.5, 1.0}), 0.25),
    ],
)
def test_final_aggregates_list_the_weightiest_contributors_first(aggregate, value, first):
    rows = [("a", "x", 0.25), ("a", "y", 0.5), ("a", "z", 1.0), ("b", "x", 9.0)]
    result = reason(f"[1] W(X, Y, W), V = {aggregate} -> S(X, V).", {"W": rows})
    gathers = proved(result, 'S("a", _)').steps[fact("S", "a", value)].premises[0]
    assert (gathers.value, gathers.number, gathers.contributors[0].value) == (value, 3, first)


def test_of_one_contributor_only_the_extreme_value_counts():
    rows = [("a", "x", 0.25), ("a", "x", 0.5), ("a", "y", 1.0)]
    result = reason("W(X, Y, W), V = sum(W, <Y>) -> S(X, V).", {"W": rows})
    gathers = proved(result, 'S("a", _)').steps[fact("S", "a", 1.5)].premises[0]
    assert [c.value for c in gathers.contributors] == [1.0, 0.5]


def test_large_groups_show_some_contributors_and_say_how_many_more():
    result = reason("A(X), N = mcount(<X>) -> Size(N).", {"A": [(i,) for i in range(1000)]})
    proof = result.why("Size(_)")
    gathers = proof.steps[proof.goal].premises[0]
    assert (len(gathers.contributors), gathers.number) == (20, 1000)
    assert "and 980 contributors more" in proof.as_text()
    assert len(result.why("Size(_)", contributors=50).steps[proof.goal].premises[0].contributors) == 50


def test_a_condition_on_a_variable_outside_the_head_picks_the_group():
    result = reason("[1] W(X, K, V), S = sum(V), S > K -> Over(X).", {"W": [("a", 10, 3), ("a", 2, 3), ("a", 2, 4)]})
    gathers = proved(result, 'Over("a")').steps[fact("Over", "a")].premises[0]
    assert gathers.value == 7


# -- questions ---------------------------------------------------------------------------------------------------------


def test_variables_and_blanks_stand_for_anything_and_the_first_fact_is_proved():
    result = reason("E(X, Y) -> P(X, Y).", {"E": [(3, 3), (1, 2), (2, 2)]})
    assert result.why("P(X, Y)").goal == fact("P", 1, 2)
    assert result.why("P(X, X)").goal == fact("P", 2, 2)
    assert result.why("P(_, 3).").goal == fact("P", 3, 3)


def test_facts_of_the_program_say_their_line():
    result = reason('E(1, "x").\nE(2, "y").\nD(date("2026-01-31")).\nE(X, Y) -> P(X).\nD(X) -> Q(X).')
    assert result.why("P(2)").steps[fact("E", 2, "y")].where == "program:2:1"
    day = fact("D", datetime.date(2026, 1, 31))
    assert result.why('Q(date("2026-01-31"))').steps[day].where == "program:3:1"


@pytest.mark.parametrize(
    ("question", "message"),
    [
        ("Contrl(1)", "no predicate 'Contrl' in the result; did you mean 'Control'?"),
        ("Control(1, 2, 3)", "Control has 2 arguments, not 3"),
        ("Control(1", "this is not one fact"),
        ("A(1), B(2)", "this is not one fact"),
        ("", "this is not one fact"),
        ("Control(7, 8)", "no such fact of Control holds\n  what to do: ask why not"),
    ],
)
def test_a_question_that_makes_no_sense_is_refused_with_help(question, message):
    result = reason("E(X, Y) -> Control(X, Y).", {"E": [(1, 2)]})
    with pytest.raises(UsageError) as raised:
        result.why(question)
    assert message in str(raised.value)


def test_values_are_never_read_as_anything_else():
    nasty = ["it's; DROP TABLE r0; --\"", "a\\b\nc", "日本語 ⊥1", "\x1b[2J"]
    result = reason("'Größe %'(X, Y) -> 'select'(Y, X).", {"Größe %": [(i, t) for i, t in enumerate(nasty)]})
    for number, text in enumerate(nasty):
        proof = proved(result, f"'select'(_, {number})")
        assert proof.goal == fact("select", text, number)
        assert "\x1b" not in proof.as_text() + proof.as_sentences() + proof.as_svg() + proof.as_dot()
        again = result.why(str(proof.goal)) if text.isprintable() else proof
        assert again.goal == proof.goal
