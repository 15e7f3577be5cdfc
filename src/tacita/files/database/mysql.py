"""MySQL and MariaDB through SQLAlchemy and PyMySQL: rows on demand, in a session that may only read.

A password that is not in the URL is taken from MYSQL_PWD, as the clients of the server do.
"""

from __future__ import annotations

import datetime as dt
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from tacita.errors import InputError
from tacita.files.clock import clock_text
from tacita.files.database.extras import driver
from tacita.files.database.incoming import Incoming
from tacita.files.database.names import DatabaseTable
from tacita.files.database.url import for_driver, without_secrets
from tacita.model.relation import ColumnType

_ROWS = 50_000
_SECONDS_TO_CONNECT = 15
_TABLES = """
SELECT table_schema, table_name FROM information_schema.tables
WHERE table_schema NOT IN ('mysql', 'information_schema', 'performance_schema', 'sys') ORDER BY 1, 2
"""
_COMMENTS = """
SELECT '', table_comment FROM information_schema.tables WHERE table_schema = %s AND table_name = %s
UNION ALL
SELECT column_name, column_comment FROM information_schema.columns WHERE table_schema = %s AND table_name = %s
"""


@contextmanager
def connected(url: str) -> Iterator[_MySQL]:
    """Connect, for reading."""
    alchemy = driver("sqlalchemy", "MySQL")
    driver("pymysql", "MySQL")
    where = without_secrets(url)
    try:
        target = alchemy.engine.make_url(for_driver(url, "mysql+pymysql"))
    except (alchemy.exc.ArgumentError, ValueError):
        raise InputError(
            "this URL cannot be understood",
            where=where,
            do="write it like mysql://user@host:3306/database, special characters as %40",
        ) from None
    if target.password is None and (password := os.environ.get("MYSQL_PWD")):
        target = target.set(password=password)
    engine = alchemy.create_engine(
        target, poolclass=alchemy.pool.NullPool, connect_args={"connect_timeout": _SECONDS_TO_CONNECT}
    )
    with _in_our_words(where), engine.connect() as connection:
        connection.exec_driver_sql("SET SESSION TRANSACTION READ ONLY")
        connection.rollback()  # the next transaction is the first that may only read
        yield _MySQL(connection, where)


