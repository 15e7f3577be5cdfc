"""A folder of increments that grows: records are appended to its last file, then both manifests are replaced.

The ledger has every record before it is appended here. The internal manifest says up to which entry of the ledger
records were appended, and how long the files were then. After a kill in between, the files are cut to that length and
the missing entries appended: each record is there once, in the order of the ledger.
"""

from __future__ import annotations

import csv
import hashlib
import io
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacita.errors import InputError, OutputError
from tacita.files.atomic import write_text
from tacita.release.manifest import (
    MANIFEST,
    TOKEN,
    Places,
    as_json,
    check_manifest,
    internal_manifest,
    manifest_in,
    public_manifest,
)
from tacita.release.placing import place
from tacita.settings import Settings
from tacita.workspace import journalled, partial_beside

NAME = "increment"
POLICY, REPORT = "policy.toml", "report.html"
_MOST_BYTES = 256 << 20
"""A file that has grown beyond this is followed by another one."""
_CHUNK = 1 << 20
_RESTORE = "restore the folder, or remove it and keep its internal folder: the gate makes it anew from the ledger"


def part_name(number: int) -> str:
    """Return the name of a file of records.

    >>> part_name(1)
    'records-0001.csv'
    """
    return f"records-{number:04d}.csv"


def csv_lines(rows: Iterable[Sequence[str]]) -> str:
    """Return rows as lines of CSV.

    >>> csv_lines([("1", "a,b"), ("2", "")])
    '1,"a,b"\\n2,\\n'
    """
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows(rows)
    return text.getvalue()


def head_line(attributes: Sequence[str]) -> str:
    """Return the first line of a file of records."""
    return csv_lines([attributes])


@dataclass(frozen=True, slots=True)
class IncrementFacts:
    """What stays the same while a folder grows, except the policy."""

    gate: str
    attributes: tuple[str, ...]
    subject: str
    recipient: str
    policy: str
    """SHA-256 of the policy."""
    ledger: str
    """The id of the ledger that has every record; empty: the one in the internal folder."""
    key: tuple[str, ...] = ()

    def public(self, records: int) -> dict[str, Any]:
        """Return the facts of the manifest that is handed out."""
        return {"attributes": list(self.attributes), "records": records}

    def internal(self, records: int, sequence: int) -> dict[str, Any]:
        """Return the facts of the internal manifest."""
        return {
            **self.public(records),
            "gate": self.gate,
            "key": list(self.key),
            "subject": self.subject,
            "recipient": self.recipient,
            "policy": self.policy,
            "ledger_id": self.ledger,
            "sequence": sequence,
        }

    @classmethod
    def of_manifest(cls, manifest: Mapping[str, Any]) -> IncrementFacts:
        """Return the facts of an internal manifest."""
        return cls(
            str(manifest["gate"]),
            tuple(manifest["attributes"]),
            str(manifest["subject"]),
            str(manifest["recipient"]),
            str(manifest["policy"]),
            str(manifest["ledger_id"]),
            tuple(manifest["key"]),
        )


def begin_folder(
    folder: Path,
    internal: Path,
    facts: IncrementFacts,
    policy: str,
    settings: Settings | None,
    ledger: Callable[[Path], None] | None = None,
) -> None:
    """Make both folders without a record; nothing leaves with them, so no ledger has to know.

    `ledger` makes a ledger in the internal folder: there is never a folder that lacks its ledger.
    """
    with place(folder, internal, force=False, settings=settings) as places:
        _write_empty(places.release, facts, settings)
        write_text(places.internal / POLICY, policy, force=False, settings=settings)
        full = as_json(internal_manifest(NAME, facts.internal(0, 0), places))
        write_text(places.internal / MANIFEST, full, force=False, settings=settings)
        if ledger is not None:
            ledger(places.internal)


def renew_folder(folder: Path, internal: Path, facts: IncrementFacts, settings: Settings | None) -> None:
    """Make a folder that is gone anew, without a record; its internal folder is there, and the ledger has the records.

    The internal manifest comes first: whoever is killed behind it leaves a folder that is gone, as before.
    """
    token = str(_manifest_of(internal, folder, facts)[TOKEN])
    with journalled(partial_beside(folder), (settings or Settings.from_environment()).state) as partial:
        partial.mkdir()
        _write_empty(partial, facts, settings)
        places = Places(partial, internal, token)
        full = internal_manifest(NAME, facts.internal(0, 0), places, internal_files=_inside(internal))
        write_text(internal / MANIFEST, as_json(full), force=True, settings=settings)
        partial.rename(folder)


def _write_empty(folder: Path, facts: IncrementFacts, settings: Settings | None) -> None:
    write_text(folder / part_name(1), head_line(facts.attributes), force=False, settings=settings)
    public = as_json(public_manifest(NAME, facts.public(0), folder))
    write_text(folder / MANIFEST, public, force=False, settings=settings)


