"""Functions of the caller's behind external predicates: what they may be asked, and what they may answer."""

from __future__ import annotations

import math
import traceback

import pytest

from tacita.errors import InputError, ReasoningError, RuleError
from tacita.rules.passes.externals import Batch
from tacita.rules.reasoner import ReasoningOptions, reason

SECRET = "secretvalue"


def as_number(x: int) -> float:
    return f"{SECRET}{x}"  # type: ignore[return-value]


def refused(function, program="P(X), #f(X, Y) -> Q(X, Y).", error=InputError):
    with pytest.raises(error) as raised:
        reason(program, {"P": [(1,), (2,)]}, options=ReasoningOptions(functions={"f": function}))
    assert raised.value.__context__ is None
    assert SECRET not in "".join(traceback.format_exception(raised.value))
    return str(raised.value)


def test_a_text_is_not_taken_for_the_number_that_was_promised():
    said = refused(as_number)
    assert "answers of the function behind #f: value 2 of answer 1 is of type text and cannot be read as number" in said


@pytest.mark.parametrize("answer", [math.nan, (None,), (math.nan,)])
def test_an_answer_without_a_value_is_refused(answer):
    assert "value 2 of answer 1 has no value" in refused(lambda x: answer)


def test_none_says_that_there_is_no_such_fact():
    result = reason(
        "P(X), #f(X, Y) -> Q(X, Y).",
        {"P": [(1,), (2,)]},
        options=ReasoningOptions(functions={"f": lambda x: x if x > 1 else None}),
    )
    assert result.facts("Q") == [(2, 2)]


@pytest.mark.parametrize("answer", [[1, 2], {1, 2}, {"a": 1}, b"a"])
def test_an_answer_of_another_kind_is_refused_and_not_written_as_text(answer):
    assert f"value 2 of answer 1 is a {type(answer).__name__}" in refused(lambda x: answer)
    said = refused(Batch(lambda asked: [(*inputs, answer) for inputs in asked], 1, (str,)))
    assert f"value 2 of answer 1 is a {type(answer).__name__}" in said


@pytest.mark.parametrize(
    ("program", "kind"),
    [
        ("P(X), S = munion(X), #f(S, Y) -> Q(Y).", None),
        ("P(X), S = munion(X) -> R(S). R(S), #f(S, Y) -> Q(Y).", "set of integer"),
        ('P(X) -> R({("a", X)}). R(S), #f(S, Y) -> Q(Y).', "record"),
    ],
)
def test_a_function_is_asked_about_single_values_only(program, kind):
    if kind is None:  # what an aggregate computes is not there yet when the function is asked
        assert "S has no value when the function behind #f is asked" in refused(lambda s: 1, program, RuleError)
    else:
        said = refused(lambda s: 1, program, ReasoningError)
        assert f"argument 1 of #f is a {kind}: functions take single values" in said


def test_a_negated_function_is_asked_too():
    result = reason(
        "P(X), not #f(X, _) -> Q(X).",
        {"P": [(1,), (2,)]},
        options=ReasoningOptions(functions={"f": lambda x: x if x > 1 else None}),
    )
    assert result.facts("Q") == [(1,)]
