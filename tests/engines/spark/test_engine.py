"""The engine as a guest: it keeps what it is given, in order and in its types, and frees what nobody needs."""

from __future__ import annotations

import datetime as dt
import decimal
import gzip
import os
import random
import stat
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from sqlglot import exp, parse_one

from tacita.engines.duckdb import DuckDBEngine
from tacita.engines.protocol import Delimited, Relation
from tacita.engines.spark import SparkEngine
from tacita.engines.spark.session import require_java
from tacita.errors import InputError, MissingExtra, ReasoningError, TacitaError, UsageError
from tacita.model.relation import ColumnType


def plan(sql: str) -> exp.Query:
    return parse_one(sql, dialect="duckdb")


def adopted(engine: SparkEngine, **columns: object) -> Relation:
    table = pa.table(columns)
    return engine.adopt(table.to_batches(), table.schema)


def kept(engine: SparkEngine) -> int:
    return int(engine._session.sparkContext._jsc.sc().getPersistentRDDs().size())


# -- relations in -----------------------------------------------------------------------------------------------------


def test_types_of_arrow_columns(spark: SparkEngine) -> None:
    moment = dt.datetime(2020, 1, 2, 3)
    relation = adopted(
        spark,
        a=pa.array([True, None]),
        b=pa.array([dt.date(2020, 1, 2), None]),
        c=pa.array([moment, None], pa.timestamp("ns")),
        d=pa.array([decimal.Decimal("1.50"), None]),
        e=pa.array(["x", None]).dictionary_encode(),
        f=pa.array([dt.time(3, 4), None]),
        g=pa.nulls(2),
        h=pa.array([float("nan"), 1.5]),
        i=pa.array([2**64 - 1, None], pa.uint64()),
        j=pa.array([moment, None], pa.timestamp("ms", "Europe/Rome")),
        k=pa.array(["x", None], pa.large_string()),
        l=pa.array([7, None], pa.uint8()),
    )
    kinds = "boolean date timestamp number text text text number number timestamp text integer"
    assert " ".join(c.type.value for c in relation.columns) == kinds
    first, second = pa.Table.from_batches(relation.batches()).to_pylist()
    day, amount = dt.date(2020, 1, 2), decimal.Decimal("1.50")
    values = [True, day, moment, amount, "x", "03:04:00.000000", None, None, 2**64 - 1, moment, "x", 7]
    assert first == dict(zip("abcdefghijkl", values, strict=True))
    assert second == {**dict.fromkeys("abcdefghijkl"), "h": 1.5}


def test_nested_columns_are_refused_by_name(spark: SparkEngine) -> None:
    with pytest.raises(InputError, match="column 'x' holds list values"):
        adopted(spark, x=pa.array([[1, 2]]))


def test_names_that_differ_only_in_case_stay_apart(spark: SparkEngine, tmp_path: Path) -> None:
    table = pa.Table.from_arrays([pa.array([1]), pa.array(["x"])], names=["Area", "area"])
    pq.write_table(table, tmp_path / "a.parquet")
    for relation in (spark.adopt(table.to_batches(), table.schema), spark.scan_parquet([tmp_path / "a.parquet"])):
        assert next(relation.batches()).to_pylist() == [{"Area": 1, "area": "x"}]


