"""Objects of pandas, polars and pyarrow, taken as they are."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.errors import InputError, UsageError
from tacita.files import objects
from tacita.files.contract import Loaded, ReadOptions
from tacita.model.attribute import Kind
from tacita.model.relation import ColumnType

Read = Callable[..., Loaded]


@pytest.fixture(scope="module")
def read(engine: DuckDBEngine) -> Read:
    return lambda obj, **options: objects.read(obj, ReadOptions(**options), engine)


def rows(loaded: Loaded) -> list[dict[str, Any]]:
    return [row for batch in loaded.relation.batches() for row in batch.to_pylist()]


def types(loaded: Loaded) -> dict[str, ColumnType]:
    return {column.name: column.type for column in loaded.relation.columns}


def reasons(loaded: Loaded) -> dict[str, tuple[str, bool]]:
    return {reading.name: (reading.reason, reading.doubtful) for reading in loaded.readings}


# -- pandas -----------------------------------------------------------------------------------------------------------


def test_a_frame_of_pandas(read: Read) -> None:
    frame = pd.DataFrame(
        {
            "whole": pd.array([1, None], dtype="Int64"),
            "float": [1.5, np.nan],
            "text": ["007", None],
            "moment": pd.to_datetime(["2020-01-02 03:04:05.678901234", None]),
            "zoned": pd.to_datetime(["2020-01-02 03:04:05+02:00", None]),
            "yes": pd.array([True, None], dtype="boolean"),
            "size": pd.Categorical(["small", None], ["large", "small"], ordered=True),
            "group": pd.Categorical([2, 1]),
            "day": [dt.date(2020, 1, 2), None],
            "amount": [Decimal("1.50"), None],
            "month": pd.PeriodIndex(["2020-01", "2020-02"], freq="M"),
            7: [1, 2],
        }
    )
    loaded = read(frame)
    assert types(loaded) == {
        "whole": ColumnType.INTEGER,
        "float": ColumnType.NUMBER,
        "text": ColumnType.TEXT,
        "moment": ColumnType.TIMESTAMP,
        "zoned": ColumnType.TIMESTAMP,
        "yes": ColumnType.BOOLEAN,
        "size": ColumnType.TEXT,
        "group": ColumnType.TEXT,
        "day": ColumnType.DATE,
        "amount": ColumnType.NUMBER,
        "month": ColumnType.TEXT,
        "7": ColumnType.INTEGER,
    }
    assert rows(loaded) == [
        {"whole": 1, "float": 1.5, "text": "007", "moment": dt.datetime(2020, 1, 2, 3, 4, 5, 678_901)}
        | {"zoned": dt.datetime(2020, 1, 2, 1, 4, 5), "yes": True, "size": "small", "group": "2"}
        | {"day": dt.date(2020, 1, 2), "amount": Decimal("1.50"), "month": "2020-01", "7": 1},
        {"whole": None, "float": None, "text": None, "moment": None, "zoned": None, "yes": None, "size": None}
        | {"group": "1", "day": None, "amount": None, "month": "2020-02", "7": 2},
    ]
    assert reasons(loaded)["size"] == ("ordered categories of pandas, as text", False)
    assert reasons(loaded)["day"] == ("Python objects, all date", False)
    assert (loaded.attributes[6].kind, loaded.attributes[6].order) == (Kind.ORDINAL, ("large", "small"))


def test_mixed_objects_are_text_and_doubtful(read: Read) -> None:
    loaded = read(pd.DataFrame({"a": pd.Series([1, "x", 2.0, None, True], dtype=object), "b": range(5)}))
    assert [row["a"] for row in rows(loaded)] == ["1", "x", "2", None, "True"]
    assert reasons(loaded)["a"] == ("mixed: Python objects of type bool, float, int, str, as text", True)


@pytest.mark.parametrize(
    ("cells", "said"),
    [
        ([[1], None], "column 'a' holds list in its cells"),
        ([{"k": 1}, None], "column 'a' holds dict in its cells"),
        ([b"\0", None], "column 'a' holds binary data"),
    ],
)
def test_cells_that_are_no_values(read: Read, cells: list[Any], said: str) -> None:
    with pytest.raises(InputError) as error:
        read(pd.DataFrame({"a": pd.Series(cells, dtype=object)}))
    assert error.value.found == said


def test_the_index_of_pandas(read: Read) -> None:
    frame = pd.DataFrame({"a": [1, 2]})
    assert rows(read(frame)) == [{"a": 1}, {"a": 2}]
    assert rows(read(frame.set_axis(["x", "y"]))) == [{"a": 1}, {"a": 2}]
    assert rows(read(frame.set_axis(pd.Index(["x", "y"], name="key")))) == [{"key": "x", "a": 1}, {"key": "y", "a": 2}]
    levels = pd.MultiIndex.from_tuples([("x", 1), ("y", 2)], names=["key", None])
    assert rows(read(frame.set_axis(levels))) == [{"key": "x", "a": 1}, {"key": "y", "a": 2}]
    assert rows(read(frame[frame["a"] == 2])) == [{"a": 2}]
    assert rows(read(pd.Series([1, 2], name="s"))) == [{"s": 1}, {"s": 2}]


def test_columns_of_the_same_name(read: Read) -> None:
    frame = pd.DataFrame([[1, 2, 3]], columns=["a", "b", "a"])
    with pytest.raises(InputError) as error:
        read(frame)
    assert str(error.value) == "pandas DataFrame: several columns have the same name: a\n  what to do: rename them"
    with pytest.raises(InputError, match="several columns have the same name: 1"):
        read(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(InputError, match="several columns have the same name: a"):
        read(pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"]))


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    numbers=st.lists(st.none() | st.floats(), min_size=4, max_size=4),
    wholes=st.lists(st.integers(-(2**63), 2**63 - 1), min_size=4, max_size=4),
    texts=st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"])), min_size=4, max_size=4),
)
def test_a_frame_of_pandas_is_what_it_was(read: Read, numbers: Any, wholes: Any, texts: Any) -> None:
    frame = pd.DataFrame({"x": np.array(numbers, dtype=float), "n": wholes, "t": pd.Series(texts, dtype=object)})
    found = rows(read(frame))
    assert [row["x"] for row in found] == [None if n is None or np.isnan(n) else n for n in numbers]
    assert [row["n"] for row in found] == wholes
    assert [row["t"] for row in found] == texts


# -- polars -----------------------------------------------------------------------------------------------------------


def test_frames_of_polars(read: Read) -> None:
    frame = pl.DataFrame(
        {
            "a": pl.Series([1, None], dtype=pl.UInt8),
            "t": ["x", None],
            "c": pl.Series(["p", "q"], dtype=pl.Categorical),
            "e": pl.Series(["p", "q"], dtype=pl.Enum(["q", "p"])),
            "d": [dt.date(2020, 1, 2), None],
            "m": [dt.datetime(2020, 1, 2), None],
            "s": [dt.timedelta(hours=1), None],
        }
    )
    for obj in (frame, frame.lazy(), frame.lazy().filter(pl.col("e").is_not_null())):
        loaded = read(obj)
        assert rows(loaded)[0] | {"s": ""} == {
            "a": 1,
            "t": "x",
            "c": "p",
            "e": "p",
            "d": dt.date(2020, 1, 2),
            "m": dt.datetime(2020, 1, 2),
            "s": "",
        }
        assert types(loaded)["a"] is ColumnType.INTEGER
        assert types(loaded)["s"] is ColumnType.TEXT
    assert rows(read(pl.Series("z", [1]))) == [{"z": 1}]


def test_objects_in_polars(read: Read) -> None:
    with pytest.raises(InputError, match="these columns hold Python objects: a"):
        read(pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)}))


# -- pyarrow ----------------------------------------------------------------------------------------------------------


def test_tables_batches_and_readers_of_pyarrow(read: Read) -> None:
    schema = pa.schema([pa.field("a", pa.int64(), metadata={"description": "An A"}), pa.field("b", pa.string())])
    table = pa.table({"a": [1, 2], "b": ["x", None]}, schema=schema)
    expected = [{"a": 1, "b": "x"}, {"a": 2, "b": None}]
    for obj in (table, table.to_batches()[0], table.to_reader(max_chunksize=1)):
        loaded = read(obj)
        assert rows(loaded) == expected
        assert loaded.attributes[0].description == "An A"
    assert rows(read(table.slice(0, 0))) == []


def test_types_that_the_user_told(read: Read) -> None:
    assert rows(read(pa.table({"a": [1]}), types={"a": ColumnType.TEXT})) == [{"a": "1"}]


def test_objects_that_are_no_tables(read: Read) -> None:
    for obj in (5, [1], {"a": [1]}, np.array([1])):
        with pytest.raises(UsageError) as error:
            read(obj)
        assert error.value.do == "give a path, a database URL, or a data frame or table of pandas, polars or pyarrow"


@pytest.mark.slow
def test_no_library_is_imported_for_it() -> None:
    script = """
import sys
import tacita.files.objects, tacita.files.arrow
print([name for name in ("pandas", "polars", "pyreadstat", "sqlalchemy", "fastexcel") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
