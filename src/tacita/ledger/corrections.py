"""What is recorded about earlier entries: that a release never left, and notes of a person.

Nothing is taken back: an entry stays. A withdrawal that says that nobody received a release takes it out of joint
verdicts; without that it is a remark, and the release counts as before.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tacita.errors import UsageError
from tacita.ledger.entry import NOTE, PURGE, RESTORE, WITHDRAWAL, Entry, NewEntry, actor
from tacita.ledger.ledger import Ledger

_NOT_RELEASES = frozenset({NOTE, PURGE, RESTORE, WITHDRAWAL})
_MANIFEST = "manifest.json"


def withdraw(ledger: Ledger, sequence: int, why: str, *, never_left: bool) -> Entry:
    """Record that a release was withdrawn; with `never_left`, that nobody received it, so that it no longer counts.

    Raises `UsageError` if the entry is not of a release, was withdrawn so already, or its folder is there still.
    """
    entry = ledger.entry(sequence)
    if not why.strip():
        raise UsageError("no reason is given", do="say why it is withdrawn")
    if entry.kind in _NOT_RELEASES:
        raise UsageError(f"entry {sequence} is a {entry.kind}, not a release", where=ledger.place, do="name a release")
    if sequence in releases_that_never_left(ledger):
        raise UsageError(f"entry {sequence} is withdrawn already", where=ledger.place, do="leave it")
    folder = released_folder(ledger, entry)
    if never_left and folder is not None:
        raise UsageError(
            f"the release of entry {sequence} is there: {folder}",
            do="delete it if nobody received it, then withdraw it",
        )
    payload = {"entry": sequence, "why": why, "never_left": never_left, "by": actor()}
    withdrawal = NewEntry(
        WITHDRAWAL,
        entry.source,
        entry.subject,
        entry.recipient,
        decision="never left" if never_left else "withdrawn",
        payload=payload,
    )
    return ledger.append([withdrawal])[0]


def never_left(sequence: int) -> str:
    """Return the command by which a person says that nobody received a release.

    >>> never_left(3)
    'tacita ledger withdraw 3 --never-left --why TEXT'
    """
    return f"tacita ledger withdraw {sequence} --never-left --why TEXT"


def releases_that_never_left(ledger: Ledger) -> dict[int, int]:
    """Return the releases that nobody received, each with the entry that records it. They do not count any more."""
    numbers = {}
    for entry in ledger.entries(kinds=(WITHDRAWAL,)):
        payload = ledger.payload(entry)
        if payload is not None and payload.get("never_left") is True:
            numbers[int(payload["entry"])] = entry.sequence
    return numbers


def write_note(ledger: Ledger, text: str, *, subject: str = "", recipient: str = "") -> Entry:
    """Record something in words, such as an output that left by another way."""
    if not text.strip():
        raise UsageError("the note is empty", do="write what happened")
    note = NewEntry(NOTE, subject=subject, recipient=recipient, payload={"text": text, "by": actor()})
    return ledger.append([note])[0]


def released_folder(ledger: Ledger, entry: Entry) -> Path | None:
    """Return the folder of the release that an entry records, if it is there and is that release."""
    payload = ledger.payload(entry) or {}
    folder, internal = payload.get("folder"), payload.get("internal")
    if not isinstance(folder, str) or not isinstance(internal, str) or not Path(folder).is_dir():
        return None
    try:
        manifest: dict[str, Any] = json.loads((Path(internal) / _MANIFEST).read_text(encoding="utf-8"))
        place = manifest.get("ledger") or {}
        return Path(folder) if place.get("hash") == entry.hash else None
    except (OSError, ValueError, AttributeError):
        return None
