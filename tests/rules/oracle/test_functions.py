"""Every function and operator, with and without a value."""

from __future__ import annotations

import datetime

import pytest
from tests.oracles.rules.functions import (
    _PYTHON,
    NoValue,
    access,
    apply,
    is_member,
    is_subset,
    listed,
    operate,
    order,
    update,
)
from tests.oracles.rules.values import ListValue, Null, PairValue, record, same

from tacita.rules.logic.functions import FUNCTIONS

DAY = datetime.date(2026, 1, 31)
MOMENT = datetime.datetime(2026, 1, 31, 12, 30)
FIRM = record({"Area": "North", "Weight": 3, "Sector": Null(1)})

VALUES = [
    ("abs", (-2,), 2),
    ("abs", (-2.5,), 2.5),
    ("round", (2.5,), 3),
    ("round", (-2.5,), -3),
    ("round", (2.675, 2), 2.68),
    ("round", (1250, -2), 1300),
    ("floor", (-1.5,), -2),
    ("ceil", (-1.5,), -1),
    ("sqrt", (9,), 3),
    ("exp", (0,), 1),
    ("ln", (1,), 0),
    ("power", (2, 10), 1024),
    ("power", (4, 0.5), 2),
    ("mod", (7, 3), 1),
    ("mod", (-7, 3), -1),
    ("mod", (7, -3), 1),
    ("least", (2, 1.5), 1.5),
    ("least", ("b", "a"), "a"),
    ("greatest", (DAY, datetime.date(2025, 1, 1)), DAY),
    ("length", ("Città",), 5),
    ("lower", ("ÀB",), "àb"),
    ("upper", ("àb",), "ÀB"),
    ("trim", ("  a b ",), "a b"),
    ("substring", ("Milano", 2), "ilano"),
    ("substring", ("Milano", 5, 9), "no"),
    ("substring", ("Milano", 9), ""),
    ("concat", ("a", "b"), "ab"),
    ("replace", ("banana", "an", "x"), "bxxa"),
    ("replace", ("banana", "", "x"), "banana"),
    ("contains", ("banana", "nan"), True),
    ("starts_with", ("banana", "nan"), False),
    ("ends_with", ("banana", "na"), True),
    ("text", (1,), "1"),
    ("text", (1.5,), "1.5"),
    ("text", (True,), "true"),
    ("text", ("a",), "a"),
    ("text", (DAY,), "2026-01-31"),
    ("text", (MOMENT,), "2026-01-31 12:30:00"),
    ("number", (" 1e3 ",), 1000),
    ("number", (2,), 2),
    ("integer", ("2.0",), 2),
    ("integer", (3.0,), 3),
    ("date", ("2026-01-31",), DAY),
    ("timestamp", ("2026-01-31 12:30:00",), MOMENT),
    ("year", (DAY,), 2026),
    ("month", (MOMENT,), 1),
    ("day", (DAY,), 31),
    ("days_between", (DAY, datetime.date(2026, 3, 1)), 29),
    ("add_days", (DAY, 29), datetime.date(2026, 3, 1)),
    ("size", (frozenset({1, 2}),), 2),
    ("size", (ListValue((1, 1, 1)),), 3),
    ("size", (FIRM,), 3),
    ("first", (PairValue(1, Null(2)),), 1),
    ("second", (PairValue(1, Null(2)),), Null(2)),
    ("keys", (FIRM,), frozenset({"Area", "Weight", "Sector"})),
]


@pytest.mark.parametrize(("name", "arguments", "value"), VALUES)
def test_functions(name, arguments, value):
    assert same(apply(name, arguments), value)


def test_every_function_is_there_and_tested():
    assert _PYTHON.keys() == FUNCTIONS.keys() == {name for name, _, _ in VALUES}


WITHOUT = [
    ("sqrt", (-1,)),
    ("ln", (0,)),
    ("exp", (1000,)),
    ("power", (-8, 0.5)),
    ("power", (0, -1)),
    ("mod", (1, 0)),
    ("abs", ("a",)),
    ("abs", (True,)),
    ("least", (1, "a")),
    ("substring", ("Milano", 0)),
    ("substring", ("Milano", 1, -1)),
    ("number", ("abc",)),
    ("number", ("",)),
    ("number", ("1_000",)),
    ("number", ("nan",)),
    ("integer", (1.5,)),
    ("integer", ("1.5",)),
    ("date", ("2026-02-30",)),
    ("date", ("31.1.2026",)),
    ("timestamp", ("2026-01-31",)),
    ("add_days", (DAY, 10**9)),
    ("size", ("abc",)),
    ("first", (frozenset(),)),
    ("keys", (frozenset(),)),
    ("year", ("2026-01-31",)),
    ("concat", ("a",)),
    *((name, (Null(1),) * len(function.takes)) for name, function in FUNCTIONS.items()),
]


