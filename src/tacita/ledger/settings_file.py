"""The settings file of a ledger, ``tacita-ledger.toml``: where the ledger is, who receives, which sources are known.

It is looked for in the folder of a release and in all folders above, then where the setting `ledger` (TACITA_LEDGER)
says. Two settings files that name different ledgers are refused: a ledger that lies nearer must not hide another one.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.errors import InputError, LedgerError, TacitaError, UsageError, did_you_mean
from tacita.ledger.ledger import Ledger
from tacita.ledger.recipients import EVERYBODY, Recipient, Recipients
from tacita.ledger.seen import SeenState, check_not_gone, check_place
from tacita.ledger.signing import SigningKey, VerifyingKey, check_key_name
from tacita.ledger.sources import LedgerSource
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.ledger.stores.store import SCHEMA, LedgerStore
from tacita.settings import Settings
from tacita.toml.checked import Checked
from tacita.toml.faults import Faults, tables_of
from tacita.toml.writing import toml_text

FILE = "tacita-ledger.toml"
_LONGEST = 100
_DIGITS = re.compile(r"[0-9a-f]+")


@dataclass(frozen=True, slots=True)
class LedgerSettings:
    """What a settings file says."""

    path: Path
    """The file itself."""
    name: str
    id: str
    file: Path | None = None
    """The SQLite file; None if the ledger is in a database."""
    database: str | None = None
    """The address of the PostgreSQL database, without a password."""
    schema: str = SCHEMA
    signing_key: Path | None = None
    public_key: VerifyingKey | None = None
    instead_of: tuple[str, ...] = ()
    """Ids of ledgers of folders above, which this one takes the place of in its folder."""
    recipients: Recipients = field(default_factory=Recipients)
    sources: Mapping[str, LedgerSource] = field(default_factory=dict)

    def store(self) -> LedgerStore:
        """Return the database of the ledger, opened."""
        if self.database is not None:
            from tacita.ledger.stores.postgresql import PostgresqlStore

            store: LedgerStore = PostgresqlStore(self.database, self.schema)
        else:
            assert self.file is not None
            store = SqliteStore(self.file)
        if (store.identity.id, store.identity.name) != (self.id, self.name):
            place = store.place
            store.close()
            raise LedgerError(
                f"is not the ledger that {self.path} names: its id or its name is another",
                where=place,
                do="restore the ledger; if another one is meant, make a settings file for it",
            )
        return store

    def open(self, settings: Settings | None = None) -> Ledger:
        """Return the ledger, opened; raise if it is another one, an older copy, or another history."""
        store = self.store()
        try:
            check_place(self.path, self.id, settings)
        except TacitaError:
            store.close()
            raise
        return Ledger(store, SeenState(self.id, settings))

    def key(self) -> SigningKey | None:
        """Return the key that signs checkpoints; None if there is none. Raise if it is not that of the public key."""
        if self.signing_key is None:
            return None
        key = SigningKey.read(self.signing_key, self.name)
        if self.public_key is not None and key.verifying != self.public_key:
            raise InputError(
                "is not the key whose public key the settings file has",
                where=str(self.signing_key),
                do="give the right key, or replace public_key",
            )
        return key

    def to_toml(self) -> str:
        """Return the text of a new settings file."""
        folder = self.path.parent
        entries: dict[str, Any] = {"name": self.name, "id": self.id}
        if self.file is not None:
            entries["file"] = _relative(self.file, folder)
        if self.database is not None:
            entries |= {"database": self.database, "schema": self.schema}
        if self.signing_key is not None:
            entries["signing_key"] = _relative(self.signing_key, folder)
        if self.public_key is not None:
            entries["public_key"] = str(self.public_key)
        if self.instead_of:
            entries["instead_of"] = list(self.instead_of)
        return toml_text({"ledger": entries})


def read_ledger_settings(path: Path) -> LedgerSettings:
    """Return what a settings file says; raise with all its faults, each with its line."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError("does not exist", where=str(path), do="make one with 'tacita ledger init'") from None
    except (OSError, UnicodeDecodeError) as error:
        raise _unreadable(path, error) from None
    return _parsed(path, text)


