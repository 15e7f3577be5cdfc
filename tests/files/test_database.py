"""Databases: what is common to all of them, and SQLite, which every Python has."""

from __future__ import annotations

import datetime as dt
import sqlite3
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.errors import InputError, MissingExtra, TacitaError, UsageError
from tacita.files import database
from tacita.files.contract import Loaded, ReadOptions
from tacita.files.database import without_secrets
from tacita.files.database.incoming import Incoming, adopted
from tacita.files.database.names import DatabaseTable, chosen
from tacita.files.database.query import checked
from tacita.model.relation import ColumnType

Read = Callable[..., Loaded]


@pytest.fixture
def read(engine: DuckDBEngine) -> Read:
    return lambda url, **options: database.read(url, ReadOptions(**options), engine)


def rows(loaded: Loaded) -> list[dict[str, Any]]:
    return [row for batch in loaded.relation.batches() for row in batch.to_pylist()]


def readings(loaded: Loaded) -> list[tuple[str, ColumnType, str, bool]]:
    return [(r.name, r.type, r.reason, r.doubtful) for r in loaded.readings]


# -- secrets ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "plain"),
    [
        ("postgresql://ann:pw@host:5432/db", "postgresql://host:5432/db"),
        ("postgres+psycopg://ann:pw@host/db?sslmode=require&password=pw", "postgres://host/db"),
        ("postgresql:///db?host=/tmp&user=ann", "postgresql:///db"),
        ("postgresql://[::1]:5432,other:5433/db", "postgresql://[::1]:5432,other:5433/db"),
        ("mysql://ann:p%40w@host/db", "mysql://host/db"),
        ("sqlite:////data/firms.db?mode=ro", "sqlite:////data/firms.db"),
        ("sqlite:firms.db", "sqlite:firms.db"),
        # Passwords with characters that should have been escaped: rather nothing than a part of them.
        ("postgresql://ann:p@w@host/db", "postgresql://..."),
        ("postgresql://ann:p/w@host/db", "postgresql://..."),
        ("postgresql://ann:p?w@host/db", "postgresql://..."),
        ("postgresql://ann:p#w@host/db", "postgresql://..."),
        ("postgresql://host/db?password=p@w", "postgresql://..."),
        ("mysql://ann:p w@host/db", "mysql://host/db"),
    ],
)
def test_what_is_left_of_a_url(url: str, plain: str) -> None:
    assert without_secrets(url) == plain


@given(
    user=st.text("xyzXYZ./?#@:%&= ", min_size=1),
    password=st.text("qwQW.,/?#@:%&=+ ", min_size=1),
    tail=st.sampled_from(["host/db", "host:1/db?x=1", "host", "h.local/d?password=qw"]),
)
def test_no_secret_is_left_of_any_url(user: str, password: str, tail: str) -> None:
    plain = without_secrets(f"postgresql://{user}:{password}@{tail}")
    assert not set(plain.removeprefix("postgresql://")) & set("xyzXYZqwQW")


def test_a_url_of_no_database(read: Read) -> None:
    with pytest.raises(UsageError, match="no database is known for this URL"):
        read("oracle://ann:pw@host/db")


# -- names ------------------------------------------------------------------------------------------------------------

TABLES = [
    DatabaseTable("firms", "public"),
    DatabaseTable("firms", "old"),
    DatabaseTable("Mixed", "public"),
    DatabaseTable("a.b", "public"),
]


@pytest.mark.parametrize(
    ("wanted", "found"),
    [
        ("firms", DatabaseTable("firms", "public")),
        ("old.firms", DatabaseTable("firms", "old")),
        ('"old"."firms"', DatabaseTable("firms", "old")),
        ("`old`.`firms`", DatabaseTable("firms", "old")),
        ("OLD.FIRMS", DatabaseTable("firms", "old")),
        ("mixed", DatabaseTable("Mixed", "public")),
        ("a.b", DatabaseTable("a.b", "public")),
        ('public."a.b"', DatabaseTable("a.b", "public")),
    ],
)
def test_tables_by_name(wanted: str, found: DatabaseTable) -> None:
    assert chosen(TABLES, wanted, "here", "public") == found


