"""Which earlier releases count when something is released: those of the same population that reach the same people."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.ledger.corrections import releases_that_never_left
from tacita.ledger.entry import Entry
from tacita.ledger.ledger import Ledger
from tacita.ledger.settings_file import LedgerSettings
from tacita.ledger.sources import SourceVersion

RELEASED = "released"
"""The decision of entries of which something left."""


@dataclass(frozen=True, slots=True)
class CountingReleases:
    """The entries that count, and what else has to be said about the choice."""

    entries: tuple[Entry, ...]
    others: int
    """How many releases of the same population reached somebody else only."""
    unknown: int = 0
    """How many entries that reach the recipient are of data that nobody can tell: no file, and no known name."""


def releases_that_count(
    ledger: Ledger, version: SourceVersion, recipient: str, settings: LedgerSettings, *, leave_out: int = 0
) -> CountingReleases:
    """Return the releases of the same population to the same or colluding recipients, or to everybody.

    Entries are of the same population if they have the same source or the same subject, directly or through others: a
    source may have got its name only later. `leave_out` is an entry that is judged itself.
    """
    recipients = settings.recipients
    never_left = releases_that_never_left(ledger)
    entries = [
        entry
        for entry in ledger.entries()
        if entry.decision == RELEASED and entry.sequence not in never_left and entry.sequence != leave_out
    ]
    same = of_population(entries, version)
    reaching = tuple(entry for entry in same if recipients.sees(recipient, entry.recipient))
    counted = {entry.sequence for entry in same}
    unknown = [
        entry
        for entry in entries
        if not entry.source and entry.subject not in settings.sources and entry.sequence not in counted
        if recipients.sees(recipient, entry.recipient)
    ]
    return CountingReleases(reaching, len(same) - len(reaching), len(unknown))


def of_population(entries: Sequence[Entry], version: SourceVersion) -> list[Entry]:
    """Return the entries of the population of a version: of its source or its subject, directly or through others."""
    subjects = {version.subject} - {""}
    sources = {version.sha256, *(() if version.source is None else version.source.hashes)} - {""}
    while True:
        same = [one for one in entries if one.subject in subjects or one.source in sources]
        before = len(subjects) + len(sources)
        subjects |= {one.subject for one in same} - {""}
        sources |= {one.source for one in same} - {""}
        if len(subjects) + len(sources) == before:
            return same
