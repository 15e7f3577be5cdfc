"""Whether a release of tables is what it says: no file changed, and the pattern the one that was audited."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path

from tacita.errors import InputError
from tacita.model.result import Result
from tacita.release.file_faults import file_faults, internal_faults
from tacita.release.folder import internal_folder
from tacita.release.kinds.tables.kind import INTERNAL, PUBLIC, manifest_in
from tacita.release.placing import put_back
from tacita.settings import Settings


@dataclass(frozen=True, slots=True, repr=False)
class TableVerification(Result):
    """What was found; `faults` is empty if everything is as it was when the tables were audited and released."""

    folder: Path
    tables: int
    withheld: int
    faults: tuple[str, ...]
    with_proof: bool

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {self.verdict}"

    @property
    def holds(self) -> bool:
        """Whether the release is what it says."""
        return not self.faults

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        return "The files are those that were audited." if self.holds else "The release is not what was audited."


def verify_tables(release: Path | str, internal: Path | str | None = None) -> TableVerification:
    """Check the files of a release of tables against its manifests."""
    release = Path(release)
    put_back(Settings.from_environment().state)
    public = manifest_in(release)
    if public.get("kind") != PUBLIC:
        raise InputError(
            "this is the internal folder of a release", where=str(release), do="name the folder that is handed out"
        )
    house = Path(internal) if internal is not None else internal_folder(release)
    full = manifest_in(house)
    proved = full.get("kind") == INTERNAL
    faults = file_faults(release, public, full if proved else None)
    if proved:
        faults += internal_faults(house, full)
        faults += _audit_faults(house)
    tables = public["tables"]
    return TableVerification(release, len(tables), sum(each["withheld"] for each in tables), tuple(faults), proved)


def _audit_faults(house: Path) -> list[str]:
    """Return which tables did not pass the audit, or that the audit is not known: then nothing is verified."""
    try:
        verdicts = json.loads((house / "audit.json").read_text(encoding="utf-8"))
        failed = [str(each["table"]) for each in verdicts if each["passed"] is not True]
    except (OSError, ValueError, TypeError, KeyError, LookupError):
        return ["audit.json cannot be read: whether the tables passed the audit is not verified"]
    if not verdicts:
        return ["audit.json names no table: whether the tables passed the audit is not verified"]
    return [f"table '{name}' did not pass the audit" for name in failed]
