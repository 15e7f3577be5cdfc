"""What is asked of a ledger by a person, as results with their forms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tacita.errors import counted
from tacita.ledger.checkpoint import LedgerCheckpoint
from tacita.ledger.entry import Entry
from tacita.ledger.settings_file import LedgerSettings
from tacita.model.result import Result


@dataclass(frozen=True, slots=True, repr=False)
class NewLedger(Result):
    """A ledger that was made."""

    settings: LedgerSettings
    place: str

    def _in_short(self) -> str:
        return f"'{self.settings.name}' in {self.place}"


@dataclass(frozen=True, slots=True, repr=False)
class LedgerLog(Result):
    """Entries of a ledger, the last ones of those that were asked for."""

    name: str
    place: str
    home: Path
    """The folder of the settings file."""
    size: int
    """How many entries the ledger has."""
    matching: int
    """How many of them were asked for."""
    entries: tuple[Entry, ...]
    folders: Mapping[int, str] = field(default_factory=dict)
    """The folder of each release, by entry, as far as the payload is there."""
    withdrawn: Mapping[int, int] = field(default_factory=dict)
    """Releases that never left, each with the entry that records it."""

    def _in_short(self) -> str:
        return f"'{self.name}': {counted(self.size, 'entry')}"


@dataclass(frozen=True, slots=True, repr=False)
class ShownEntry(Result):
    """One entry, and what has become of it."""

    entry: Entry
    payload: Mapping[str, Any] | None = field(repr=False)
    """None if it was purged."""
    purged_by: int | None = None
    withdrawn_by: int | None = None
    folder: str | None = None
    """Where the release was written, if the entry is of one."""
    is_there: bool = False
    """Whether the release is there still."""
    with_payload: bool = False
    """Whether the payload is shown: it is internal, and may hold values."""

    def _in_short(self) -> str:
        return f"{self.entry.sequence}: {self.entry.kind}"


@dataclass(frozen=True, slots=True, repr=False)
class AppendedEntry(Result):
    """An entry that a person appended: a purge, a withdrawal, a note, a restored copy."""

    entry: Entry
    sentence: str

    def _in_short(self) -> str:
        return self.sentence


@dataclass(frozen=True, slots=True, repr=False)
class NewCheckpoint(Result):
    """A checkpoint that was made."""

    checkpoint: LedgerCheckpoint
    file: Path | None = None
    """Where it was written."""

    def _in_short(self) -> str:
        return f"{counted(self.checkpoint.size, 'entry')}"


@dataclass(frozen=True, slots=True, repr=False)
class LedgerExport(Result):
    """A ledger that was exported."""

    file: Path
    checkpoint: LedgerCheckpoint
    with_payloads: bool

    def _in_short(self) -> str:
        return f"{counted(self.checkpoint.size, 'entry')} to '{self.file.name}'"


@dataclass(frozen=True, slots=True, repr=False)
class ProofVerification(Result):
    """Whether the proof of an entry holds."""

    entry: Entry
    checkpoint: LedgerCheckpoint
    faults: tuple[str, ...]
    is_signed: bool
    """Whether the signature of the checkpoint was checked with a key."""

    @property
    def holds(self) -> bool:
        """Whether nothing is wrong."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if self.faults:
            return f"The proof of entry {self.entry.sequence} does not hold."
        return f"Entry {self.entry.sequence} is in the ledger {self.checkpoint.origin.rpartition('/')[0]}."

    def _in_short(self) -> str:
        return self.verdict
