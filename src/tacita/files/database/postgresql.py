"""PostgreSQL through ADBC: rows arrive as Arrow batches, in one read-only transaction.

The URL goes to libpq, which also honours PGPASSWORD, PGPASSFILE (``~/.pgpass``), PGUSER, PGSERVICE and PGSSLMODE.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa

from tacita.errors import InputError
from tacita.files.database.extras import driver
from tacita.files.database.incoming import Incoming
from tacita.files.database.names import DatabaseTable
from tacita.files.database.url import for_driver, without_secrets

_SECONDS_TO_CONNECT = 15
_TABLES = """
SELECT n.nspname AS schema, c.relname AS name
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema')
AND n.nspname NOT LIKE 'pg_toast%' AND n.nspname NOT LIKE 'pg_temp%'
ORDER BY 1, 2
"""
_COMMENTS = """
SELECT coalesce(a.attname, '') AS name, d.description AS comment
FROM pg_catalog.pg_description d
JOIN pg_catalog.pg_class c ON c.oid = d.objoid AND d.classoid = 'pg_catalog.pg_class'::regclass
JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.objsubid AND d.objsubid > 0
WHERE n.nspname = $1 AND c.relname = $2
"""
# Types that arrive as what they are; numeric arrives as text that is a number. All others are asked for as text.
_ARRIVE = frozenset({"int2", "int4", "int8", "float4", "float8", "bool", "text", "varchar", "date", "timestamp"})
_CASTS = {"money": "numeric", "oid": "bigint"}
_PLAIN = "numeric"


@contextmanager
def connected(url: str) -> Iterator[_PostgreSQL]:
    """Connect, for reading."""
    dbapi = driver("adbc_driver_postgresql.dbapi", "PostgreSQL")
    where = without_secrets(url)
    target = for_driver(url, "postgresql")
    if "connect_timeout" not in target:
        target += f"{'&' if '?' in target else '?'}connect_timeout={_SECONDS_TO_CONNECT}"
    with _in_our_words(where), dbapi.connect(target) as connection, connection.cursor() as cursor:
        cursor.execute("SET TRANSACTION READ ONLY")
        yield _PostgreSQL(cursor, where)


class _PostgreSQL:
    dialect = "postgres"

    def __init__(self, cursor: Any, where: str) -> None:
        self._cursor = cursor
        self._where = where

    def tables(self) -> list[DatabaseTable]:
        return [DatabaseTable(name, schema) for schema, name in self._rows(_TABLES)]

    def usual_schema(self) -> str:
        return str(self._rows("SELECT coalesce(current_schema()::text, '')")[0][0])

    def select(self, table: DatabaseTable) -> str:
        return f"SELECT * FROM {table.quoted()}"

    def comments(self, table: DatabaseTable) -> tuple[str, dict[str, str]]:
        comments = dict(self._rows(_COMMENTS, (table.schema, table.name)))
        return str(comments.pop("", "")), comments

    def stream(self, sql: str) -> tuple[list[Incoming], Iterator[pa.RecordBatch]]:
        schema = self._cursor.adbc_execute_schema(sql)
        declared = [(field.metadata or {}).get(b"POSTGRESQL:type", b"?").decode() for field in schema]
        columns = [_incoming(field.name, type_, field.type) for field, type_ in zip(schema, declared, strict=True)]
        if refused := [c.name for c, type_ in zip(columns, declared, strict=True) if type_ == "bytea"]:
            raise InputError(
                f"these columns hold binary data: {', '.join(refused)}",
                where=self._where,
                do="leave them out with --query 'SELECT ...'",
            )
        names = [field.name for field in schema]
        if any(_cast(type_) for type_ in declared) and len(set(names)) == len(names):
            terms = [
                f"{_quoted(name)}::{_cast(type_)} AS {_quoted(name)}" if _cast(type_) else _quoted(name)
                for name, type_ in zip(names, declared, strict=True)
            ]
            sql = f"SELECT {', '.join(terms)} FROM ({sql}\n) AS q"
        return columns, self._batches(sql, columns)

    def _batches(self, sql: str, columns: list[Incoming]) -> Iterator[pa.RecordBatch]:
        with _in_our_words(self._where):
            self._cursor.execute(sql)
            for batch in self._cursor.fetch_record_batch():
                arrays = [
                    (values.storage if isinstance(values, pa.ExtensionArray) else values).cast(column.arrow)
                    for values, column in zip(batch.columns, columns, strict=True)
                ]
                yield pa.RecordBatch.from_arrays(arrays, names=[str(i) for i in range(len(arrays))])

    def _rows(self, sql: str, values: tuple[str, ...] = ()) -> list[tuple[Any, ...]]:
        self._cursor.execute(sql, values or None)
        return list(self._cursor.fetchall())


def _cast(declared: str) -> str:
    """Return the type to ask for instead, or nothing."""
    if declared in _ARRIVE or declared in {_PLAIN, "timestamptz"}:
        return ""
    return _CASTS.get(declared, "text")


def _incoming(name: str, declared: str, arrow: pa.DataType) -> Incoming:
    if declared == _PLAIN or _cast(declared) == _PLAIN:
        return Incoming(name, declared, pa.string(), is_decimal=True)
    if declared == "timestamptz":
        return Incoming(name, declared, arrow, note="in UTC")
    if _cast(declared) == "bigint":
        return Incoming(name, declared, pa.int64())
    if _cast(declared):
        kind = "an array" if declared.startswith("_") else ""
        return Incoming(name, declared, pa.string(), note=f"{kind} as text".strip())
    return Incoming(name, declared, arrow)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _in_our_words(where: str) -> Iterator[None]:
    """Translate what the driver raises; its text may hold the user, the query and values of the data."""
    manager = driver("adbc_driver_manager", "PostgreSQL")
    try:
        yield
    except manager.Error as error:
        raise _translated(str(error), getattr(error, "sqlstate", None) or "", where) from None
    except (OSError, pa.ArrowException) as error:  # faults in the midst of the rows come without their number
        state = next((number for text, number in _WITHOUT_NUMBER.items() if text in str(error)), "22")
        raise _translated(str(error), state, where) from None


_CONNECTING = (
    (
        r"authentication failed|no password supplied|role .* does not exist|no pg_hba.conf entry",
        "the user or the password was not accepted",
        "check both; the password may also come from PGPASSWORD or ~/.pgpass",
    ),
    (
        r'database ".*" does not exist',
        "there is no such database on this server",
        "check the name at the end of the URL",
    ),
    (
        r"Connection refused|could not translate host|No such file|timeout|timed out|unreachable|No route",
        "no server answers there",
        "check host and port, and that the server runs",
    ),
    (r"SSL|sslmode|certificate", "no secure connection could be made", "check sslmode and the certificates"),
)
_WITHOUT_NUMBER = {"read-only transaction": "25006", "permission denied": "42501", "canceling statement": "57014"}
_STATES = {
    "25006": ("the query tries to change the database", "give a SELECT; nothing is changed"),
    "42501": ("no permission to read this", "ask for the right to SELECT from it"),
    "57014": ("the query was cancelled by the server", "try again, or ask for less"),
    "28": ("the user or the password was not accepted", "check both"),
    "53": ("the server has too little room for this", "try again later, or ask for less"),
    "22": ("the query fails on some values of the data", "correct the query, or the data in the database"),
}


def _translated(text: str, state: str, where: str) -> InputError:
    if "Failed to connect" in text:
        for pattern, problem, do in _CONNECTING:
            if re.search(pattern, text):
                return InputError(problem, where=where, do=do)
        return InputError("no connection could be made", where=where, do="check the URL")
    for known in (state, state[:2]):
        if known in _STATES:
            problem, do = _STATES[known]
            return InputError(problem, where=where, do=do)
    if state.startswith("42"):
        # Faults of this class name words of the query, never values of the data.
        said = re.search(r"ERROR:\s+(.*)", text)
        return InputError(f"the query has a fault: {said[1] if said else state}", where=where, do="correct the query")
    return InputError(
        f"the database stopped with an error (SQLSTATE {state or 'unknown'})", where=where, do="try again"
    )