def _unreadable(path: Path, error: OSError | UnicodeDecodeError) -> LedgerError:
    reason = getattr(error, "strerror", None) or "not UTF-8"
    return LedgerError(f"cannot be read ({reason})", where=str(path), do="check the file and its permissions")


def _parsed(path: Path, text: str) -> LedgerSettings:
    where = str(path)
    faults = Faults()
    folder = path.resolve().parent
    top = Checked.of(tables_of(text, where=where), (), faults, folder, ("ledger", "recipients", "groups", "sources"))
    given = _ledger(top, path)
    recipients = _recipients(top)
    sources = _sources(top)
    faults.raise_any(text, where=where, do="correct the settings file of the ledger")
    return LedgerSettings(path.resolve(), recipients=recipients, sources=sources, **given)


def find_ledger_settings(folder: Path, settings: Settings | None = None) -> LedgerSettings | None:
    """Return the settings of the ledger for what is released to a folder; None if no ledger is configured.

    Raises `LedgerError` if settings files name different ledgers, one belongs to somebody else, or one that was there
    is gone: then nothing would be recorded any more.
    """
    settings = settings or Settings.from_environment()
    nearby = list(_settings_above(folder, settings))
    if settings.ledger is not None:
        chosen = read_ledger_settings(settings.ledger)
        _check_others(chosen, nearby, "the setting 'ledger' (TACITA_LEDGER) names another ledger than")
        return chosen
    if not nearby:
        return None
    chosen, *others = nearby
    others = [one for one in others if one.id not in chosen.instead_of]
    _check_others(chosen, others, f"{chosen.path} names another ledger than")
    return chosen


def _check_others(chosen: LedgerSettings, others: list[LedgerSettings], problem: str) -> None:
    for other in others:
        if other.id != chosen.id:
            raise LedgerError(
                f"{problem} {other.path}: what is recorded in one is not compared with the other",
                do=f'remove one of them; for a ledger of its own in a folder, write instead_of = ["{other.id}"] there',
            )


def _settings_above(folder: Path, settings: Settings) -> Iterator[LedgerSettings]:
    """Yield the settings of a folder and of those above it; raise if a file is gone, or belongs to somebody else."""
    start = folder.resolve()
    for place in (start, *start.parents):
        path = place / FILE
        try:
            owners = {path.lstat().st_uid}
            with path.open(encoding="utf-8") as file:
                status = os.fstat(file.fileno())  # of the file that is read, whatever its name points to now
                text = file.read()
        except (FileNotFoundError, NotADirectoryError):
            check_not_gone(path, settings)
            continue
        except (OSError, UnicodeDecodeError) as error:
            raise _unreadable(path, error) from None
        owners.add(status.st_uid)
        if os.name == "posix" and (owners - {0, os.geteuid()} or status.st_mode & 0o002):
            # Whoever writes the file decides where payloads go, and which releases are compared.
            raise LedgerError(
                "belongs to another user, or everybody can change it",
                where=str(path),
                do=f"if you trust it, name it: TACITA_LEDGER={path}; otherwise release to another folder",
            )
        yield _parsed(path, text)


def _ledger(top: Checked, path: Path) -> dict[str, Any]:
    known = ("name", "id", "file", "database", "schema", "signing_key", "public_key", "instead_of")
    table = top.below("ledger", known)
    if "ledger" not in top.table:
        top.fault("ledger", "there is no [ledger]")
        return {}
    name, id_ = table.text("name", ""), table.text("id", "")
    with _noted(table, "name"):
        check_key_name(name)
    if not _is_digits(id_, 32):
        table.fault("id", "'id' in [ledger] must be the 32 digits that 'tacita ledger init' wrote")
    file, database = table.text("file", None), table.text("database", None)
    if (file is None) == (database is None):
        table.fault("file", "[ledger] needs either 'file' or 'database'")
    if database is not None and not is_address(database):
        table.fault(
            "database",
            "'database' in [ledger] must be postgresql://USER@HOST/DATABASE without a password: keep that in ~/.pgpass",
        )
    schema = table.text("schema", SCHEMA)
    if "schema" in table.table and database is None:
        table.fault("schema", "'schema' in [ledger] is for a database")
    signing_key = table.text("signing_key", None)
    public_key = None
    if (text := table.text("public_key", None)) is not None:
        with _noted(table, "public_key"):
            public_key = VerifyingKey.from_text(text)
    instead_of = table.texts("instead_of", single=True)
    if not all(_is_digits(one, 32) for one in instead_of):
        table.fault("instead_of", "'instead_of' in [ledger] must be a list of ids of ledgers, of 32 digits each")
    return {
        "name": name,
        "id": id_,
        "file": None if file is None else table.folder / file,
        "database": database,
        "schema": schema,
        "signing_key": None if signing_key is None else table.folder / Path(signing_key).expanduser(),
        "public_key": public_key,
        "instead_of": instead_of,
    }