class _MySQL:
    dialect = "mysql"

    def __init__(self, connection: Any, where: str) -> None:
        self._connection = connection
        self._where = where

    def tables(self) -> list[DatabaseTable]:
        return [DatabaseTable(name, schema) for schema, name in self._rows(_TABLES)]

    def usual_schema(self) -> str:
        return str(self._rows("SELECT coalesce(DATABASE(), '')")[0][0])

    def select(self, table: DatabaseTable) -> str:
        return f"SELECT * FROM {table.quoted('`')}"

    def comments(self, table: DatabaseTable) -> tuple[str, dict[str, str]]:
        comments = {name: text for name, text in self._rows(_COMMENTS, (table.schema, table.name) * 2) if text}
        return str(comments.pop("", "")), comments

    def stream(self, sql: str) -> tuple[list[Incoming], Iterator[pa.RecordBatch]]:
        # Without parameters, a % in the query is a % and no place for a value.
        options = self._connection.execution_options(stream_results=True, no_parameters=True)
        result = options.exec_driver_sql(sql)
        columns = [_incoming(name, code, length) for name, code, _, length, *_ in result.cursor.description]
        return columns, self._batches(result, columns)

    def _batches(self, result: Any, columns: list[Incoming]) -> Iterator[pa.RecordBatch]:
        names = [str(i) for i in range(len(columns))]
        with _in_our_words(self._where):
            while rows := result.fetchmany(_ROWS):
                cells = zip(*rows, strict=True)
                arrays = [self._array(list(v), column) for v, column in zip(cells, columns, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, names=names)

    def _array(self, values: list[Any], column: Incoming) -> pa.Array:
        if column.declared != "bit" and any(isinstance(value, bytes) for value in values):
            raise InputError(
                f"column '{column.name}' holds binary data",
                where=self._where,
                do="leave it out with --query 'SELECT ...'",
            )
        convert = _CONVERSIONS.get(column.declared)
        if convert is not None:
            before = values
            values = [None if value is None else convert(value) for value in values]
            column.unusable += sum(b is not None and v is None for b, v in zip(before, values, strict=True))
        return pa.array(values, column.arrow)

    def _rows(self, sql: str, values: tuple[str, ...] = ()) -> list[Any]:
        return list(self._connection.exec_driver_sql(sql, values).fetchall())


def _day(value: Any) -> dt.date | None:
    return value if isinstance(value, dt.date) else None  # PyMySQL hands out 0000-00-00 as text


def _clock(value: Any) -> str | None:
    return clock_text(round(value.total_seconds() * 1_000_000)) if isinstance(value, dt.timedelta) else None


_CONVERSIONS: dict[str, Callable[[Any], Any]] = {
    "date": _day,
    "datetime": _day,
    "timestamp": _day,
    "time": _clock,
    "decimal": str,
    "bigint": str,
    "bit": lambda value: int.from_bytes(value, "big"),
}
# PyMySQL's FIELD_TYPE, the server's own numbers of types.
_TYPES: dict[int, tuple[str, pa.DataType]] = {
    0: ("decimal", pa.string()),
    246: ("decimal", pa.string()),
    1: ("tinyint", pa.int64()),
    2: ("smallint", pa.int64()),
    3: ("int", pa.int64()),
    9: ("mediumint", pa.int64()),
    8: ("bigint", pa.string()),
    13: ("year", pa.int64()),
    16: ("bit", pa.int64()),
    4: ("float", pa.float64()),
    5: ("double", pa.float64()),
    7: ("timestamp", pa.timestamp("us")),
    12: ("datetime", pa.timestamp("us")),
    10: ("date", pa.date32()),
    14: ("date", pa.date32()),
    11: ("time", pa.string()),
    245: ("json", pa.string()),
}


def _incoming(name: str, code: int, length: int) -> Incoming:
    declared, arrow = _TYPES.get(code, ("text", pa.string()))
    note = "as text" if declared in {"time", "json"} else ""
    wanted = ColumnType.BOOLEAN if declared == "tinyint" and length == 1 else None
    return Incoming(name, declared, arrow, is_decimal=declared in {"decimal", "bigint"}, wanted=wanted, note=note)


@contextmanager
def _in_our_words(where: str) -> Iterator[None]:
    """Translate what the driver raises; its text may hold the user, the query and values of the data."""
    alchemy = driver("sqlalchemy", "MySQL")
    try:
        yield
    except alchemy.exc.DBAPIError as error:
        arguments: tuple[Any, ...] = getattr(error.orig, "args", ())
        code = arguments[0] if arguments and isinstance(arguments[0], int) else 0
        raise _translated(code, str(arguments[1]) if len(arguments) > 1 else "", where) from None
    except (alchemy.exc.SQLAlchemyError, UnicodeError, RuntimeError) as error:
        # RuntimeError: a way of logging in that needs a package of its own.
        raise InputError(f"the driver stopped ({type(error).__name__})", where=where, do="check the URL") from None


_CODES = {
    1045: ("the user or the password was not accepted", "check both; the password may also come from MYSQL_PWD"),
    1698: ("the user or the password was not accepted", "check both; the password may also come from MYSQL_PWD"),
    1044: ("there is no such database, or no right to use it", "check the name at the end of the URL"),
    1049: ("there is no such database on this server", "check the name at the end of the URL"),
    1046: ("the query names no database", "put it at the end of the URL: mysql://host/database"),
    1142: ("no permission to read this", "ask for the right to SELECT from it"),
    1143: ("no permission to read this", "ask for the right to SELECT from it"),
    1227: ("no permission for this", "give a SELECT; nothing is changed"),
    1792: ("the query tries to change the database", "give a SELECT; nothing is changed"),
    2003: ("no server answers there", "check host and port, and that the server runs"),
    2013: ("the server broke off", "try again, or ask for less"),
}
_FAULTS_OF_A_QUERY = frozenset({1054, 1064, 1146, 1052, 1055, 1060, 1305})


def _translated(code: int, text: str, where: str) -> InputError:
    if code in _CODES:
        problem, do = _CODES[code]
        return InputError(problem, where=where, do=do)
    if code in _FAULTS_OF_A_QUERY:
        # Faults of these kinds name words of the query, never values of the data.
        said = text.replace("You have an error in your SQL syntax; check the manual that corresponds to your ", "")
        return InputError(f"the query has a fault: {said}", where=where, do="correct the query")
    return InputError(f"the database stopped with an error (number {code})", where=where, do="try again")
