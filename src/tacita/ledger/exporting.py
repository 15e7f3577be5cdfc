"""Export of a ledger: lines of JSON that anybody can verify without Tacita (docs/reference/ledger.md has how).

The first line says which ledger it is, then comes a line for each entry, and last the checkpoint. Payloads are left out
unless they are wanted: they are internal.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tacita.files.private_file import private_file
from tacita.ledger.canonical import canonical
from tacita.ledger.checkpoint import LedgerCheckpoint, origin_of
from tacita.settings import Settings

if TYPE_CHECKING:
    from tacita.ledger.ledger import Ledger

FORMAT = "tacita ledger export 1"


def write_export(
    ledger: Ledger,
    path: Path,
    checkpoint: LedgerCheckpoint,
    *,
    with_payloads: bool = False,
    force: bool = False,
    settings: Settings | None = None,
) -> None:
    """Write the entries up to a checkpoint to a file that its owner alone can read."""
    with private_file(path, force=force, settings=settings) as partial, partial.open("wb") as file:
        for line in _lines(ledger, checkpoint, with_payloads=with_payloads):
            file.write(line + b"\n")


def _lines(ledger: Ledger, checkpoint: LedgerCheckpoint, *, with_payloads: bool) -> Iterator[bytes]:
    identity = ledger.identity
    yield canonical({"format": FORMAT, "name": identity.name, "id": identity.id, "origin": origin_of(identity)})
    for entry in ledger.entries(upto=checkpoint.size):
        fields = asdict(entry)
        if with_payloads:
            stored = ledger.salted_payload(entry)
            fields["salt"] = None if stored is None else stored[0].hex()
            fields["payload"] = None if stored is None else json.loads(stored[1])
        yield canonical(fields)
    yield canonical({"checkpoint": checkpoint.note})
