"""Files of two releases compared by the attackers of versions: what they find, as reasons against a release."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from tacita.attacks.versions.changes import ChangeKind, IsolatedRecords, version_changes
from tacita.attacks.versions.counts import count_differences
from tacita.attacks.versions.links import linked_records
from tacita.attacks.versions.released_version import ReleasedAttributeOf, ReleasedVersion
from tacita.attacks.versions.sensitive_sets import shrunken_sets
from tacita.errors import counted, listed
from tacita.joint.evidence import Ints, OutputLabel
from tacita.joint.judgement import JointReason
from tacita.joint.partitions import released_attributes
from tacita.joint.recorded import RecordedRelease, real_records
from tacita.ledger.disclosures import QUASI_IDENTIFIER, ROW_COLUMN, SENSITIVE, AttributeDisclosure

if TYPE_CHECKING:
    from tacita.engines.protocol import Engine

_MOST_RECORDS = 20
_MOST_NAMES = 9
_ROW, _UNIT = "row", "unit"
_OTHER_VALUES = frozenset((AttributeDisclosure.PERTURBED, AttributeDisclosure.PSEUDONYM))
"""Attributes whose values say nothing true, but may be the same in two files."""
_HAPPENED = {
    ChangeKind.ADDED: "were added since {}",
    ChangeKind.REMOVED: "are in {} and not in this release",
    ChangeKind.CHANGED: "have other values than in {}",
    ChangeKind.SUPPRESSED_BEFORE: "show values that are suppressed in {}",
    ChangeKind.SUPPRESSED_NOW: "suppress values that {} shows",
    ChangeKind.COMBINED: "have finer values of one attribute here and of another one in {}",
}


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparedFile:
    """A released file in an engine, with the number of each record over all releases."""

    label: OutputLabel
    version: ReleasedVersion

    @classmethod
    def of(cls, release: RecordedRelease, units: Ints, engine: Engine) -> ComparedFile | None:
        """Return the file of a release; None if it has none whose records are those of persons."""
        if release.records is None:
            return None
        frame, real = release.records, real_records(release.records)
        if not real.any():
            return None
        kept = frame.filter(pa.array(real))
        columns: dict[str, Any] = {_ROW: kept.column(ROW_COLUMN), _UNIT: pa.array(units[real])}
        attributes = {}
        for at, one in released_attributes(release):
            columns[f"a{at}"] = kept.column(f"a{at}")
            meaning = {value: frozenset(finest) for value, finest in one.stands_for.items()}
            attributes[one.attribute] = ReleasedAttributeOf(f"a{at}", meaning)
        others = {}
        for at, one in enumerate(release.disclosures.records.attributes if release.disclosures.records else ()):
            if one.attribute and one.attribute not in attributes and one.status in _OTHER_VALUES:
                columns[f"a{at}"] = kept.column(f"a{at}")
                others[one.attribute] = f"a{at}"
        table = pa.table(columns)
        relation = engine.adopt(table.to_batches(), table.schema)
        roles = {one.attribute: one.role for _, one in released_attributes(release)}
        known = tuple(name for name, role in roles.items() if role == QUASI_IDENTIFIER)
        sensitive = tuple(name for name, role in roles.items() if role == SENSITIVE)
        return cls(release.label, ReleasedVersion(relation, _ROW, _UNIT, attributes, known, sensitive, others))


def file_reasons(
    earlier: ComparedFile, new: ComparedFile, least: int, *, is_matched: bool
) -> Iterator[JointReason | str]:
    """Yield what two files tell together; a text is a remark. Records that are not matched are compared by counts."""
    both = (earlier.label, new.label)
    if not is_matched:
        few = count_differences(earlier.version, new.version, least)
        if few.few:
            sentence = (
                f"{counted(few.few, 'combination')} of values occur a little more or less often than in "
                f"{earlier.label}, by fewer than {counted(least, 'record')}: few records were added or removed there."
            )
            yield JointReason("frequencies", sentence, both, records=_rows([few.later_row]))
        return
    changes = version_changes(earlier.version, new.version, least)
    for kind in ChangeKind:
        isolated = [one for one in changes.isolated if one.kind is kind]
        if isolated:
            yield _isolated(kind, isolated, both, least)
    linked = linked_records(earlier.version, new.version, least)
    if linked.records:
        verb = "is" if linked.records == 1 else "are"
        sentence = (
            f"{counted(linked.records, 'record')} can be linked with {earlier.label} by the values of "
            f"{listed(linked.links, _MOST_NAMES)}, and {verb} then among fewer than {least:,} with the same "
            f"{listed(linked.attributes, _MOST_NAMES)}."
        )
        yield JointReason("linked", sentence, both, records=_rows([linked.later_row]))
    for sets in shrunken_sets(earlier.version, new.version):
        if sets.disclosed:
            sentence = (
                f"For {counted(sets.disclosed, 'record')} one value of '{sets.attribute}' is left that both "
                f"{earlier.label} and this release allow, though each allows several."
            )
            yield JointReason("sensitive values", sentence, both, records=_rows([sets.later_row]))
        elif sets.varying:
            yield (
                f"with {earlier.label}, '{sets.attribute}' is not m-invariant: other values are possible in the two "
                f"for {counted(sets.varying, 'record')}"
            )


def shown_although_concealed(earlier: RecordedRelease, new: RecordedRelease, units: tuple[Ints, Ints]) -> Iterator[str]:
    """Yield which attributes a file shows for records whose persons concealed them in an earlier one; as remarks.

    `units` are the numbers of the records of both, over all releases. Persons may have asked for it, or the recipient
    may be one who is entitled to it: nobody can tell from the files.
    """
    if earlier.records is None or new.records is None:
        return
    shown = {one.attribute: at for at, one in released_attributes(new)}
    for at, one in released_attributes(earlier):
        if one.status is not AttributeDisclosure.CONCEALED or one.attribute not in shown:
            continue
        hidden = units[0][earlier.records.column(f"a{at}").is_null().to_numpy()]
        there = units[1][new.records.column(f"a{shown[one.attribute]}").is_valid().to_numpy()]
        if many := len(np.intersect1d(hidden, there)):
            yield (
                f"{counted(many, 'record')} {'shows' if many == 1 else 'show'} a value of '{one.attribute}' that "
                f"{earlier.label} conceals"
            )


def _isolated(
    kind: ChangeKind, isolated: list[IsolatedRecords], both: tuple[OutputLabel, OutputLabel], least: int
) -> JointReason:
    records = sum(one.persons for one in isolated)
    names = list(dict.fromkeys(name for one in isolated for name in one.attributes))
    where = f" ({listed(names)})" if names else ""
    what = _HAPPENED[kind].format(both[0])
    verb = what if records != 1 else _of_one(what)
    sentence = (
        f"{counted(records, 'record')} {verb}{where}, and fewer than {least:,} did so alike: "
        "whoever has both tells them apart."
    )
    is_gone = kind is ChangeKind.REMOVED
    rows = _rows([one.earlier_row if is_gone else one.later_row for one in isolated])
    return JointReason("version", sentence, both, records=rows)


def _of_one(what: str) -> str:
    """Return what happened to records as it is said of one.

    >>> _of_one("were added since entry 3"), _of_one("show values that are suppressed in entry 3")
    ('was added since entry 3', 'shows values that are suppressed in entry 3')
    """
    verb, _, rest = what.partition(" ")
    singular = {"were": "was", "are": "is", "have": "has"}.get(verb, f"{verb}s" if not verb.endswith("ss") else "")
    return f"{singular or f'{verb}es'} {rest}"


def _rows(rows: list[int | None]) -> tuple[int, ...]:
    return tuple(sorted({int(row) for row in rows if row}))[:_MOST_RECORDS]