def test_a_table_that_is_not_there_or_there_twice() -> None:
    with pytest.raises(InputError) as error:
        chosen(TABLES, "firm", "here", "public")
    assert str(error.value) == (
        "here: no table 'firm'; did you mean 'firms'?\n"
        "  what to do: give --table and one of: firms, old.firms, Mixed, a.b"
    )
    with pytest.raises(InputError) as error:
        chosen(TABLES[:2], "firms", "here", "other")
    assert error.value.do == "give --table with its schema: public.firms, old.firms"


@given(name=st.text(min_size=1).filter(lambda t: "\0" not in t), mark=st.sampled_from('"`'))
def test_a_quoted_name_never_ends_early(name: str, mark: str) -> None:
    quoted = DatabaseTable(name).quoted(mark)
    assert quoted[0] == quoted[-1] == mark
    assert quoted[1:-1].replace(mark * 2, "") == name.replace(mark, "")


# -- queries ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1",
        "  SELECT 1 ; ",
        "WITH x AS (SELECT 1) SELECT * FROM x",
        "(SELECT 1) UNION ALL (SELECT 2)",
        "SELECT * FROM t WHERE a LIKE '%;%'",
        "select something that only the database understands",
    ],
)
def test_queries_that_read(query: str) -> None:
    assert checked(query, "postgres", "") == query.strip().rstrip(";").strip()


@pytest.mark.parametrize(
    ("query", "said"),
    [
        ("", "the query is empty"),
        (" ; ", "the query is empty"),
        ("SELECT 1; DROP TABLE t", "the query has several statements"),
        ("DROP TABLE t", "the query is not a SELECT, or it writes"),
        ("INSERT INTO t VALUES (1) RETURNING *", "the query is not a SELECT, or it writes"),
        ("WITH x AS (DELETE FROM t RETURNING *) SELECT * FROM x", "the query is not a SELECT, or it writes"),
        ("SELECT * INTO new FROM t", "the query is not a SELECT, or it writes"),
    ],
)
def test_queries_that_do_not_only_read(query: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        checked(query, "postgres", "here")
    assert error.value.found == said


# -- decimals ---------------------------------------------------------------------------------------------------------


@pytest.mark.slow
@settings(deadline=None, max_examples=50)
@given(st.lists(st.none() | st.decimals(allow_nan=False, allow_infinity=False, places=3), min_size=1, max_size=5))
def test_decimals_keep_every_digit(engine: DuckDBEngine, values: list[Decimal | None]) -> None:
    texts = [None if value is None else f"{value:f}" for value in values]
    digits = max((len(text.lstrip("-").partition(".")[0]) for text in texts if text), default=0)
    batch = pa.RecordBatch.from_arrays([pa.array(texts, pa.string())], names=["0"])
    relation, found = adopted(engine, [Incoming("n", "numeric", pa.string(), is_decimal=True)], iter([batch]))
    result = [row["n"] for b in relation.batches() for row in b.to_pylist()]
    if digits + 3 <= 38:
        exact = [None if value is None else Decimal(str(value)) for value in result]
        assert exact == values
        assert not found[0].doubtful
    else:
        assert result == [None if value is None else float(value) for value in values]
        assert found[0].doubtful
    engine.drop(relation)


# -- SQLite -----------------------------------------------------------------------------------------------------------


@pytest.fixture
def firms(tmp_path: Path) -> str:
    path = tmp_path / "firms.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(
            """
            CREATE TABLE firms (id INTEGER, nace TEXT, turnover NUMERIC, rate REAL, born DATE, seen TIMESTAMP,
                                active BOOLEAN, odd, late DATE, "drop table" TEXT);
            INSERT INTO firms VALUES (9007199254740993, '0130', 1500, 1.5, '1999-12-31', '2020-01-02 03:04:05', 1,
                                      '00123', 'never', 'x');
            INSERT INTO firms VALUES (2, NULL, 12.25, 2, NULL, '2020-01-02', 0, 7.0, '2020-01-01', NULL);
            INSERT INTO firms VALUES (NULL, '', NULL, NULL, '2000-01-01', NULL, NULL, 2.5, NULL, 'y');
            CREATE VIEW big AS SELECT id FROM firms;
            CREATE TABLE raw (a BLOB, b TEXT);
            INSERT INTO raw VALUES (x'00', 'secret');
            CREATE TABLE empty (a INTEGER, b TEXT);
            """
        )
    return f"sqlite:///{path}"


