"""Whether a folder of increments is what it says: its files, the ledger behind them, and every decision once more."""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import zip_longest
from pathlib import Path

from tacita.errors import TacitaError, counted
from tacita.gate.answers import Row
from tacita.gate.memory import handed_out
from tacita.gate.replay import Replay
from tacita.release.kind import Verification
from tacita.release.kinds.increment.folder import IncrementFacts, part_name
from tacita.release.kinds.increment.ledgers import GateLedger, ledger_of
from tacita.release.opening import OpenedRelease

_SHOWN = 5
_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True, repr=False)
class IncrementVerification(Verification):
    """What was found; `faults` is empty if the files are those that the gate released."""

    records: int = 0
    with_ledger: bool = False
    """Whether the ledger was there to compare with."""
    repeated: int = 0
    """Records for which the decision was made again."""
    purged: int = 0
    """Entries of the ledger whose records are gone, so that their decisions cannot be repeated."""

    @property
    def verdict(self) -> str:
        """The answer in a sentence."""
        if not self.holds:
            return "The folder is not what the gate released."
        if not self.with_proof:
            return f"The files are those of the manifest: {counted(self.records, 'record')}."
        number = counted(self.records, "record")
        if not self.with_ledger:
            return f"The files are those that the gate released: {number}. No decision was repeated."
        return f"The files are those that the gate released: {number}. The policy allowed each of them when it left."


def verify_increments(release: OpenedRelease, faults: list[str]) -> IncrementVerification:
    """Compare a folder with its manifests and its ledger, and repeat the decisions."""
    faults = _without_unfinished(release, faults)
    records = int(release.public.get("records", 0))
    if not faults:
        faults += _file_faults(release, records)
    if faults or not release.manifest:
        return _verification(release, faults, records)
    facts = IncrementFacts.of_manifest(release.manifest)
    try:
        given = ledger_of(release.folder, release.internal, facts.ledger)
    except TacitaError as error:
        return _verification(release, [f"the ledger cannot be used: {error.found}"], records)
    if given is None:
        return _verification(release, [], records, "the ledger that has its records is not configured here")
    with given.ledger:
        return _compared(release, facts, given, records)


def _verification(release: OpenedRelease, faults: list[str], records: int, ledger: str = "") -> IncrementVerification:
    said = ledger or "its records are in the ledger of the gate"
    return IncrementVerification(release.folder, tuple(faults), bool(release.manifest), records=records, ledger=said)


def _without_unfinished(release: OpenedRelease, faults: list[str]) -> list[str]:
    """Return faults, where what a kill left is told as what it is."""
    files = (release.manifest or release.public).get("files", {})
    parts = [name for name in files if name.startswith("records-")]
    last = part_name(len(parts))
    path = release.folder / last
    if not any(fault.startswith(last) for fault in faults) or last not in files or not path.is_file():
        return faults
    size = int(files[last]["bytes"])
    if path.stat().st_size <= size or _sha256(path, size) != files[last]["sha256"]:
        return faults
    rest = [fault for fault in faults if not fault.startswith((last, "manifest.json"))]
    return [*rest, f"{last} has more than the manifest says: a gate was ended while it wrote; open the gate again"]


def _sha256(path: Path, size: int) -> str:
    digest, left = hashlib.sha256(), size
    with path.open("rb") as file:
        while left and (chunk := file.read(min(left, _CHUNK))):
            digest.update(chunk)
            left -= len(chunk)
    return digest.hexdigest()


def _file_faults(release: OpenedRelease, records: int) -> list[str]:
    attributes = list(release.public.get("attributes", ()))
    faults = []
    number = 0
    for name in sorted(name for name in release.public["files"] if name.startswith("records-")):
        with (release.folder / name).open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            if next(rows, None) != attributes:
                faults.append(f"the head of {name} is not the attributes of the manifest")
            number += sum(1 for _ in rows)
    if number != records:
        faults.append(f"there are {counted(number, 'record')}, but the manifest says {records:,}")
    return faults


def _rows(release: OpenedRelease) -> Iterator[Row]:
    for name in sorted(name for name in release.public["files"] if name.startswith("records-")):
        with (release.folder / name).open(encoding="utf-8", newline="") as file:
            rows = csv.reader(file)
            next(rows, None)
            for row in rows:
                yield tuple(row)


def _compared(release: OpenedRelease, facts: IncrementFacts, given: GateLedger, records: int) -> IncrementVerification:
    """Return whether the folder has what the ledger says, and whether the policy allowed it."""
    broken = given.ledger.verify().faults
    faults = [f"the ledger was changed: {fault}" for fault in broken[:_SHOWN]]
    replay = Replay(given.ledger, facts.gate, facts.subject, facts.recipient, given.recipients)
    repeated, denied = 0, []
    for step in replay.steps():
        if step.is_own and step.sequence <= int(release.manifest["sequence"]):
            repeated += 1
            if not step.is_allowed:
                denied.append(f"record {step.number:,} of entry {step.sequence:,}")
    faults += [f"the policy did not allow {one}" for one in denied[:_SHOWN]]
    if len(denied) > _SHOWN:
        faults.append(f"the policy did not allow {len(denied) - _SHOWN:,} more")
    if not replay.purged:
        faults += _order_faults(release, facts, given)
    said = f"entries of '{given.ledger.identity.name}' up to {release.manifest['sequence']}"
    done = _verification(release, faults, records, said)
    return replace(done, with_ledger=True, repeated=repeated, purged=replay.purged)


def _order_faults(release: OpenedRelease, facts: IncrementFacts, given: GateLedger) -> list[str]:
    """Return whether the records of the folder are those of the ledger, in their order."""
    recorded = (
        row
        for sequence, _, rows in handed_out(given.ledger, facts.subject, facts.recipient, facts.gate)
        if sequence <= int(release.manifest["sequence"])
        for row in rows
    )
    for number, (here, there) in enumerate(zip_longest(_rows(release), recorded), 1):
        if here != there:
            return [f"record {number:,} is not the one that the ledger has"]
    return []
