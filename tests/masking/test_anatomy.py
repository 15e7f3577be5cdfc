"""Anatomy: groups that are l-diverse, two tables that fit, and a refusal where they cannot be."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, TacitaError, UsageError
from tacita.masking.anatomy import Anatomy, anatomized
from tacita.masking.catalogue import METHODS
from tacita.masking.contract import breaches, same_values
from tacita.model.records import Categories, Numbers, Records


def people(count: int = 400, *, missing: bool = False) -> Records:
    draw = np.random.default_rng(2)
    codes = draw.choice(7, count, p=[0.2, 0.2, 0.2, 0.15, 0.15, 0.05, 0.05]).astype(np.int32)
    if missing:
        codes[::20] = -1
    ages = Numbers(draw.integers(20, 90, count).astype(float), is_whole=True)
    return Records({"age": ages, "disease": Categories(codes, tuple("abcdefg"))})


@settings(max_examples=150, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=9), st.integers(2, 5), st.integers(0, 2**32 - 1))
def test_groups_are_diverse_or_refused(counts: list[int], l: int, seed: int) -> None:  # noqa: E741
    random = np.random.default_rng(seed)
    codes = random.permutation(np.repeat(np.arange(len(counts)), counts))
    if max(counts) * l > sum(counts):
        with pytest.raises(InputError, match="cannot be"):
            anatomized(codes, l, random)
        return
    groups = anatomized(codes, l, random)
    assert set(groups.tolist()) == set(range(sum(counts) // l))
    for group in range(groups.max() + 1):
        held = codes[groups == group]
        assert len(set(held.tolist())) == len(held) >= l


def test_the_two_tables_fit() -> None:
    records = people()
    found = Anatomy("disease", l=4).treated(records, np.random.default_rng(1))
    table = found.beside["sensitive"]
    assert "disease" not in found.records.names and same_values(found.records["age"], records["age"])
    own = zip(found.records.numbers("group").values, records.categories("disease").codes, strict=True)
    told = zip(table.numbers("group").values, table.categories("disease").codes, strict=True)
    assert Counter(own) == dict(zip(told, table.numbers("count").values.astype(int), strict=True))
    assert np.all(np.diff(table.numbers("group").values) >= 0)
    assert found.groups is not None and np.array_equal(found.groups + 1, found.records.numbers("group").values)


def test_who_is_in_which_group_is_random() -> None:
    """Each of ten records with the same value is in the group of the first record of another equally often."""
    codes, together = np.repeat(np.arange(4), 10), np.zeros(10)
    random = np.random.default_rng(3)
    for _ in range(2000):
        groups = anatomized(codes, 2, random)
        together += groups[:10] == groups[10]
    # Values 0 and 1 share a group for some pairs; all ten records of 0 are alike.
    mean = together.mean()
    assert np.all(np.abs(together - mean) < 4.5 * np.sqrt(mean))


@pytest.mark.parametrize("method", [Anatomy("disease", l=3), Anatomy("disease", l=2, group="bucket")])
def test_contract(method: Anatomy) -> None:
    assert breaches(method, people()) == []


def test_missing_values_are_refused_or_count() -> None:
    with pytest.raises(InputError, match="20 missing values"):
        Anatomy("disease").treated(people(missing=True), np.random.default_rng(1))
    method = Anatomy("disease", missing_is_value=True)
    assert breaches(method, people(missing=True)) == []
    found = method.treated(people(missing=True), np.random.default_rng(1)).beside["sensitive"]
    assert found["disease"].missing.sum() == 20


def test_numbers_stay_numbers() -> None:
    found = Anatomy("age", l=2).treated(people(), np.random.default_rng(1)).beside["sensitive"]["age"]
    assert isinstance(found, Numbers) and found.is_whole


def test_a_file_that_is_not_eligible_is_refused_with_a_way_out() -> None:
    records = Records({"disease": Categories.of(["hepatitis"] * 4 + list("abcdef"))})
    with pytest.raises(InputError, match="more than 1/3 of the 10 records") as caught:
        Anatomy("disease", l=3).treated(records, np.random.default_rng(1))
    assert caught.value.do == "use l = 2" and "hepatitis" not in str(caught.value)
    assert Anatomy("disease", l=2).treated(records, np.random.default_rng(1)).groups is not None
    with pytest.raises(InputError) as caught:
        Anatomy("disease", l=3).treated(records.taken(np.arange(5)), np.random.default_rng(1))
    assert "another method" in str(caught.value.do)


@pytest.mark.parametrize("given_", [{"l": 1}, {"sensitive": ""}, {"group": "disease"}, {"sensitive": "count"}])
def test_wrong_parameters(given_: dict[str, Any]) -> None:
    with pytest.raises(TacitaError) as caught:
        METHODS.make("anatomy", {"sensitive": "disease"} | given_)
    assert caught.value.do
    with pytest.raises(UsageError, match="already"):
        Anatomy("disease", group="age").treated(people(), np.random.default_rng(1))
