"""Why a fact does not hold: the nearest rule, the first condition that failed, and with which values."""

from __future__ import annotations

import json

import pytest

from tacita.errors import UsageError
from tacita.rules.proofs.tree import Uses
from tacita.rules.reasoner import reason

CONTROL = """
[1] Own(X, Y, W), W > 0.5 -> Control(X, Y).
[2] Control(X, Z), Own(Z, Y, W), msum(W, <Z>) > 0.5 -> Control(X, Y).
"""
OWN = [("a", "b", 0.6), ("a", "e", 0.2), ("b", "d", 0.25), ("c", "d", 0.3), ("a", "c", 0.7), ("b", "f", 0.45)]
GRAPH = """
[1] N(X), not E(X, _) -> Sink(X).
[2] N(X), E(X, Y), D = mcount(<Y>) -> Degree(X, D).
[3] N(X), not (E(X, Y), N(Y), Y > X) -> Top(X).
[4] N(X), Y = X / (X - 2), Y > 10 -> Q(X, Y).
[5] N(X) -> R(X, X + 1).
[6] N(X) -> exists Z: U(X, Z).
[7] N(X) -> Fixed(X, "yes").
[8] N(X), Y in {1, 5} -> M(X, Y).
[9] N(X) -> Twice(X, X).
"""


@pytest.fixture(scope="module")
def control():
    return reason(CONTROL, {"Own": OWN})


@pytest.fixture(scope="module")
def graph():
    return reason(GRAPH, {"N": [(1,), (2,), (3,)], "E": [(1, 2), (1, 3), (3, 1)]})


def test_a_total_that_is_too_small(control):
    answer = control.why_not('Control("a", "f")')
    nearest = answer.nearest
    assert (answer.verdict, nearest.rule.name, nearest.kind) == ("underived", "[2]", "condition")
    assert nearest.words == "the total of W is 0.45, which is not more than 0.5"
    (gathers,) = nearest.gathers
    assert [(c.names, c.value) for c in gathers.contributors] == [((("Z", "b"),), 0.45)]
    assert (nearest.satisfied, nearest.steps) == (2, 3)
    text = str(answer)
    assert "└─ ✗ the total of W is 0.45, which is not more than 0.5  [msum(W, <Z>) > 0.5]" in text
    assert 'rule [1] stops at Own(X, Y, W): there is no Own("a", "f", _)' in text


def test_of_many_matches_the_one_that_misses_by_the_least():
    result = reason("[1] V(X, W), W > 10 -> Big(X).", {"V": [("a", 1), ("a", 9), ("a", 4)]})
    nearest = result.why_not('Big("a")').nearest
    assert nearest.holds.values == (9, 10)
    assert nearest.number == 3
    assert "9 is not more than 10  [W > 10], the closest of 3 matches" in str(result.why_not('Big("a")'))


def test_a_missing_premise(control):
    nearest = control.why_not('Control("z", "b")').nearest
    assert (nearest.kind, nearest.satisfied, nearest.words) == ("fact", 0, 'there is no Own("z", "b", _)')


def test_a_premise_is_looked_for_with_what_the_match_so_far_found(control):
    answer = control.why_not('Control("a", "q")')
    assert answer.nearest.words.startswith('there is no Own("b", "q", _)')
    assert answer.nearest.satisfied == 1


@pytest.mark.parametrize(
    ("question", "kind", "words"),
    [
        ("Sink(1)", "negation", "E(1, 2) was found, and should not be there"),
        ("Top(1)", "negation", "E(1, 2) and N(2) were found together"),
        ("Degree(1, 3)", "head", "there are 2 contributors, not 3"),
        ("Degree(2, _)", "fact", "there is no E(2, _)"),
        ("Q(2, _)", "assignment", "X / (X - 2) has no value"),
        ("Q(3, _)", "condition", "3 is not more than 10"),
        ("R(1, 3)", "head", "X + 1 is 2, not 3"),
        ("U(1, 5)", "head", "the rule makes an unknown value for argument 2, never 5"),
        ("U(9, _)", "fact", "there is no N(9)"),
        ('Fixed(1, "no")', "head", 'the rule gives "yes" as argument 2, not "no"'),
        ("Twice(1, 2)", "head", "the rule gives facts with the same value as arguments 1 and 2"),
        ("M(1, 2)", "head", "Y is 1, from a member of {1, 5}, not 2"),
        ("U(1, ⊥99)", "head", "the rule applies, and makes another unknown value"),
    ],
)
def test_what_fails_first(graph, question, kind, words):
    nearest = graph.why_not(question).nearest
    assert (nearest.kind, nearest.words) == (kind, words)


