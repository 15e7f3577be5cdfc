"""What each kind of database can do for a reader."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol

from tacita.files.database.incoming import Incoming
from tacita.files.database.names import Table

if TYPE_CHECKING:
    import pyarrow as pa


class Server(Protocol):
    """A connection that only reads."""

    dialect: str
    """The name of its SQL in sqlglot."""

    def tables(self) -> list[Table]:
        """Return the tables and views that can be read."""

    def usual_schema(self) -> str:
        """Return the schema of tables that are named without one."""

    def select(self, table: Table) -> str:
        """Return the query for all of a table, its name quoted."""

    def comments(self, table: Table) -> tuple[str, dict[str, str]]:
        """Return what the database says of a table, and of its columns."""

    def stream(self, sql: str) -> tuple[list[Incoming], Iterator[pa.RecordBatch]]:
        """Run a query; return its columns, and its rows a batch at a time."""
