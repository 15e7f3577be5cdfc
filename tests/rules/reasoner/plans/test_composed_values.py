"""Sets, lists, pairs and records: written in rules, asked for their parts, and refused where they do not fit."""

from __future__ import annotations

import pytest
from tests.rules.generated import assert_same

from tacita.errors import RuleError
from tacita.rules.reasoner import reason

WRITTEN = [
    'P({("a", 1)}). P(S), Y = S["a"] -> R(Y).',
    'P({("a", 1), ("b", 2)}). P(S), Y = S["b"] -> R(Y).',
    'P({("a", 1)}). P(S), "a" in S -> R(1).',
    'P({("a", 1)}). P(S), K in S -> R(K).',
    'P({("a", 1)}). P(S), T = S["a" := 3] -> R(T).',
    'P({("a", 1)}). P(S), T = S union {("b", 2)} -> R(T).',
    'P({("a", 1)}). P(S), T = S union {("a", 2)} -> R(T).',
    'P({("a", 1)}). P(S), T = S union {("a", 1)} -> R(T).',
    'P({("a", 1)}). P(S), T = keys(S), N = size(S) -> R(T, N).',
    'A("x", 1). A(K, V), S = munion((K, V)) -> P(S). P(S), S = {("x", 1)} -> R(S).',
    'A("x", 1). A("y", 2). A(K, V), A(L, W), K < L, S = {(K, V), (L, W)}, Y = S["x"] -> R(Y).',
    'A("x", 1). A(K, V) -> exists Z: B(K, Z). B(K, Z), S = {(K, Z), ("b", 2)}, S["x"] is null, Y = S["b"] -> R(Y).',
    'P({("a", 1), ("a", 2)}). P(S), N = size(S) -> R(N).',
    'P({("a", 1)}). P({("b", 1)}). P(S), T = S minus {("a", 1)}, T != {} -> R(S).',
    'P({("a", 1)}). P({("b", 1)}). P(S), T = S intersect {("a", 1)}, T = {} -> R(S).',
    'P({("a", 1)}). P(S), T = {} union S -> R(T).',
    'P({("a", 1)}). P(S), {} subset of S -> R(S).',
    "P({1}). P({}). P(S), S != {} -> R(S).",
    "P({(1, 2)}). P(S), N = size(S), (1, 2) in S -> R(N).",
    "P({(1, 2), (3, 4)}). P(S), X in S, Y = second(X) -> R(Y).",
    'A(1). A(X) -> exists S: L(S). L(S), N = S + S, N in {"a"} -> R(S).',
    'A(1). A(X) -> exists S: L(S). L(S), N = S + "x" -> R(N). R("y").',
    "A(1). A(X) -> exists S: L(S). L(S), N = S + 1, N > 2 -> R(N).",
    "P(7.5). P(8.0). P(X), Y = mod(X, 3) -> R(Y).",
    "P(-7). P(9007199254740993). P(X), Y = floor(X), Z = ceil(X) -> R(Y, Z).",
]


@pytest.mark.slow
@pytest.mark.parametrize("rules", WRITTEN)
def test_what_is_written_means_the_same_to_the_oracle(rules: str) -> None:
    assert_same(f'{rules}\n@output("R").', {})


REFUSED = {
    'P("abc"). P(X), "a" in X -> R(X).': "'in' needs a set, a list or a record, and gets text",
    'P("abc"). P(X), Y in X -> R(Y).': "'in' needs a set, a list or a record, and gets text",
    'P("abc"). Q(1). P(X), not (Q(Y), Y in X) -> R(X).': "'in' needs a set, a list or a record, and gets text",
    'P("abc"). P(X), 1 in {"a"} -> R(X).': "integer is looked for in a set of text",
    'P("abc"). P(X), S = {("a", X)}, 1 in S -> R(X).': "the members of a record are its attributes",
    'P("abc"). P(X), Y = X["a"] -> R(Y).': "'[...]' needs a record, and gets text",
    "P([1, 2]). P(X), Y = X[1] -> R(Y).": "'[...]' needs a record, and gets list of integer",
    'P({("a", 1)}). P(X), Y = X[1] -> R(Y).': "an attribute is a text, and gets integer",
    "P(1). P(X), Y = X union {1} -> R(Y).": "'union' needs sets, and gets integer",
    'P({1}). P(X), Y = X union {"a"} -> R(Y).': "'union' of set of integer and set of text",
    "P(1). P(X), X subset of {1} -> R(X).": "'subset of' needs sets, and gets integer",
    "P(1). P(X), X ~ X -> R(X).": "'~' compares texts, and gets integer",
    'P("a"). P(X), Y = size(X) -> R(Y).': "size takes a set, list or record, and gets text",
    'P("a"). P(X), Y = first(X) -> R(Y).': "first takes a pair, and gets text",
    'P("a"). P(X), C = sum(X) -> R(C).': "sum takes numbers, and gets text",
    "P({1}). P(X), C = max(X) -> R(C).": "max of set of integer: there is no order among them",
    "P({1}). P(X), X < {2} -> R(X).": "'<' of set of integer: there is no order among them",
}


@pytest.mark.parametrize("rules", REFUSED)
def test_what_does_not_fit_is_told_with_its_place(rules: str) -> None:
    with pytest.raises(RuleError) as caught:
        reason(f'{rules}\n@output("R").')
    fault = caught.value.faults[0]
    assert fault.code in {"R412", "R413"}
    assert REFUSED[rules] in fault.message
    assert fault.origin.column > 1
