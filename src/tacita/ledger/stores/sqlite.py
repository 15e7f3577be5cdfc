"""A ledger in one SQLite file: write-ahead log, forced to disk at every commit, one writer at a time.

The file belongs to its owner alone (mode 0600; a group may be let in on purpose, everybody never). Deleted payloads are
overwritten. The form of the tables is compared with ours when the file is opened: a trigger that somebody added could
change what is written.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
import stat
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import quote

from filelock import FileLock, Timeout

from tacita.errors import LedgerBusy, LedgerError, OutputError, TacitaError, raise_alone
from tacita.files.private_file import private_file
from tacita.ledger.entry import FORMAT
from tacita.ledger.stores.statements import TABLES, SqlStore
from tacita.ledger.stores.store import LedgerIdentity, StoreTransaction, check_format
from tacita.settings import Settings

_APPLICATION = 0x54414331
"""What tells a ledger from other SQLite files."""
_MAGIC = b"SQLite format 3\x00"
_EVERYBODY, _WRITABLE = 0o007, 0o002
_KEEP = (
    "CREATE TRIGGER entries_stay BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries stay'); END",
    "CREATE TRIGGER entries_are_final BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries are final'); END",
    "CREATE TRIGGER payloads_are_final BEFORE UPDATE ON payloads BEGIN SELECT RAISE(ABORT, 'payloads are final'); END",
)
"""They prevent mistakes at the keyboard. Whoever means to change a ledger removes them, and the hashes show it."""
_SCHEMA = (
    *(table.format(number="INTEGER", bytes="BLOB", serial="INTEGER PRIMARY KEY AUTOINCREMENT") for table in TABLES),
    *_KEEP,
)
_RESTORE = "restore it from a backup, and compare it with a checkpoint: tacita ledger verify"


class SqliteStore(SqlStore):
    """A ledger in one file."""

    def __init__(self, path: Path, *, wait: float = 30.0) -> None:
        """Open the file; `wait` is for how many seconds a writer waits for another one."""
        super().__init__()
        self.place = str(path)
        self._path = path.resolve()
        self._wait = wait
        _check_file(path)
        self._connection, self._is_read_only = _connect(self._path, wait)
        try:
            self._check_form()
            self.identity = LedgerIdentity.of_rows(self.about(), self.place, _RESTORE)
        except TacitaError:
            self.close()
            raise

    @classmethod
    def create(cls, path: Path, name: str, *, settings: Settings | None = None) -> SqliteStore:
        """Make a new ledger; raise if something is there already."""
        if path.exists() or path.is_symlink():
            raise OutputError(
                "exists already", where=str(path), do="choose another name, or use the ledger that is there"
            )
        _check_folder(path)
        about = LedgerIdentity.drawn(name).to_rows()
        with private_file(path, settings=settings) as partial:
            try:
                with contextlib.closing(sqlite3.connect(partial, isolation_level=None)) as connection:
                    connection.execute("PRAGMA journal_mode = MEMORY")  # a file that fails is thrown away as a whole
                    connection.execute(f"PRAGMA application_id = {_APPLICATION}")
                    connection.execute(f"PRAGMA user_version = {FORMAT}")
                    connection.execute("BEGIN")
                    for statement in _SCHEMA:
                        connection.execute(statement)
                    connection.executemany("INSERT INTO about VALUES (?, ?)", about.items())
                    connection.execute("COMMIT")
            except sqlite3.Error as error:
                _raise_in_our_words(error, str(path))
        return cls(path)

    @contextlib.contextmanager
    def transaction(self) -> Iterator[StoreTransaction]:
        """Begin to write, alone; what was written is on the disk when the context is left without an error."""
        if self._is_read_only:
            raise OutputError("no permission to write to the ledger", where=self.place, do="ask its owner")
        with self._alone:
            self._run("BEGIN IMMEDIATE")
            try:
                yield self
                self._run("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._connection.rollback()
                raise

    def after_purge(self) -> None:
        """Write the overwritten pages to the file, and empty the write-ahead log, which has the old ones."""
        blocked = self._run("PRAGMA wal_checkpoint(TRUNCATE)")[0][0]
        if blocked:
            raise LedgerBusy(
                "the payloads are purged, but their bytes are in the write-ahead log still: somebody reads the ledger",
                where=self.place,
                do="close other programs that read it, and run 'tacita ledger verify'",
            )

    @contextlib.contextmanager
    def lock(self, name: str, owner: str, wait: float | None) -> Iterator[None]:
        """Take an advisory lock, which ends with the process, however it ends."""
        lock = FileLock(self._path.with_name(f"{self._path.name}.{name}.lock"), timeout=-1 if wait is None else wait)
        try:
            lock.acquire()
        except Timeout:
            raise LedgerBusy(
                f"the lock '{name}' belongs to {self._described_lock(name)}",
                where=self.place,
                do="wait until that process ends, or end it",
            ) from None
        except OSError as error:
            raise OutputError(
                f"the lock '{name}' cannot be taken ({error.strerror})", where=self.place, do="check its folder"
            ) from None
        try:
            self._describe_lock(name, owner, datetime.now(UTC).isoformat(timespec="seconds"))
            yield
        finally:
            lock.release()

    def notes(self) -> list[str]:
        """Return what a person should know about how safely this database keeps entries."""
        return []

    def copy_to(self, path: Path) -> bool:
        """Write a copy of the present state to a new file, in one step: no commit of others is seen by half."""
        try:
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
            with self._alone, contextlib.closing(sqlite3.connect(path)) as copy:
                self._connection.backup(copy)
        except sqlite3.Error as error:
            _raise_in_our_words(error, str(path))
        except OSError as error:
            raise OutputError(f"cannot be written ({error.strerror})", where=str(path), do="check its folder") from None
        return True

    def close(self) -> None:
        """Close the file."""
        with contextlib.suppress(sqlite3.Error):
            self._connection.close()

    def _check_form(self) -> None:
        application, version = (self._run(f"PRAGMA {name}")[0][0] for name in ("application_id", "user_version"))
        if application != _APPLICATION:
            raise LedgerError("is a database, but not a ledger", where=self.place, do="name the file of the ledger")
        check_format(str(version), self.place, _RESTORE)
        rows = self._run("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%'")
        if sorted(row[0] for row in rows) != sorted(_SCHEMA):
            raise LedgerError("the tables of the ledger were changed", where=self.place, do=_RESTORE)

    def _run(self, statement: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        with self._alone:
            try:
                return self._connection.execute(statement, values).fetchall()
            except sqlite3.OperationalError as error:
                if "decode" not in str(error):
                    _raise_in_our_words(error, self.place)
            except (sqlite3.Error, UnicodeDecodeError) as error:
                _raise_in_our_words(error, self.place)
            # A text was edited into something that is not a text: read it as it is, so that verification says where.
            self._connection.text_factory = _tolerant
            try:
                return self._connection.execute(statement, values).fetchall()
            finally:
                self._connection.text_factory = str

    def _run_many(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        with self._alone:
            try:
                self._connection.executemany(statement, rows)
            except (sqlite3.Error, UnicodeDecodeError) as error:
                _raise_in_our_words(error, self.place)


def _tolerant(text: bytes) -> str:
    return text.decode("utf-8", "surrogateescape")


def _check_folder(path: Path) -> None:
    """Raise if everybody can write to the folder: a log file put there would become part of the ledger."""
    folder = path.resolve().parent
    if os.name == "posix" and folder.is_dir() and folder.stat().st_mode & _WRITABLE:
        raise LedgerError(
            "every user of this machine can write to the folder of the ledger",
            where=str(folder),
            do="keep the ledger in a folder of its own, which others cannot write to",
        )


def _check_file(path: Path) -> None:
    _check_folder(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise LedgerError("is not a file", where=str(path), do="name the file of the ledger")
        if os.name == "posix" and status.st_mode & _EVERYBODY:
            raise LedgerError(
                f"the ledger is open to every user of this machine (mode {status.st_mode & 0o777:04o})",
                where=str(path),
                do=f"chmod o-rwx {path}, and verify it",
            )
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise LedgerError("is not a ledger", where=str(path), do="name the file of the ledger")
    except FileNotFoundError:
        raise LedgerError("there is no ledger", where=str(path), do="make one with 'tacita ledger init'") from None
    except OSError as error:
        raise LedgerError(f"cannot be read ({error.strerror})", where=str(path), do="check its permissions") from None


def _connect(path: Path, wait: float) -> tuple[sqlite3.Connection, bool]:
    """Return a connection, and whether one can only read."""
    is_read_only = not (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK))
    mode = "ro" if is_read_only else "rw"
    if is_read_only and not path.with_name(f"{path.name}-wal").exists():
        mode += "&immutable=1"  # nothing is in a log, and SQLite could not make the files of one
    try:
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode={mode}",
            uri=True,
            timeout=wait,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.execute("PRAGMA trusted_schema = OFF")
        if not is_read_only:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA secure_delete = ON")
    except (sqlite3.Error, UnicodeDecodeError) as error:
        _raise_in_our_words(error, str(path))
    return connection, is_read_only


def _raise_in_our_words(error: sqlite3.Error | UnicodeDecodeError, place: str) -> NoReturn:
    """Raise what happened; the words of SQLite may quote what it could not read, and fail to be a text at that."""
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code in {sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED}:
        raise_alone(
            LedgerBusy("another process writes to the ledger and does not finish", where=place, do="try again later")
        )
    if code in {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB} or isinstance(error, UnicodeDecodeError):
        raise_alone(LedgerError("the file of the ledger is damaged", where=place, do=_RESTORE))
    if code in {sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_AUTH}:
        raise_alone(OutputError("no permission to write to the ledger", where=place, do="ask its owner"))
    if code in {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR}:
        raise_alone(
            OutputError("the ledger cannot be written: the disk is full or failing", where=place, do="free some space")
        )
    name = getattr(error, "sqlite_errorname", type(error).__name__)
    raise_alone(LedgerError(f"the ledger cannot be used ({name})", where=place, do=_RESTORE))
