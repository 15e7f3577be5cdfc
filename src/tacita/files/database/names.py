"""What a database can do for a reader, and its tables by name: nothing that a user typed is pasted into SQL."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from tacita.errors import InputError, counted, did_you_mean, listed
from tacita.files.database.incoming import Incoming

if TYPE_CHECKING:
    import pyarrow as pa

_PART = re.compile(r'"((?:[^"]|"")+)"|`((?:[^`]|``)+)`|([^".`]+)')


@dataclass(frozen=True, slots=True)
class DatabaseTable:
    """A table or view as the database spells it."""

    name: str
    schema: str = ""

    @property
    def text(self) -> str:
        """The name as a user would give it."""
        return f"{self.schema}.{self.name}" if self.schema else self.name

    def quoted(self, mark: str = '"') -> str:
        """Return the name as it stands in SQL."""
        parts = [part for part in (self.schema, self.name) if part]
        return ".".join(f"{mark}{part.replace(mark, mark * 2)}{mark}" for part in parts)


def chosen(tables: Sequence[DatabaseTable], wanted: str | None, where: str, usual: str) -> DatabaseTable:
    """Return the table that a user means; without a schema, the one of the usual schema comes first."""
    shown = [table.name if table.schema == usual else table.text for table in tables]
    if wanted is None:
        if not tables:
            raise InputError("has no tables that can be read", where=where, do="check the database and your rights")
        raise InputError(
            f"has {counted(len(tables), 'table')}: {listed(shown, 20)}",
            where=where,
            do="give --table and one of these, or --query",
        )
    matches = _matching(tables, wanted, usual)
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise InputError(
            f"several tables are called '{wanted}'",
            where=where,
            do=f"give --table with its schema: {listed([table.text for table in matches])}",
        )
    do = f"give --table and one of: {listed(shown, 20)}" if shown else "check the database and your rights"
    raise InputError(f"no table '{wanted}'{did_you_mean(wanted, shown)}", where=where, do=do)


def _matching(tables: Sequence[DatabaseTable], wanted: str, usual: str) -> list[DatabaseTable]:
    parts = [next(part for part in match if part) for match in _PART.findall(wanted)] or [wanted]
    # A name may hold a point of its own, so the whole counts as a name too.
    ways = [(None, wanted), *([(parts[-2], parts[-1])] if len(parts) > 1 else [(None, parts[0])])]
    for fold in (str, str.casefold):
        matches = [
            table
            for table in tables
            if any(fold(table.name) == fold(n) and (s is None or fold(table.schema) == fold(s)) for s, n in ways)
        ]
        in_usual = [table for table in matches if table.schema == usual]
        if len(matches) > 1 and len(in_usual) == 1:
            return in_usual
        if matches:
            return matches
    return []


class Server(Protocol):
    """A connection that only reads."""

    dialect: str
    """The name of its SQL in sqlglot."""

    def tables(self) -> list[DatabaseTable]:
        """Return the tables and views that can be read."""

    def usual_schema(self) -> str:
        """Return the schema of tables that are named without one."""

    def select(self, table: DatabaseTable) -> str:
        """Return the query for all of a table, its name quoted."""

    def comments(self, table: DatabaseTable) -> tuple[str, dict[str, str]]:
        """Return what the database says of a table, and of its columns."""

    def stream(self, sql: str) -> tuple[list[Incoming], Iterator[pa.RecordBatch]]:
        """Run a query; return its columns, and its rows a batch at a time."""
