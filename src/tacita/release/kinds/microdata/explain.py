"""Why a cell of a release is as it is: the decisions about it, in sentences and as a tree.

What is told comes from the log of decisions in the internal folder: steps, rules, levels and risks, never a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.cycle.decisions import Decisions
from tacita.cycle.outcome import Claim
from tacita.cycle.suppression.account import FOR_OTHERS
from tacita.errors import UsageError, counted, did_you_mean
from tacita.model.decision import EVERY_RECORD, Decision
from tacita.model.result import Result
from tacita.release.kinds.microdata.claim import claim_in
from tacita.release.opening import OpenedRelease, kind_of, open_release
from tacita.release.records.data_file import ORDER

DECISIONS = "decisions.parquet"


class OpenedMicrodata(OpenedRelease):
    """A release of microdata with its claim, its decisions, and which record of the source each released one was."""

    __slots__ = ()

    @property
    def claim(self) -> Claim:
        """What is said of the release."""
        return claim_in(self.manifest, where=self.internal)

    @property
    def records(self) -> int:
        """The number of released records."""
        return int(self.manifest["records"])

    @property
    def decisions(self) -> Decisions:
        """The log; its rows are those of the source."""
        return Decisions(self.table(DECISIONS))

    def source_row(self, released_row: int) -> int:
        """Return the number, from 1, that a released record has in the source."""
        if not 1 <= released_row <= self.records:
            raise UsageError(f"there is no record {released_row:,}", do=f"give a number from 1 to {self.records:,}")
        if not self.manifest["shuffled"]:
            return released_row
        return int(self.table(ORDER)["source"][released_row - 1].as_py())

    def released_rows(self) -> list[int]:
        """Return the place in the release of each record of the source, in the order of the source."""
        if not self.manifest["shuffled"]:
            return list(range(1, self.records + 1))
        places = [0] * self.records
        for place, source in enumerate(self.table(ORDER)["source"].to_pylist(), 1):
            places[source - 1] = place
        return places

    def released_row(self, source_row: int) -> int:
        """Return the place that a record of the source has in the release."""
        import pyarrow.compute as pc

        if not 1 <= source_row <= self.records:
            raise UsageError(f"there is no record {source_row:,}", do=f"give a number from 1 to {self.records:,}")
        if not self.manifest["shuffled"]:
            return source_row
        return int(pc.index(self.table(ORDER)["source"], source_row).as_py()) + 1


def open_microdata(release: Path, internal: Path | None = None) -> OpenedMicrodata:
    """Return a release of microdata with its internal folder; raise if single records of it cannot be explained."""
    why, do = kind_of(release).why_no_decisions
    if why:
        raise UsageError(why, where=str(release), do=do.format(release=release))
    opened = open_release(release, internal)
    return OpenedMicrodata(opened.folder, opened.internal, opened.public, opened.manifest)


@dataclass(frozen=True, slots=True)
class Branch:
    """A node of the tree: a sentence, and what it rests on."""

    text: str
    below: tuple[Branch, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class ChangeExplanation(Result):
    """Why a record, or one of its cells, is as it is."""

    row: int
    """The number of the record in the released file."""
    source_row: int
    attribute: str | None
    decisions: tuple[Decision, ...]
    branches: tuple[Branch, ...]
    links: str | None = None
    """The word for what is linked by rules, if the risk was one of linked records."""

    def _in_short(self) -> str:
        return f"record {self.row:,} of the release, {counted(len(self.decisions), 'decision')}"

    @property
    def sentences(self) -> list[str]:
        """The explanation as sentences, one after the other."""
        return [text for branch in self.branches for text in (branch.text, *(below.text for below in branch.below))]


@dataclass(frozen=True, slots=True, repr=False)
class ChangedRecords(Result):
    """The records that were changed: number in the release, number in the source, changed attributes."""

    records: tuple[tuple[int, int, tuple[str, ...]], ...]

    def _in_short(self) -> str:
        return f"{counted(len(self.records), 'record')} changed"


def explain_record(
    release: OpenedMicrodata, row: int, attribute: str | None = None, *, of_source: bool = False
) -> ChangeExplanation:
    """Return why a record of a release, or one of its cells, was changed or not.

    `row` counts the released records from 1, or with `of_source` those of the source.
    """
    source = row if of_source else release.source_row(row)
    released = release.released_row(row) if of_source else row
    claim = release.claim
    names = list(claim.known)
    if attribute is not None and attribute not in names:
        raise UsageError(
            f"'{attribute}' is no attribute that was looked at{did_you_mean(attribute, names)}",
            do=f"name one of: {', '.join(names)}; all others were released as they are, or dropped",
        )
    wanted = [attribute] if attribute is not None else names
    log = release.decisions
    decisions = sorted(
        (d for name in wanted for where in (EVERY_RECORD, source) for d in log.of_cell(where, name)),
        key=lambda d: d.step,
    )
    settings: Mapping[str, Any] = release.manifest.get("settings", {})
    branches = tuple(_branch(d, claim.parameters, claim.measure) for d in decisions)
    if not branches:
        kept = attribute is not None and attribute in settings.get("keep", ())
        branches = (_untouched(attribute, log.of_record(source), claim.measure, kept=kept),)
    return ChangeExplanation(
        released, source, attribute, tuple(decisions), branches, claim.related if settings else None
    )


def changed_records(release: OpenedMicrodata, attribute: str | None = None) -> ChangedRecords:
    """Return the changed records, in the order of the release."""
    table = release.decisions.table
    changed: dict[int, dict[str, None]] = {}
    for row, name in zip(table["row"].to_pylist(), table["attribute"].to_pylist(), strict=True):
        if row != EVERY_RECORD and attribute in {None, name}:
            changed.setdefault(row, {})[name] = None
    places = release.released_rows()
    return ChangedRecords(tuple(sorted((places[row - 1], row, tuple(names)) for row, names in changed.items())))


def _branch(decision: Decision, parameters: Mapping[str, Any], measure: str) -> Branch:
    threshold = parameters.get("threshold")
    if decision.tuple_id == EVERY_RECORD:
        return Branch(
            f"{decision.attribute} was rolled up to level {decision.to_level} in all records (step {decision.step}).",
            (Branch(f"The rule: {decision.rule}."),),
        )
    what = "was suppressed" if decision.is_suppression else f"was coarsened to level {decision.to_level}"
    head = f"{decision.attribute} {what} in step {decision.step}."
    risk = f"The risk of the record by {measure} was {decision.risk_before:.4g}"
    if threshold is not None and decision.risk_before > threshold:
        risk += f", above {threshold:g}"
    if decision.rule.endswith(FOR_OTHERS):
        risk = f"The record itself was safe by then, with a risk of {decision.risk_before:.4g}"
    below = [
        Branch(f"{risk}; after this step it was {decision.risk_after:.4g}."),
        Branch(f"The rule: {decision.rule}."),
    ]
    below += [Branch(f"Instead, {_as_gerund(a.action)}: {a.reason}.") for a in decision.alternatives]
    return Branch(head, tuple(below))


def _as_gerund(action: str) -> str:
    """Return an action as something that could have been done.

    >>> _as_gerund("suppress Area")
    'suppressing Area'
    """
    verb, _, rest = action.partition(" ")
    return f"{verb.removesuffix('e')}ing {rest}"


def _untouched(attribute: str | None, others: Sequence[Decision], measure: str, *, kept: bool) -> Branch:
    what = f"{attribute} of this record" if attribute is not None else "No cell of this record"
    head = f"{what} was not touched." if attribute is not None else f"{what} was touched."
    if kept:
        return Branch(head, (Branch("It was asked that it must not be touched."),))
    if others:
        names = ", ".join(dict.fromkeys(d.attribute for d in others))
        return Branch(head, (Branch(f"Other cells of the record were enough: {names}."),))
    why = f"It was safe by {measure}, or became so by the nulls of others."
    return Branch(head, (Branch(why),))