def test_batches_come_in_their_order(spark: SparkEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacita.engines.spark.arrow._PORTION", 10_000)
    table = pa.table({"x": pa.array(range(10_000)), "y": pa.array([f"v{i}" for i in range(10_000)])})
    relation = spark.adopt(table.to_batches(1_000), table.schema)
    found = pa.Table.from_batches(relation.batches(300))
    assert found.equals(table)
    assert max(len(batch) for batch in relation.batches(300)) <= 300
    spark.drop(relation)


def test_what_a_source_raises_is_not_swallowed(spark: SparkEngine) -> None:
    before = kept(spark)

    def batches() -> object:
        yield pa.record_batch({"x": [1]})
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        spark.adopt(batches(), pa.schema([("x", pa.int64())]))  # type: ignore[arg-type]
    assert kept(spark) == before


def test_parquet_is_scanned_not_loaded(spark: SparkEngine, tmp_path: Path) -> None:
    path = tmp_path / "a[1]*{b}.parquet"  # a name that would be a pattern
    moment = dt.datetime(2020, 1, 2, 3)
    content = {
        "select": [1, 2],
        'qu"o`te.': ["x", None],
        "m": pa.array([moment, None], pa.timestamp("ns")),
        "f": [1.5, float("nan")],
    }
    pq.write_table(pa.table(content), path)
    before = kept(spark)
    relation = spark.scan_parquet([path])
    assert [c.name for c in relation.columns] == ["select", 'qu"o`te.', "m", "f"]
    assert next(relation.batches()).to_pylist()[0] == {"select": 1, 'qu"o`te.': "x", "m": moment, "f": 1.5}
    assert spark.run(exp.select("c3").from_(relation.source()).where("c0 = 2")) == [{"c3": None}]
    assert kept(spark) == before


def test_parquet_that_spark_cannot_scan_is_loaded(spark: SparkEngine, tmp_path: Path) -> None:
    path = tmp_path / "_a:b.parquet"
    pq.write_table(pa.table({"t": [dt.time(1, 2)], "x": [1]}), path)
    relation = spark.scan_parquet([path])
    assert next(relation.batches()).to_pylist() == [{"t": "01:02:00.000000", "x": 1}]


def test_parts_of_parquet_keep_their_order(spark: SparkEngine, tmp_path: Path) -> None:
    """Spark would read the largest first."""
    paths = []
    for year, rows in (("2023", 10), ("007", 500), ("2025", 100)):
        path = tmp_path / f"year={year}" / "part.parquet"
        path.parent.mkdir()
        pq.write_table(pa.table({"x": list(range(rows))}), path)
        paths.append(path)
    relation = spark.scan_parquet(paths, partitioned=True)
    assert [(c.name, c.type) for c in relation.columns] == [("x", ColumnType.INTEGER), ("year", ColumnType.TEXT)]
    years = [row["year"] for batch in relation.batches() for row in batch.to_pylist()]
    assert years == ["2023"] * 10 + ["007"] * 500 + ["2025"] * 100


def test_damaged_parquet_is_told_without_a_traceback(spark: SparkEngine, tmp_path: Path) -> None:
    path = tmp_path / "bad.parquet"
    path.write_bytes(b"PAR1 this is not one")
    with pytest.raises(InputError, match="cannot be read: it is not a Parquet file"):
        spark.scan_parquet([path])


def test_delimited_text(spark: SparkEngine, duckdb: DuckDBEngine, tmp_path: Path) -> None:
    path = tmp_path / "r.csv"
    path.write_text('a;b\n1;"x;\n""y"""\n;\n\n"";ä\n007;\'\n', encoding="utf-8")
    found = [
        [row for batch in engine.load_delimited([path], Delimited(2, ";")).batches() for row in batch.to_pylist()]
        for engine in (spark, duckdb)
    ]
    assert found[0] == found[1]
    assert found[0][0] == {"c0": "1", "c1": 'x;\n"y"'}
    second = Delimited(2, ";", kept=(1,))
    few = [
        [list(row.values()) for batch in engine.load_delimited([path], second).batches() for row in batch.to_pylist()]
        for engine in (spark, duckdb)
    ]
    assert few[0] == few[1] == [[row["c1"]] for row in found[0]]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"a,b\n1,secret\nsecret\n3,4,secret\n", "2 faults:\n  - row 3: 1 field where the header has 2\n  - row 4: 3"),
        (b'a,b\n1,"secret\n', "a quote is opened and not closed"),
        (b"a,b\n1,secret\xff\n", "bytes that are not UTF-8"),
    ],
)
def test_rows_that_do_not_fit_are_never_quoted(spark: SparkEngine, tmp_path: Path, content: bytes, said: str) -> None:
    path = tmp_path / "r.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        spark.load_delimited([path], Delimited(2))
    assert caught.value.found.startswith(said)
    assert "secret" not in str(caught.value)