@pytest.mark.parametrize(("name", "arguments"), WITHOUT)
def test_functions_without_a_value(name, arguments):
    with pytest.raises(NoValue):
        apply(name, arguments)


@pytest.mark.parametrize(
    ("operator", "operands", "value"),
    [
        ("+", (1, 2), 3),
        ("+", (1, 0.5), 1.5),
        ("+", ("a", "b"), "ab"),
        ("-", (1, 2), -1),
        ("-", (3,), -3),
        ("*", (2, 3), 6),
        ("/", (1, 4), 0.25),
        ("union", (frozenset({1}), frozenset({2, 1.0})), frozenset({1, 2})),
        ("minus", (frozenset({1, 2}), frozenset({2.0})), frozenset({1})),
        ("intersect", (frozenset({1, 2}), frozenset({2, 3})), frozenset({2})),
        ("union", (record({"a": 1}), record({"b": 2})), record({"a": 1, "b": 2})),
        ("minus", (record({"a": 1}), record({"a": 1})), record({})),
        ("minus", (record({"a": 1}), record({"a": 2})), record({"a": 1})),
    ],
)
def test_operators(operator, operands, value):
    assert same(operate(operator, operands), value)
    assert isinstance(operate("+", (1, 2)), int)
    assert isinstance(operate("/", (4, 2)), float)


@pytest.mark.parametrize(
    ("operator", "operands"),
    [
        ("/", (1, 0)),
        ("/", (0.0, 0.0)),
        ("*", (1e200, 1e200)),
        ("+", (1, "a")),
        ("+", (True, 1)),
        ("+", (1, Null(1))),
        ("-", (Null(1),)),
        ("union", (frozenset(), 1)),
        ("union", (Null(1), frozenset())),
    ],
)
def test_operations_without_a_value(operator, operands):
    with pytest.raises(NoValue):
        operate(operator, operands)


def test_order():
    assert order(1, 1.5) == -1
    assert order("b", "a") == 1
    assert order(DAY, DAY) == 0
    assert order(False, True) == -1
    for pair in [(1, "a"), (1, True), (Null(1), Null(1)), (DAY, MOMENT), (frozenset(), frozenset())]:
        with pytest.raises(NoValue):
            order(*pair)


def test_records():
    assert access(FIRM, "Area") == "North"
    assert access(FIRM, "Sector") == Null(1)
    assert access(FIRM, frozenset({"Area", "Nope"})) == record({"Area": "North"})
    assert access(FIRM, ListValue(("Sector",))) == record({"Sector": Null(1)})
    assert update(FIRM, "Area", Null(2)) == record({"Area": Null(2), "Weight": 3, "Sector": Null(1)})
    assert update(record({}), "New", 1) == record({"New": 1})
    for whole, part in [(FIRM, "Nope"), (FIRM, 1), (FIRM, Null(1)), (frozenset(), "a"), (Null(1), "a")]:
        with pytest.raises(NoValue):
            access(whole, part)
    with pytest.raises(NoValue):
        update(FIRM, Null(1), 1)


def test_membership():
    assert is_member(1.0, frozenset({1, 2}))
    assert not is_member(True, frozenset({1, 2}))
    assert is_member(Null(1), ListValue((Null(1),)))
    assert not is_member(Null(2), ListValue((Null(1),)))
    assert is_member("Area", FIRM)
    assert not is_member("North", FIRM)
    assert listed(frozenset({2, 1})) == [1, 2]
    assert listed(ListValue((2, 1, 2.0))) == [2, 1]
    assert listed(FIRM) == ["Area", "Sector", "Weight"]
    with pytest.raises(NoValue):
        listed("abc")


def test_subsets():
    assert is_subset(frozenset({1}), frozenset({1.0, 2}))
    assert is_subset(frozenset(), frozenset())
    assert is_subset(record({"Sector": Null(1)}), FIRM)
    assert not is_subset(record({"Sector": Null(2)}), FIRM)
    assert is_subset(record({}), FIRM)
    with pytest.raises(NoValue):
        is_subset(ListValue((1,)), frozenset({1}))
