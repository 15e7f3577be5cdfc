"""Unsafe keys: sdcMicro's figures, and a brute-force twin for what nulls match."""

from __future__ import annotations

import csv
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tacita as tc
from tacita.errors import UsageError
from tacita.model.dictionary import MissingAs
from tacita.risk.combinations import Codes
from tacita.risk.identity.cells import Cells
from tacita.risk.identity.keys import Keys
from tacita.risk.measure import Measure
from tacita.risk.null_semantics import Nulls, Semantics
from tacita.risk.sample import Sample

KV5 = ["urbrur", "roof", "walls", "water", "electcon"]
CATEGORY = Nulls(MissingAs.CATEGORY)
MAYBE = Nulls()
STANDARD = Nulls(semantics=Semantics.STANDARD)
Record = tuple[int, ...]


def sample_of(table: pa.Table, nulls: Nulls = MAYBE) -> Sample:
    names = table.column_names
    data = tc.read(table, name="db").with_categories(dict.fromkeys(names, "quasi-identifier"))
    return Sample.of(data.microdata, names, nulls)


def rows(relation: Any) -> list[dict[str, Any]]:
    found = [row for batch in relation.batches() for row in batch.to_pylist()]
    return sorted(found, key=lambda row: row["row"])


def test_unsafe_cells_are_those_of_sdcmicro(shared: Path) -> None:
    """riskyCells(testdata2, keyVars=kv5, threshold=c(10,25,5), maxDim=3) of sdcMicro 5.8.1: the threshold is unsafe."""
    table = pa_csv.read_csv(shared / "data" / "sdcmicro" / "testdata2.csv").select(KV5)
    risks = Keys(3, (10, 25, 5)).risks(sample_of(table))
    ours = {row["attributes"]: (row["threshold"], row["unsafe_cells"]) for row in risks.tables["keys"]}
    with (shared / "sdcmicro" / "riskycells_testdata2.csv").open() as file:
        theirs = {
            " x ".join(row[d] for d in ("dim1", "dim2", "dim3") if row[d]): (
                int(row["threshold"]),
                int(row["unsafe_cells"]),
            )
            for row in csv.DictReader(file)
        }
    assert ours == theirs
    assert len(ours) == risks.figures["keys"] == 25
    assert risks.figures["unsafe_cells"] == sum(cells for _, cells in theirs.values()) == 280
    most = [row["unsafe_cells"] for row in risks.tables["keys"]]
    assert most == sorted(most, reverse=True)
    water = sum(cells for key, (_, cells) in theirs.items() if "water" in key)
    assert {r["attribute"]: r["unsafe_cells"] for r in risks.tables["attributes"]}["water"] == water


def test_unit_cells_of_figure_1() -> None:
    sample = Sample.of(tc.sample("figure-1").microdata, ["Area", "Sector", "Employees", "Residential Rev."])
    measure = Keys()
    risks = measure.risks(sample)
    by_key = {row["attributes"]: row for row in risks.tables["keys"]}
    assert by_key["Sector"] == {
        "attributes": "Sector",
        "dimension": 1,
        "threshold": 1,
        "unsafe_cells": 1,
        "unsafe_records": 1,
    }
    assert by_key["Area"]["unsafe_cells"] == 0
    last = rows(risks.records)[19]
    # Sector alone and in three pairs and three triples; Employees x Residential Rev., and that with Area.
    assert last == {"row": 20, "risk": 1.0, "unsafe_keys": 9}
    assert measure.reason(sample, last) == "in an unsafe cell of 9 of 14 keys of up to 3 attributes"
    assert isinstance(measure, Measure)


def test_a_file_without_small_cells_is_safe() -> None:
    risks = Keys(2, 2).risks(sample_of(pa.table({"a": ["x", "y"] * 6, "b": ["u", "u", "v", "v"] * 3})))
    assert {(r["risk"], r["unsafe_keys"]) for r in rows(risks.records)} == {(0.0, 0)}
    assert risks.figures == {"keys": 3, "unsafe_keys": 0, "unsafe_cells": 0, "unsafe_records": 0}


@pytest.mark.parametrize("kind", [pa.string(), pa.int64(), pa.float64()])
def test_no_records(kind: pa.DataType) -> None:
    risks = Keys().risks(sample_of(pa.table({"a": pa.array([], kind), "b": pa.array([], kind)})))
    assert rows(risks.records) == []
    assert risks.figures == {"keys": 3, "unsafe_keys": 0, "unsafe_cells": 0, "unsafe_records": 0}


@pytest.mark.parametrize("parameters", [(0,), (2, (1,)), (3, -1), (2, (3, -1))])
def test_senseless_parameters_are_refused(parameters: tuple[Any, ...]) -> None:
    with pytest.raises(UsageError, match="what to do"):
        Keys(*parameters)


# -- the kernel and its twin -------------------------------------------------------------------------------------------


def is_like(known: int, other: int, nulls: Nulls) -> bool:
    return known == other or (nulls is MAYBE and other == -1)


def naive(records: list[Record], key: Record, most: int, nulls: Nulls) -> tuple[int, list[Record]]:
    """The unsafe cells of a key, counted, and the records that lie in one."""
    cells = {tuple(r[a] for a in key) for r in records}
    if nulls is not CATEGORY:
        cells = {cell for cell in cells if -1 not in cell}
    unsafe = {
        cell
        for cell in cells
        if sum(all(is_like(v, r[a], nulls) for v, a in zip(cell, key, strict=True)) for r in records) <= most
    }
    return len(unsafe), sorted(r for r in records if tuple(r[a] for a in key) in unsafe)


@st.composite
def small_data(draw: st.DrawFn) -> tuple[int, list[Record]]:
    attributes = draw(st.integers(1, 4))
    code = st.integers(-1, draw(st.integers(0, 3)))
    return attributes, draw(st.lists(st.tuples(*[code] * attributes), max_size=14))


@pytest.mark.parametrize("nulls", [CATEGORY, MAYBE, STANDARD], ids=str)
@given(data=small_data(), most=st.integers(0, 3))
@settings(max_examples=60, deadline=None)
def test_cells_are_those_that_brute_force_counts(nulls: Nulls, data: tuple[int, list[Record]], most: int) -> None:
    attributes, records = data
    counted = Counter(records)
    table = np.array(list(counted), dtype=np.int32).reshape(-1, attributes)
    counts = np.array(list(counted.values()), dtype=np.int64)
    values = tuple(pa.array(range(int(table[:, a].max(initial=-1)) + 1)) for a in range(attributes))
    cells = Cells.of(Codes(table, counts, counts.astype(float), values), nulls)
    for size in range(1, attributes + 1):
        for key in combinations(range(attributes), size):
            unsafe, lies = cells.unsafe(key, most)
            found = sorted(r for r, n, is_in in zip(counted, counts, lies, strict=True) if is_in for _ in range(n))
            assert (unsafe, found) == naive(records, key, most, nulls)


def test_a_hidden_value_may_make_a_cell_safe() -> None:
    table = pa.table({"a": ["x", "x", None], "b": ["1", "2", "2"]})
    assert [r["risk"] for r in rows(Keys().risks(sample_of(table)).records)] == [1, 0, 0]
    standard = Keys().risks(sample_of(table, STANDARD))
    assert [r["risk"] for r in rows(standard.records)] == [1, 1, 0]
    assert "lies in no cell" in standard.notes[0]
    assert [r["risk"] for r in rows(Keys().risks(sample_of(table, CATEGORY)).records)] == [1, 1, 1]
