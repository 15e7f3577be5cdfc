"""A user's own query: one SELECT, nothing that writes. The database is told the same, this only says it better."""

from __future__ import annotations

import logging

import sqlglot
from sqlglot import exp

from tacita.errors import InputError

_WRITES = (exp.Insert, exp.Update, exp.Delete, exp.Merge, exp.Create, exp.Drop, exp.Into)


def checked(query: str, dialect: str, where: str) -> str:
    """Return the query without a final semicolon; raise if it is not one that reads.

    >>> checked("SELECT 1;", "postgres", "")
    'SELECT 1'
    """
    query = query.strip().rstrip(";").strip()
    if not query:
        raise InputError("the query is empty", where=where, do="give a SELECT with --query")
    logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of what it does not know; the database will know
    try:
        statements = [statement for statement in sqlglot.parse(query, dialect=dialect) if statement]
    except sqlglot.errors.SqlglotError:
        return query  # a dialect is larger than what we can parse: the database decides
    if len(statements) > 1:
        raise InputError("the query has several statements", where=where, do="give one SELECT")
    if statements and (not isinstance(statements[0], exp.Query) or statements[0].find(*_WRITES)):
        raise InputError(
            "the query is not a SELECT, or it writes", where=where, do="give one SELECT; nothing is changed"
        )
    return query
