"""t-closeness of the result, measured here by its own definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.errors import InputError, UsageError
from tacita.masking.microaggregation.t_close import Spread, TCloseMicroaggregation
from tacita.model.records import Categories, Numbers, Records

from .samples import groups_of, people, treated


def distance(codes: np.ndarray, rows: np.ndarray, values: int, ordered: bool) -> float:
    """The earth mover's distance from the shares of all values."""
    own = np.bincount(codes[rows], minlength=values) / rows.sum()
    everyone = np.bincount(codes, minlength=values) / len(codes)
    if ordered:
        return float(np.abs(np.cumsum(own - everyone))[:-1].sum() / max(values - 1, 1))
    return float(np.abs(own - everyone).sum() / 2)


@pytest.mark.parametrize("first", ["t-closeness", "k-anonymity"])
@pytest.mark.parametrize("t", [0.05, 0.15, 0.4])
@pytest.mark.parametrize("confidential", ["income", "schooling", "colour"])
def test_every_group_is_within_t_of_the_file(first: str, t: float, confidential: str) -> None:
    records = people(203)
    method = TCloseMicroaggregation(("age", "height", "illness"), confidential, t, first=first)  # type: ignore[arg-type]
    found = treated(method, records)
    groups, column = groups_of(found), records.categories(confidential)
    assert np.bincount(groups).min() >= 3
    ordered = confidential != "colour"
    measured = [distance(column.codes, groups == g, len(column.values), ordered) for g in range(groups.max() + 1)]
    assert max(measured) <= t + 1e-9
    assert found.figures["largest distance"] == pytest.approx(max(measured))
    assert np.array_equal(found.records.categories(confidential).codes, column.codes)
    shown = {*zip(groups.tolist(), found.records.numbers("age").values.tolist(), strict=True)}
    assert len(shown) == groups.max() + 1


def test_stretches_alone_are_enough_for_different_values_in_order() -> None:
    """Soria-Comas and others, proposition on the largest distance: (n - k') / (2(n - 1)k') is at most t."""
    size, t = 120, 0.1
    draw = np.random.default_rng(0)
    records = Records({"a": Numbers.of(draw.normal(size=size)), "income": Numbers.of(draw.permutation(size))})
    found = treated(TCloseMicroaggregation(("a",), "income", t, k=2), records)
    expected = int(np.ceil(size / (2 * (size - 1) * t + 1)))
    assert np.unique(np.bincount(groups_of(found))).tolist() == [expected]
    assert found.figures["largest distance"] <= (size - expected) / (2 * (size - 1) * expected) + 1e-12


def test_t_closeness_first_loses_less_than_merging() -> None:
    records = people(400)
    kept, merged = (
        treated(TCloseMicroaggregation(("age", "height"), "income", 0.1, first=first), records).figures["SSE/SST"]  # type: ignore[arg-type]
        for first in ("t-closeness", "k-anonymity")
    )
    assert kept < merged


@given(st.integers(3, 60), st.integers(2, 5), st.integers(1, 9))
@settings(max_examples=40, deadline=None)
def test_any_number_of_records_is_divided(size: int, k: int, tenths: int) -> None:
    if size < k:
        return
    draw = np.random.default_rng(size)
    records = Records({"a": Numbers.of(draw.normal(size=size)), "c": Numbers.of(draw.integers(0, 5, size))})
    found = treated(TCloseMicroaggregation(("a",), "c", tenths / 10, k), records)
    assert np.bincount(groups_of(found)).min() >= k
    assert found.figures["largest distance"] <= tenths / 10 + 1e-9


def test_missing_confidential_values_count() -> None:
    values = [1.0, 2.0, 3.0, None] * 6
    records = Records({"a": Numbers.of(range(24)), "c": Numbers.of(values)})
    assert treated(TCloseMicroaggregation(("a",), "c", 0.3), records).figures["largest distance"] <= 0.3
    spread = Spread.of(records, "c")
    assert spread.distance(np.array([3, 7])) == pytest.approx(0.75)
    assert spread.distance(np.arange(24)) == pytest.approx(0.0)
    unordered = Records({"c": Categories.of(["x", None, "x", "y"])})
    assert Spread.of(unordered, "c").distance(np.array([1])) == pytest.approx(0.75)


def test_what_cannot_be_reached_is_refused() -> None:
    """Those who lack the age have one illness: as a group of their own they can never be close to the file."""
    ages = [None] * 5 + list(range(40))
    records = Records({"age": Numbers.of(ages), "illness": Categories.of(["flu"] * 5 + ["cold"] * 40)})
    with pytest.raises(InputError, match="5 records that lack the same attributes"):
        treated(TCloseMicroaggregation(("age",), "illness", 0.2), records)
    with pytest.raises(UsageError, match="t is 0"):
        TCloseMicroaggregation(("age",), "illness", 0.0)
    with pytest.raises(UsageError, match="confidential"):
        TCloseMicroaggregation(("age", "illness"), "illness")
