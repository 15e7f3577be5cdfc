"""PostgreSQL and MariaDB, each started for these tests alone."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from contextlib import closing
from decimal import Decimal
from typing import Any

import pytest

from tacita.engines.duckdb.engine import DuckDBEngine
from tacita.errors import InputError
from tacita.files import database
from tacita.files.contract import Loaded, ReadOptions
from tacita.model.relation import ColumnType

pytestmark = pytest.mark.slow
Read = Callable[..., Loaded]


@pytest.fixture
def read(engine: DuckDBEngine) -> Read:
    return lambda url, **options: database.read(url, ReadOptions(**options), engine)


def rows(loaded: Loaded) -> list[dict[str, Any]]:
    return [row for batch in loaded.relation.batches() for row in batch.to_pylist()]


def types(loaded: Loaded) -> dict[str, ColumnType]:
    return {column.name: column.type for column in loaded.relation.columns}


def refused(read: Read, url: str, **options: Any) -> str:
    with pytest.raises(InputError) as error:
        read(url, **options)
    text = str(error.value)
    for secret in ("s3cr3t", "ann", "wrong-pw"):
        assert secret not in text.replace("cannot", "")
    return f"{error.value.found} | {error.value.do}"


# -- PostgreSQL -------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")  # stolen tests of a module may come back to it
def firms(postgresql: str) -> str:
    import psycopg

    with psycopg.connect(postgresql, autocommit=True) as connection:
        connection.execute(
            """
            CREATE TYPE size AS ENUM ('small', 'large');
            CREATE SCHEMA survey;
            CREATE TABLE survey."Firms 2024" (
                id int, big bigint, tax numeric(18, 0), amount numeric(10, 2), exact numeric(30, 6), free numeric,
                rate double precision, share real, nace text, plz char(6), active boolean, born date, at time,
                seen timestamp, sent timestamptz, extra jsonb, uid uuid, tags text[], size size, "drop""table" text);
            INSERT INTO survey."Firms 2024" VALUES
                (1, 9007199254740993, 123456789012345678, 12.50, 123456789012345678901234.123456, 'NaN', 'NaN', 0.5,
                 '0130', 'ab', true, '1999-12-31', '08:30', '2020-01-02 03:04:05.678901', '2020-01-02 03:04:05+02',
                 '{"a": 1}', '123e4567-e89b-12d3-a456-426614174000', '{x,y}', 'small', 'x'),
                (NULL, NULL, NULL, NULL, NULL, 1.25, NULL, NULL, '', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,
                 NULL, NULL, NULL);
            COMMENT ON TABLE survey."Firms 2024" IS 'firms of the survey';
            COMMENT ON COLUMN survey."Firms 2024".nace IS 'branch of industry';
            CREATE TABLE households (a int); INSERT INTO households SELECT generate_series(1, 200000);
            CREATE TABLE raw (a bytea, b text); INSERT INTO raw VALUES ('x', 'secret-value');
            CREATE TABLE closed (a int); REVOKE ALL ON closed FROM PUBLIC;
            CREATE ROLE bob LOGIN PASSWORD 'bobs'; GRANT USAGE ON SCHEMA survey TO bob;
            """
        )
    return postgresql


def test_a_table_of_postgresql(read: Read, firms: str) -> None:
    loaded = read(firms, table="survey.Firms 2024")
    assert types(loaded) == {
        "id": ColumnType.INTEGER,
        "big": ColumnType.INTEGER,
        "tax": ColumnType.INTEGER,
        "amount": ColumnType.NUMBER,
        "exact": ColumnType.NUMBER,
        "free": ColumnType.NUMBER,
        "rate": ColumnType.NUMBER,
        "share": ColumnType.NUMBER,
        "nace": ColumnType.TEXT,
        "plz": ColumnType.TEXT,
        "active": ColumnType.BOOLEAN,
        "born": ColumnType.DATE,
        "at": ColumnType.TEXT,
        "seen": ColumnType.TIMESTAMP,
        "sent": ColumnType.TIMESTAMP,
        "extra": ColumnType.TEXT,
        "uid": ColumnType.TEXT,
        "tags": ColumnType.TEXT,
        "size": ColumnType.TEXT,
        'drop"table': ColumnType.TEXT,
    }
    first, second = rows(loaded)
    assert first == {
        "id": 1,
        "big": 9_007_199_254_740_993,
        "tax": 123_456_789_012_345_678,
        "amount": 12.5,
        "exact": Decimal("123456789012345678901234.123456"),
        "free": None,
        "rate": None,
        "share": 0.5,
        "nace": "0130",
        "plz": "ab",
        "active": True,
        "born": dt.date(1999, 12, 31),
        "at": "08:30:00",
        "seen": dt.datetime(2020, 1, 2, 3, 4, 5, 678_901),
        "sent": dt.datetime(2020, 1, 2, 1, 4, 5),
        "extra": '{"a": 1}',
        "uid": "123e4567-e89b-12d3-a456-426614174000",
        "tags": "{x,y}",
        "size": "small",
        'drop"table': "x",
    }
    assert {name for name, value in second.items() if value is not None} == {"free", "nace"}
    assert loaded.details == (("table", "survey.Firms 2024"),)
    assert loaded.description == "firms of the survey"
    assert loaded.attributes[8].description == "branch of industry"
    reasons = {reading.name: (reading.reason, reading.doubtful) for reading in loaded.readings}
    assert reasons["tax"] == ("numeric, all whole", False)
    assert reasons["exact"] == ("numeric, exact to the last digit", False)
    assert reasons["rate"] == ("float8; 1 value without a meaning, taken as missing", True)
    assert reasons["sent"] == ("timestamptz; in UTC", False)
    assert reasons["tags"] == ("_text; an array as text", False)


def test_a_query_of_postgresql_streams(read: Read, firms: str) -> None:
    loaded = read(firms, query="SELECT a, a % 7 AS b FROM households ORDER BY a DESC")
    found = rows(loaded)
    assert len(found) == 200_000
    assert found[0] == {"a": 200_000, "b": 200_000 % 7}
    assert loaded.details == (("query", "as given"),)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "has 4 tables: closed, households, raw, survey.Firms 2024 | give --table and one of these, or --query"),
        (
            {"table": "housholds"},
            "no table 'housholds'; did you mean 'households'? | "
            "give --table and one of: closed, households, raw, survey.Firms 2024",
        ),
        ({"table": "raw"}, "these columns hold binary data: a | leave them out with --query 'SELECT ...'"),
        ({"query": "SELECT b::int AS b FROM raw"}, "the query fails on some values of the data | "),
        ({"query": "SELECT nope FROM raw"}, 'the query has a fault: column "nope" does not exist | correct the query'),
        ({"query": "SELECT 1 AS a, 2 AS a"}, "the result has several columns of the same name: a | "),
        ({"query": "SELECT nextval('pg_catalog.x')"}, "the query has a fault: "),
        ({"query": "SELECT set_config('a.b', 'c', false) FROM nope nope nope"}, "the query has a fault: syntax error"),
    ],
)
def test_what_postgresql_cannot_give(read: Read, firms: str, options: dict[str, str], said: str) -> None:
    assert refused(read, firms, **options).startswith(said)


def test_postgresql_refuses_to_write_even_through_a_function(read: Read, firms: str) -> None:
    import psycopg

    with psycopg.connect(firms, autocommit=True) as connection:
        connection.execute(
            "CREATE OR REPLACE FUNCTION wipe() RETURNS int LANGUAGE sql AS 'DELETE FROM households RETURNING 1'"
        )
    assert refused(read, firms, query="SELECT wipe() AS n") == (
        "the query tries to change the database | give a SELECT; nothing is changed"
    )
    with psycopg.connect(firms, autocommit=True) as connection:
        connection.execute("DROP FUNCTION wipe")
        assert connection.execute("SELECT count(*) FROM households").fetchone() == (200_000,)


def test_postgresql_that_does_not_let_us_in(read: Read, firms: str, monkeypatch: pytest.MonkeyPatch) -> None:
    not_accepted = "the user or the password was not accepted | "
    not_accepted += "check both; the password may also come from PGPASSWORD or ~/.pgpass"
    assert refused(read, firms.replace("s3cr3t-pw", "wrong-pw"), table="t") == not_accepted
    assert refused(read, firms.replace("ann:", "nobody:"), table="t") == not_accepted
    without = firms.replace(":s3cr3t-pw", "")
    assert refused(read, without, table="t") == not_accepted
    monkeypatch.setenv("PGPASSWORD", "s3cr3t-pw")
    assert rows(read(without, query="SELECT 1 AS a")) == [{"a": 1}]
    assert refused(read, firms.replace("/postgres", "/nowhere"), table="t") == (
        "there is no such database on this server | check the name at the end of the URL"
    )
    assert refused(read, firms.replace("ann:s3cr3t-pw", "bob:bobs"), table="closed") == (
        "no permission to read this | ask for the right to SELECT from it"
    )


# -- MariaDB ----------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="session")  # stolen tests of a module may come back to it
def visits(mariadb: str) -> str:
    import pymysql

    port = int(mariadb.rpartition(":")[2].partition("/")[0])
    with closing(
        pymysql.connect(host="127.0.0.1", port=port, user="ann", password="s3cr3t-pw", database="survey")
    ) as connection:
        cursor = connection.cursor()
        for statement in (
            "SET sql_mode = ''",
            """CREATE TABLE `my visits` (
                id int, big bigint unsigned, flag tinyint(1), few tinyint(1), amount decimal(10, 2), rate double,
                code varchar(9) COMMENT 'a code', note text, kind enum('a', 'b'), day date, at time, seen datetime(6),
                year year, extra json, bits bit(3)) COMMENT 'visits of the survey'""",
            """INSERT INTO `my visits` VALUES (1, 18446744073709551615, 1, 7, 12.50, 0.1, '00123', 'x', 'a',
                '1999-12-31', '30:00:01', '2020-01-02 03:04:05.678901', 2020, '{"a": 1}', b'101')""",
            "INSERT INTO `my visits` (flag, day, note) VALUES (0, '0000-00-00', '')",
            "CREATE TABLE raw (a blob, b text)",
            "INSERT INTO raw VALUES (x'00ff', 'secret-value')",
            "CREATE TABLE many (a int)",
            "INSERT INTO many SELECT seq FROM seq_1_to_120000",
        ):
            cursor.execute(statement)
        connection.commit()
    return mariadb


def test_a_table_of_mariadb(read: Read, visits: str) -> None:
    loaded = read(visits, table="my visits")
    first, second = rows(loaded)
    assert first == {
        "id": 1,
        "big": Decimal(18_446_744_073_709_551_615),
        "flag": True,
        "few": 7,
        "amount": 12.5,
        "rate": 0.1,
        "code": "00123",
        "note": "x",
        "kind": "a",
        "day": dt.date(1999, 12, 31),
        "at": "30:00:01",
        "seen": dt.datetime(2020, 1, 2, 3, 4, 5, 678_901),
        "year": 2020,
        "extra": '{"a": 1}',
        "bits": 5,
    }
    assert {name: value for name, value in second.items() if value is not None} == {"flag": False, "note": ""}
    assert types(loaded)["flag"] is ColumnType.BOOLEAN
    assert types(loaded)["few"] is ColumnType.INTEGER
    reasons = {reading.name: (reading.reason, reading.doubtful) for reading in loaded.readings}
    assert reasons["flag"] == ("tinyint, all 0 or 1", False)
    assert reasons["day"] == ("date; 1 value without a meaning, taken as missing", True)
    assert loaded.description == "visits of the survey"
    assert {a.name: a.description for a in loaded.attributes if a.description} == {"code": "a code"}
    assert loaded.details == (("table", "survey.my visits"),)


def test_a_query_of_mariadb_streams(read: Read, visits: str) -> None:
    found = rows(read(visits, query="SELECT a, 'x%y' AS b FROM many WHERE 'abc' LIKE '%b%' ORDER BY a DESC"))
    assert len(found) == 120_000
    assert found[0] == {"a": 120_000, "b": "x%y"}


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "has 3 tables: many, my visits, raw | give --table and one of these, or --query"),
        ({"table": "raw"}, "column 'a' holds binary data | leave it out with --query 'SELECT ...'"),
        ({"table": "visits"}, "no table 'visits'; did you mean 'my visits'? | "),
        ({"query": "SELECT nope FROM many"}, "the query has a fault: Unknown column 'nope' in 'SELECT' | "),
        ({"query": "SELECT a FROM many INTO OUTFILE '/tmp/x'"}, "no permission for this | "),
        ({"query": "SELECT * FROM mysql.user"}, "no permission to read this | "),
        ({"query": "CALL something()"}, "the query is not a SELECT, or it writes | "),
    ],
)
def test_what_mariadb_cannot_give(read: Read, visits: str, options: dict[str, str], said: str) -> None:
    assert refused(read, visits, **options).startswith(said)


def test_mariadb_that_does_not_let_us_in(read: Read, visits: str, monkeypatch: pytest.MonkeyPatch) -> None:
    not_accepted = "the user or the password was not accepted | check both; the password may also come from MYSQL_PWD"
    assert refused(read, visits.replace("s3cr3t-pw", "wrong-pw"), table="t") == not_accepted
    without = visits.replace(":s3cr3t-pw", "").replace("mysql:", "mariadb:")
    assert refused(read, without, table="t") == not_accepted
    monkeypatch.setenv("MYSQL_PWD", "s3cr3t-pw")
    assert rows(read(without, query="SELECT 1 AS a")) == [{"a": 1}]
    assert refused(read, visits.replace("/survey", "/nowhere"), table="t") == (
        "there is no such database, or no right to use it | check the name at the end of the URL"
    )
    assert refused(read, visits.replace("127.0.0.1:", "127.0.0.1:x"), table="t").startswith(
        "this URL cannot be understood | "
    )
