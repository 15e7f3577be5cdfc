"""Quarantine: what clashes is taken out, and so is what follows from it, whatever the order of the rules."""

from __future__ import annotations

from typing import Any

import pytest
from tests.rules.generated import assert_same

from tacita.errors import ReasoningError
from tacita.rules.reasoner import reason

Q = '@on_violation("quarantine")'
ALL = [
    (f'{Q} Own(X, X) -> false "no". Own(X, _) -> P(X).', {"Own": [("a", "a"), ("b", "c")]}),
    (
        f"E(X, Y) -> P(X, Y). E(X, Y), P(Y, Z) -> P(X, Z). {Q} P(X, Y), P(X, Z), Only(X) -> Y = Z.",
        {"E": [("a", "b"), ("b", "c"), ("c", "d")], "Only": [("b",)]},
    ),
    (
        f'{Q} P(K, 1) -> false "a". {Q} P(K, 3) -> false "b". P(K, _) -> Q(K).',
        {"P": [("a", 1), ("a", 2), ("b", 3)]},
    ),
    (
        f'{Q} P(X, Y), Y < 2 -> false "x". P(X, Y) -> Q(X, Y). P(X, Y), Y > 0 -> S(X, Y).',
        {"P": [("a", 1), ("b", 3), ("c", None)]},
    ),
    (
        f'{Q} Q(X, Y), Y > 1 -> false "x". P(X, Y), Z = Y + 1, Y < 3 -> Q(X, Z). Q(X, Y) -> P(X, Y).',
        {"P": [("a", 0), ("b", 1)]},
    ),
]


@pytest.mark.parametrize(("text", "inputs"), ALL)
def test_what_follows_from_quarantined_facts_goes_with_them(
    text: str, inputs: dict[str, list[tuple[Any, ...]]]
) -> None:
    assert_same(text, inputs)


def test_the_order_of_rules_does_not_count():
    rules = [
        '@on_violation("quarantine") A(X, W), W > 5 -> false "x".',
        '@on_violation("ask") A(X, _), A(Y, _), X < Y -> false "y".',
        "A(X, _) -> B(X).",
    ]
    for text in ("\n".join(rules), "\n".join(rules[::-1])):
        result = reason(text, {"A": [(1, 1), (2, 6), (3, 2)]})
        assert result.facts("B") == [(1,), (3,)]
        assert result.quarantined("A") == [(2, 6)]
        assert sorted(violation.text for violation in result.violations) == ["x", "y"]
        result.close()


def test_only_facts_that_clash_are_taken_out():
    text = '@on_violation("quarantine") Cat(A, C), Cat(A, D), Only(A) -> C = D.'
    result = reason(text, {"Cat": [("a", "x"), ("a", "y"), ("b", "z")], "Only": [("a",)]})
    assert result.facts("Cat") == [("b", "z")]
    assert result.facts("Only") == [("a",)]


def test_a_policy_for_the_whole_program():
    clash = {"Cat": [("a", "x"), ("a", "y")]}
    with pytest.raises(ReasoningError):
        reason('@on_violation("fail"). Cat(A, C), Cat(A, D) -> C = D.', clash)
    asked = reason('@on_violation("ask"). Cat(A, "x") -> false "no x".', clash)
    assert [violation.text for violation in asked.violations] == ["no x"]
    own = reason('@on_violation("fail"). @on_violation("ask") Cat(A, C), Cat(A, D) -> C = D.', clash)
    assert len(own.violations) == 1
