"""Arrow files: both formats in, one out, and what the dictionary knows travels along."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest
from pyarrow import feather, ipc

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.errors import InputError
from tacita.files.arrow import write
from tacita.files.contract import WriteOptions
from tacita.model.attribute import Attribute
from tacita.model.dictionary import Dictionary
from tacita.model.microdata import Microdata, Source
from tacita.model.relation import ColumnType

Load = Callable[..., Microdata]
TABLE = pa.table(
    {
        "id": pa.array([1, 2, None], pa.int16()),
        "code": ["007", None, "x"],
        "rate": [0.5, None, 1.0],
        "day": [dt.date(2020, 1, 2), None, None],
        "moment": pa.array([dt.datetime(2020, 1, 2, 3, 4, 5)] * 3, pa.timestamp("ns", "Europe/Rome")),
        "yes": [True, None, False],
        "kind": pa.array(["a", "b", "a"]).dictionary_encode(),
        "amount": pa.array([None, 1, 2], pa.decimal128(10, 2)),
        "time": pa.array([dt.time(8, 30), None, None], pa.time64("us")),
        "nothing": pa.nulls(3),
    }
)


def rows(data: Microdata) -> list[dict[str, Any]]:
    return [row for batch in data.relation.batches() for row in batch.to_pylist()]


def as_file(path: Path, table: pa.Table, *, stream: bool = False, rows_of_a_batch: int = 2) -> Path:
    with (ipc.new_stream if stream else ipc.new_file)(str(path), table.schema) as writer:
        writer.write_table(table, max_chunksize=rows_of_a_batch)
    return path


@pytest.mark.parametrize("stream", [False, True])
def test_files_and_streams_are_read(load: Load, tmp_path: Path, stream: bool) -> None:
    data = load(as_file(tmp_path / "a.arrow", TABLE, stream=stream))
    assert {column.name: column.type for column in data.columns} == {
        "id": ColumnType.INTEGER,
        "code": ColumnType.TEXT,
        "rate": ColumnType.NUMBER,
        "day": ColumnType.DATE,
        "moment": ColumnType.TIMESTAMP,
        "yes": ColumnType.BOOLEAN,
        "kind": ColumnType.TEXT,
        "amount": ColumnType.NUMBER,
        "time": ColumnType.TEXT,
        "nothing": ColumnType.TEXT,
    }
    first = rows(data)[0]
    assert first["id"] == 1
    assert first["code"] == "007"
    assert first["moment"] == dt.datetime(2020, 1, 2, 3, 4, 5)
    assert first["time"] == "08:30:00"
    assert [row["kind"] for row in rows(data)] == ["a", "b", "a"]
    reasons = {reading.name: reading.reason for reading in data.readings}
    assert reasons["id"] == "int16, as the source says"
    assert reasons["moment"] == "timestamp[ns, tz=Europe/Rome], as the source says; in UTC; to the microsecond"
    assert reasons["time"] == "time64[us], as the source says; as text"
    assert reasons["nothing"] == "no values"


def test_files_of_other_libraries(load: Load, tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": [1, None], "s": ["x", None]})
    frame.write_ipc(tmp_path / "a.ipc", compression="lz4")
    assert rows(load(tmp_path / "a.ipc")) == [{"a": 1, "s": "x"}, {"a": None, "s": None}]
    feather.write_feather(pa.table({"a": [1]}), tmp_path / "a.feather")
    assert rows(load(tmp_path / "a.feather")) == [{"a": 1}]


def test_what_is_written_is_read_again_with_all_that_is_known(load: Load, engine: DuckDBEngine, tmp_path: Path) -> None:
    table = TABLE.select(["id", "code", "rate", "day", "yes"])
    relation = engine.adopt(table.to_batches(), table.schema)
    known = Attribute("id", description="Identifier ä", labels={"1": "one"}, missing=("9", ".a"), format="F8.2")
    others = [Attribute(name) for name in table.column_names[1:]]
    data = Microdata(relation, Dictionary("d", (known, *others), "a survey"), Source("x", "x"))
    assert write(data, tmp_path / "out.partial", WriteOptions(), ending=".arrow") == ()
    (tmp_path / "out.partial").rename(tmp_path / "b.arrow")
    again = load(tmp_path / "b.arrow")
    assert rows(again) == table.to_pylist()
    assert again.dictionary.attributes == data.dictionary.attributes
    assert again.dictionary.description == "a survey"
    assert pl.read_ipc(tmp_path / "b.arrow")["code"].to_list() == ["007", None, "x"]


def test_codes_of_missing_values_are_lost_and_told(engine: DuckDBEngine, tmp_path: Path) -> None:
    table = pa.table({"a": pa.array([1, None], pa.int64()), "aw": [None, "9"]})
    relation = engine.adopt(table.to_batches(), table.schema)
    value, companion = relation.columns
    data = Microdata(
        relation.renamed([replace(value, as_written=companion.physical)]),
        Dictionary("d", (Attribute("a", missing=("9",)),)),
        Source("x", "x"),
    )
    assert write(data, tmp_path / "a.partial", WriteOptions(), ending=".arrow") == (
        "Arrow files hold no codes of missing values: those of a became plain missing values",
    )


def test_no_rows(load: Load, engine: DuckDBEngine, tmp_path: Path) -> None:
    empty = load(as_file(tmp_path / "a.arrow", TABLE.slice(0, 0)))
    assert rows(empty) == []
    write(empty, tmp_path / "b.arrow", WriteOptions(), ending=".arrow")
    assert [column.name for column in load(tmp_path / "b.arrow").columns] == TABLE.column_names


@pytest.mark.parametrize("content", [b"a;b\nsecret;2\n" * 50, b"ARROW1\0\0secret", b"FEA1" + b"\0" * 100, b"\xff" * 64])
def test_files_that_are_not_arrow(load: Load, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "a.arrow").write_bytes(content)
    with pytest.raises(InputError) as error:
        load(tmp_path / "a.arrow")
    assert str(error.value) == (
        f"{tmp_path / 'a.arrow'}: is damaged, or is not an Arrow file (version 1 of Feather is not read)\n"
        "  what to do: fetch or export it again"
    )


def test_empty_and_cut_off_files(load: Load, tmp_path: Path) -> None:
    (tmp_path / "a.arrow").write_bytes(b"")
    with pytest.raises(InputError, match="is empty"):
        load(tmp_path / "a.arrow")
    for stream in (False, True):
        content = as_file(tmp_path / "b.arrow", TABLE, stream=stream, rows_of_a_batch=1).read_bytes()
        for length in range(1, len(content) - 16, 101):
            (tmp_path / "c.arrow").write_bytes(content[:length])
            with pytest.raises(InputError):
                load(tmp_path / "c.arrow")


def test_names_that_are_repeated_and_cells_that_are_lists(load: Load, tmp_path: Path) -> None:
    double = pa.Table.from_arrays([pa.array([1]), pa.array([2])], names=["a", "a"])
    with pytest.raises(InputError, match="several columns have the same name: a"):
        load(as_file(tmp_path / "a.arrow", double))
    with pytest.raises(InputError, match="column 'a' holds"):
        load(as_file(tmp_path / "b.arrow", pa.table({"a": [[1, 2]]})))
