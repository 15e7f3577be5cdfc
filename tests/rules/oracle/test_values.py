"""Equality of values, as the language sees it and Python does not."""

from __future__ import annotations

import datetime
import math

import pytest
from tests.oracles.rules.values import (
    ListValue,
    Null,
    PairValue,
    collection,
    from_python,
    key,
    members,
    parts,
    rank,
    record,
    replaced,
    same,
)

DIFFERENT = [
    1,
    2,
    True,
    False,
    "1",
    "",
    1.5,
    datetime.date(2026, 1, 31),
    datetime.datetime(2026, 1, 31),
    Null(1),
    Null(2),
    PairValue(1, 2),
    ListValue((1, 2)),
    frozenset({1, 2}),
    frozenset({"1", 2}),
    record({"a": 1}),
    record({"a": "1"}),
    record({"b": 1}),
    PairValue("a", 1),
    ListValue(()),
    frozenset(),
]


@pytest.mark.parametrize("a", range(len(DIFFERENT)))
def test_values_of_different_kinds_differ(a):
    assert [same(DIFFERENT[a], other) for other in DIFFERENT] == [a == b for b in range(len(DIFFERENT))]


def test_integers_and_numbers_are_compared_as_numbers():
    assert same(1, 1.0)
    assert same(frozenset({1}), frozenset({1.0}))
    assert same(record({"a": 1}), record({"a": 1.0}))
    assert not same(frozenset({1}), frozenset({True}))


def test_all_values_have_a_rank():
    assert len(sorted(DIFFERENT, key=rank)) == len(DIFFERENT)
    assert sorted([frozenset({2}), frozenset({1})], key=rank) == [frozenset({1}), frozenset({2})]


def test_a_set_of_pairs_with_different_texts_is_a_record():
    assert collection([PairValue("b", 2), PairValue("a", 1)]) == record({"a": 1, "b": 2})
    assert collection([PairValue("a", 1), PairValue("a", 1.0)]) == record({"a": 1})
    assert collection([PairValue(1, 1)]) == frozenset({PairValue(1, 1)})
    assert collection([PairValue("a", 1), "b"]) == frozenset({PairValue("a", 1), "b"})
    assert collection([]) == frozenset()
    assert members(record({"b": 2, "a": 1})) == [PairValue("a", 1), PairValue("b", 2)]


def test_nulls_inside_are_found_and_replaced():
    value = record({"a": Null(1), "b": frozenset({Null(1), Null(2)}), "c": ListValue((PairValue(Null(2), 3),))})
    assert [part for part in parts(value) if isinstance(part, Null)].count(Null(1)) == 2
    after = replaced(value, lambda null: 5 if null == Null(1) else null)
    assert key(after) == key(record({"a": 5, "b": frozenset({5, Null(2)}), "c": ListValue((PairValue(Null(2), 3),))}))
    assert replaced(frozenset({Null(1), Null(2)}), lambda _: 5) == frozenset({5})


def test_what_callers_give():
    numbers = iter(range(7, 99))

    def fresh() -> Null:
        return Null(next(numbers))

    assert from_python(None, fresh) == Null(7)
    assert from_python(math.nan, fresh) == Null(8)
    assert from_python({"b": [1, None], "a": {1}}, fresh) == record({"a": frozenset({1}), "b": ListValue((1, Null(9)))})
    assert from_python(("a", 1), fresh) == PairValue("a", 1)
    with pytest.raises(TypeError, match="complex"):
        from_python(1j, fresh)
