"""Files read and written on Spark as on DuckDB: the plans of the readers mean the same."""

from __future__ import annotations

from pathlib import Path

import tacita as tc
from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.spark import SparkEngine

TEXT = """id;when;amount;zip;ok;note
1;31/01/2020;1.234,50;00123;true;a
2;01/12/2021;12,5;20121;false;"b; ""c""\"
3;;-3;;true;
4;NA;,25;30100;false; é
"""


def test_a_delimited_file_reads_and_writes_the_same(spark: SparkEngine, duckdb: DuckDBEngine, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(TEXT, encoding="utf-8")
    found, written = [], []
    for engine in (spark, duckdb):
        data = tc.read(path, engine=engine)
        data.write(tmp_path / f"{engine.name}.csv")
        written.append((tmp_path / f"{engine.name}.csv").read_bytes())
        found.append((data.to_arrow().to_pylist(), [column.type for column in data.relation.columns]))
    assert found[0] == found[1]
    assert [kind.value for kind in found[0][1]] == ["text", "date", "number", "text", "text", "text"]
    assert written[0] == written[1]