def _recipients(top: Checked) -> Recipients:
    table, groups = top.open("recipients"), top.open("groups")
    names = list(table.table)
    by_name, spellings = {}, dict[str, str]()
    for name in names:
        _check_name(table, name, "a recipient", spellings)
        below = table.below(name, ("about", "colludes_with"))
        others = below.texts("colludes_with", single=True)
        _check_known(below, "colludes_with", others, names)
        by_name[name] = Recipient(name, below.text("about", ""), others)
    members = {}
    for name in groups.table:
        members[name] = groups.texts(name)
        _check_known(groups, name, members[name], names)
    return Recipients(by_name, members)


def _sources(top: Checked) -> dict[str, LedgerSource]:
    table = top.open("sources")
    sources, spellings, homes = {}, dict[str, str](), dict[str, str]()
    for name in table.table:
        _check_name(table, name, "a source", spellings)
        below = table.below(name, ("key", "files", "hashes", "attributes", "least"))
        files, hashes = below.texts("files", single=True), below.texts("hashes", single=True)
        if not all(_is_digits(one, 64) for one in hashes):
            below.fault("hashes", f"'hashes' in [sources.{name}] must be SHA-256 sums of 64 small digits each")
        for one in (*(str((below.folder / file).resolve()) for file in files), *hashes):
            if homes.setdefault(one, name) != name:
                below.fault("files", f"[sources.{name}] names a file or hash of [sources.{homes[one]}]")
        sources[name] = LedgerSource(
            name,
            below.texts("key", single=True),
            tuple(below.folder / file for file in files),
            hashes,
            below.texts("attributes", single=True),
            below.whole("least", 10, least=1),
        )
    return sources


def _check_name(table: Checked, name: str, what: str, spellings: dict[str, str]) -> None:
    if not name or not name.isprintable() or name != name.strip() or len(name) > _LONGEST:
        table.fault(name, f"the name of {what} must be a printable text of at most {_LONGEST} characters")
    elif name.casefold() == EVERYBODY:
        table.fault(name, f"'{EVERYBODY}' is everybody: give {what} another name")
    elif (other := spellings.setdefault(name.casefold(), name)) != name:
        table.fault(name, f"'{name}' and '{other}' differ in capitals only")


def _check_known(table: Checked, key: str, names: tuple[str, ...], known: list[str]) -> None:
    for name in names:
        if name not in known:
            table.fault(key, f"'{key}' names a recipient that is not known{did_you_mean(name, known)}")


class _noted:  # noqa: N801 - it reads as a phrase: with _noted(table, key)
    """An error about one entry becomes a fault of the file."""

    def __init__(self, table: Checked, key: str) -> None:
        self._table, self._key = table, key

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        if isinstance(error, InputError | UsageError):
            self._table.faults.add_error((*self._table.keys, self._key), error)
            return True
        return False


def _is_digits(text: str, length: int) -> bool:
    return len(text) == length and _DIGITS.fullmatch(text) is not None


def is_address(text: str) -> bool:
    """Return whether a text is the address of a PostgreSQL database, without a password.

    >>> is_address("postgresql://ann@host/db"), is_address("postgresql://ann:pw@host/db"), is_address("host/db")
    (True, False, False)
    """
    scheme, _, rest = text.partition("://")
    user = rest.partition("@")[0] if "@" in rest else ""
    return scheme in {"postgresql", "postgres"} and bool(rest) and ":" not in user and "password" not in rest.casefold()


def _relative(path: Path, folder: Path) -> str:
    path = path.resolve()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else str(path)