def test_a_table_of_sqlite(read: Read, firms: str) -> None:
    loaded = read(firms, table="firms")
    assert readings(loaded) == [
        ("id", ColumnType.INTEGER, "integer; whole numbers", False),
        ("nace", ColumnType.TEXT, "text; text", False),
        ("turnover", ColumnType.NUMBER, "numeric; numbers", False),
        ("rate", ColumnType.NUMBER, "real; numbers", False),
        ("born", ColumnType.DATE, "date, all can be read as dates", False),
        ("seen", ColumnType.TIMESTAMP, "timestamp, all can be read as moments", False),
        ("active", ColumnType.BOOLEAN, "boolean, all 0 or 1", False),
        ("odd", ColumnType.TEXT, "no declared type; mixed: numbers and text in one column", True),
        ("late", ColumnType.TEXT, "date", False),
        ("drop table", ColumnType.TEXT, "text; text", False),
    ]
    first, second, third = rows(loaded)
    assert first["id"] == 9_007_199_254_740_993
    assert (first["nace"], second["nace"], third["nace"]) == ("0130", None, "")
    assert (first["born"], first["seen"]) == (dt.date(1999, 12, 31), dt.datetime(2020, 1, 2, 3, 4, 5))
    assert (first["active"], second["active"]) == (True, False)
    assert (first["odd"], second["odd"], third["odd"]) == ("00123", "7", "2.5")
    assert loaded.details == (("table", "firms"),)
    assert [attribute.name for attribute in loaded.attributes][-1] == "drop table"


def test_a_query_and_a_view_of_sqlite(read: Read, firms: str) -> None:
    assert rows(read(firms, query="SELECT nace AS code, count(*) AS n FROM firms GROUP BY 1 ORDER BY 1;")) == [
        {"code": None, "n": 1},
        {"code": "", "n": 1},
        {"code": "0130", "n": 1},
    ]
    assert len(rows(read(firms, table="big"))) == 3
    assert rows(read(firms, table="empty")) == []
    assert rows(read(firms, query="SELECT 1 AS a -- one")) == [{"a": 1}]


def test_types_that_the_user_told(read: Read, firms: str) -> None:
    loaded = read(firms, table="firms", types={"rate": ColumnType.TEXT})
    assert [row["rate"] for row in rows(loaded)] == ["1.5", "2.0", None]


def test_the_tables_are_listed_if_none_is_given(read: Read, firms: str) -> None:
    with pytest.raises(InputError) as error:
        read(firms)
    assert str(error.value) == (
        f"{firms}: has 4 tables: big, empty, firms, raw\n  what to do: give --table and one of these, or --query"
    )


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"table": "frims"}, "no table 'frims'; did you mean 'firms'?"),
        ({"table": "firms; DROP TABLE firms"}, "no table 'firms; DROP TABLE firms'"),
        ({"table": "raw"}, "these columns hold binary data: a"),
        ({"query": "SELECT nope FROM firms"}, "the query has a fault: no such column: nope"),
        ({"query": "SELECT id, id FROM firms"}, "the result has several columns of the same name: id"),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "the result has several columns of the same name: a"),
        ({"query": "DELETE FROM firms"}, "the query is not a SELECT, or it writes"),
        ({"query": "PRAGMA writable_schema"}, "the query is not a SELECT, or it writes"),
    ],
)
def test_what_cannot_be_read(read: Read, firms: str, options: dict[str, str], said: str) -> None:
    with pytest.raises(InputError) as error:
        read(firms, **options)
    assert error.value.found == said
    assert "secret" not in str(error.value)