# -- tables -----------------------------------------------------------------------------------------------------------


def test_tables_of_the_reasoner(spark: SparkEngine) -> None:
    before = kept(spark)
    table, other = spark.new_table(), spark.new_table()
    assert table != other
    assert spark.replace(table, plan("SELECT CAST(1 AS BIGINT) AS c0, 'a' AS c1")) == 1
    assert spark.replace(table, plan(f"SELECT c0 + 1 AS c0, c1 FROM {table} UNION ALL SELECT c0, c1 FROM {table}")) == 2
    assert spark.append(table, plan(f"SELECT c0 + 10 AS c0, c1 FROM {table} WHERE c0 = 1")) == 1
    assert spark.append(table, plan(f"SELECT c0, c1 FROM {table} WHERE c0 > 100")) == 0
    assert spark.append(table, plan("SELECT 5 AS q, NULL AS r")) == 1, "by position, in the types of the table"
    assert spark.replace(other, plan(f"SELECT * FROM {table}")) == 4
    assert spark.append(table, plan(f"SELECT * FROM {other}")) == 4
    spark.define(f"{table}_v", plan(f"SELECT SUM(c0) AS n FROM {table}"))
    assert spark.run(plan(f"SELECT n FROM {table}_v")) == [{"n": 2 * (1 + 2 + 11 + 5)}]
    spark.append(table, plan("SELECT 100 AS c0, 'z' AS c1"))
    assert spark.run(plan(f"SELECT n FROM {table}_v")) == [{"n": 138}], "a definition is run when it is read"
    spark.forget(table)
    assert sorted(r["c0"] for r in spark.run(plan(f"SELECT c0 FROM {other}"))) == [1, 2, 5, 11], "shared, not lost"
    for name in (other, f"{table}_v", "r_never_was"):
        spark.forget(name)
    assert kept(spark) == before


def test_plans_do_not_grow_round_after_round(spark: SparkEngine) -> None:
    before = kept(spark)
    table = spark.new_table()
    spark.replace(table, plan("SELECT CAST(0 AS BIGINT) AS c0"))
    for _ in range(12):
        spark.append(table, plan(f"SELECT MAX(c0) + 1 AS c0 FROM {table}"))
    assert spark.run(plan(f"SELECT COUNT(*) AS n, SUM(c0) AS s FROM {table}")) == [{"n": 13, "s": 78}]
    assert len(spark._tables[table].pieces) <= 8
    written = spark._session.table(table)._jdf.queryExecution().analyzed().toString()
    assert written.count("LogicalRDD") == len(spark._tables[table].pieces)
    assert "Aggregate" not in written
    assert kept(spark) - before == len(spark._tables[table].pieces)
    spark.forget(table)
    assert kept(spark) == before


def test_a_table_forgets_the_conditions_it_came_from(spark: SparkEngine) -> None:
    """Spark keeps those of the plan behind a checkpoint, gone columns included, and stops at them in a union."""
    table, other = spark.new_table(), spark.new_table()
    spark.replace(table, plan("SELECT CAST(1 AS BIGINT) AS c0, CAST(1 AS BIGINT) AS c1"))
    made = f"""SELECT a.c0, b.c1 AS c1, a.c1 AS c2 FROM {table} AS a CROSS JOIN {table} AS b
        WHERE a.c0 = b.c0 AND a.c1 = b.c1"""
    spark.replace(other, plan(made))
    spark.append(other, plan(made))
    assert spark.replace(other, plan(f"SELECT DISTINCT * FROM {other}")) == 1
    for name in (table, other):
        spark.forget(name)


# -- results out ------------------------------------------------------------------------------------------------------

