"""Releases as the ledger and their internal folders have them: what each disclosed, and of whom."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.joint.evidence import Mask, OutputLabel
from tacita.ledger.disclosures import (
    PERSON_COLUMN,
    POPULATION_FILE,
    RECORDS_FILE,
    REPLACED_FILE,
    ROW_COLUMN,
    Disclosures,
)
from tacita.ledger.entry import Entry
from tacita.ledger.increments import INCREMENT
from tacita.ledger.ledger import Ledger
from tacita.ledger.sources import sha256_of
from tacita.ledger.verdict import ProposedRelease

if TYPE_CHECKING:
    import pyarrow as pa


class UnknownRelease(Exception):
    """What a release disclosed is not known any more: why, as a sentence without a full stop."""


@dataclass(frozen=True, slots=True, eq=False)
class RecordedRelease:
    """One release: what it disclosed, and the tables of who is behind it."""

    label: OutputLabel
    source: str
    """SHA-256 of its source; empty if there is none."""
    disclosures: Disclosures = field(repr=False)
    population: pa.Table | None = field(default=None, repr=False)
    """The records behind its tables."""
    records: pa.Table | None = field(default=None, repr=False)
    """Its records."""
    is_allowed: bool = False
    """Whether it was released although it was not safe together with those before it."""


def proposed(proposal: ProposedRelease) -> RecordedRelease:
    """Return a release that is about to leave."""
    label = OutputLabel(0, proposal.kind, recipient=proposal.recipient)
    return _with_tables(RecordedRelease(label, proposal.version.sha256, proposal.disclosures), proposal.internal, {})


def recorded(ledger: Ledger, entry: Entry, tables: dict[str, pa.Table] | None = None) -> RecordedRelease:
    """Return a release that left; raise `UnknownRelease` if its payload or its internal folder is gone or changed.

    `tables` are files that were read already, by their hash; it is filled in.
    """
    payload = ledger.payload(entry)
    if payload is None:
        raise UnknownRelease("its payload was purged")
    disclosures = payload.get("disclosures")
    if not isinstance(disclosures, Mapping):
        raise UnknownRelease("its entry does not say what it disclosed")
    folder, internal = Path(str(payload.get("folder", ""))), Path(str(payload.get("internal", "")))
    label = OutputLabel(entry.sequence, entry.kind, folder.name, entry.time[:10], entry.recipient)
    verdict = payload.get("verdict")
    is_allowed = isinstance(verdict, Mapping) and verdict.get("is_allowed") is True
    release = RecordedRelease(label, entry.source, Disclosures.from_payload(disclosures), is_allowed=is_allowed)
    return _with_tables(release, internal, {} if tables is None else tables)


def recorded_or_increment(
    ledger: Ledger, entry: Entry, tables: dict[str, pa.Table] | None = None
) -> RecordedRelease | Mapping[str, Any]:
    """Return a release that left, or the payload of an increment: records that a gate released."""
    if entry.kind != INCREMENT:
        return recorded(ledger, entry, tables)
    payload = ledger.payload(entry)
    if payload is None:
        raise UnknownRelease("its payload was purged")
    if not {"gate", "key", "keys", "attributes", "cells"} <= payload.keys():
        raise UnknownRelease("its entry does not say what it disclosed")
    return payload


def real_records(table: pa.Table) -> Mask:
    """Return which records of a file are those of somebody: known by their row in the source, or by their person."""
    real = np.asarray(table.column(ROW_COLUMN).to_numpy() > 0)
    if PERSON_COLUMN in table.column_names:
        real |= np.asarray(table.column(PERSON_COLUMN).is_valid().to_numpy())
    return real


def _with_tables(release: RecordedRelease, internal: Path, known: dict[str, pa.Table]) -> RecordedRelease:
    population, records = release.disclosures.population, release.disclosures.records
    tables: dict[str, Any] = {}
    if population is not None:
        tables["population"] = _read(internal / POPULATION_FILE, population.sha256, known)
    if records is not None and records.sha256:
        tables["records"] = _read(internal / RECORDS_FILE, records.sha256, known)
    return replace(release, **tables)


def _read(path: Path, sha256: str, known: dict[str, pa.Table]) -> pa.Table:
    import pyarrow as pa
    import pyarrow.parquet as pq

    if sha256 in known:
        return known[sha256]
    places = (path, path.with_name(REPLACED_FILE.format(sha256)))
    same = [place for place in places if place.is_file() and sha256_of(place) == sha256]
    if not same and not path.is_file():
        raise UnknownRelease(f"{path.name} of its internal folder is not there")
    if not same:
        raise UnknownRelease(f"{path.name} of its internal folder was changed, or is that of another release")
    try:
        known[sha256] = pq.read_table(same[0])
        return known[sha256]
    except (OSError, pa.ArrowInvalid):
        raise UnknownRelease(f"{path.name} of its internal folder cannot be read") from None
