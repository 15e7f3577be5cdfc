"""The embedded engine as a house guest: it respects its limits and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.plans.frequencies import sample_uniques
from tacita.engines.protocol import Delimited
from tacita.errors import InputError, UsageError
from tacita.settings import Settings


def test_settings_reach_the_engine(tmp_path: Path) -> None:
    with DuckDBEngine(Settings(memory="512MB", threads=1, spill=tmp_path, state=tmp_path / "s")) as engine:
        cursor = engine._connection.cursor()
        told = dict(
            cursor.execute(
                "SELECT name, value FROM duckdb_settings() WHERE name IN ('memory_limit', 'threads', 'temp_directory')"
            ).fetchall()
        )
    assert told["threads"] == "1"
    assert told["memory_limit"].startswith("488")  # 512 MB in MiB
    assert Path(told["temp_directory"]).parent == tmp_path


@pytest.mark.slow
def test_spilled_data_is_gone_after_closing(tmp_path: Path) -> None:
    table = pa.table({f"x{i}": pa.array([f"{n:040d}-{i}" for n in range(300_000)]) for i in range(3)})
    with DuckDBEngine(Settings(memory="64MB", threads=1, spill=tmp_path, state=tmp_path / "s")) as engine:
        relation = engine.adopt(table.to_batches(), table.schema)
        assert engine.run(sample_uniques(relation, ["x0", "x1"]))[0]["uniques"] == 300_000
        assert list(tmp_path.glob(".tacita-*.spill")), "nothing was spilled: the test proves nothing"
    assert not list(tmp_path.glob(".tacita-*"))
    assert not list((tmp_path / "s" / "unfinished").iterdir())


def test_wrong_memory_is_refused() -> None:
    with pytest.raises(UsageError, match="memory is 'lots'"):
        Settings(memory="lots")


def test_parquet_is_scanned_not_loaded(tmp_path: Path) -> None:
    path = tmp_path / "a[1]*.parquet"  # a name that would be a pattern
    pq.write_table(pa.table({"select": [1, 2], 'qu"ote': ["x", None]}), path)
    with DuckDBEngine() as engine:
        relation = engine.scan_parquet([path])
        assert [c.name for c in relation.columns] == ["select", 'qu"ote']
        assert relation.count() == 2
        tables = engine._connection.cursor().execute("SELECT count(*) FROM duckdb_tables()").fetchall()
        assert tables == [(0,)]


def test_damaged_parquet_is_told_without_a_traceback(tmp_path: Path) -> None:
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"PAR1 this is not one")
    with DuckDBEngine() as engine, pytest.raises(InputError, match="cannot be read"):
        engine.scan_parquet([path])


def test_columns_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('a,b,c\n1,"x,\ny",2\n3,,4\n', encoding="utf-8")
    with DuckDBEngine() as engine:
        relation = engine.load_delimited([path], Delimited(3, kept=(1, 2)))
        rows = [row for batch in relation.batches() for row in batch.to_pylist()]
        assert [column.physical for column in relation.columns] == ["c1", "c2"]
    assert [list(row.values()) for row in rows] == [["x,\ny", "2"], [None, "4"]]


@pytest.mark.parametrize("kept", [None, (1,), (0,)])
def test_ragged_lines_are_named_and_never_quoted(tmp_path: Path, kept: tuple[int, ...] | None) -> None:
    path = tmp_path / "r.csv"
    path.write_text("a,b\n1,secret\nsecret\n3,4,secret\n", encoding="utf-8")
    with DuckDBEngine() as engine:
        for _ in range(2):  # the second time must not see the rejects of the first
            with pytest.raises(InputError) as caught:
                engine.load_delimited([path], Delimited(2, kept=kept))
            assert caught.value.found == (
                "2 faults:\n  - line 3: 1 field where the header has 2\n  - line 4: 3 fields where the header has 2"
            )
            assert "secret" not in str(caught.value)
            assert caught.value.__cause__ is None
