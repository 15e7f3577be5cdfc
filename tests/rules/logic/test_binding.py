"""The order in which the items of a body are used."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.rules.logic.binding import (
    Absent,
    Assign,
    Enumerate,
    Match,
    Schedule,
    Test,
    existentials,
    flattened,
    frontier,
    head_group,
    scheduled,
)
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Atom, Pack, Variable, variables
from tacita.rules.syntax import parse, text_of


def rule(text: str) -> Rule:
    parsed = parse(text, "rule")
    assert not parsed.faults
    (only,) = parsed.program.rules
    return only


def steps(schedule: Schedule) -> list[str]:
    return [type(step).__name__ for step in schedule.before] + [f"{type(s).__name__} after" for s in schedule.after]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("W > 1, p(X, W)", ["Match", "Test"]),
        ("p(X), X > 1, q(X)", ["Match", "Test", "Match"]),
        ("Y = X + 1, p(X)", ["Match", "Assign"]),
        ("X + 1 = Y, p(X)", ["Match", "Assign"]),
        ("X = Y, p(X), q(Y)", ["Match", "Match", "Test"]),
        ("Z = Y * 2, Y = X + 1, p(X)", ["Match", "Assign", "Assign"]),
        ("Y = X, Y = 3, p(X)", ["Assign", "Match", "Test"]),
        ('C in {"a", "b"}, p(X)', ["Match", "Enumerate"]),
        ('C in {"a", "b"}, p(C)', ["Match", "Test"]),
        ("C in S, C = 3, p(S)", ["Assign", "Match", "Test"]),
        ("C in S, S = {X}, p(X)", ["Match", "Assign", "Enumerate"]),
        ("p(X), not q(X, Z)", ["Match", "Absent"]),
        ("not q(X, Y), p(X), Y = X + 1", ["Match", "Assign", "Absent"]),
        ("p(X + 1, X)", ["Match", "Test"]),
        ("p(V, A), IsA(V[A], X)", ["Match", "Match", "Test"]),
        ("p(X, W), S = msum(W, <X>), S > 1", ["Match", "Assign after", "Test after"]),
        ("S > 1, p(X, W), S = msum(W, <X>), X > 2", ["Match", "Test", "Assign after", "Test after"]),
        ("p(X, W), msum(W) > 1", ["Match", "Test after"]),
        ("p(X), N = mcount(<X>), N = 1", ["Match", "Assign after", "Test after"]),
        ("p(X), N = mcount(<X>), M = N, not q(M)", ["Match", "Assign after", "Assign after", "Absent after"]),
        ("p(X, N), N = mcount(<X>)", ["Match", "Test after"]),
        ("p(A), S = munion(A), B in S", ["Match", "Assign after", "Enumerate after"]),
    ],
)
def test_items_are_used_as_soon_as_they_can(body: str, expected: list[str]) -> None:
    schedule = scheduled(rule(f"{body} -> head(1).").body)
    assert steps(schedule) == expected
    assert schedule.unbound == ()


@pytest.mark.parametrize(
    ("body", "missing"),
    [
        ("p(X), Y > 1", ["Y"]),
        ("p(X), Y = Z + 1", ["Z"]),
        ("p(X), Z = Y + 1, Y = W", ["W", "Y"]),
        ("p(X), Y = Z + 1, Z = Y - 1", ["Y", "Z"]),
        ("p(Y + 1)", ["Y"]),
        ("p(X), msum(W) > 1", ["W"]),
        ("p(X), not (q(X), Y > 1)", ["Y"]),
        ("p(X), not (q(X), not r(Y, X), Y > 1)", ["Y"]),
        ("p(X), Y not in S", ["S", "Y"]),
        ("p(X), Y in S", ["S"]),
        ("p(X), X in X + Y", ["Y"]),
    ],
)
def test_what_has_no_value_is_named(body: str, missing: list[str]) -> None:
    schedule = scheduled(rule(f"{body} -> head(1).").body)
    assert sorted({unbound.variable.name for unbound in schedule.unbound}) == missing


def test_a_negation_knows_what_it_shares() -> None:
    schedule = scheduled(rule("p(X), not (q(X, Z), Z > Y), Y = X + 1 -> h(X).").body)
    (absent,) = (step for step in schedule.steps if isinstance(step, Absent))
    assert sorted(absent.shared) == ["X", "Y"]
    assert steps(absent.inside) == ["Match", "Test"]
    assert absent.inside.unbound == ()


def test_variables_that_are_bound_already_are_only_tested() -> None:
    body = rule("X = 1, Y in S -> h(X).").body
    assert steps(scheduled(body, ["X", "Y", "S"])) == ["Test", "Test"]


def test_complex_arguments_become_equalities_with_names_of_their_own() -> None:
    (atom,) = rule("p(X + 1, _t1, {X}, *V[S]) -> h(1).").body
    assert isinstance(atom, Atom)
    flat, equalities = flattened(atom)
    assert [type(argument).__name__ for argument in flat.arguments] == ["Variable", "Variable", "Variable", "Pack"]
    assert [v.name for v in variables(flat)].count("_t1") == 1
    assert [text_of(equality) for equality in equalities] == ["_t2 = X + 1", "_t3 = {X}", "_t4 = V[S]"]
    assert flattened(flat) == (flat, ())


def test_a_record_that_is_unpacked_in_a_body_is_looked_up_as_it_is() -> None:
    (atom,) = rule("p(X, *Q) -> h(1).").body
    assert isinstance(atom, Atom)
    flat, equalities = flattened(atom)
    assert flat.arguments[1] == Pack(Variable("Q")) and not equalities


def test_two_atoms_get_different_new_names() -> None:
    schedule = scheduled(rule("p(X), q(X + 1), q(X + 2) -> h(1).").body)
    names = [step.atom.arguments[0] for step in schedule.steps if isinstance(step, Match)]
    assert len(set(names)) == 3


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("p(X, Y, W), S = msum(W, <Y>) -> h(X, S).", ["X"]),
        ("p(X, Y, W), S = msum(W, <Y>), R = 1 / S -> h(X, R), k(Y, 1).", ["X", "Y"]),
        ("p(X, V), N = mcount(<X>) -> h(N, *V[S]).", ["V[S]"]),
        ("p(X, W), N = mcount(<X>) -> h(N).", []),
        ("p(X, W) -> h(W, mcount(<X>)).", ["W"]),
        ("p(X, W), N = mcount(<X>) -> exists Z: h(N, W, Z, (X, Z)).", ["W", "X"]),
    ],
)
def test_the_group_is_what_depends_on_no_aggregate(text: str, group: list[str]) -> None:
    # S is free where it does not matter.
    found = head_group(rule(text.replace("V[S]", 'V[{"a"}]')))
    assert [text_of(term) for term in found] == [term.replace("V[S]", 'V[{"a"}]') for term in group]


def test_frontier_and_existentials() -> None:
    one = rule("p(X, Y), Z = X + 1, not q(U) -> exists V: h(Z, V, X), k(W).")
    assert {v.name for v in frontier(one)} == {"Z", "X"}
    assert {v.name for v in existentials(one)} == {"V", "W"}


def test_a_long_body_is_quick() -> None:
    items = ", ".join(f"X{i + 1} = X{i} + 1" for i in reversed(range(3000)))
    schedule = scheduled(rule(f"{items}, p(X0) -> h(X3000).").body)
    assert len(schedule.steps) == 3001 and not schedule.unbound


@given(st.randoms(use_true_random=False))
def test_the_order_in_which_items_are_written_does_not_matter(shuffler: random.Random) -> None:
    text = "p(X, W), q(Y, X + 1), Z = Y * 2, Z > 3, C in {1, Z}, not r(C, D), S = msum(W, <Y>), S > Z, T = S / 2, T < 9"
    items = list(rule(f"{text} -> h(C, T).").body)
    expected = scheduled(items)
    shuffler.shuffle(items)
    schedule = scheduled(items)
    assert schedule.unbound == ()
    assert (schedule.bound, schedule.aggregated) == (expected.bound, expected.aggregated)
    assert sorted(steps(schedule)) == sorted(steps(expected))
    _assert_usable(schedule)


def _assert_usable(schedule: Schedule) -> None:
    known: set[str] = set()
    for step in schedule.steps:
        match step:
            case Match(atom):
                known |= {v.name for v in variables(atom)}
            case Assign(variable, term) | Enumerate(variable, term):
                assert {v.name for v in variables(term)} <= known and variable.name not in known
                known.add(variable.name)
            case Test(condition):
                assert {v.name for v in variables(condition)} <= known
            case Absent(_, _, shared):
                assert set(shared) <= known
