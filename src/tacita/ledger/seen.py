"""What was last seen of a ledger, kept outside of it: an older copy that is put in its place is noticed.

A chain shows edits. It cannot show that its end is missing: an older backup is a whole chain. So every process that
appends or opens a ledger notes its size and last hash in the state folder of its user. The note is written after the
entries are on the disk and is not forced there itself: after a loss of power it may be older than the ledger, never
newer. It has two places that are written in turn, each with a check value, so that one of them is always whole.
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from filelock import FileLock

from tacita.errors import LedgerError, OutputError
from tacita.ledger.entry import LedgerHead
from tacita.settings import Settings

_SLOT = 20 + 1 + 64 + 1 + 16 + 1
"""Bytes of a place: size, hash, check value, line break."""


class SeenState:
    """The last state of one ledger that this user has seen on this machine."""

    def __init__(self, ledger_id: str, settings: Settings | None = None) -> None:
        self._folder = (settings or Settings.from_environment()).state / "ledgers"
        self.path = self._folder / f"{ledger_id}.seen"

    def last(self) -> LedgerHead | None:
        """Return the last state that was seen; None if there is none. Raises if the note was changed."""
        try:
            content = self.path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._unusable(error) from None
        states = [state for state in map(_read, (content[:_SLOT], content[_SLOT:])) if state is not None]
        if not states:
            raise LedgerError(
                "the note of the last state of the ledger is damaged",
                where=str(self.path),
                do="verify the ledger with a checkpoint that was kept elsewhere, then delete this file",
            )
        return max(states, key=lambda state: state.size)

    def note(self, state: LedgerHead) -> None:
        """Note a state, unless a later one is noted."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            with FileLock(self.path.with_suffix(".lock")):
                self._write(state)
        except OSError as error:
            raise self._unusable(error) from None

    def reset(self, state: LedgerHead) -> None:
        """Note a state that is earlier than the last one, because a person accepts it."""
        try:
            with FileLock(self.path.with_suffix(".lock")):
                self.path.unlink(missing_ok=True)
                self._write(state)
        except OSError as error:
            raise self._unusable(error) from None

    def _write(self, state: LedgerHead) -> None:
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "r+b") as file:
            content = file.read()
            slots = [_read(content[:_SLOT]), _read(content[_SLOT:])]
            sizes = [-1 if slot is None else slot.size for slot in slots]
            if max(sizes) >= state.size:
                return
            line = f"{state.size:020d} {state.hash}"
            slot = f"{line} {_check(line)}\n".encode()
            if len(content) == 2 * _SLOT:
                file.seek(sizes.index(min(sizes)) * _SLOT)
                file.write(slot)
            else:  # new: both places are there from the beginning, so that later writes do not change its length
                file.seek(0)
                file.write(slot + slot)
                file.flush()
                os.fsync(file.fileno())

    def _unusable(self, error: OSError) -> OutputError:
        return OutputError(
            f"the last state of the ledger cannot be noted ({error.strerror})",
            where=str(self.path),
            do="set TACITA_STATE to a folder that you can write to",
        )


def check_place(place: Path, ledger_id: str, settings: Settings | None = None) -> None:
    """Raise if a settings file names another ledger than the last time; remember which one it names."""
    note = _note_of(place, settings)
    try:
        before = json.loads(note.read_text(encoding="utf-8"))["id"] if note.is_file() else ""
    except (OSError, ValueError, KeyError, TypeError):
        raise LedgerError("the note of this ledger's place is damaged", where=str(note), do="delete it") from None
    if before and before != ledger_id:
        raise LedgerError(
            f"names another ledger than before: its id was {before} and is {ledger_id}",
            where=str(place),
            do=f"find out who changed it; if that is meant, delete {note}",
        )
    if not before:
        remember_place(place, ledger_id, settings)


def check_not_gone(place: Path, settings: Settings | None = None) -> None:
    """Raise if a settings file is not there that was there: releases would be recorded nowhere, and nobody notice."""
    note = _note_of(place, settings)
    if note.exists():
        raise LedgerError(
            "the settings file of the ledger was here, and is gone",
            where=str(place),
            do=f"restore it; if there is no ledger for this folder any more, delete {note}",
        )


def remember_place(place: Path, ledger_id: str, settings: Settings | None = None) -> None:
    """Remember which ledger a settings file names."""
    note = _note_of(place, settings)
    partial = note.with_suffix(f".{os.getpid()}")
    try:
        note.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        partial.write_text(json.dumps({"settings": str(place.resolve()), "id": ledger_id}) + "\n", encoding="utf-8")
        partial.replace(note)
    except OSError as error:
        raise OutputError(
            f"the place of the ledger cannot be noted ({error.strerror})",
            where=str(note),
            do="set TACITA_STATE to a folder that you can write to",
        ) from None


def _note_of(place: Path, settings: Settings | None) -> Path:
    name = hashlib.sha256(str(place.resolve()).encode()).hexdigest()[:32]
    return (settings or Settings.from_environment()).state / "ledgers" / f"{name}.place"


def check_seen(seen: LedgerHead, size: int, hash_there: str | None, place: str) -> None:
    """Raise if a ledger of `size` entries is an earlier state than the one that was seen, or another history.

    `hash_there` is the hash of the entry that was the last one then.
    """
    if size < seen.size:
        raise LedgerError(
            f"an older copy of the ledger was put in its place: it has {size:,} entries, and {seen.size:,} were seen",
            where=place,
            do="restore the latest copy; if it is lost, record that with 'tacita ledger restore --why TEXT', for the "
            "own ledger of an opened data set with 'tacita query restore FOLDER --why TEXT'",
        )
    if hash_there != seen.hash:
        raise LedgerError(
            f"this is not the ledger that was seen: entry {seen.size} is another",
            where=place,
            do="restore the latest copy, and look who could write to it",
        )


def _read(slot: bytes) -> LedgerHead | None:
    try:
        size, hash_, check = slot.decode("ascii").split()
        return LedgerHead(int(size), hash_) if check == _check(f"{size} {hash_}") else None
    except ValueError:
        return None


def _check(line: str) -> str:
    return hashlib.sha256(f"tacita seen {line}".encode()).hexdigest()[:16]
