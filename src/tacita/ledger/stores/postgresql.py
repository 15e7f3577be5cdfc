"""A ledger in a schema of a PostgreSQL database, for several writers on several machines.

A writer locks the table of entries until its commit; readers are not kept waiting. The password is not in the address:
PostgreSQL has places for it (``~/.pgpass``, a service file, ``PGPASSWORD``). Whoever administers the server can change
everything, as the owner of a file can; the hashes and checkpoints kept elsewhere show it.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

from tacita.errors import (
    LedgerBusy,
    LedgerError,
    MissingExtra,
    OutputError,
    TacitaError,
    UsageError,
    raise_alone,
    without_credentials,
)
from tacita.ledger.entry import FORMAT
from tacita.ledger.stores.statements import ENTRY_COLUMNS, TABLES, SqlStore
from tacita.ledger.stores.store import SCHEMA, LedgerIdentity, PayloadRow, Row, StoreTransaction, check_format

if TYPE_CHECKING:
    import psycopg

_NAME = re.compile(r"[a-z_][a-z0-9_]{0,62}")
_KEEP = (
    "CREATE FUNCTION entries_stay() RETURNS trigger LANGUAGE plpgsql AS"
    " $$ BEGIN RAISE EXCEPTION 'the ledger is append-only'; END $$",
    "CREATE TRIGGER entries_stay BEFORE UPDATE OR DELETE OR TRUNCATE ON entries"
    " FOR EACH STATEMENT EXECUTE FUNCTION entries_stay()",
    "CREATE TRIGGER payloads_are_final BEFORE UPDATE OR TRUNCATE ON payloads"
    " FOR EACH STATEMENT EXECUTE FUNCTION entries_stay()",
)
"""They prevent mistakes at the keyboard. Whoever means to change a ledger removes them, and the hashes show it."""
_TRIGGERS = {("entries", "entries_stay"), ("payloads", "payloads_are_final")}
_SERIAL = "BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
_BUSY, _FULL, _EXISTS = {"55P03", "57014", "40P01"}, {"53100", "53000"}, {"42P06", "42P07", "23505"}
_FORBIDDEN = {"42501", "25006", "28000", "28P01"}


class PostgresqlStore(SqlStore):
    """A ledger in a schema of its own."""

    def __init__(self, address: str, schema: str = SCHEMA, *, wait: float = 30.0) -> None:
        """Open the ledger in a schema; `wait` is for how many seconds a writer waits for another one."""
        super().__init__()
        self.place = f"{without_credentials(address, is_place=True)}, schema {schema}"
        self._address, self._schema, self._wait = address, _checked(schema), wait
        self._connection, self._is_writing = self._connect(wait), False
        try:
            self.identity = self._identified()
        except TacitaError:
            self.close()
            raise

    @classmethod
    def create(cls, address: str, name: str, schema: str = SCHEMA) -> PostgresqlStore:
        """Make a new ledger in a new schema; raise if the schema exists."""
        store = cls.__new__(cls)
        SqlStore.__init__(store)
        store.place = f"{without_credentials(address, is_place=True)}, schema {schema}"
        store._address, store._schema, store._wait = address, _checked(schema), 30.0
        store._connection, store._is_writing = store._connect(30.0), True
        about = {**LedgerIdentity.drawn(name).to_rows(), "format": str(FORMAT)}
        try:
            store._run("BEGIN")
            store._run(f"CREATE SCHEMA {schema}")
            for table in TABLES:
                store._run(table.format(number="BIGINT", bytes="BYTEA", serial=_SERIAL))
            for statement in _KEEP:
                store._run(statement)
            store._run_many("INSERT INTO about (name, value) VALUES (?,?)", list(about.items()))
            store._run("COMMIT")
        finally:
            store.close()
        return cls(address, schema)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[StoreTransaction]:
        """Begin to write, alone; what was written is on the disk of the server when the context is left."""
        with self._alone:
            self._run("BEGIN")
            self._is_writing = True
            try:
                self._run("LOCK TABLE entries IN SHARE ROW EXCLUSIVE MODE")
                yield self
                self._run("COMMIT")
            except BaseException:
                with contextlib.suppress(Exception):
                    self._connection.rollback()
                raise
            finally:
                self._is_writing = False

    def insert(self, rows: Sequence[Row], payloads: Sequence[PayloadRow]) -> None:
        """Add entries with their payloads, in one stream for each table."""
        self._copy(f"COPY entries ({ENTRY_COLUMNS}) FROM STDIN", rows)
        self._copy("COPY payloads (sequence, salt, payload) FROM STDIN", payloads)

    def after_purge(self) -> None:
        """Write the table of payloads anew, without what was deleted. The server's log keeps it for a while."""
        self._run("VACUUM (FULL) payloads")

    @contextlib.contextmanager
    def lock(self, name: str, owner: str, wait: float | None) -> Iterator[None]:
        """Take an advisory lock, which ends with its connection, however that ends."""
        digest = hashlib.sha256(f"tacita ledger {self._schema} {name}".encode()).digest()
        key = int.from_bytes(digest[:8], "big", signed=True)
        with contextlib.closing(self._connect(wait)) as connection:
            try:
                if wait == 0:
                    taken = connection.execute("SELECT pg_try_advisory_lock(%s)", (key,)).fetchall()[0][0]
                else:
                    connection.execute("SELECT pg_advisory_lock(%s)", (key,))
                    taken = True
            except _psycopg().Error as error:
                if error.sqlstate not in _BUSY:
                    _raise_in_our_words(error, self.place)
                taken = False
            if not taken:
                raise LedgerBusy(
                    f"the lock '{name}' belongs to {self._described_lock(name)}",
                    where=self.place,
                    do="wait until that process ends, or end it",
                )
            self._describe_lock(name, owner, datetime.now(UTC).isoformat(timespec="seconds"))
            yield

    def notes(self) -> list[str]:
        """Return what a person should know about how safely this database keeps entries."""
        off = [name for name in ("fsync", "synchronous_commit") if self._run(f"SHOW {name}")[0][0] == "off"]
        return [f"the server does not force entries to its disk: {name} is off" for name in off]

    def copy_to(self, path: Path) -> bool:
        """Return False: pg_dump, or a backup of the server, has it."""
        return False

    def close(self) -> None:
        """Close the connection."""
        with contextlib.suppress(Exception):
            self._connection.close()

    def _identified(self) -> LedgerIdentity:
        tables = {row[0] for row in self._run("SELECT tablename FROM pg_tables WHERE schemaname = ?", (self._schema,))}
        if "about" not in tables:
            raise LedgerError("there is no ledger", where=self.place, do="make one with 'tacita ledger init'")
        about = self.about()
        check_format(about.get("format", ""), self.place, "restore them, and verify the ledger")
        triggers = self._run(
            "SELECT c.relname, t.tgname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid"
            " JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = ? AND NOT t.tgisinternal AND t.tgenabled = 'O'",
            (self._schema,),
        )
        rules = self._run("SELECT rulename FROM pg_rules WHERE schemaname = ?", (self._schema,))
        if set(triggers) != _TRIGGERS or rules:
            raise LedgerError(
                "the tables of the ledger were changed", where=self.place, do="restore them, and verify the ledger"
            )
        return LedgerIdentity.of_rows(about, self.place, "restore it")

    def _live(self) -> psycopg.Connection[tuple[Any, ...]]:
        """Return the connection; a new one if the server ended it and nothing was begun, to the same ledger."""
        if self._connection.closed and not self._is_writing:
            before, self._connection = self.identity, self._connect(self._wait)
            self._is_writing = True  # what is asked now is asked on this connection, or not at all
            try:
                self._check_same(before)
            except BaseException:
                self.close()
                raise
            finally:
                self._is_writing = False
        return self._connection

    def _check_same(self, before: LedgerIdentity) -> None:
        if self._identified() != before:
            raise LedgerError("is another ledger than before", where=self.place, do="restore the ledger")

    def _connect(self, wait: float | None) -> psycopg.Connection[tuple[Any, ...]]:
        library = _psycopg()
        try:
            connection: psycopg.Connection[tuple[Any, ...]] = library.connect(
                self._address,
                autocommit=True,
                connect_timeout=30,
                keepalives_idle=30,  # a server that is gone without a word is noticed
                tcp_user_timeout=60_000,
            )
            limit = "0" if wait is None else f"{max(int(wait * 1000), 1)}ms"
            for name, value in (
                ("search_path", self._schema),
                ("lock_timeout", limit),
                ("synchronous_commit", "on"),
                ("client_encoding", "UTF8"),
            ):
                connection.execute("SELECT set_config(%s, %s, false)", (name, value))
        except library.Error as error:
            _raise_in_our_words(error, self.place)
        return connection

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._alone:
            try:
                cursor = self._live().cursor(binary=bool(values))
                cursor.execute(statement.replace("?", "%s"), values or None)
                return cursor.fetchall() if cursor.description is not None else []
            except _psycopg().Error as error:
                _raise_in_our_words(error, self.place)

    def _run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._alone:
            try:
                self._live().cursor().executemany(statement.replace("?", "%s"), rows)
            except _psycopg().Error as error:
                _raise_in_our_words(error, self.place)

    def _copy(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._alone:
            try:
                with self._live().cursor().copy(statement) as copy:
                    for row in rows:
                        copy.write_row(row)
            except _psycopg().Error as error:
                _raise_in_our_words(error, self.place)


def _psycopg() -> Any:
    try:
        import psycopg
    except ImportError:
        raise MissingExtra(
            "a ledger in PostgreSQL needs a package that is not installed", do="pip install 'tacita[postgresql]'"
        ) from None
    return psycopg


def _checked(schema: str) -> str:
    if not _NAME.fullmatch(schema):
        raise UsageError(f"'{schema}' cannot be the name of a schema", do="use small letters, digits and underscores")
    return schema


def _raise_in_our_words(error: psycopg.Error, place: str) -> NoReturn:
    """Raise what happened; the words of the server may quote values, and the address with its password."""
    code = error.sqlstate or ""
    if code in _BUSY:
        raise_alone(
            LedgerBusy("another process writes to the ledger and does not finish", where=place, do="try again later")
        )
    if code in _FULL:
        raise_alone(OutputError("the disk of the database is full", where=place, do="free some space"))
    if code in _EXISTS:
        raise_alone(OutputError("exists already", where=place, do="choose another schema, or use the ledger there"))
    if code in _FORBIDDEN:
        raise_alone(OutputError("no permission to use the ledger", where=place, do="ask who administers the database"))
    if not code or code.startswith(("08", "57P")):
        raise_alone(
            OutputError("the database cannot be reached, or it ended the connection", where=place, do="try again")
        )
    raise_alone(LedgerError(f"the ledger cannot be used (SQLSTATE {code})", where=place, do="verify it"))