class IncrementFolder:
    """An open folder of increments; one gate at a time appends to it, the one that has the lock of its ledger."""

    def __init__(self, folder: Path, internal: Path, facts: IncrementFacts, settings: Settings | None = None) -> None:
        self.folder, self.internal, self._settings = folder, internal, settings
        check_manifest(manifest_in(folder), folder, NAME)
        manifest = _manifest_of(internal, folder, facts)
        self._facts = facts
        self._token = str(manifest[TOKEN])
        self.sequence = int(manifest["sequence"])
        """The last entry of the ledger whose records are here."""
        self.records = int(manifest["records"])
        self._files: dict[str, dict[str, Any]] = {
            name: dict(file) for name, file in manifest["files"].items() if name != MANIFEST
        }
        self._number = len(self._files)
        self._mend()

    def append(self, rows: Sequence[Sequence[str]], sequence: int) -> None:
        """Append the records of an entry of the ledger."""
        if sequence <= self.sequence:
            return
        if self._size > _MOST_BYTES:
            self._begin_part()
        data = csv_lines(rows).encode()
        try:
            with (self.folder / part_name(self._number)).open("ab") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())  # before the manifest says that it is there
        except OSError as error:
            raise OutputError(
                f"the records cannot be written ({error.strerror}); they are recorded as released",
                where=str(self.folder),
                do="make room, and open the gate again: it writes what is missing",
            ) from None
        self._hash.update(data)
        self._size += len(data)
        self.records += len(rows)
        self.sequence = sequence
        self._write_manifests()

    def keep(self, report: str, policy: str) -> None:
        """Replace the internal report and the policy."""
        write_text(self.internal / POLICY, policy, force=True, settings=self._settings)
        write_text(self.internal / REPORT, report, force=True, settings=self._settings)
        self._write_manifests()

    def _mend(self) -> None:
        """Cut files to what the manifest says: what is behind that was being written when somebody killed the gate."""
        for path in self.folder.glob("records-*.csv"):
            if path.name not in self._files:
                path.unlink()
        name = part_name(self._number)
        path, size = self.folder / name, int(self._files[name]["bytes"])
        if not path.is_file() or path.stat().st_size < size:
            raise InputError(
                f"{name} is missing or shorter than its manifest says",
                where=str(self.folder),
                do=_RESTORE,
            )
        if path.stat().st_size > size:
            os.truncate(path, size)
        self._hash, self._size = hashlib.sha256(), size
        with path.open("rb") as file:
            while chunk := file.read(_CHUNK):
                self._hash.update(chunk)
        if self._hash.hexdigest() != self._files[name]["sha256"]:
            raise InputError(
                f"{name} was changed: its SHA-256 is not that of the manifest",
                where=str(self.folder),
                do=_RESTORE,
            )

    def _begin_part(self) -> None:
        self._number += 1
        head = head_line(self._facts.attributes).encode()
        (self.folder / part_name(self._number)).write_bytes(head)
        self._hash, self._size = hashlib.sha256(head), len(head)

    def _write_manifests(self) -> None:
        self._files[part_name(self._number)] = {"sha256": self._hash.hexdigest(), "bytes": self._size}
        public = as_json(public_manifest(NAME, self._facts.public(self.records), self.folder, self._files))
        write_text(self.folder / MANIFEST, public, force=True, settings=self._settings)
        own = {"sha256": hashlib.sha256(public.encode()).hexdigest(), "bytes": len(public.encode())}
        facts = self._facts.internal(self.records, self.sequence)
        places = Places(self.folder, self.internal, self._token)
        full = internal_manifest(NAME, facts, places, {**self._files, MANIFEST: own}, _inside(self.internal))
        write_text(self.internal / MANIFEST, as_json(full), force=True, settings=self._settings)


def _manifest_of(internal: Path, folder: Path, facts: IncrementFacts) -> dict[str, Any]:
    """Return the internal manifest; raise if it is that of another gate."""
    manifest = manifest_in(internal)
    check_manifest(manifest, internal, NAME, internal=True)
    before = IncrementFacts.of_manifest(manifest)
    if replace(facts, policy=before.policy) != before:
        raise InputError(
            "belongs to another gate, recipient or ledger, or has other attributes",
            where=str(folder),
            do="give each gate and recipient a folder of its own",
        )
    return manifest


def _inside(internal: Path) -> dict[str, dict[str, Any]]:
    """Return the hashes of what stays as it is in an internal folder; its ledger grows."""
    return {name: _hash_of(internal / name) for name in (POLICY, REPORT) if (internal / name).is_file()}


def _hash_of(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    return {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