def test_a_table_and_a_query_at_once(read: Read, firms: str) -> None:
    with pytest.raises(UsageError, match="a table and a query are given"):
        read(firms, table="firms", query="SELECT 1")


def test_sqlite_files_that_are_none(read: Read, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="there is no such file"):
        read(f"sqlite:///{tmp_path / 'none.db'}", table="t")
    (tmp_path / "a.db").write_text("a;b\nsecret;2\n" * 100)
    with pytest.raises(InputError, match="is damaged, or is not an SQLite database"):
        read(f"sqlite:///{tmp_path / 'a.db'}", table="t")
    assert not (tmp_path / "none.db").exists()


def test_text_that_is_not_utf8(read: Read, tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute("CREATE TABLE t (a TEXT)")
        connection.execute("INSERT INTO t VALUES (CAST(x'ff41' AS TEXT))")
        connection.commit()
    with pytest.raises(InputError, match="its text is not UTF-8"):
        read(f"sqlite:///{tmp_path / 'a.db'}", table="t")


def test_sqlite_is_never_written(read: Read, firms: str, tmp_path: Path) -> None:
    before = (tmp_path / "firms.db").read_bytes()
    read(firms, table="firms")
    assert (tmp_path / "firms.db").read_bytes() == before


def test_many_rows_and_columns_of_sqlite(read: Read, tmp_path: Path) -> None:
    width, height = 600, 120
    with closing(sqlite3.connect(tmp_path / "a.db")) as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'c{i}' for i in range(width))})")
        connection.executemany(f"INSERT INTO t VALUES ({', '.join('?' * width)})", [[i] * width for i in range(height)])
        connection.commit()
    loaded = read(f"sqlite:///{tmp_path / 'a.db'}", table="t")
    assert [row["c599"] for row in rows(loaded)] == list(range(height))


@pytest.mark.slow
def test_a_database_on_the_command_line(firms: str, tacita: Callable[..., Any]) -> None:
    listed = tacita("describe", firms)
    assert (listed.returncode, "has 4 tables: big, empty, firms, raw" in listed.stderr) == (3, True)
    described = tacita("describe", firms, "--table", "firms")
    assert described.stdout.startswith("firms  3 tuples, 10 attributes  (database, table firms)")
    assert tacita("convert", firms, "out.csv", "--query", "SELECT nace FROM firms").returncode == 0


# -- drivers ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("url", "name"), [("postgresql://h/d", "PostgreSQL"), ("mariadb://h/d", "MySQL")])
def test_a_driver_that_is_missing(read: Read, monkeypatch: pytest.MonkeyPatch, url: str, name: str) -> None:
    def absent(module: str) -> None:
        raise ImportError(module)

    monkeypatch.setattr("tacita.files.database.extras.importlib", SimpleNamespace(import_module=absent))
    with pytest.raises(MissingExtra) as error:
        read(url, table="t")
    assert str(error.value) == (
        f"reading from {name} needs a driver that is not installed\n  what to do: pip install 'tacita[databases]'"
    )


@pytest.mark.parametrize("scheme", ["postgresql", "mysql"])
def test_nobody_answers(read: Read, scheme: str) -> None:
    with pytest.raises(TacitaError) as error:
        read(f"{scheme}://ann:s3cr3t-pw@127.0.0.1:1/survey", table="t")
    assert str(error.value) == (
        f"{scheme}://127.0.0.1:1/survey: no server answers there\n"
        "  what to do: check host and port, and that the server runs"
    )
