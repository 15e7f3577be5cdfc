"""The forms of what is asked of a ledger. Payloads are internal: one is shown only if it was asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tacita.errors import counted
from tacita.views.terminal import add, columns, lines
from tacita.views.view import LinesView, View

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import RenderableType

    from tacita.ledger.checkpoint import LedgerCheckpoint
    from tacita.ledger.entry import Entry
    from tacita.ledger.proof import EntryProof
    from tacita.ledger.results import (
        AppendedEntry,
        LedgerExport,
        LedgerLog,
        NewCheckpoint,
        NewLedger,
        ProofVerification,
        ShownEntry,
    )
    from tacita.ledger.verification import LedgerVerification

_EVERYBODY = "public"


class NewLedgerView(LinesView["NewLedger"]):
    """The forms of a ledger that was made."""

    def as_dict(self, result: NewLedger) -> dict[str, Any]:
        """Return where it is, and what names it."""
        given = result.settings
        return {
            "settings": given.path,
            "ledger": result.place,
            "name": given.name,
            "id": given.id,
            "public_key": None if given.public_key is None else str(given.public_key),
        }

    def lines(self, result: NewLedger) -> Iterable[str]:
        """Return the same, and what to do next."""
        given = result.settings
        yield f"Made the ledger '{given.name}' in {result.place}."
        yield f"Its settings are in {given.path}: name recipients and sources there."
        if given.public_key is not None:
            yield f"Checkpoints are signed. Keep the public key elsewhere, too: {given.public_key}"
        yield "Releases to this folder and those below are recorded from now on."


class LedgerLogView(View["LedgerLog"]):
    """The forms of a list of entries."""

    def title(self, result: LedgerLog) -> str:
        """Return what is listed."""
        return f"The ledger {result.name}"

    def as_dict(self, result: LedgerLog) -> dict[str, Any]:
        """Return the entries without their payloads."""
        return {
            "ledger": result.place,
            "name": result.name,
            "size": result.size,
            "matching": result.matching,
            "entries": [
                {
                    **entry_dict(entry),
                    "folder": result.folders.get(entry.sequence),
                    "never_left": entry.sequence in result.withdrawn,
                }
                for entry in result.entries
            ],
        }

    def as_text(self, result: LedgerLog) -> RenderableType:
        """Return a table of entries."""
        from rich.console import Group

        table = columns("entry", "time", "kind", "source", "recipient", "decision", "folder", right=("entry",))
        for entry in result.entries:
            decision = "never left" if entry.sequence in result.withdrawn else entry.decision
            add(
                table,
                f"{entry.sequence}",
                entry.time[:19].replace("T", " "),
                entry.kind,
                entry.subject or entry.source[:8],
                entry.recipient or _EVERYBODY,
                decision,
                _near(result.folders.get(entry.sequence, ""), result.home),
            )
        shown = f"{len(result.entries):,} of {counted(result.matching, 'entry')}"
        said = f"Ledger '{result.name}': {shown}."
        return Group(*lines([said, ""]), table) if result.entries else Group(*lines([said]))


def _near(folder: str, home: Path) -> str:
    """Return a folder as seen from that of the settings file, if it is below."""
    return str(Path(folder).relative_to(home)) if folder and Path(folder).is_relative_to(home) else folder


class ShownEntryView(View["ShownEntry"]):
    """The forms of one entry."""

    def title(self, result: ShownEntry) -> str:
        """Return which entry it is."""
        return f"Entry {result.entry.sequence} of the ledger"

    def as_dict(self, result: ShownEntry) -> dict[str, Any]:
        """Return the entry and what has become of it; the payload only if it was asked for."""
        more: dict[str, Any] = {"payload": result.payload} if result.with_payload else {}
        return {
            **entry_dict(result.entry),
            "folder": result.folder,
            "is_there": result.is_there,
            "purged_by": result.purged_by,
            "withdrawn_by": result.withdrawn_by,
            **more,
        }

    def as_text(self, result: ShownEntry) -> RenderableType:
        """Return the same as lines."""
        from rich.console import Group

        entry = result.entry
        said = [
            f"Entry {entry.sequence}: {entry.kind}, {entry.decision or 'nothing decided'}, {entry.time}",
            f"  recipient: {entry.recipient or _EVERYBODY}",
            f"  source: {entry.subject or 'without a name'}{f', SHA-256 {entry.source}' if entry.source else ''}",
            *([f"  decided by: SHA-256 {entry.policy}"] if entry.policy else []),
            *([f"  folder: {result.folder}{'' if result.is_there else ' (not there)'}"] if result.folder else []),
            *([f"  withdrawn: it never left, says entry {result.withdrawn_by}"] if result.withdrawn_by else []),
            f"  hash: {entry.hash}",
            f"  previous: {entry.previous}",
            f"  payload: {self._payload(result)}",
        ]
        if result.with_payload and result.payload is not None:
            said += json.dumps(result.payload, ensure_ascii=False, indent=2).splitlines()
        return Group(*lines(said))

    def _payload(self, result: ShownEntry) -> str:
        if result.payload is None:
            return f"purged by entry {result.purged_by}" if result.purged_by else "missing"
        if result.with_payload:
            return "internal, not for release"
        return f"{', '.join(result.payload) or 'empty'} (internal; --payload shows it)"


class LedgerVerificationView(View["LedgerVerification"]):
    """The forms of a check of a ledger."""

    def title(self, result: LedgerVerification) -> str:
        """Return what was checked."""
        return f"Whether the ledger {result.name} is what was appended"

    def as_dict(self, result: LedgerVerification) -> dict[str, Any]:
        """Return the verdict, the faults with their places, and the figures."""
        return {
            "holds": result.holds,
            "verdict": result.verdict,
            "faults": [{"entry": fault.sequence or None, "problem": fault.problem} for fault in result.faults],
            "notes": list(result.notes),
            "ledger": result.place,
            "name": result.name,
            "id": result.id,
            "entries": result.head.size,
            "hash": result.head.hash,
            "payloads": result.payloads,
            "purged": result.purged,
            "checkpoints": result.checkpoints,
        }

    def as_text(self, result: LedgerVerification) -> RenderableType:
        """Return the verdict first, then the faults and the figures."""
        from rich.console import Group

        said = [
            result.verdict,
            "",
            *(f"  fault: {fault}" for fault in result.faults),
            *(f"  note: {note}" for note in result.notes),
            f"  ledger: {result.name} in {result.place}",
            f"  entries: {result.head.size:,}",
            f"  payloads: {result.payloads:,}",
            f"  purged: {result.purged:,}",
            f"  checkpoints: {result.checkpoints:,}",
            f"  last hash: {result.head.hash}",
        ]
        return Group(*lines(said))


class AppendedEntryView(LinesView["AppendedEntry"]):
    """The forms of an entry that a person appended."""

    def as_dict(self, result: AppendedEntry) -> dict[str, Any]:
        """Return the entry, and what it means."""
        return {"entry": entry_dict(result.entry), "meaning": result.sentence}

    def lines(self, result: AppendedEntry) -> Iterable[str]:
        """Return what it means."""
        yield result.sentence


class NewCheckpointView(LinesView["NewCheckpoint"]):
    """The forms of a checkpoint: the text that is kept elsewhere."""

    def as_dict(self, result: NewCheckpoint) -> dict[str, Any]:
        """Return its lines one by one, and the whole text."""
        return {**checkpoint_dict(result.checkpoint), "file": result.file}

    def lines(self, result: NewCheckpoint) -> Iterable[str]:
        """Return the text alone, so that it can be kept as it is printed."""
        return result.checkpoint.note.splitlines()


class LedgerExportView(LinesView["LedgerExport"]):
    """The forms of an export."""

    def as_dict(self, result: LedgerExport) -> dict[str, Any]:
        """Return the file, its entries and the checkpoint."""
        return {
            "file": result.file,
            "entries": result.checkpoint.size,
            "with_payloads": result.with_payloads,
            "checkpoint": checkpoint_dict(result.checkpoint),
        }

    def lines(self, result: LedgerExport) -> Iterable[str]:
        """Return the same as sentences."""
        what = "with payloads: the file is internal" if result.with_payloads else "without payloads"
        yield f"{counted(result.checkpoint.size, 'entry')} written to {result.file}, {what}."


class EntryProofView(LinesView["EntryProof"]):
    """The forms of the proof of an entry."""

    def as_dict(self, result: EntryProof) -> dict[str, Any]:
        """Return the entry without its payload, the siblings, and the checkpoint."""
        return {
            "entry": entry_dict(result.entry),
            "path": [node.hex() for node in result.path],
            "checkpoint": checkpoint_dict(result.checkpoint),
        }

    def lines(self, result: EntryProof) -> Iterable[str]:
        """Return what is proved, and by which checkpoint."""
        number, size = result.entry.sequence, result.checkpoint.size
        shown = counted(len(result.path), "node")
        yield f"Entry {number} is in the state of {counted(size, 'entry')}, shown by {shown} of the tree."
        yield ""
        yield from result.checkpoint.note.splitlines()


class ProofVerificationView(LinesView["ProofVerification"]):
    """The forms of a check of a proof."""

    def as_dict(self, result: ProofVerification) -> dict[str, Any]:
        """Return the verdict, the faults, the entry and the checkpoint."""
        return {
            "holds": result.holds,
            "verdict": result.verdict,
            "faults": list(result.faults),
            "signature_checked": result.is_signed,
            "entry": entry_dict(result.entry),
            "checkpoint": checkpoint_dict(result.checkpoint),
        }

    def lines(self, result: ProofVerification) -> Iterable[str]:
        """Return the verdict first."""
        yield result.verdict
        yield from (f"  fault: {fault}" for fault in result.faults)
        if not result.is_signed:
            yield "  no public key was given: whoever made the checkpoint is not known"


def entry_dict(entry: Entry) -> dict[str, Any]:
    """Return the fields of an entry, without its payload."""
    return {
        "sequence": entry.sequence,
        "time": entry.time,
        "kind": entry.kind,
        "source": entry.source,
        "subject": entry.subject,
        "recipient": entry.recipient,
        "policy": entry.policy,
        "decision": entry.decision,
        "payload_hash": entry.payload_hash,
        "previous": entry.previous,
        "hash": entry.hash,
    }


def checkpoint_dict(checkpoint: LedgerCheckpoint) -> dict[str, Any]:
    """Return the lines of a checkpoint, and its whole text."""
    return {
        "origin": checkpoint.origin,
        "size": checkpoint.size,
        "root": checkpoint.root.hex(),
        "signed": bool(checkpoint.signatures),
        "note": checkpoint.note,
    }
