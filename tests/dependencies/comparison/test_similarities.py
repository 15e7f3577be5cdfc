"""Which values are alike: by every shipped similarity, against all pairs."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.dependencies.discovery.naive import edits

from tacita.dependencies.catalogue import SIMILARITIES
from tacita.dependencies.comparison import texts
from tacita.dependencies.comparison.differences import AbsoluteDifference, Days, RelativeDifference
from tacita.dependencies.comparison.neighbours import Neighbours
from tacita.dependencies.comparison.texts import EditDistance, JaroWinklerDistance
from tacita.errors import InputError, UsageError

WORDS = st.lists(st.text("abcé", max_size=6), max_size=12, unique=True).map(sorted)


def relation(near: Neighbours) -> set[tuple[int, int]]:
    """All pairs that are alike, by every way to ask for them."""
    pairs = {(one, other) for one in range(len(near)) for other in near.of(one).tolist()}
    places = np.arange(len(near))
    some, others = np.repeat(places, len(near)), np.tile(places, len(near))
    is_alike = near.pairs_alike(some, others)
    assert {(int(a), int(b)) for a, b, alike in zip(some, others, is_alike, strict=True) if alike} == pairs
    return pairs


@given(WORDS, st.integers(0, 4))
def test_edits(words: list[str], most: int) -> None:
    near = EditDistance().neighbours(tuple(words), most + 0.5)
    expected = {(i, j) for i, a in enumerate(words) for j, b in enumerate(words) if edits(a, b) <= most}
    assert relation(near) == expected


@given(st.lists(st.integers(-40, 40), max_size=15, unique=True).map(sorted), st.integers(0, 30))
def test_differences_of_decimal_numbers(tenths: list[int], threshold: int) -> None:
    """Tenths, of which no difference is exact in binary, are compared as a person would."""
    values = np.array(tenths, np.float64) / 10
    expected = {(i, j) for i, a in enumerate(tenths) for j, b in enumerate(tenths) if abs(a - b) <= threshold}
    assert relation(AbsoluteDifference().neighbours(values, threshold / 10)) == expected
    assert relation(Days().neighbours(values, threshold / 10)) == expected


@given(st.lists(st.integers(-200, 200), max_size=15, unique=True).map(sorted), st.sampled_from([0.1, 0.25, 0.5]))
def test_relative_differences(numbers: list[int], threshold: float) -> None:
    expected = {
        (i, j)
        for i, a in enumerate(numbers)
        for j, b in enumerate(numbers)
        if i == j or abs(a - b) <= threshold * max(abs(a), abs(b)) * (1 + 1e-12)
    }
    assert relation(RelativeDifference().neighbours(np.array(numbers, np.float64), threshold)) == expected


def test_infinite_numbers_are_alike_with_themselves() -> None:
    values = np.array([-math.inf, 0.0, 1.0, math.inf])
    assert relation(AbsoluteDifference().neighbours(values, 1.0)) == {(0, 0), (1, 1), (1, 2), (2, 1), (2, 2), (3, 3)}


def test_names_of_persons() -> None:
    near = JaroWinklerDistance().neighbours(("Dixon", "Dicksonx", "Duane", "Dwayne"), 0.2)
    # Similarities 0.813 and 0.840: the examples of W. E. Winkler.
    assert near.are_alike(0, 1) and near.are_alike(2, 3) and not near.are_alike(0, 2)


@given(WORDS, st.integers(1, 3))
def test_blocks_change_nothing(words: list[str], most: int) -> None:
    whole = relation(EditDistance().neighbours(tuple(words), most))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(texts, "_BLOCK", 3)
        assert relation(EditDistance().neighbours(tuple(words), most)) == whole


def test_too_many_texts_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts, "MOST_VALUES", 2)
    with pytest.raises(InputError, match="3 different texts"):
        EditDistance().neighbours(("secret", "b", "c"), 1)
    monkeypatch.setattr(texts, "MOST_VALUES", 100)
    monkeypatch.setattr(texts, "MOST_PAIRS", 2)
    with pytest.raises(InputError, match="more than 2 pairs") as refused:
        EditDistance().neighbours(("secret", "secrets", "secrete"), 2)
    assert "secret" not in str(refused.value)


def test_neighbours_are_checked() -> None:
    with pytest.raises(UsageError):
        Neighbours.up_to([1, 0])
    with pytest.raises(UsageError):
        Neighbours.up_to([0, 2])
    with pytest.raises(UsageError):
        Neighbours.of_pairs(2, [0], [2])
    assert relation(Neighbours.up_to([])) == relation(Neighbours.of_pairs(0, [], [])) == set()


@pytest.mark.parametrize("name", SIMILARITIES.names())
def test_facts_are_stated(name: str) -> None:
    assert {*SIMILARITIES.fact(name, "treats")} <= {"numbers", "dates", "texts"}
    assert "{}" in SIMILARITIES.fact(name, "in_words")
    assert SIMILARITIES.meaning(name)


def test_each_kind_of_value_has_one_default() -> None:
    defaults = [kind for name in SIMILARITIES.names() for kind in SIMILARITIES.fact(name, "is_default_for")]
    assert sorted(defaults) == ["dates", "numbers", "texts"]
