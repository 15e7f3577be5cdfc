"""Where nulls can turn up, wards, and why a chase ends."""

from __future__ import annotations

import pytest

from tacita.rules.logic.checks import affected_positions, termination, wardedness
from tacita.rules.logic.program import Program
from tacita.rules.syntax import parse


def program(text: str) -> Program:
    parsed = parse(text, "program")
    assert not parsed.faults
    return parsed.program


def test_an_affected_position_passes_nulls_on_unless_the_value_is_known() -> None:
    found = affected_positions(
        program(
            """
            a(X) -> exists Z: p(X, Z).
            p(X, Z) -> q(Z).
            p(X, Z), b(Z) -> r(Z).
            p(X, Z), Z is not null -> s(Z).
            p(X, Z), Z > 3 -> t(Z).
            p(X, Z), Z = "a" -> u(Z).
            p(X, Z), Z in {"a", "b"} -> v(Z).
            p(X, Z), Y = Z + 1 -> w(Y).
            p(X, Z), Y = {Z} -> x(Y).
            p(X, Z), Y = munion((X, Z)) -> y(Y).
            p(X, Z), Y = mcount(<Z>) -> z(Y).
            """
        )
    )
    assert found == {("p", 1), ("q", 0), ("x", 0), ("y", 0)}


def test_unknown_values_in_the_data_count_too() -> None:
    text = program("a(X, Y) -> b(Y). b(Y), c(Y) -> d(Y).")
    assert affected_positions(text) == frozenset()
    assert affected_positions(text, [("a", 1)]) == {("a", 1), ("b", 0)}
    assert affected_positions(text, [("a", 1), ("c", 0)]) == {("a", 1), ("b", 0), ("c", 0), ("d", 0)}


def test_an_updated_record_holds_the_new_null_and_the_old_ones() -> None:
    text = program("t(I, V), c(A), V[A] is not null -> exists Z: t(I, V[A := Z]).")
    assert affected_positions(text) == {("t", 1)}
    (rule,) = wardedness(text).rules
    assert rule.dangerous == ("V",) and rule.ward is not None and rule.ward.predicate == "t"


def test_wards() -> None:
    text = program(
        """
        [1] a(X) -> exists Z: p(X, Z), k(Z, X).
        [2] p(X, Z), a(X) -> q(Z, X).
        [3] p(X, Z), k(Z, Y) -> q(Z, Y).
        [4] p(X, Z), k(Z, Y) -> c(X, Y).
        """
    )
    report = wardedness(text)
    assert [(rule.rule.label, rule.is_warded) for rule in report.rules] == [("2", True), ("3", False)]
    assert report.rules[0].ward is not None and report.rules[0].ward.predicate == "p"
    assert "joins 'p' with 'k'" in report.rules[1].problem
    assert not report.is_warded


@pytest.mark.parametrize(
    ("text", "ending"),
    [
        ("a(X) -> b(X). b(X) -> a(X).", "weakly acyclic"),
        ("e(E, D) -> exists M: d(D, M). d(D, M) -> e(M, D).", "weakly acyclic"),
        ("a(X) -> exists Z: p(X, Z). p(X, Z), Z is not null -> a(Z).", "weakly acyclic"),
        ("a(X) -> exists Z: p(X, Z), a(Z).", "warded"),
        ("t(I, V), c(A), V[A] is not null -> exists Z: t(I, V[A := Z]).", "warded"),
        ("p(X, Z), p(Z, Y) -> exists U: p(Y, U), p(U, X).", "unknown"),
        ("p(X, Z, S), p(Z, Y, S), size(S) < 3 -> exists U: p(Y, U, S), p(U, X, S).", "unknown"),
        ("p(X, Z), p(Z, Y), not p(Y, X) -> exists U: p(Y, U), p(U, X).", "guarded"),
        ("p(X, Z), p(Z, Y), X > 3 -> exists U: p(Y, U), p(U, X).", "unknown"),
        ("p(V, Z), p(Z, Y), size(V) < 3 -> exists U: p(Y, U), p(U, {V, U}).", "guarded"),
    ],
)
def test_why_a_chase_ends(text: str, ending: str) -> None:
    report = termination(program(text))
    assert report.ending == ending
    assert bool(report.cycle) == (ending != "weakly acyclic")
    if report.cycle:
        assert report.cycle[0].is_new
        assert report.cycle[-1].target == report.cycle[0].source
