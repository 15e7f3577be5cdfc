"""SQLite through Python's own module, opened read-only: needs no driver.

SQLite types cells, not columns. One pass counts which kinds each column holds; a column of one kind has that type, and
numbers mixed with text are text, and doubtful.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacita.errors import InputError
from tacita.files.database.incoming import Incoming
from tacita.files.database.names import DatabaseTable
from tacita.files.database.url import sqlite_path, without_secrets
from tacita.model.relation import ColumnType

_ROWS = 50_000
# SQLite returns at most 2,000 columns, and each column is counted four times.
_COUNTED_AT_ONCE = 400
_KINDS = ("integer", "real", "text", "blob")


@contextmanager
def connected(url: str) -> Iterator[_SQLite]:
    """Open the file, for reading."""
    path, where = Path(sqlite_path(url)), without_secrets(url)
    if not path.is_file():
        raise InputError(
            "there is no such file", where=where, do="check the path: sqlite:///file.db or sqlite:////folder/file.db"
        )
    with _in_our_words(where):
        # The engine may pull rows from a thread of its own.
        connection = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True, check_same_thread=False)
        with closing(connection):
            connection.execute("PRAGMA query_only = ON")
            yield _SQLite(connection, where)


class _SQLite:
    dialect = "sqlite"

    def __init__(self, connection: sqlite3.Connection, where: str) -> None:
        self._connection = connection
        self._where = where
        self._declared: dict[str, str] = {}

    def tables(self) -> list[DatabaseTable]:
        rows = self._connection.execute(
            "SELECT name FROM sqlite_schema WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' "
            "ORDER BY name"
        )
        return [DatabaseTable(name) for (name,) in rows]

    def usual_schema(self) -> str:
        return ""

    def select(self, table: DatabaseTable) -> str:
        described = self._connection.execute("SELECT name, type FROM pragma_table_info(?)", (table.name,))
        self._declared = {name: declared.upper() for name, declared in described}
        return f"SELECT * FROM {table.quoted()}"

    def comments(self, _: DatabaseTable) -> tuple[str, dict[str, str]]:
        return "", {}

    def stream(self, sql: str) -> tuple[list[Incoming], Iterator[pa.RecordBatch]]:
        with closing(self._connection.execute(sql)) as cursor:
            names = [column[0] for column in cursor.description]
        if len(set(names)) < len(names):
            return [Incoming(name, "", pa.string()) for name in names], iter(())
        kinds = self._kinds(sql, names)
        if blobs := [name for name in names if "blob" in kinds[name]]:
            raise InputError(
                f"these columns hold binary data: {', '.join(blobs)}",
                where=self._where,
                do="leave them out with --query 'SELECT ...'",
            )
        columns = [_incoming(name, self._declared.get(name, ""), kinds[name]) for name in names]
        return columns, self._batches(sql, columns)

    def _kinds(self, sql: str, names: list[str]) -> dict[str, set[str]]:
        kinds: dict[str, set[str]] = {}
        for start in range(0, len(names), _COUNTED_AT_ONCE):
            some = names[start : start + _COUNTED_AT_ONCE]
            terms = [f"max(typeof({_quoted(name)}) = '{kind}')" for name in some for kind in _KINDS]
            row = iter(self._connection.execute(f"SELECT {', '.join(terms)} FROM ({sql}\n)").fetchone())
            kinds |= {name: {kind for kind in _KINDS if next(row)} for name in some}
        return kinds

    def _batches(self, sql: str, columns: list[Incoming]) -> Iterator[pa.RecordBatch]:
        names = [str(i) for i in range(len(columns))]
        with _in_our_words(self._where), closing(self._connection.execute(sql)) as cursor:
            while rows := cursor.fetchmany(_ROWS):
                cells = zip(*rows, strict=True)
                arrays = [_array(list(values), column.arrow) for values, column in zip(cells, columns, strict=True)]
                yield pa.RecordBatch.from_arrays(arrays, names=names)


def _array(values: list[Any], type_: pa.DataType) -> pa.Array:
    if pa.types.is_string(type_):
        values = [value if value is None or type(value) is str else _plain(value) for value in values]
    return pa.array(values, type_)


def _plain(value: float) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


def _incoming(name: str, declared: str, kinds: set[str]) -> Incoming:
    shown = declared.lower() or "no declared type"
    if kinds <= {"integer"} and kinds:
        wanted = ColumnType.BOOLEAN if "BOOL" in declared else None
        return Incoming(name, shown, pa.int64(), wanted=wanted, note="" if wanted else "whole numbers")
    if kinds <= {"integer", "real"} and kinds:
        return Incoming(name, shown, pa.float64(), note="numbers")
    if kinds <= {"text"}:
        wanted = None
        if declared.startswith(("DATETIME", "TIMESTAMP")):
            wanted = ColumnType.TIMESTAMP
        elif declared.startswith("DATE"):
            wanted = ColumnType.DATE
        return Incoming(
            name, shown, pa.string(), wanted=wanted, note="" if wanted else "text" if kinds else "no values"
        )
    return Incoming(name, shown, pa.string(), note="mixed: numbers and text in one column", doubtful=True)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


@contextmanager
def _in_our_words(where: str) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(str(error), where) from None


def _translated(text: str, where: str) -> InputError:
    if "not a database" in text or "malformed" in text or "disk I/O" in text:
        return InputError("is damaged, or is not an SQLite database", where=where, do="fetch the file again")
    if "locked" in text or "busy" in text:
        return InputError("is locked by another program", where=where, do="close that program, or try again later")
    if "unable to open" in text:
        return InputError("cannot be opened", where=where, do="check the rights of the file and its folder")
    if "readonly" in text or "read-only" in text or "not authorized" in text:
        return InputError("the query tries to change the database", where=where, do="give a SELECT; nothing is changed")
    if "decode" in text:
        return InputError("its text is not UTF-8", where=where, do="correct the text in the database")
    if "no such" in text or "syntax" in text or "ambiguous" in text or "incomplete input" in text:
        return InputError(f"the query has a fault: {text}", where=where, do="correct the query")
    return InputError("the database stopped with an error", where=where, do="check the query and the file")