@pytest.mark.parametrize(
    ("rule", "question", "words", "found"),
    [
        ("A(X), Y = X * 2 -> P(X, Y)", "P(2, 2)", "Y is 4, from X * 2, not 2", ["A(2)"]),
        ("A(X), Y = X * 2 -> P(X, Y)", "P(2, 5)", "Y is 4, from X * 2, not 5", ["A(2)"]),
        ("A(X), Y = X * 2 -> P(X, Y)", "P(_, 5)", "Y is 4, from X * 2, not 5", ["A(2)"]),
        (
            "A(X), Y = case X > 1 then 10 else 20 -> P(X, Y)",
            "P(2, 20)",
            "Y is 10, from case X > 1 then 10 else 20, not 20",
            ["A(2)"],
        ),
        ("A(X), B(X, Z), Y = Z * 2 -> P(X, Y)", "P(2, 10)", "Y is 12, from Z * 2, not 10", ["A(2)", "B(2, 6)"]),
        ("A(X), B(X, Z), Y = Z * 2 -> P(X, Y)", "P(2, 15)", "Y is 16, from Z * 2, not 15", ["A(2)", "B(2, 8)"]),
        ("A(X), Y = X + 1, Y in {1, 2} -> P(X, Y)", "P(3, 4)", "4 is not in 1, 2", ["A(3)"]),
        ("A(X), Y in {1, 5} -> P(X, Y)", "P(1, 4)", "Y is 5, from a member of {1, 5}, not 4", ["A(1)"]),
        ("A(X), X < 2 -> P(X + 1)", "P(4)", "3 is not less than 2", ["A(3)"]),
        ("A(X), X < 3 -> P(X + 1)", "P(10)", "X + 1 is 3, not 10", ["A(2)"]),
        ("B(X, Y) -> P(X + Y, X * Y)", "P(8, 5)", "X * Y is 12, not 5", ["B(2, 6)"]),
    ],
)
def test_what_is_computed_is_of_the_match_that_agrees_with_the_rest_of_the_fact(rule, question, words, found):
    result = reason(f"[1] {rule}.", {"A": [(1,), (2,), (3,)], "B": [(1, 5), (2, 6), (2, 8)]})
    nearest = result.why_not(question).nearest
    assert nearest.words == words
    assert [str(p.fact) for p in nearest.premises if isinstance(p, Uses)] == found


@pytest.mark.parametrize(
    ("rule", "question", "words"),
    [
        ("E(X, _, W), M = min(W), N = max(W) -> D(X, M, N)", 'D("a", 5, 7)', "the largest W is 6, not 7"),
        ("E(X, Y, W), S = sum(W) -> D(X, S)", 'D("b", 9)', "the total of W is 10, not 9"),
        ("E(X, Y, W), K = W / W, S = sum(W) -> D(S, K)", "D(20, 1)", "the total of W is 21, not 20"),
        ("E(X, Y, W), S = sum(W), T = S * 2, S + W > 0 -> D(T)", "D(19)", "T is 20, not 19"),
        ("V(X, W), S = sum(W) -> D(X + 1, S)", "D(4, 5)", "the total of W is 4, not 5"),
        ("V(X, W), S = sum(W) -> D(X + 1, S)", "D(9, 2)", "X + 1 is 4, not 9"),
    ],
)
def test_what_is_aggregated_is_of_the_group_that_comes_closest(rule, question, words):
    edges = [("a", "b", 5), ("a", "c", 6), ("b", "c", 10)]
    result = reason(f"[1] {rule}.", {"E": edges, "V": [(1, 2), (3, 4)]})
    assert result.why_not(question).nearest.words == words


def test_a_fact_that_holds_after_all(graph):
    answer = graph.why_not("Degree(1, 2)")
    assert answer.verdict == "holds"
    assert str(answer) == "Degree(1, 2) does hold; ask why"


def test_a_predicate_without_rules(graph):
    answer = graph.why_not("E(1, 4)")
    assert answer.verdict == "given"
    assert [str(f) for f in answer.near] == ["E(1, 2)", "E(1, 3)"]
    assert "there is no rule for E; its facts are given" in str(answer)


def test_several_groups_and_the_one_that_comes_closest():
    result = reason(
        "[1] W(X, K, V), S = sum(V), S > K -> Over(X).", {"W": [("a", 10, 3), ("a", 100, 30), ("a", 10, 4)]}
    )
    nearest = result.why_not('Over("a")').nearest
    assert nearest.words == "the total of V is 7, which is not more than 10"


def test_nulls_in_comparisons_have_no_value():
    result = reason("[1] V(X, W), W > 1 -> Big(X).", {"V": [("a", None), ("b", 2)]})
    assert result.why_not('Big("a")').nearest.kind == "condition"


def test_an_answer_can_be_read_by_programs_and_said_in_a_sentence(control):
    answer = control.why_not('Control("a", "f")')
    told = json.loads(json.dumps(answer.as_json()))
    assert told["verdict"] == "underived"
    assert told["attempts"][0]["words"] == answer.nearest.words
    assert answer.as_sentences() == (
        'Control("a", "f") does not hold. Of 2 rules, the nearest is rule [2], and it fails at msum(W, <Z>) > 0.5: '
        "the total of W is 0.45, which is not more than 0.5."
    )


def test_a_wrong_question_is_refused(control):
    with pytest.raises(UsageError, match="did you mean 'Control'"):
        control.why_not("Controll(1, 2)")


def test_every_fact_that_holds_is_said_to_hold(graph):
    for predicate in graph.predicates:
        for row in graph.facts(predicate):
            text = ", ".join(f'"{v}"' if isinstance(v, str) else str(v) for v in row)
            assert graph.why_not(f"{predicate}({text})").verdict == "holds"
