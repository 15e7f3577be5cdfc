"""Values from Python as facts: taken as what they are, refused in words, never shown."""

from __future__ import annotations

import datetime
import decimal
import traceback

import pytest

from tacita.errors import InputError
from tacita.rules.reasoner import Null, reason

SECRET = "secretvalue"


def refused(program, inputs):
    """Return the words of a refusal, which must not lead to the value in any way."""
    with pytest.raises(InputError) as raised:
        reason(program, inputs)
    assert raised.value.__context__ is None
    assert SECRET not in "".join(traceback.format_exception(raised.value))
    return str(raised.value)


@pytest.mark.parametrize("type_", ["number", "integer", "boolean", "date", "timestamp"])
def test_a_value_that_does_not_fit_its_declaration_is_refused_without_being_shown(type_):
    program = f'@input("P", ["who", "x:{type_}"]). P(A, X) -> Q(A, X).'
    said = refused(program, {"P": [("a", None), ("b", SECRET)]})
    assert f"input of P: value 2 (x) of tuple 2 is of type text and cannot be read as {type_}" in said


@pytest.mark.parametrize(
    ("type_", "value"),
    [("number", True), ("number", datetime.date(2024, 1, 31)), ("integer", 1.5), ("boolean", 1), ("timestamp", 3)],
)
def test_a_value_of_another_kind_is_refused(type_, value):
    said = refused(f'@input("P", ["x:{type_}"]). P(X) -> Q(X).', {"P": [(value,)]})
    assert "value 1 (x) of tuple 1 is of type" in said
    assert f"cannot be read as {type_}" in said
    assert "64 bits" not in said


@pytest.mark.parametrize(
    ("type_", "value", "stored"),
    [
        ("number", "2.5", 2.5),
        ("integer", 3.0, 3),
        ("date", "2024-01-31", datetime.date(2024, 1, 31)),
        ("timestamp", datetime.date(2024, 1, 31), datetime.datetime(2024, 1, 31)),
        ("text", 7, "7"),
    ],
)
def test_a_value_that_can_be_read_as_its_declaration_is(type_, value, stored):
    result = reason(f'@input("P", ["x:{type_}"]). P(X) -> Q(X).', {"P": [(value,)]})
    assert result.facts("Q") == [(stored,)]


def test_a_number_of_more_than_64_bits_is_refused():
    assert "value 1 of tuple 2 is a number too large for 64 bits" in refused("P(X) -> Q(X).", {"P": [(1,), (2**63,)]})
    assert reason("P(X) -> Q(X).", {"P": [(2**63 - 1,), (-(2**63),)]}).facts("Q") == [(-(2**63),), (2**63 - 1,)]


@pytest.mark.parametrize("declared", ["text", "any"])
def test_half_a_character_is_refused(declared):
    said = refused(f'@input("P", ["x:{declared}"]). P(X) -> Q(X).', {"P": [(f"{SECRET}\ud800",)]})
    assert "value 1 (x) of tuple 1 is a text with half a character in it" in said


def test_a_decimal_is_a_number_and_one_without_a_value_is_a_null():
    rows = [(decimal.Decimal("0.25"),), (decimal.Decimal(2),), (decimal.Decimal("NaN"),), (1,)]
    facts = reason("P(X) -> Q(X).", {"P": rows}).facts("Q")
    assert {x for (x,) in facts if not isinstance(x, Null)} == {0.25, 1.0, 2.0}
    assert sum(isinstance(x, Null) for (x,) in facts) == 1


def test_a_missing_value_is_never_the_same_as_a_null_that_the_caller_names():
    program = "P(X), R(X) -> Q(X). P(X) -> AllP(X). R(X) -> AllR(X)."
    for inputs in ({"P": [(None,)], "R": [(Null(1),)]}, {"R": [(Null(1),)], "P": [(None,)]}):
        result = reason(program, inputs)
        assert result.facts("Q") == []
        assert result.facts("AllR") == [(Null(1),)]
    assert reason(program, {"P": [(Null(1),)], "R": [(Null(1),)]}).facts("Q") == [(Null(1),)]
