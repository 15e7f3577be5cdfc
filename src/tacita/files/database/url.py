"""Database URLs: which kind they name, where they point, and never who they are for."""

from __future__ import annotations

import re

from tacita.errors import UsageError

_SCHEME = re.compile(r"(?P<kind>postgresql|postgres|sqlite|mysql|mariadb)(?P<driver>\+\w+)?:", re.IGNORECASE)
# A URL in which no secret can hide: nothing but a host between the user and the path, no second @ anywhere.
_PLAIN = re.compile(r"//(?:[^@/?#]*@)?(?P<host>[\w.\-:,\[\]%]*)(?P<path>/[^@?#]*)?(?:\?[^@#]*)?")


def kind_of(url: str) -> str:
    """Return the kind of database that a URL names.

    >>> kind_of("postgres://host/db"), kind_of("mariadb+pymysql://host/db")
    ('postgresql', 'mysql')
    """
    match = _SCHEME.match(url)
    if match is None:
        raise UsageError(
            "no database is known for this URL", do="begin it with postgresql:, mysql:, mariadb: or sqlite:"
        )
    kind = match["kind"].lower()
    return {"postgres": "postgresql", "mariadb": "mysql"}.get(kind, kind)


def without_secrets(url: str) -> str:
    """Return a URL without user, password and options; if it is not plain where they end, without anything.

    >>> without_secrets("postgresql://ann:s3cret@db.example.org:5432/survey?sslmode=require")
    'postgresql://db.example.org:5432/survey'
    >>> without_secrets("mysql://ann:s3/cr@t@host/survey")
    'mysql://...'
    """
    match = _SCHEME.match(url)
    kind = match["kind"].lower() if match else "database"
    rest = url[match.end() :] if match else ""
    if kind == "sqlite":
        return f"sqlite:{rest.partition('?')[0]}"
    plain = _PLAIN.fullmatch(rest)
    return f"{kind}://{plain['host']}{plain['path'] or ''}" if plain else f"{kind}://..."


def for_driver(url: str, scheme: str) -> str:
    """Return the URL under the scheme that a driver wants."""
    match = _SCHEME.match(url)
    return f"{scheme}:{url[match.end() :]}" if match else url


def sqlite_path(url: str) -> str:
    """Return the file of an SQLite URL.

    >>> sqlite_path("sqlite:///a.db"), sqlite_path("sqlite:////tmp/a.db"), sqlite_path("sqlite:a.db")
    ('a.db', '/tmp/a.db', 'a.db')
    """
    match = _SCHEME.match(url)
    rest = (url[match.end() :] if match else url).partition("?")[0]
    return rest[3:] if rest.startswith("///") else rest.removeprefix("//")
