"""Records that gates released: all increments of a gate together are one release of records.

Whoever got the last increment has the others as well, so that they are compared as one file. Records are known by the
key of the gate if that is the key of the source; otherwise they are records of another version.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.joint.evidence import OutputLabel
from tacita.joint.recorded import RecordedRelease
from tacita.ledger.disclosures import PERSON_COLUMN, QUASI_IDENTIFIER, ROW_COLUMN, Disclosures
from tacita.ledger.entry import Entry
from tacita.ledger.increments import increment_disclosures, increment_records
from tacita.ledger.persons import PersonHashes

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class Increment:
    """One batch that a gate released: its entry and its payload."""

    entry: Entry
    payload: Mapping[str, Any]

    @property
    def belongs_to(self) -> tuple[object, ...]:
        """What increments of one release share."""
        lists = (tuple(self.payload.get(name, ())) for name in ("attributes", "coarse", "key"))
        return (self.payload["gate"], self.entry.subject, self.entry.recipient, *lists)


def merged_increments(
    increments: Iterable[Increment], persons: Mapping[str, PersonHashes | None]
) -> list[tuple[Entry, RecordedRelease]]:
    """Return the releases that increments make up, each with the last of its entries.

    `persons` says for each subject how its persons are known.
    """
    groups: dict[tuple[object, ...], list[Increment]] = {}
    for one in increments:
        groups.setdefault(one.belongs_to, []).append(one)
    return [(some[-1].entry, _merged(some, persons.get(some[0].entry.subject))) for some in groups.values()]


def _merged(increments: Sequence[Increment], persons: PersonHashes | None) -> RecordedRelease:
    last, payload = increments[-1].entry, _payload([one.payload for one in increments])
    disclosures = increment_disclosures(payload, persons)
    records = increment_records(payload, persons)
    many = len(increments)
    name = f"{payload['gate']}, {many:,} increment{'' if many == 1 else 's'}"
    label = OutputLabel(last.sequence, last.kind, name, last.time[:10], last.recipient)
    return RecordedRelease(label, "", _all_known(disclosures), records=_with_rows(records))


def _payload(payloads: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the payloads of a gate as one; a record that was handed out again counts once."""
    rows = dict.fromkeys(
        (key, cells)
        for payload in payloads
        for key, cells in zip(payload["keys"], zip(*payload["cells"], strict=True), strict=True)
    )
    width = len(payloads[0]["attributes"])
    columns = [[cells[at] for _, cells in rows] for at in range(width)]
    return {**payloads[0], "keys": [key for key, _ in rows], "cells": columns}


def _all_known(disclosures: Disclosures) -> Disclosures:
    """Return disclosures of records of which an intruder may know every attribute: gates do not say which."""
    records = disclosures.records
    assert records is not None
    attributes = tuple(replace(one, role=QUASI_IDENTIFIER) for one in records.attributes)
    return replace(disclosures, records=replace(records, attributes=attributes))


def _with_rows(records: pa.Table) -> pa.Table:
    """Return records with numbers of their own if no key says whose they are: they are those of somebody."""
    import pyarrow as pa

    if PERSON_COLUMN in records.column_names:
        return records
    rows = pa.array(np.arange(1, records.num_rows + 1))
    return records.set_column(records.column_names.index(ROW_COLUMN), ROW_COLUMN, rows)
