"""What gates, their plans and their watchers are asked for. An option that would change nothing is refused."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacita.errors import UsageError, listed
from tacita.files.contract import ReadOptions
from tacita.files.formats import is_database
from tacita.gate.incoming.places import RecordSource
from tacita.options import option

STREAM = "-"
"""The source that is standard input."""
EVERY = 2.0
"""Seconds between two looks, if nothing else is said."""
_OUT, _IN = "The release", "Reading"


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanOptions:
    """By which policy a plan is made, and which gate it is for."""

    policy: Path = option(Path("gate.toml"), metavar="FILE.toml", help="The policy of the gate.")
    out: Path | None = option(
        None, panel=_OUT, metavar="FOLDER", help="Folder of the released records; it grows with every run."
    )
    internal: Path | None = option(
        None, panel=_OUT, metavar="FOLDER", help="Folder for what stays inside; default: OUT.internal."
    )
    recipient: str | None = option(None, panel=_OUT, help="Who receives the records, by name.")
    trial: bool = option(
        False, "--trial", panel=_OUT, help="Only try the policy, as if nothing had left: keep nothing."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateOptions(PlanOptions):
    """By which policy a gate decides, and where its decisions go."""

    wait: float = option(
        0.0, panel=_OUT, least=0, metavar="SECONDS", help="How long to wait if another gate has the ledger."
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordReading:
    """How records that are there are read."""

    table: str | None = option(None, panel=_IN, help="Table of a database.")
    query: str | None = option(None, panel=_IN, help="Query of a database.")
    delimiter: str | None = option(None, panel=_IN, help="What separates fields of a file: , ; | or tab.")
    encoding: str | None = option(None, panel=_IN, help="Encoding of a text file, such as cp1252.")

    def source(self, name: str) -> RecordSource:
        """Return where records are read from; raise if an option is for sources of another kind."""
        self.check(name)
        delimiter = {"tab": "\t", "\\t": "\t"}.get(self.delimiter or "", self.delimiter)
        options = ReadOptions(delimiter=delimiter, encoding=self.encoding, table=self.table, query=self.query)
        return RecordSource(name, options)

    def check(self, name: str) -> None:
        """Raise if an option is for sources of another kind."""
        of_files = [f"--{option}" for option in ("delimiter", "encoding") if getattr(self, option) is not None]
        of_databases = [f"--{option}" for option in ("table", "query") if getattr(self, option) is not None]
        if of_files and (name == STREAM or is_database(name)):
            raise UsageError(
                f"{listed(of_files)} says how a file is read, and the source is not a file",
                do="leave it out; standard input is UTF-8, and CSV of it has commas",
            )
        if of_databases and not is_database(name):
            raise UsageError(
                f"{listed(of_databases)} is for a database, and the source is not a database", do="leave it out"
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class IncomingOptions(RecordReading):
    """How records that arrive are read."""

    follow: bool = option(
        False, "--follow", panel=_IN, help="Wait for more: files of a folder, records of a table. Ctrl-C ends it."
    )
    every: float | None = option(
        None, panel=_IN, least=0.05, metavar="SECONDS", help="Time between two looks with --follow; default: 2."
    )
    batch: int = option(
        10_000, panel=_IN, least=1, metavar="RECORDS", help="Most records that are decided and recorded at once."
    )

    def source(self, name: str) -> RecordSource:
        """Return where records are read from, and whether further ones are waited for."""
        read = RecordReading.source(self, name)
        return RecordSource(name, read.options, self.follow, time_between_looks(self.every, follow=self.follow))

    def check(self, name: str) -> None:
        """Raise if an option would change nothing."""
        RecordReading.check(self, name)
        time_between_looks(self.every, follow=self.follow)
        if self.follow and name == STREAM:
            raise UsageError("standard input is read until it ends", do="leave out --follow")


def time_between_looks(every: float | None, *, follow: bool) -> float:
    """Return the seconds between two looks; raise if there is only one look."""
    if every is not None and not follow:
        raise UsageError("--every has no effect without --follow: there is one look", do="add --follow")
    return EVERY if every is None else every
