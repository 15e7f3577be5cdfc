"""Why cells of a released record are hidden, in sentences: from the internal folder, without any value."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from tacita.errors import UsageError, counted, did_you_mean, listed
from tacita.model.result import Result
from tacita.release.kinds.concealed.check import groups_of
from tacita.release.kinds.concealed.sealed import RECORDS
from tacita.release.opening import OpenedRelease, open_release

_WAYS = 3
"""Ways to a confidential attribute that are told of one hidden cell."""


@dataclass(frozen=True, slots=True)
class HiddenCellReason:
    """Why one cell is hidden."""

    attribute: str
    sentence: str
    is_confidential: bool


@dataclass(frozen=True, slots=True, repr=False)
class ConcealmentExplanation(Result):
    """Why cells of one record are hidden."""

    row: int
    source_row: int
    reasons: tuple[HiddenCellReason, ...]
    is_decoy: bool

    def _in_short(self) -> str:
        return f"record {self.row:,}: {counted(len(self.reasons), 'hidden cell')}"


@dataclass(frozen=True, slots=True, repr=False)
class ConcealedRecords(Result):
    """Which records hide cells."""

    records: tuple[tuple[int, tuple[str, ...]], ...]
    """The number of the record in the release, and the attributes that it hides."""

    def _in_short(self) -> str:
        return f"{counted(len(self.records), 'record')} with hidden cells"


def concealed_records(release: Path, attribute: str | None = None, internal: Path | None = None) -> ConcealedRecords:
    """Return which records hide cells; those that hide one attribute, if it is named."""
    opened = open_release(release, internal)
    groups, table, order = groups_of(opened)["groups"], opened.table(RECORDS), _attributes(opened, attribute)
    hidden = [tuple(name for name in order if name in one["confidential"] or name in one["extra"]) for one in groups]
    rows = enumerate(table.column("group").to_pylist(), start=1)
    kept = ((row, hidden[group]) for row, group in rows if hidden[group])
    return ConcealedRecords(tuple((row, names) for row, names in kept if attribute is None or attribute in names))


def explain_concealed(
    release: Path,
    row: int,
    attribute: str | None = None,
    internal: Path | None = None,
    *,
    of_source: bool = False,
) -> ConcealmentExplanation:
    """Return why cells of a record are hidden; of one attribute, if it is named.

    `row` counts the records of the release, or with `of_source` those of the source.
    """
    import pyarrow.compute as pc

    opened = open_release(release, internal)
    table = opened.table(RECORDS)
    if not 1 <= row <= len(table):
        raise UsageError(f"there is no record {row:,}", do=f"give a number from 1 to {len(table):,}")
    if of_source:
        row = pc.index(table.column("source"), row).as_py() + 1
    order = _attributes(opened, attribute)
    group = groups_of(opened)["groups"][table.column("group")[row - 1].as_py()]
    is_decoy = bool(table.column("decoy")[row - 1].as_py())
    reasons = [_confidential(name, is_decoy=is_decoy) for name in group["confidential"]]
    reasons += [_extra(name, ways, group["protects"][name], is_decoy) for name, ways in group["extra"].items()]
    kept = [one for one in reasons if attribute is None or one.attribute == attribute]
    source = int(table.column("source")[row - 1].as_py())
    return ConcealmentExplanation(
        row, source, tuple(sorted(kept, key=lambda one: order.index(one.attribute))), is_decoy
    )


def _attributes(opened: OpenedRelease, attribute: str | None) -> list[str]:
    """Return the released attributes in their order; raise if the one that is named is none of them."""
    order = list(opened.manifest["names"])
    if attribute is not None and attribute not in order:
        raise UsageError(
            f"no attribute '{attribute}' in the release{did_you_mean(attribute, order)}",
            do=f"use one of: {listed(order)}",
        )
    return order


def _confidential(name: str, *, is_decoy: bool) -> HiddenCellReason:
    why = (
        "so that others who want it confidential are not found out by a total"
        if is_decoy
        else "because this person wants it confidential"
    )
    return HiddenCellReason(name, f"{name} is hidden {why}.", is_confidential=True)


def _extra(name: str, ways: list[str], protects: list[str], is_decoy: bool) -> HiddenCellReason:
    """Return why an attribute is hidden that nobody wants confidential.

    >>> _extra("Age", ["{Age, Sex} determines Occupation"], ["Occupation"], False).sentence
    'Age is hidden because {Age, Sex} determines Occupation, which this person wants confidential.'
    """
    whom = "hidden here as it is for others" if is_decoy else "which this person wants confidential"
    more = f", and in {counted(len(ways) - _WAYS, 'further way')}" if len(ways) > _WAYS else ""
    if len(ways) == 1 and len(protects) == 1:
        sentence = f"{name} is hidden because {ways[0]}, {whom}."
    else:
        sentence = f"{name} is hidden because {'; '.join(ways[:_WAYS])}{more}; it protects {listed(protects)}, {whom}."
    return HiddenCellReason(name, sentence, is_confidential=False)
