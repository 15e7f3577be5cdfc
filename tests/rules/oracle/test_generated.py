"""Generated programs run in the reference, end, derive something, and mean the same in every order."""

from __future__ import annotations

from random import Random
from types import SimpleNamespace

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from tests.long import examples
from tests.oracles.rules import interpret, same_up_to_nulls
from tests.rules.generated import STRATEGIES, assert_same, derived, interpreted

from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.terms import variables
from tacita.rules.syntax import parse

SMALL = settings(max_examples=examples(6), deadline=None, suppress_health_check=list(HealthCheck))


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", STRATEGIES)
def test_generated_programs_run_and_end(name):
    @SMALL
    @given(STRATEGIES[name])
    def run(case):
        text, inputs = case
        assert set(derived(text)) <= interpreted(text, inputs).facts.keys()

    run()


@pytest.mark.slow
@pytest.mark.parametrize("name", STRATEGIES)
def test_generated_programs_derive_something(name):
    counts = []

    @settings(SMALL, max_examples=20, database=None, derandomize=True, phases=[Phase.generate])
    @given(STRATEGIES[name])
    def run(case):
        text, inputs = case
        facts = interpreted(text, inputs).facts
        counts.append(any(facts[predicate] for predicate in derived(text)))

    run()
    assert sum(counts) >= len(counts) / 3


def shuffled(clauses):
    """Return clauses in another order, but those that invent something in their own: which comes first is visible."""
    inventing = [c for c in clauses if isinstance(c, Rule) and set(variables(*c.head)) - set(variables(*c.body))]
    others = [clause for clause in clauses if clause not in inventing]
    Random(1).shuffle(others)
    return (*others[::2], *inventing, *others[1::2])


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.parametrize("name", STRATEGIES)
def test_the_order_of_clauses_and_rows_does_not_count(name):
    @SMALL
    @given(STRATEGIES[name])
    def run(case):
        text, inputs = case
        program = parse(text).program
        clauses = shuffled(program.clauses)
        turned = {predicate: rows[::-1] for predicate, rows in inputs.items()}
        a, b = interpret(program, inputs), interpret(Program(clauses), turned)
        assert same_up_to_nulls(a.facts, b.facts)
        assert len(a.violations) == len(b.violations)

    run()


# -- the comparison itself ---------------------------------------------------------------------------------------------

TEXT = 'A(X) -> exists Z: P(X, Z, {("a", X)}, {X, 7}, (X, 1.5)).'
INPUTS = {"A": [(1,), (2,)]}


def answering(monkeypatch, rows, violations=()):
    result = SimpleNamespace(facts=lambda name: rows, violations=list(violations))
    monkeypatch.setattr("tacita.rules.reasoner.reason", lambda text, inputs, **_: result, raising=False)


def row(x, number):
    return (x, SimpleNamespace(number=number), {"a": x}, {x, 7}, (x, 1.5))


def test_a_right_answer_is_accepted(monkeypatch):
    answering(monkeypatch, [row(2, 40), row(1, 30)])
    assert_same(TEXT, INPUTS)


@pytest.mark.parametrize(
    "rows",
    [
        [row(1, 30)],
        [row(1, 30), row(2, 30)],
        [row(1, 30), row(2, 40), row(3, 50)],
        [row(1, 30), (*row(2, 40)[:3], [2, 7], (2, 1.5))],
    ],
)
def test_a_wrong_answer_is_found(monkeypatch, rows):
    answering(monkeypatch, rows)
    with pytest.raises(AssertionError, match="expected"):
        assert_same(TEXT, INPUTS)


def test_an_unknown_value_without_a_label_is_found(monkeypatch):
    answering(monkeypatch, [(1, None, {"a": 1}, {1, 7}, (1, 1.5))])
    with pytest.raises(AssertionError, match="without a label"):
        assert_same(TEXT, INPUTS)


def test_a_missing_violation_is_found(monkeypatch):
    answering(monkeypatch, [(1,)])
    with pytest.raises(AssertionError):
        assert_same("A(X) -> P(1). A(X), A(Y) -> X = Y.", INPUTS)
    answering(monkeypatch, [(1,)], ["one"])
    assert_same("A(X) -> P(1). A(X), A(Y) -> X = Y.", INPUTS)
