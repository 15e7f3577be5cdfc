"""Aggregates over what is hard to add up or to compare: values of any kind, huge sums, attributes with two values."""

from __future__ import annotations

import pytest
from tests.rules.generated import assert_same

from tacita.errors import ReasoningError
from tacita.rules.reasoner import ReasoningOptions, reason


def given(values, rule):
    """Return what a rule makes of values whose type nobody knows."""
    text = f"P(X), #f(X, Y) -> V(X, Y). {rule}"
    several = dict(enumerate(values))
    result = reason(
        text, {"P": [(i,) for i in several]}, options=ReasoningOptions(functions={"f": lambda x: several[x]})
    )
    return [row[-1] for row in result.facts("Q")]


@pytest.mark.parametrize(
    ("values", "rule", "expected"),
    [
        ([5, 10], "V(_, Y), M = max(Y) -> Q(M).", 10),
        ([9, 10], "V(_, Y), M = mmin(Y) -> Q(M).", 9),
        ([9, -10.5], "V(_, Y), M = min(Y) -> Q(M).", -10.5),
        (["b", "a"], "V(_, Y), M = min(Y) -> Q(M).", "a"),
        ([123456789012345678, 9], "V(_, Y), M = max(Y) -> Q(M).", 123456789012345678),
        ([9, 10], "V(0, A), V(1, B) -> Q(greatest(A, B)).", 10),
        ([9, 10], "V(0, A), V(1, B) -> Q(least(A, B)).", 9),
        (["a", "b"], "V(0, A), V(1, B) -> Q(least(A, B)).", "a"),
        ([5, 10], "V(_, Y), S = sum(Y) -> Q(S).", 15),
        ([-123456789012345678], "V(_, Y) -> Q(Y).", -123456789012345678),
    ],
)
def test_values_of_any_kind(values, rule, expected):
    assert given(values, rule) == [expected]


def test_a_number_and_a_text_have_no_order():
    assert given([9, "a"], "V(0, A), V(1, B) -> Q(least(A, B)).") == []


def test_extremes_of_any_kind_in_a_recursion():
    text = "P(X), #f(X, Y) -> V(X, Y). V(X, Y) -> S(X, Y). E(X, Z), S(X, Y), M = mmin(Y) -> S(Z, M)."
    data = {"P": [(1,), (2,)], "E": [(1, 3), (2, 3), (3, 4)]}
    rows = set(reason(text, data, options=ReasoningOptions(functions={"f": lambda x: {1: 9, 2: 10}[x]})).facts("S"))
    assert rows == {(1, 9), (2, 10), (3, 9), (4, 9)}


def test_what_is_no_number_is_not_left_out_of_a_sum():
    with pytest.raises(ReasoningError, match="no number or unknown in 1 of its matches"):
        given([10, "five"], "V(_, Y), S = sum(Y) -> Q(S).")


def test_a_sum_beyond_64_bits_is_refused_in_plain_words():
    with pytest.raises(ReasoningError, match="a whole number grew beyond 64 bits"):
        reason("A(X, W), S = sum(W) -> Q(S).", {"A": [(i, 2**62) for i in range(3)]})


# -- records -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("more", ["", "T(I, R), E(I, J), F(J, S, V), Q = munion((S, V)) -> T(J, Q)."])
def test_an_attribute_with_two_values_is_refused(more):
    text = f"F(I, S, V), R = munion((S, V)) -> T(I, R). {more}"
    data = {"F": [(1, "c1", 1), (1, "c1", 2), (1, "c2", 1), (2, "c1", 1)], "E": [(2, 2)]}
    with pytest.raises(ReasoningError, match="in 1 of its groups an attribute would have two values") as error:
        reason(text, data)
    assert "c1" not in str(error.value)
    data["F"] = data["F"][1:]
    assert_same(text, data)


@pytest.mark.slow
def test_an_attribute_with_two_values_in_a_recursion_is_refused():
    text = """
    A(I) -> R(I, I). T(I, K, Q), size(Q) > 0 -> R(I, K).
    R(I, J), E(J, K), F(K, S, V), Q = munion((S, V)) -> T(I, K, Q).
    """
    data = {"A": [(1,)], "E": [(1, 2), (2, 3)], "F": [(2, "a", 1), (3, "a", 1), (3, "a", None), (3, "b", 1)]}
    with pytest.raises(ReasoningError, match="in 1 of its groups an attribute would have two values"):
        reason(text, data)
    data["F"].remove((3, "a", None))
    assert_same(text, data)


def test_a_known_and_an_unknown_value_of_one_attribute_are_two():
    with pytest.raises(ReasoningError, match="two values"):
        reason("F(S, V), R = munion((S, V)) -> T(R).", {"F": [("a", 1), ("a", None)]})
