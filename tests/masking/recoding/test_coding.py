"""Top and bottom coding, and discretisation, against numpy and by hand."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.errors import UsageError
from tacita.masking.recoding.discretisation import discretised
from tacita.masking.recoding.masked import Masked
from tacita.masking.recoding.top_bottom_coding import top_bottom_coded
from tacita.model.hierarchy.classes import exact, label_ends
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType


def column(values: list[Any], kind: pa.DataType, order: tuple[str, ...] = ()) -> Microdata:
    data = tc.read(pa.table({"x": pa.array(values, kind), "y": pa.array(range(len(values)))}), name="db").microdata
    dictionary = data.dictionary.mapped(lambda a: a.with_(order=order) if a.name == "x" else a)
    return replace(data, dictionary=dictionary)


def values(found: Masked) -> list[Any]:
    rows = [row for batch in found.microdata.relation.batches() for row in batch.to_pylist()]
    assert [row["y"] for row in rows] == list(range(len(rows)))
    return [row["x"] for row in rows]


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.lists(st.none() | st.integers(-20, 20), min_size=1), st.integers(-10, -1), st.integers(0, 10))
def test_numbers_are_cut_at_the_bounds(given_: list[int | None], bottom: int, top: int) -> None:
    found = top_bottom_coded(column(given_, pa.int64()), "x", top=top, bottom=bottom)
    wished = [None if v is None else min(max(v, bottom), top) for v in given_]
    assert values(found) == wished
    assert found.changed["x"].tolist() == [i for i, (a, b) in enumerate(zip(given_, wished, strict=True), 1) if a != b]


def test_a_label_hides_who_is_at_the_bound() -> None:
    data = column([17, 18, 40, 65, 90, None], pa.int64())
    found = top_bottom_coded(data, "x", top=65, bottom=18, by="label")
    assert values(found) == ["<=18", "<=18", "40", "65+", "65+", None]
    assert found.changed["x"].tolist() == [1, 2, 4, 5]
    assert found.microdata.column("x").type is ColumnType.TEXT
    assert values(top_bottom_coded(column([1.0, 2.5, 9.0], pa.float64()), "x", top=9, top_label="much")) == [
        "1",
        "2.5",
        "much",
    ]


def test_the_mean_keeps_the_total() -> None:
    data = column([1.0, 10.0, 20.0, 60.0, None], pa.float64())
    found = top_bottom_coded(data, "x", top=15, by="mean")
    assert values(found) == [1.0, 10.0, 40.0, 40.0, None]


def test_ordinal_values_go_by_their_order() -> None:
    sizes = ("small", "medium", "large", "huge")
    data = column(["huge", "small", None, "large", "medium"], pa.string(), sizes)
    assert values(top_bottom_coded(data, "x", top="large")) == ["large", "small", None, "large", "medium"]
    found = top_bottom_coded(data, "x", top="large", bottom="small", by="label")
    assert values(found) == ["large+", "<=small", None, "large+", "medium"]
    assert found.microdata.attribute("x").order == ("<=small", "medium", "large+")
    assert found.changed["x"].tolist() == [1, 2, 4]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "no bound is given"),
        ({"top": 5, "bottom": 5}, "not below its top"),
        ({"top": 5.5}, "not whole"),
        ({"top": "much"}, "is no number"),
        ({"top": 5, "by": "bond"}, "did you mean 'bound'"),
    ],
)
def test_wrong_bounds_are_told(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        top_bottom_coded(column([1, 2], pa.int64()), "x", **asked)


def test_text_without_an_order_cannot_be_cut() -> None:
    with pytest.raises(UsageError, match="have no order"):
        top_bottom_coded(column(["a"], pa.string()), "x", top="a")
    with pytest.raises(UsageError, match="1 distinct values of 'x' are not in its order") as told:
        top_bottom_coded(column(["a", "secret"], pa.string(), ("a", "b")), "x", top="a")
    assert "secret" not in str(told.value)


@pytest.mark.slow
@settings(max_examples=20, deadline=None)
@given(
    st.lists(st.none() | st.floats(-1e6, 1e6), min_size=2).filter(lambda v: len({x for x in v if x is not None}) > 1),
    st.sampled_from([{"classes": 4}, {"classes": 3, "by": "frequency"}, {"bounds": [-7.5, 0, 12]}]),
)
def test_every_number_lies_in_the_interval_that_it_became(given_: list[float | None], how: dict[str, Any]) -> None:
    found = discretised(column(given_, pa.float64()), "x", **how)
    for before, after in zip(given_, values(found), strict=True):
        assert (before is None) == (after is None)
        if before is not None:
            low, high = label_ends(after) or (None, None)
            number = exact(before)
            assert number is not None
            assert (low is None or low <= number) and (high is None or number < high)


def test_labels_are_those_of_interval_hierarchies() -> None:
    ages = column([3, 18, 29, 64, 65, None], pa.int64())
    assert values(discretised(ages, "x", bounds=[18, 30, 65])) == ["<18", "18-29", "18-29", "30-64", "65+", None]
    assert values(discretised(ages, "x", width=20)) == ["<20", "<20", "20-39", "60+", "60+", None]
    assert discretised(ages, "x", bounds=[18]).microdata.hierarchies["x"].generalise("<18", 1) == "*"


def test_classes_by_frequency_have_about_as_many_records() -> None:
    drawn = np.random.default_rng(3).lognormal(size=1000)
    found = values(discretised(column(drawn.tolist(), pa.float64()), "x", classes=4, by="frequency"))
    assert np.unique(found, return_counts=True)[1] == pytest.approx([250] * 4, abs=3)
    assert all(len(label) < 20 for label in set(found))


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({}, "in one way"),
        ({"bounds": [1], "classes": 2}, "in one way"),
        ({"bounds": [2, 1]}, "do not increase"),
        ({"classes": 1}, "1 classes are asked"),
        ({"classes": 2, "by": "size"}, "no classes by 'size'"),
        ({"width": 0}, "not above 0"),
        ({"width": 1e-9}, "not whole"),
        ({"classes": 4000}, "4,000 classes"),
    ],
)
def test_wrong_intervals_are_told(asked: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        discretised(column([1, 900], pa.int64()), "x", **asked)


def test_a_constant_has_no_classes() -> None:
    with pytest.raises(UsageError, match="too few different values"):
        discretised(column([5, 5, None], pa.int64()), "x", classes=3)
