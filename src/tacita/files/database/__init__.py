"""Databases: a table or a query of PostgreSQL, SQLite, MySQL or MariaDB, streamed into the engine, read-only.

The password and the user never leave `url`: messages, details and names say where without saying who.
"""

from __future__ import annotations

import importlib
from contextlib import AbstractContextManager

from tacita.engines.protocol import Engine
from tacita.errors import InputError, UsageError, listed
from tacita.files.contract import Loaded, ReadOptions
from tacita.files.database.incoming import adopted
from tacita.files.database.names import Server, chosen
from tacita.files.database.query import checked
from tacita.files.database.url import kind_of, without_secrets
from tacita.files.told import as_told
from tacita.model.attribute import Attribute
from tacita.progress import Step

__all__ = ["read", "without_secrets"]


def read(source: str, options: ReadOptions, engine: Engine) -> Loaded:
    """Read a table (``options.table``) or the result of a query (``options.query``)."""
    where = without_secrets(source)
    if options.table is not None and options.query is not None:
        raise UsageError("a table and a query are given", where=where, do="give --table or --query")
    with _connected(source) as server:
        description, comments = "", dict[str, str]()
        if options.query is not None:
            sql = checked(options.query, server.dialect, where)
            details = [("query", "as given")]
        else:
            table = chosen(server.tables(), options.table, where, server.usual_schema())
            sql = server.select(table)
            details = [("table", table.text)]
            description, comments = server.comments(table)
        options.progress(Step("reading from the database"))
        columns, batches = server.stream(sql)
        names = [column.name for column in columns]
        if doubles := sorted({name for name in names if names.count(name) > 1}):
            raise InputError(
                f"the result has several columns of the same name: {listed(doubles)}",
                where=where,
                do="give every column of the query a name of its own (AS)",
            )
        relation, readings = adopted(engine, columns, batches)
    relation, readings = as_told(relation, readings, options, where)
    attributes = tuple(Attribute(name, description=comments.get(name, "")) for name in names)
    return Loaded(relation, attributes, readings, tuple(details), description)


def _connected(source: str) -> AbstractContextManager[Server]:
    """Connect to whatever the URL names; each kind of database is imported only when it is met."""
    module = importlib.import_module(f"tacita.files.database.{kind_of(source)}")
    connection: AbstractContextManager[Server] = module.connected(source)
    return connection
