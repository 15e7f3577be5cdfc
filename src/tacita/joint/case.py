"""One release and the earlier ones that count: all judges are asked, and what they say is put together."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tacita.errors import LimitError, listed
from tacita.joint.evidence import JointEvidence, Partition
from tacita.joint.explaining import Explainer
from tacita.joint.files_compared import ComparedFile, file_reasons, shown_although_concealed
from tacita.joint.judgement import JointReason
from tacita.joint.judging import LinearJudge
from tacita.joint.meanings import with_meanings
from tacita.joint.partitions import TRUE_VALUES, file_partitions, measure_factors, table_partitions
from tacita.joint.reading import MOST_REASONS
from tacita.joint.record_numbers import NumberedRecords, numbered_records
from tacita.joint.recorded import RecordedRelease, UnknownRelease
from tacita.progress import Progress, Step, silent

if TYPE_CHECKING:
    from tacita.engines.protocol import Engine


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CaseResult:
    """What speaks against a release, and what could not be seen."""

    reasons: tuple[JointReason, ...] = ()
    more: int = 0
    notes: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether nothing speaks against it."""
        return not self.reasons

    @property
    def is_decided(self) -> bool:
        """Whether something speaks against it without doubt."""
        return any(reason.is_decided for reason in self.reasons)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointCase:
    """Earlier releases, oldest first, that a new one is judged with."""

    earlier: tuple[RecordedRelease, ...]
    least: int
    engine: Engine
    attributes: tuple[str, ...] = ()
    """Attributes of files that take part in sums beside those that tables count by."""
    progress: Progress = silent

    def judge(self, new: RecordedRelease) -> CaseResult:
        """Return what follows from the new release together with the earlier ones."""
        releases = (*self.earlier, new)
        self.progress(Step("finding the same records in all releases"))
        numbers = numbered_records(releases)
        releases = with_meanings(releases, numbers)
        reasons: list[JointReason] = list(unknown_tables(releases))
        notes: list[str] = list(unseen(releases, numbers))
        sums = self._sums(releases, numbers)
        reasons += sums.reasons
        notes += sums.notes
        for one in self._files(releases, numbers):
            if isinstance(one, str):
                notes.append(one)
            else:
                reasons.append(one)
        # What is certain comes first.
        reasons.sort(key=lambda one: not one.is_decided)
        more = sums.more + max(0, len(reasons) - MOST_REASONS)
        return CaseResult(tuple(reasons[:MOST_REASONS]), more, tuple(dict.fromkeys(notes)))

    def _sums(self, releases: Sequence[RecordedRelease], numbers: NumberedRecords) -> CaseResult:
        """Return what follows from tables and files as sums over records."""
        if not self.attributes and not any(release.disclosures.tables for release in releases):
            return CaseResult()
        names, factors = counted_attributes(releases) | set(self.attributes), measure_factors(releases)
        evidence = []
        for at, release in enumerate(releases):
            try:
                evidence.append(evidence_of(release, at, numbers, names, factors))
            except UnknownRelease as unknown:
                return CaseResult((cannot_be_judged(release, str(unknown)),))
        if not evidence[-1].partitions or len(evidence) < 2:
            return CaseResult()
        is_accepted = any(release.is_allowed for release in self.earlier)
        judge = LinearJudge(numbers.population, self.least, self.progress, is_accepted=is_accepted)
        try:
            findings = judge.judge(evidence, [len(evidence) - 1])
        except LimitError as limit:
            sentence = f"What follows from all releases together could not be decided: {limit.found}."
            labels = tuple(one.label for one in evidence)
            return CaseResult((JointReason("unknown", sentence, labels, is_decided=False),))
        outputs = tuple(one.label for one in evidence for _ in one.partitions)
        explainer = Explainer(findings, outputs, numbers.rows, self.least)
        more = max(0, len(findings.findings) - MOST_REASONS)
        return CaseResult(tuple(explainer.reasons(MOST_REASONS)), more, findings.notes)

    def _files(self, releases: Sequence[RecordedRelease], numbers: NumberedRecords) -> Iterator[JointReason | str]:
        """Yield what the file of the last release tells together with each earlier file."""
        last = len(releases) - 1
        own = numbers.of_records[last]
        new = None if own is None else ComparedFile.of(releases[last], own, self.engine)
        if own is None or new is None:
            return
        try:
            for at, release in enumerate(releases[:last]):
                units = numbers.of_records[at]
                other = None if units is None else ComparedFile.of(release, units, self.engine)
                if units is None or other is None:
                    continue
                self.progress(Step("comparing files", at + 1, last))
                try:
                    is_matched = numbers.are_matched(at, last)
                    yield from file_reasons(other, new, self.least, is_matched=is_matched)
                    if is_matched:
                        yield from shown_although_concealed(release, releases[last], (units, own))
                finally:
                    self.engine.drop(other.version.relation)
        finally:
            self.engine.drop(new.version.relation)


def counted_attributes(releases: Sequence[RecordedRelease]) -> set[str]:
    """Return the attributes of the source by which tables of some releases count."""
    names = {dim.attribute for one in releases for table in one.disclosures.tables for dim in table.dimensions}
    populations = (release.disclosures.population for release in releases)
    return names | {name for one in populations if one is not None for name in one.attributes}


def evidence_of(
    release: RecordedRelease,
    at: int,
    numbers: NumberedRecords,
    names: Collection[str],
    factors: Mapping[str, Sequence[str]],
) -> JointEvidence:
    """Return what a release says of sums over records; of files by some attributes, and of measures with their factors.

    Raises `UnknownRelease` if what it published is not what its records add up to.
    """
    parts: list[Partition] = []
    if (units := numbers.of_population[at]) is not None:
        parts += table_partitions(release, units)
    if (units := numbers.of_records[at]) is not None:
        parts += file_partitions(release, units, names, factors)
    return JointEvidence(release.label, tuple(parts))


def cannot_be_judged(release: RecordedRelease, why: str) -> JointReason:
    """Return that nothing can be judged with a release."""
    sentence = f"What {release.label} tells cannot be judged: {why}."
    return JointReason("unknown", sentence, (release.label,), is_decided=False)


def unknown_tables(releases: Sequence[RecordedRelease]) -> Iterator[JointReason]:
    """Yield the releases of tables of which it is not known who is behind them."""
    for release in releases:
        disclosures = release.disclosures
        if disclosures.tables and disclosures.population is None:
            yield cannot_be_judged(release, "; ".join(disclosures.notes) or "it is not known who is behind its tables")


def unseen(releases: Sequence[RecordedRelease], numbers: NumberedRecords) -> Iterator[str]:
    """Yield what the judges cannot see."""
    last = len(releases) - 1
    for at, release in enumerate(releases):
        if release.disclosures.population is not None or not release.disclosures.tables:
            yield from (f"{release.label}: {note}" for note in release.disclosures.notes)
        records = release.disclosures.records
        if at < last and not numbers.are_matched(at, last):
            yield (
                f"{release.label} is of another version, and records have no key by which they could be matched: "
                "what the two tell about the same person cannot be seen"
            )
        elif at < last and not numbers.share_records(at, last):
            yield (
                f"{release.label} has no record in common with this release, by their keys: nothing of the two could "
                "be compared. Check that keys are written alike"
            )
        if records is None:
            continue
        if not records.sha256 and release.records is None:
            yield f"{release.label}: its records are invented, and take no part in this verdict"
            continue
        changed = [one.name for one in records.attributes if one.attribute and one.status not in TRUE_VALUES]
        if changed:
            yield f"{release.label}: values of {listed(changed)} were changed, and take no part in this verdict"
