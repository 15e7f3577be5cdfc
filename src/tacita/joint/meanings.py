"""What coarse values of a file stand for, where only the files of the same persons can tell.

Gates say which attributes they coarsened, and not how. Where another release has the true values of the same records,
these are what a coarse value stands for. It may stand for more: then whoever judges takes it to tell more than it does.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from tacita.joint.record_numbers import NumberedRecords
from tacita.joint.recorded import RecordedRelease
from tacita.ledger.disclosures import AttributeDisclosure, DisclosedAttribute

_MOST_PAIRS = 10_000


def with_meanings(releases: Sequence[RecordedRelease], numbers: NumberedRecords) -> tuple[RecordedRelease, ...]:
    """Return releases whose coarse values stand for the true ones that other releases have of the same records."""
    return tuple(_with_meanings(at, releases, numbers) for at in range(len(releases)))


def _with_meanings(at: int, releases: Sequence[RecordedRelease], numbers: NumberedRecords) -> RecordedRelease:
    release = releases[at]
    records = release.disclosures.records
    if records is None or release.records is None or not any(map(_is_open, records.attributes)):
        return release
    attributes = list(records.attributes)
    for place, one in enumerate(attributes):
        if _is_open(one):
            behind: dict[str, set[str]] = {}
            for coarse, true in _pairs(at, place, one.attribute, releases, numbers):
                behind.setdefault(coarse, set()).add(true)
            if sum(map(len, behind.values())) <= _MOST_PAIRS:
                meaning = {coarse: tuple(sorted(true)) for coarse, true in sorted(behind.items())}
                attributes[place] = replace(one, stands_for=meaning)
    records = replace(records, attributes=tuple(attributes))
    return replace(release, disclosures=replace(release.disclosures, records=records))


def _is_open(attribute: DisclosedAttribute) -> bool:
    return attribute.status is AttributeDisclosure.COARSENED and not attribute.stands_for


def _pairs(
    at: int, place: int, name: str, releases: Sequence[RecordedRelease], numbers: NumberedRecords
) -> Iterator[tuple[str, str]]:
    """Yield coarse and true values of the same records."""
    coarse_units, coarse = numbers.of_records[at], releases[at].records
    for other, release in enumerate(releases):
        units, records, disclosed = numbers.of_records[other], release.records, release.disclosures.records
        if coarse_units is None or coarse is None or units is None or records is None or disclosed is None:
            continue
        for exact, one in enumerate(disclosed.attributes):
            if one.attribute != name or one.status is not AttributeDisclosure.EXACT:
                continue
            _, mine, theirs = np.intersect1d(coarse_units, units, return_indices=True)
            shown = coarse.column(f"a{place}").take(mine).to_pylist()
            true = records.column(f"a{exact}").take(theirs).to_pylist()
            pairs = set(zip(shown, true, strict=True))
            yield from ((one, two) for one, two in sorted(pairs, key=str) if one is not None and two is not None)
