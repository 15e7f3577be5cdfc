"""What the service keeps beside the ledgers: tokens, sessions and rate limits, in a private folder.

Budgets are in the ledgers. One SQLite file with a write-ahead log. Tokens are forced to the disk when they change.
Limits change with every request and are not: power that goes loses some of their last changes, and with that nobody
gains more than one burst.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sqlite3
import stat
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Self

from tacita.errors import InputError, LedgerBusy, OutputError, UsageError, raise_alone
from tacita.service.tokens import (
    LONGEST_TOKEN,
    OF_ISSUER,
    AccessToken,
    ServiceRole,
    TokenKind,
    checked_name,
    keyed_digest,
    kind_of,
    new_secret,
)

_KEY, _FILE = "server.key", "service.sqlite"
_KEY_BYTES = 32
_APPLICATION = 0x54415356
_OTHERS = 0o077
_HOUR, _DAY = 3_600.0, 86_400.0
_WAIT = 10.0
_STEPS = (
    (
        "CREATE TABLE tokens (id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, created REAL NOT NULL, "
        "expires REAL, revoked REAL, digest BLOB NOT NULL UNIQUE)",
        "CREATE TABLE limits (name TEXT PRIMARY KEY, level REAL NOT NULL, at REAL NOT NULL)",
    ),
    ("ALTER TABLE tokens ADD COLUMN kind TEXT NOT NULL DEFAULT 'token'",),
)
"""Step n makes format n of format n - 1: a new file takes all of them, an older one those that it lacks."""
_FORMAT = len(_STEPS)
_COLUMNS = "id, name, role, created, expires, revoked, digest, kind"


class ServiceState:
    """Tokens and limits. Processes may share the folder, threads the object; close it."""

    def __init__(self, folder: Path, *, clock: Callable[[], float] = time.time) -> None:
        """Open the folder, or make it; raise if others can read it or it is of a newer Tacita."""
        self.folder, self._clock = folder, clock
        self._alone = threading.RLock()
        _make_private(folder)
        self._key = _server_key(folder / _KEY)
        with _in_our_words(folder):
            self._tokens = _connected(folder / _FILE, "FULL")
        try:
            self._prepare()
            with _in_our_words(folder):
                self._limits = _connected(folder / _FILE, "NORMAL")
        except BaseException:
            self._tokens.close()
            raise

    def __repr__(self) -> str:
        return "<ServiceState>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        with self._alone:
            self._limits.close()
            self._tokens.close()

    def copy_to(self, folder: Path) -> None:
        """Write the key and all tokens to a new private folder, while services go on; sessions stay out."""
        _make_private(folder)
        with self._alone, _in_our_words(folder):
            _write_key(folder / _KEY, self._key)  # fails if there is a state
            with contextlib.closing(_connected(folder / _FILE, "FULL")) as copy:
                self._tokens.backup(copy)
                copy.execute("DELETE FROM tokens WHERE kind = 'session'")
                copy.execute("PRAGMA journal_mode = DELETE")  # one file

    def digest(self, purpose: str, text: str) -> str:
        """Return a digest under the key of the server: of forms, and of whatever only this service may have made."""
        return keyed_digest(self._key, purpose, text).hex()

    # -- tokens

    def make_token(self, name: str, role: ServiceRole, days: float | None) -> tuple[str, AccessToken]:
        """Return a new token, which is never shown again, and what is kept of it."""
        checked_name(name)
        if days is not None and not 0 < days <= 36_500:
            raise UsageError("a token cannot expire then", do="give days above 0")
        now = self._clock()
        with self._writing(self._tokens) as connection:
            return self._insert(connection, TokenKind.TOKEN, name, role, None if days is None else now + days * _DAY)

    def make_session(self, name: str, role: ServiceRole, hours: float) -> str:
        """Return a new session of somebody whom an issuer named; earlier ones with another role end.

        Raises `UsageError` if a token of that name has another role.
        """
        now = self._clock()
        with self._writing(self._tokens) as connection:
            connection.execute("DELETE FROM tokens WHERE kind = 'session' AND expires <= ?", (now,))
            connection.execute(
                "UPDATE tokens SET revoked = ? WHERE kind = 'session' AND revoked IS NULL AND name = ? AND role <> ?",
                (now, name, str(role)),
            )
            return self._insert(connection, TokenKind.SESSION, name, role, now + hours * _HOUR)[0]

    def end_session(self, secret: str) -> None:
        """Let a session open nothing from now on; a token that is not one stays as it is."""
        digest = keyed_digest(self._key, str(TokenKind.SESSION), secret)
        with self._writing(self._tokens) as connection:
            connection.execute(
                "UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE digest = ?", (self._clock(), digest)
            )

    def _insert(
        self, connection: sqlite3.Connection, kind: TokenKind, name: str, role: ServiceRole, expires: float | None
    ) -> tuple[str, AccessToken]:
        now, secret = self._clock(), new_secret(kind)
        digest = keyed_digest(self._key, str(kind), secret)
        others = self._select("WHERE name = ? AND revoked IS NULL", (name,))
        if any(one.role is not role and one.is_valid(now) for one in others):
            raise UsageError(f"'{name}' has a token with another role", do="revoke that one, or choose another name")
        token = AccessToken(secrets.token_hex(4), name, role, now, expires, None, digest, kind)
        values = (token.id, name, str(role), now, expires, None, digest, str(kind))
        connection.execute(f"INSERT INTO tokens ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?)", values)
        return secret, token

    def tokens(self) -> list[AccessToken]:
        """Return all tokens, oldest first."""
        return self._select("ORDER BY created, id", ())

    def revoke(self, id: str) -> AccessToken:
        """Let a token open nothing from now on, in all processes; raise if there is none."""
        with self._writing(self._tokens) as connection:
            connection.execute("UPDATE tokens SET revoked = coalesce(revoked, ?) WHERE id = ?", (self._clock(), id))
            tokens = self._select("WHERE id = ?", (id,))
            if not tokens:
                raise UsageError("there is no such token", do="take the id from 'tacita token list'")
        return tokens[0]

    def owner(self, secret: str) -> AccessToken | None:
        """Return whose token this is; None if it is unknown, expired or revoked."""
        if not secret or len(secret) > LONGEST_TOKEN:
            return None
        tokens = self._select("WHERE digest = ?", (keyed_digest(self._key, str(kind_of(secret)), secret),))
        return tokens[0] if tokens and tokens[0].is_valid(self._clock()) else None

    def check_names(self) -> None:
        """Raise if a token of the holder has a name that an issuer may give: they would share a budget."""
        now = self._clock()
        tokens = self._select("WHERE kind = 'token' AND revoked IS NULL", ())
        if any(one.name.startswith(OF_ISSUER) and one.is_valid(now) for one in tokens):
            raise UsageError(f"a token has a name that begins with '{OF_ISSUER}'", do="revoke it, and make another one")

    # -- limits

    def wait_for_turn(self, name: str, rate: float, burst: int) -> float:
        """Take one request from the bucket of a name; return 0, or the seconds until there is one.

        A clock that goes backwards fills nothing; one that jumps forwards fills the bucket, and no more.
        """
        now = self._clock()
        with self._writing(self._limits) as connection:
            row = connection.execute("SELECT level, at FROM limits WHERE name = ?", (name,)).fetchone()
            level, at = row or (float(burst), now)
            level = min(float(burst), level + max(0.0, now - at) * rate)
            wait = 0.0 if level >= 1 else (1 - level) / rate
            level = level - 1 if level >= 1 else level
            connection.execute("INSERT OR REPLACE INTO limits (name, level, at) VALUES (?, ?, ?)", (name, level, now))
        return wait

    # -- the file

    def _select(self, where: str, values: Sequence[Any]) -> list[AccessToken]:
        with self._alone, _in_our_words(self.folder):
            rows = self._tokens.execute(f"SELECT {_COLUMNS} FROM tokens {where}", values).fetchall()
        return [
            AccessToken(id_, name, ServiceRole(role), created, expires, revoked, digest, TokenKind(kind))
            for id_, name, role, created, expires, revoked, digest, kind in rows
        ]

    @contextlib.contextmanager
    def _writing(self, connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
        with self._alone, _in_our_words(self.folder):
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
                connection.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.rollback()
                raise

    def _prepare(self) -> None:
        with self._writing(self._tokens) as connection:
            application, version = (
                connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("application_id", "user_version")
            )
            is_new = application == 0 and not connection.execute("SELECT 1 FROM sqlite_master").fetchone()
            if not is_new and (application != _APPLICATION or version < 1):
                raise InputError(
                    "is not the state of a service", where=str(self.folder / _FILE), do="name another folder"
                )
            if version > _FORMAT:
                raise InputError("was made by a newer Tacita", where=str(self.folder / _FILE), do="update Tacita")
            for statement in (one for step in _STEPS[0 if is_new else version :] for one in step):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_FORMAT}")


def _make_private(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        status = folder.stat()
    except OSError as error:
        raise OutputError(f"cannot be made ({error.strerror})", where=str(folder), do="choose another folder") from None
    if os.name == "posix" and stat.S_IMODE(status.st_mode) & _OTHERS:
        raise InputError("others can look into the folder", where=str(folder), do="run: chmod 700 on it")


def _server_key(path: Path) -> bytes:
    """Return the key of the server; the first process makes it, whole or not at all."""
    aside = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        if not path.exists():
            _write_key(aside, secrets.token_bytes(_KEY_BYTES))
            with contextlib.suppress(FileExistsError):  # another process was first
                path.hardlink_to(aside)
        key, mode = path.read_bytes(), path.stat().st_mode
    except OSError as error:
        raise OutputError(f"cannot be used ({error.strerror})", where=str(path), do="check its folder") from None
    finally:
        aside.unlink(missing_ok=True)
    if os.name == "posix" and mode & _OTHERS:
        raise InputError("others can read the key of the server", where=str(path), do="run: chmod 600 on it")
    if len(key) != _KEY_BYTES:
        raise InputError("is not the key of a server", where=str(path), do="restore it: without it no token is known")
    return key


def _write_key(path: Path, key: bytes) -> None:
    with os.fdopen(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
        file.write(key)
        file.flush()
        os.fsync(file.fileno())


def _connected(path: Path, synchronous: str) -> sqlite3.Connection:
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))
    connection = sqlite3.connect(path, timeout=_WAIT, isolation_level=None, check_same_thread=False)
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA synchronous = {synchronous}")
    return connection


@contextlib.contextmanager
def _in_our_words(folder: Path) -> Iterator[None]:
    """Raise what happened to the file; the words of SQLite may quote what it could not read."""
    try:
        yield
    except sqlite3.Error as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
            raise_alone(LedgerBusy("the state of the service is locked", where=str(folder), do="try again later"))
        if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
            raise_alone(
                OutputError("the disk of the service is full or failing", where=str(folder), do="free some space")
            )
        raise_alone(InputError("the state of the service cannot be used", where=str(folder), do="restore it"))
    except OSError as error:
        raise OutputError(f"cannot be used ({error.strerror})", where=str(folder), do="check the folder") from None