HOSTILE = [
    "a",
    "a,b",
    'a"b',
    "a\nb",
    "a\rb",
    "",
    " x ",
    "#x",
    "a#b",
    "a;b",
    "a\tb",
    "'q'",
    "NULL",
    "ä",
    "\\",
    "a|b",
    "]",
    "^",
]


@pytest.mark.parametrize(
    ("delimiter", "zipped"), [(",", False), ("\t", True), ("|", False), ("]", False), ("^", False)]
)
def test_delimited_text_is_written_as_by_duckdb(
    spark: SparkEngine, duckdb: DuckDBEngine, tmp_path: Path, delimiter: str, zipped: bool
) -> None:
    table = pa.table(
        {
            "x": pa.array([*HOSTILE, None]),
            "y": pa.array([1.5, 1e7, 1e20, None, *([0.1] * (len(HOSTILE) - 3))]),
            "z": pa.array([dt.datetime(2020, 1, 2, 3, 4, 5), None, *([dt.datetime(1999, 1, 1)] * (len(HOSTILE) - 1))]),
        }
    )
    written = []
    for engine in (spark, duckdb):
        relation = engine.adopt(table.to_batches(), table.schema)
        path = tmp_path / f"{engine.name}.csv"
        engine.write_delimited(
            exp.select("c0", "c1", "c2").from_(relation.source()), path, delimiter, ["x", 'y"', "z"], gzip=zipped
        )
        written.append(gzip.decompress(path.read_bytes()) if zipped else path.read_bytes())
    assert written[0] == written[1]


