"""What a program is given besides facts: values of its parameters, and modules."""

from __future__ import annotations

import datetime
import decimal
import math

import pytest

from tacita.errors import RuleError, UsageError
from tacita.rules.reasoner import ReasoningOptions, reason
from tacita.rules.reasoner.similar import JaroWinkler

MODULES = {
    "one": "P(X) -> One(X).",
    "two": '@use("three"). P(X) -> Two(X).',
    "three": "P(X) -> Three(X).",
    "outer": '@bind_module("score", "inner"). riskInput(I), #score(I, S) -> riskOutput(I, S).',
    "inner": "scoreInput(I), S = I * 10 -> scoreOutput(I, S).",
    "other": "scoreInput(I), S = I * 100 -> scoreOutput(I, S).",
}


def find(name):
    return (MODULES[name], f"{name}.vada") if name in MODULES else None


# -- parameters --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (math.inf, "is not a finite number"),
        (math.nan, "is not a finite number"),
        (2**70, "is a whole number of more than 64 bits"),
        (None, "is None"),
        ([1, None], "is None"),
        ({"a": 1}, "is a dict"),
        ("a\ud800", "half a character"),
        (decimal.Decimal("Infinity"), "is not a finite number"),
    ],
)
def test_a_value_that_rules_cannot_speak_of_is_refused(value, said):
    with pytest.raises(UsageError, match=f"the value of a parameter .*{said}"):
        reason("P(X), Y = $k -> Q(X, Y).", {"P": [(1,)]}, options=ReasoningOptions(parameters={"k": value}))


@pytest.mark.parametrize(
    ("value", "held"),
    [(decimal.Decimal("0.5"), 0.5), (2**63 - 1, 2**63 - 1), (True, True), (datetime.date(2024, 1, 31),) * 2],
)
def test_a_value_keeps_its_type(value, held):
    result = reason("P(X), Y = $k -> Q(X, Y).", {"P": [(1,)]}, options=ReasoningOptions(parameters={"k": value}))
    assert result.facts("Q") == [(1, held)]
    assert type(result.facts("Q")[0][1]) is type(held)


def test_annotations_have_parameters_too():
    rules = '@param("t", 0.99). @similarity(threshold = $t). P(X), R(Y), X ~ Y -> Q(X, Y).'
    facts = {"P": [("Martha",)], "R": [("Marhta",)]}
    assert list(JaroWinkler(0.9).pairs(["Martha"], ["Marhta"]))
    assert reason(rules, facts).facts("Q") == []
    assert reason(rules, facts, options=ReasoningOptions(parameters={"t": 0.9})).facts("Q") == [("Martha", "Marhta")]


def test_names_of_modules_may_be_parameters():
    rules = '@param("how", "inner"). @bind_module("score", $how). P(X), #score(X, S) -> Q(X, S).'
    assert reason(rules, {"P": [(1,)]}, options=ReasoningOptions(find=find)).facts("Q") == [(1, 10)]
    assert reason(rules, {"P": [(1,)]}, options=ReasoningOptions(find=find, parameters={"how": "other"})).facts(
        "Q"
    ) == [(1, 100)]


# -- modules -----------------------------------------------------------------------------------------------------------


def test_use_takes_all_modules_that_it_names():
    result = reason('@use("one", "two").', {"P": [(1,)]}, options=ReasoningOptions(find=find))
    assert [result.facts(predicate) for predicate in ("One", "Two", "Three")] == [[(1,)]] * 3
    with pytest.raises(RuleError, match="R701: no module 'four'"):
        reason('@use("one", "four").', {"P": [(1,)]}, options=ReasoningOptions(find=find))


def test_a_module_that_is_plugged_in_may_plug_in_another():
    rules = '@bind_module("risk", "outer"). P(I), #risk(I, R) -> Q(I, R).'
    assert reason(rules, {"P": [(1,), (2,)]}, options=ReasoningOptions(find=find)).facts("Q") == [(1, 10), (2, 20)]


def test_the_program_has_the_last_word_on_what_a_module_plugs_in():
    rules = '@bind_module("risk", "outer"). @bind_module("score", "other"). P(I), #risk(I, R) -> Q(I, R).'
    assert reason(rules, {"P": [(1,)]}, options=ReasoningOptions(find=find)).facts("Q") == [(1, 100)]
