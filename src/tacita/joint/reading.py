"""The releases that count, as they are read from the ledger and from internal folders, each once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from tacita.joint.evidence import OutputLabel
from tacita.joint.increments import Increment, merged_increments
from tacita.joint.judgement import JointReason
from tacita.joint.recorded import RecordedRelease, UnknownRelease, recorded_or_increment
from tacita.ledger.corrections import never_left
from tacita.ledger.entry import Entry
from tacita.ledger.ledger import Ledger
from tacita.ledger.persons import persons_of
from tacita.ledger.settings_file import LedgerSettings

if TYPE_CHECKING:
    import pyarrow as pa

MOST_REASONS = 20
"""Reasons that are told."""
ReadRelease = tuple[Entry, RecordedRelease | UnknownRelease]


class ReleaseReader:
    """Reads what entries disclosed, and remembers it: entries never change."""

    def __init__(self, ledger: Ledger, settings: LedgerSettings) -> None:
        self._ledger, self._settings = ledger, settings
        self._read: dict[int, RecordedRelease | Mapping[str, Any]] = {}
        self._tables: dict[str, pa.Table] = {}

    def releases(self, entries: Sequence[Entry]) -> list[ReadRelease]:
        """Return the releases of some entries in their order.

        The increments of a gate are one, at its last entry.
        """
        read = [(entry, self._recorded(entry)) for entry in entries]
        increments = [Increment(one, given) for one, given in read if isinstance(given, Mapping)]
        sources = self._settings.sources
        persons = {name: persons_of(source, self._ledger) for name, source in sources.items()}
        whole = [(one, given) for one, given in read if not isinstance(given, Mapping)]
        return sorted([*whole, *merged_increments(increments, persons)], key=lambda pair: pair[0].sequence)

    def _recorded(self, entry: Entry) -> RecordedRelease | Mapping[str, Any] | UnknownRelease:
        """Return what an entry records; of an increment, its payload."""
        if entry.sequence not in self._read:
            try:
                self._read[entry.sequence] = recorded_or_increment(self._ledger, entry, self._tables)
            except UnknownRelease as unknown:
                return unknown  # its folder may be put in its place at any moment
        return self._read[entry.sequence]


def gone_releases(releases: Sequence[ReadRelease]) -> Iterator[JointReason]:
    """Yield why nothing can be judged with releases of which it is not known any more what they disclosed."""
    gone = [(entry, one) for entry, one in releases if isinstance(one, UnknownRelease)]
    for entry, release in gone[:MOST_REASONS]:
        label = label_of(entry)
        sentence = f"What {label} disclosed is not known any more: {release}."
        do = (
            f"run the command again if {label.short} is being released at this moment, put a copy of its internal "
            "folder back, or, if nobody received that release, "
            f"record it with '{never_left(entry.sequence)}'"
        )
        yield JointReason("unknown", sentence, (label,), is_decided=False, do=do)


def label_of(entry: Entry) -> OutputLabel:
    """Return how a release is named of which nothing but its entry is known."""
    return OutputLabel(entry.sequence, entry.kind, "", entry.time[:10], entry.recipient)
