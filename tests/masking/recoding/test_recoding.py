"""Recoding: whole columns and single cells, against a naive application of the hierarchy row by row."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.errors import HierarchyError, TacitaError, UsageError
from tacita.masking.recoding.global_recoding import recoded
from tacita.masking.recoding.grouping import grouped
from tacita.masking.recoding.local_recoding import SUPPRESSED, locally_recoded
from tacita.masking.recoding.masked import Masked
from tacita.model.attribute import Kind
from tacita.model.hierarchy import DateHierarchy, Hierarchy, IntervalHierarchy, ValueHierarchy
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType

AGE = IntervalHierarchy.by_width("age", [5, 10], domain=(0, 99), star=True)
AREA = ValueHierarchy.from_paths(
    "area", [["Milano", "North", "*"], ["Torino", "North", "*"], ["Roma", "Roma", "*"]], ["city", "part", "any"]
)
BORN = DateHierarchy("born", ("month", "year"), star=True)
HIERARCHIES: dict[str, Hierarchy] = {"age": AGE, "area": AREA, "born": BORN}

cell = st.fixed_dictionaries(
    {
        "age": st.none() | st.integers(0, 99),
        "area": st.none() | st.sampled_from(["Milano", "Torino", "Roma"]),
        "born": st.none() | st.dates(dt.date(1990, 1, 1), dt.date(1992, 12, 31)),
        "size": st.none() | st.sampled_from([0.5, 1.0, 2.25]),
    }
)
SCHEMA = pa.schema([("age", pa.int64()), ("area", pa.string()), ("born", pa.date32()), ("size", pa.float64())])


def microdata(rows: list[dict[str, Any]], hierarchies: dict[str, Hierarchy] | None = None) -> Microdata:
    found = tc.read(pa.Table.from_pylist(rows, schema=SCHEMA), name="db").with_roles(quasi=["age", "area", "born"])
    return replace(found.microdata, hierarchies=HIERARCHIES if hierarchies is None else hierarchies)


def rows_of(data: Microdata | Masked) -> list[dict[str, Any]]:
    held = data.microdata if isinstance(data, Masked) else data
    return [row for batch in held.relation.batches() for row in batch.to_pylist()]


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    st.lists(cell, min_size=1, max_size=12), st.fixed_dictionaries({name: st.integers(0, 3) for name in HIERARCHIES})
)
def test_whole_columns_are_what_the_hierarchy_says_of_each_value(
    rows: list[dict[str, Any]], wanted: dict[str, int]
) -> None:
    levels = {name: min(level, HIERARCHIES[name].height) for name, level in wanted.items()}
    found = recoded(microdata(rows), levels)
    for before, after in zip(rows, rows_of(found), strict=True):
        for name in before:
            level = levels.get(name, 0)
            wished = HIERARCHIES[name].generalise(before[name], level) if level else before[name]
            assert str(after[name]) == str(wished)
    assert all(found.microdata.column(name).type is ColumnType.TEXT for name in found.whole)


@pytest.mark.slow
@settings(max_examples=12, deadline=None)
@given(
    st.lists(st.tuples(cell, st.integers(-1, 3), st.integers(-1, 2), st.integers(-1, 0)), min_size=1, max_size=12),
)
def test_single_cells_change_and_no_other(asked: list[tuple[dict[str, Any], int, int, int]]) -> None:
    rows = [each[0] for each in asked]
    numbers = np.arange(1, len(rows) + 1)
    levels = {name: np.array([each[i] for each in asked]) for i, name in enumerate(("age", "area", "size"), 1)}
    found = locally_recoded(microdata(rows), {name: (numbers, wanted) for name, wanted in levels.items()})
    changed: dict[str, list[int]] = {name: [] for name in levels}
    for number, (before, after) in enumerate(zip(rows, rows_of(found), strict=True), 1):
        assert after["born"] == before["born"]
        for name, wanted in levels.items():
            level, value = int(wanted[number - 1]), before[name]
            if level == SUPPRESSED or value is None:
                wished = None
            else:
                wished = HIERARCHIES[name].generalise(value, level) if level else value
                wished = None if wished == "*" else wished
            assert (after[name] is None) == (wished is None)
            assert wished is None or str(after[name]) == str(wished)
            if value is not None and str(wished) != str(value):
                changed[name].append(number)
    assert {name: rows.tolist() for name, rows in found.changed.items() if len(rows)} == {
        name: rows for name, rows in changed.items() if rows
    }


def test_a_later_roll_up_goes_on_from_the_level_reached() -> None:
    rows: list[dict[str, Any]] = [
        {"age": 31, "area": "Milano"},
        {"age": 38, "area": "Roma"},
        {"age": None, "area": None},
    ]
    once = recoded(microdata(rows), {"age": 1, "area": 1}).microdata
    twice = recoded(once, {"age": 2}).microdata
    assert [row["age"] for row in rows_of(twice)] == ["30-39", "30-39", None]
    assert rows_of(recoded(twice, {"age": 1})) == rows_of(twice)
    assert twice.hierarchies["age"].share("30-39", 0) == pytest.approx(0.1)
    single = locally_recoded(twice, {"age": (np.array([1]), np.array([3]))})
    assert [row["age"] for row in rows_of(single)] == [None, "30-39", None]
    assert recoded(single.microdata, {"area": 2}).whole == ("area",)
    mixed = locally_recoded(microdata(rows), {"age": (np.array([1]), np.array([1]))}).microdata
    assert [row["age"] for row in rows_of(recoded(mixed, {"age": 2}))] == ["30-39", "30-39", None]


def test_the_dictionary_follows() -> None:
    found = recoded(microdata([{"age": 9}, {"age": 31}, {"age": 11}]), {"age": 2}).microdata.attribute("age")
    assert found.kind is Kind.ORDINAL
    assert found.order == ("0-9", "10-19", "30-39")
    assert not found.hierarchy_rule


def test_suppressed_numbers_stay_numbers() -> None:
    found = locally_recoded(microdata([{"size": 0.5}, {"size": 2.25}]), {"size": (np.array([2]), np.array([-1]))})
    assert [row["size"] for row in rows_of(found)] == [0.5, None]
    assert found.microdata.column("size").type is ColumnType.NUMBER


def test_the_spelling_of_the_source_is_kept_only_where_nothing_changed(tmp_path: Path) -> None:
    file = tmp_path / "d.csv"
    file.write_text("a;b\n1,50;x\n2,00;y\n")
    data = tc.read(file, decimal=",")
    found = locally_recoded(data.microdata, {"a": (np.array([1]), np.array([-1]))})
    tc.Dataset(found.microdata).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[1:] == [";x", "2,00;y"]


def test_values_under_a_new_label() -> None:
    data = microdata([{"area": "Milano"}, {"area": None}, {"area": "Roma"}, {"area": "Torino"}])
    found = grouped(data, "area", {"North": ["Milano", "Torino"]})
    assert [row["area"] for row in rows_of(found)] == ["North", None, "Roma", "North"]
    with pytest.raises(UsageError, match="1 values stand in two groups"):
        grouped(data, "area", {"a": ["Roma"], "b": ["Roma"]})
    with pytest.raises(UsageError, match="1 labels are values that stand in no group"):
        grouped(data, "area", {"Roma": ["Milano", "Torino"]})


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        ({"size": 1}, "'size' has no hierarchy"),
        ({"age": 9}, "no level 9"),
        ({"ages": 1}, "did you mean 'age'"),
        ({"age": True}, "no whole number"),
    ],
)
def test_wrong_levels_are_told(levels: dict[str, int], message: str) -> None:
    with pytest.raises(TacitaError, match=message):
        recoded(microdata([{"age": 31}]), levels)


def test_a_value_without_a_place_is_counted_and_not_named() -> None:
    narrow = ValueHierarchy.from_paths("area", [["Milano", "*"]])
    with pytest.raises(HierarchyError, match="1 of 2 distinct values of 'area'") as told:
        recoded(microdata([{"area": "Milano"}, {"area": "Roma"}], {"area": narrow}), {"area": 1})
    assert "Roma" not in str(told.value)


@pytest.mark.parametrize(
    ("rows", "levels", "message"),
    [
        ([3], [1], "is in no record"),
        ([0], [1], "is in no record"),
        ([1, 1], [1, 2], "stands twice"),
        ([1], [4], "does not have"),
        ([1], [-2], "does not have"),
        ([1, 2], [1], "no two lists of one length"),
    ],
)
def test_wrong_cells_are_told(rows: list[int], levels: list[int], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        locally_recoded(microdata([{"age": 31}, {"age": 40}]), {"age": (np.array(rows), np.array(levels))})
