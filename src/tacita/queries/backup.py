"""Backups of opened data sets, written while questions are answered, and the deliberate way back from them.

A backup is a folder: ``data`` has the frozen version, ``ledger.backup`` its answers in one consistent state, and
``backup.json`` what they are. The copy of the ledger has a name of its own, so that no copy by hand can be asked by
mistake: answers that were given after a backup are lost with the ledger, and whoever goes on from it must say so.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacita.errors import InputError, LedgerError, OutputError, UsageError, counted
from tacita.files.atomic import force_to_disk
from tacita.ledger.entry import Entry
from tacita.ledger.ledger import Ledger, accept_backup
from tacita.ledger.seen import SeenState
from tacita.ledger.settings_file import LedgerSettings, find_ledger_settings
from tacita.ledger.sources import sha256_of
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.ledger.stores.store import LedgerStore
from tacita.queries.cube.version import FrozenVersion, read_version
from tacita.queries.opening import OWN_LEDGER, ledger_of
from tacita.settings import Settings
from tacita.version import __version__

DATA, FACTS, LEDGER_COPY = "data", "backup.json", "ledger.backup"
_KIND, _FORMAT = "tacita backup of an opened data set", 1


@dataclass(frozen=True, slots=True)
class BackedUp:
    """What was backed up, or came back."""

    folder: Path
    name: str
    entries: int | None
    """Entries of the ledger that are in it; None if the ledger is in a database with backups of its own."""
    sentences: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {"folder": str(self.folder), "name": self.name, "entries": self.entries, "notes": list(self.sentences)}


def back_up(folder: Path, out: Path, settings: Settings | None = None) -> BackedUp:
    """Write a backup of an opened data set to a new folder, whole or not at all; others may ask meanwhile.

    The copy of the ledger is verified: raises `LedgerError` if it is not what was appended.
    """
    version = read_version(folder)
    with ledger_of(version, settings) as ledger, _new_folder(out) as aside:
        (aside / DATA).mkdir(mode=0o700)
        _copy_frozen(folder, aside / DATA)
        read_version(aside / DATA)
        place = Path(ledger.place)
        is_copied = ledger.copy_to(aside / LEDGER_COPY)
        size = _verified_size(aside / LEDGER_COPY) if is_copied else None
        facts: dict[str, Any] = {
            "kind": _KIND,
            "format": _FORMAT,
            "tacita": __version__,
            "created": datetime.now(UTC).isoformat(timespec="seconds"),
            "name": version.policy.name,
            "ledger_id": ledger.identity.id,
            "entries": size,
            "own_ledger": None if version.ledger_id else os.path.relpath(place.resolve(), folder.resolve()),
            "files": {
                str(path.relative_to(aside)): sha256_of(path) for path in sorted(aside.rglob("*")) if path.is_file()
            },
        }
        _private(aside / FACTS, (json.dumps(facts, indent=1, ensure_ascii=False) + "\n").encode())
        sentence = (
            f"'{facts['name']}' with {counted(size, 'entry')} of its ledger."
            if size is not None
            else f"'{facts['name']}' without its ledger, which is in {place}: back that database up by its own means."
        )
        return BackedUp(out, facts["name"], size, (sentence,))


def restore(folder: Path, why: str, backup: Path | None = None, settings: Settings | None = None) -> BackedUp:
    """Put a backup back to a new folder, or accept that the ledger in a folder is an older copy, and record it.

    The ledger gets an entry that says how many entries are lost, as far as this machine knows. Raises `UsageError` if
    there is no reason, or nothing was lost.
    """
    if not why.strip():
        raise UsageError("no reason is given", do="say why the latest copy is lost: --why TEXT")
    own = OWN_LEDGER
    if backup is not None:
        facts = _checked_facts(backup)
        own = facts["own_ledger"] or OWN_LEDGER
        _put_back(backup, folder, facts, settings)
    version = read_version(folder)
    configured = _configured(version, settings)
    store: LedgerStore = SqliteStore((folder / own).resolve()) if configured is None else configured.store()
    with contextlib.closing(store):
        entry = accept_backup(store, SeenState(store.identity.id, settings), why)
        size = store.head()
    if entry is None and backup is None:
        raise UsageError("no entry of the ledger is missing", where=str(folder), do="use it as it is")
    return BackedUp(folder, version.policy.name, size[0] if size else 0, _sentences(entry))


def _sentences(entry: Entry | None) -> tuple[str, ...]:
    if entry is None:
        return ("The ledger is the one that was last seen here: nothing is lost.",)
    return (
        f"The ledger goes on from here; that is recorded as entry {entry.sequence}.",
        "Answers that were given after the backup are known to those who got them. They are not in the ledger: no "
        "question is judged with them, and what they cost is not counted.",
        "If that is not acceptable, do not serve this data set again.",
    )


def _put_back(backup: Path, folder: Path, facts: Mapping[str, Any], settings: Settings | None) -> None:
    own = facts["own_ledger"]
    with _new_folder(folder) as aside:
        _copy_frozen(backup / DATA, aside)
        configured = _configured(read_version(aside), settings, folder.resolve().parent)
        if own == OWN_LEDGER:
            _copy(backup / LEDGER_COPY, aside / own)
        place = (folder / own).resolve() if own else None if configured is None else configured.file
        if place is not None and own != OWN_LEDGER and not place.exists():  # others may have their answers there too
            if own:  # the folder of the first version, which may be lost as well
                place.parent.mkdir(mode=0o700, exist_ok=True)
            _copy(backup / LEDGER_COPY, place)


def _configured(version: FrozenVersion, settings: Settings | None, above: Path | None = None) -> LedgerSettings | None:
    if not version.ledger_id:
        return None
    given = find_ledger_settings(above or version.folder.resolve().parent, settings)
    if given is None or given.id != version.ledger_id:
        raise LedgerError(
            "the settings file of the ledger that has the answers is not there",
            where=str(above or version.folder),
            do="put tacita-ledger.toml back above the folder, or set TACITA_LEDGER",
        )
    return given


def _checked_facts(backup: Path) -> dict[str, Any]:
    try:
        facts: dict[str, Any] = json.loads((backup / FACTS).read_text(encoding="utf-8"))
        is_ours, is_newer = facts["kind"] == _KIND, facts["format"] > _FORMAT
        files: dict[str, str] = dict(facts["files"])
        own = facts["own_ledger"]
    except (OSError, ValueError, KeyError, TypeError):
        raise InputError("is not a backup", where=str(backup), do="name a folder of 'tacita query backup'") from None
    if not is_ours or is_newer or not (own is None or (isinstance(own, str) and Path(own).name == OWN_LEDGER)):
        raise InputError("is not a backup of this version", where=str(backup), do="update Tacita")
    for name, digest in files.items():
        path = backup / name
        if ".." in Path(name).parts or not path.is_file() or sha256_of(path) != digest:
            raise LedgerError(f"the backup was changed: {Path(name).name}", where=str(backup), do="take another backup")
    return facts


def _verified_size(path: Path) -> int:
    with contextlib.closing(SqliteStore(path)) as store:
        verification = Ledger(store).verify()
    if verification.faults:
        raise LedgerError(
            f"the ledger is not what was appended: {verification.faults[0]}",
            where=str(path),
            do="restore an older backup",
        )
    return verification.head.size


@contextlib.contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Hand out a folder aside, which becomes the folder if nothing fails."""
    if folder.exists() or folder.is_symlink():
        raise OutputError("exists already", where=str(folder), do="choose another name: nothing is replaced")
    if not folder.parent.is_dir():
        raise OutputError("the folder does not exist", where=str(folder.parent), do="make it first")
    aside = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.part")
    try:
        aside.mkdir(mode=0o700)
        yield aside
        os.rename(aside, folder)  # noqa: PTH104 - a path that is a folder is renamed, never replaced
        force_to_disk(folder.parent)
    except OSError as error:
        raise OutputError(f"cannot be written ({error.strerror})", where=str(folder), do="free some space") from None
    finally:
        shutil.rmtree(aside, ignore_errors=True)


def _copy_frozen(source: Path, target: Path) -> None:
    """Copy a frozen version: everything but its ledger, which changes."""
    for path in sorted(source.rglob("*")):
        place = target / path.relative_to(source)
        if path.is_dir():
            place.mkdir(mode=0o700)
        elif not path.name.startswith(OWN_LEDGER):
            _copy(path, place)


def _copy(source: Path, target: Path) -> None:
    with source.open("rb") as content, _private_file(target) as file:
        shutil.copyfileobj(content, file)


def _private(path: Path, content: bytes) -> None:
    with _private_file(path) as file:
        file.write(content)


@contextlib.contextmanager
def _private_file(path: Path) -> Iterator[Any]:
    descriptor = os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        yield file
        file.flush()
        os.fsync(file.fileno())
