"""The joint verdict: a release, everything that left before, and who receives it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace

from tacita.engines.context import Context
from tacita.errors import counted
from tacita.joint.case import CaseResult, JointCase
from tacita.joint.evidence import OutputLabel
from tacita.joint.judgement import JointJudgement, JointRemedy, JointStatus
from tacita.joint.reading import ReadRelease, ReleaseReader, gone_releases, label_of
from tacita.joint.recorded import RecordedRelease
from tacita.joint.releases_that_count import CountingReleases, releases_that_count
from tacita.joint.remedies import remedies_of
from tacita.ledger.entry import Entry
from tacita.ledger.ledger import Ledger
from tacita.ledger.settings_file import LedgerSettings
from tacita.ledger.sources import LedgerSource, SourceVersion
from tacita.progress import Progress, Step, silent

_MOST_RECIPIENTS = 3
"""Other recipients for whom it is judged as well."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointJudge:
    """The judge of one ledger. Nothing is written or recorded."""

    ledger: Ledger
    settings: LedgerSettings
    progress: Progress = silent
    with_remedies: bool = True

    def judge(
        self, release: RecordedRelease, version: SourceVersion, recipient: str, *, leave_out: int = 0
    ) -> JointJudgement:
        """Return the verdict on a release of a version of a source to a recipient (empty: everybody)."""
        with ExitStack() as stack:
            context = stack.enter_context(Context())
            question = _Question(self, context, release, version, leave_out)
            earlier, result = question.answer(recipient)
            status = JointStatus.PASSES
            if not version.is_known:
                status = JointStatus.NOT_COMPARED
            elif not result.passes:
                status = JointStatus.REFUSED if result.is_decided else JointStatus.UNDECIDED
            remedies: tuple[JointRemedy, ...] = ()
            if self.with_remedies and status is JointStatus.REFUSED:
                self.progress(Step("looking for what would make it pass"))
                remedies = tuple(question.remedies(earlier, result, recipient))
            source = _source(version)
            notes = (*result.notes, *question.notes(recipient))
            return JointJudgement(
                status,
                version.subject,
                recipient,
                question.labels(earlier),
                result.reasons,
                remedies,
                notes,
                source.least,
                result.more,
            )


class _Question:
    """One release that is asked about; earlier releases are read once."""

    def __init__(
        self, judge: JointJudge, context: Context, release: RecordedRelease, version: SourceVersion, leave_out: int
    ) -> None:
        self._judge, self._context, self._release = judge, context, release
        self._version, self._leave_out = version, leave_out
        self._chosen: dict[str, CountingReleases] = {}
        self._reader = ReleaseReader(judge.ledger, judge.settings)

    def answer(self, recipient: str) -> tuple[tuple[Entry, ...], CaseResult]:
        """Return the entries that count for a recipient, and what was found."""
        entries = self._counting(recipient).entries
        result = CaseResult() if not entries else self._case(entries).judge(self._release)
        gone = tuple(gone_releases(self._releases(entries)))
        return entries, replace(result, reasons=(*result.reasons, *gone))

    def known(self, entries: tuple[Entry, ...]) -> list[RecordedRelease]:
        """Return the releases of some entries that can be read."""
        return [one for _, one in self._releases(entries) if isinstance(one, RecordedRelease)]

    def labels(self, entries: tuple[Entry, ...]) -> tuple[OutputLabel, ...]:
        """Return how releases are named."""
        releases = self._releases(entries)
        return tuple(one.label if isinstance(one, RecordedRelease) else label_of(entry) for entry, one in releases)

    def notes(self, recipient: str) -> Iterator[str]:
        """Yield what the choice of releases rests on."""
        counting = self._counting(recipient)
        if not self._version.is_known:
            yield (
                "nothing was compared: the data are in no file that could be known again, and have no name in the "
                "settings of the ledger; no later release of them will be judged together with this one either. Write "
                "them to a file that [sources.NAME] lists, and release that"
            )
            return
        if counting.others:
            yield (
                f"{counted(counting.others, 'release')} of the same source went to others, who are taken not to share "
                f"them with {recipient or 'the public'}"
            )
        if counting.unknown:
            yield (
                f"{counted(counting.unknown, 'earlier entry')} of data in no file and without a name in the settings "
                "could not be compared: nobody can tell whether they are of the same persons"
            )

    def remedies(self, entries: tuple[Entry, ...], result: CaseResult, recipient: str) -> Iterator[JointRemedy]:
        """Yield what makes it pass."""
        case = self._case(entries)
        yield from remedies_of(self._release, result.reasons, case.judge)
        outputs = {output.sequence for reason in result.reasons for output in reason.outputs}
        recipients = self._judge.settings.recipients
        some = [name for name in recipients.by_name if name != recipient][:_MOST_RECIPIENTS]
        for name in some:
            counting = self._counting(name).entries
            if outputs - {0} - {entry.sequence for entry in counting} and self.answer(name)[1].passes:
                yield JointRemedy(f"release it to {name} only", f"--recipient {name}")

    def _case(self, entries: tuple[Entry, ...]) -> JointCase:
        source = _source(self._version)
        known = tuple(self.known(entries))
        return JointCase(known, source.least, self._context.engine, source.attributes, self._judge.progress)

    def _counting(self, recipient: str) -> CountingReleases:
        if recipient not in self._chosen:
            self._chosen[recipient] = releases_that_count(
                self._judge.ledger, self._version, recipient, self._judge.settings, leave_out=self._leave_out
            )
        return self._chosen[recipient]

    def _releases(self, entries: tuple[Entry, ...]) -> list[ReadRelease]:
        return self._reader.releases(entries)


def _source(version: SourceVersion) -> LedgerSource:
    return version.source or LedgerSource("")