def test_nothing_is_said_of_values(spark: SparkEngine, capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(TacitaError) as caught:
        spark.run(plan("SELECT CAST('secret' AS BIGINT) AS n"))
    assert str(caught.value).startswith("the engine refused a plan (")
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None
    with pytest.raises(TacitaError):
        spark.run(plan("SELECT nothing AS n FROM nowhere WHERE x = 'secret'"))
    written = capfd.readouterr()
    assert written.out == written.err == ""


def test_overflow_is_a_fault_not_another_number(spark: SparkEngine) -> None:
    relation = adopted(spark, x=pa.array([2**62, 2**62]))
    for sql in ("SELECT SUM(c0) AS n FROM", "SELECT c0 * 4 AS n FROM", "SELECT CAST(c0 AS INT) AS n FROM"):
        with pytest.raises(ReasoningError, match="grew beyond 64 bits"):
            spark.run(plan(f"{sql} {relation.table}"))


# -- sessions ---------------------------------------------------------------------------------------------------------


def test_engines_of_one_process_share_spark_and_nothing_else(spark: SparkEngine, tmp_path: Path) -> None:
    before = kept(spark)
    table = spark.new_table()
    spark.replace(table, plan("SELECT 1 AS c0"))
    from tacita.settings import Settings

    with SparkEngine(Settings(threads=2, state=tmp_path)) as other:
        assert other._session.sparkContext is spark._session.sparkContext
        other.replace(table, plan("SELECT 2 AS c0"))
        assert spark.run(plan(f"SELECT c0 FROM {table}")) == [{"c0": 1}]
    assert spark.run(plan(f"SELECT c0 FROM {table}")) == [{"c0": 1}]
    spark.forget(table)
    assert kept(spark) == before


def test_a_session_that_is_handed_over_stays_as_it_is(spark: SparkEngine) -> None:
    given = spark._session.newSession()
    given.conf.set("spark.sql.ansi.enabled", "false")
    given.conf.set("spark.sql.shuffle.partitions", "3")
    before = kept(spark)
    with SparkEngine(session=given) as engine:
        relation = adopted(engine, x=pa.array([1, 2]))
        assert relation.count() == 2
        assert engine._session.conf.get("spark.sql.ansi.enabled") == "true"
        assert engine._session.conf.get("spark.sql.shuffle.partitions") == "3"
    assert given.conf.get("spark.sql.ansi.enabled") == "false"
    assert not given.catalog.listTables()
    assert kept(spark) == before
    assert given.sql("SELECT 1 AS n").collect()[0].n == 1


def test_somebody_elses_spark_is_not_taken(spark: SparkEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tacita.engines.spark.session._running", None)
    with pytest.raises(UsageError, match="already running"):
        SparkEngine()


def test_spilled_data_is_private(spark: SparkEngine) -> None:
    folder = Path(spark._session.sparkContext.getConf().get("spark.local.dir", ""))
    assert folder.name.startswith(".tacita-")
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert spark._session.sparkContext.getConf().get("spark.driver.host") == "127.0.0.1"


SCRIPT = """
import os, sys, pyarrow as pa
from pathlib import Path
from sqlglot import parse_one
from tacita.engines.spark import SparkEngine
from tacita.errors import TacitaError
from tacita.settings import Settings
here = Path(sys.argv[1])
engine = SparkEngine(Settings(memory="1GB", threads=1, spill=here, state=here / "state"))
table = pa.table({"x": ["secret"] * 1000})
relation = engine.adopt(table.to_batches(), table.schema)
assert list(here.glob(".tacita-*.spill"))
try:
    engine.run(parse_one(f"SELECT CAST(c0 AS BIGINT) AS n FROM {relation.table}"))
except TacitaError as error:
    assert "refused a plan" in str(error)
from pyspark import SparkContext
os.kill(SparkContext._gateway.proc.pid, 9)
try:
    relation.count()
except TacitaError as error:
    assert "not running any more" in str(error), error
"""


def test_nothing_is_printed_and_nothing_left(spark: SparkEngine, tmp_path: Path) -> None:
    """Neither by Python nor by Java, in a process whose Java is killed and that does not close the engine."""
    command = [sys.executable, "-W", "error", "-c", SCRIPT, str(tmp_path)]
    quick = {"SPARK_SUBMIT_OPTS": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
    done = subprocess.run(
        command, check=False, capture_output=True, text=True, timeout=1800, cwd=tmp_path, env=os.environ | quick
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert [path.name for path in tmp_path.iterdir()] == ["state"]
    assert not list((tmp_path / "state" / "unfinished").iterdir())


# -- without Spark ----------------------------------------------------------------------------------------------------


def test_without_pyspark(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.testing.utils", None)
    with pytest.raises(MissingExtra) as caught:
        SparkEngine()
    assert str(caught.value) == (
        "the Spark engine needs a package that is not installed\n"
        "  what to do: pip install 'tacita[spark]', and install Java 17 or newer"
    )


def test_without_java(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("JAVA_HOME", raising=False)
    with pytest.raises(MissingExtra, match="needs Java, and there is none\n  what to do: install Java 17 or newer"):
        require_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(MissingExtra, match="there is none in JAVA_HOME"):
        require_java()


@pytest.mark.parametrize(
    ("told", "said"),
    [('openjdk version "11.0.2" 2019-01-15', "is Java 11, too old for Spark"), ("boom", "does not run")],
)
def test_with_a_java_of_no_use(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, told: str, said: str) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text(f"#!/bin/sh\necho '{told}' >&2\n", encoding="utf-8")
    java.chmod(0o755)
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    with pytest.raises(MissingExtra, match=said):
        require_java()


def test_many_rounds_copy_little() -> None:
    """However pieces come in, a tuple is copied about as often as the logarithm of the table's length."""
    from tacita.engines.spark.tables import _MOST_PIECES, first_to_merge

    random.seed(7)
    sizes: list[int] = []
    copied = total = 0
    for _ in range(1000):
        sizes.append(random.randint(1, 20))
        total += sizes[-1]
        if len(sizes) > _MOST_PIECES:
            start = first_to_merge(sizes)
            copied += sum(sizes[start:])
            sizes[start:] = [sum(sizes[start:])]
    assert copied / total < 10
    assert len(sizes) <= _MOST_PIECES
