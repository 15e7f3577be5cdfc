"""What a joint verdict says of something that is not released, or not to these recipients: nothing leaves.

The release is put together in a folder of its own, as if it were to leave, and the folder is removed.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tacita.errors import InputError, UsageError, did_you_mean, printable
from tacita.joint.evidence import OutputLabel
from tacita.joint.judge import JointJudge
from tacita.joint.judgement import JointJudgement
from tacita.joint.recorded import UnknownRelease, proposed, recorded
from tacita.ledger.disclosures import Disclosures
from tacita.ledger.ledger import Ledger
from tacita.ledger.persons import persons_of
from tacita.ledger.settings_file import LedgerSettings
from tacita.ledger.sources import SourceVersion, version_of
from tacita.ledger.verdict import ProposedRelease
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent
from tacita.release.kind import Workplace
from tacita.release.manifest import LEDGER, manifest_in
from tacita.release.opening import internal_folder
from tacita.release.options import FolderOptions, TableOptions
from tacita.release.records.disclosed import ReleasedRecordsOf, disclosed_records
from tacita.release.writing import kind_and_options
from tacita.settings import Settings
from tacita.workspace import journalled, partial_beside, sweep

_FILE = "file"
"""The kind of something that is judged as it is."""


@dataclass(frozen=True, slots=True)
class ReleaseQuestion:
    """Whom is asked, and for which recipient."""

    given: LedgerSettings
    ledger: Ledger
    recipient: str
    """As entries name it: empty for everybody."""
    settings: Settings | None = None
    progress: Progress = silent

    def of_content(self, content: Any, options: FolderOptions | None = None) -> JointJudgement:
        """Return the verdict on a safe outcome, masked data, concealed data or protected tables."""
        kind, options = kind_and_options(content, options)
        where = f"the {kind.name}"
        if isinstance(options, TableOptions):
            options = replace(options, ungated=True)  # nothing is handed out: what a release would tell is asked
        kind.check(content, options, where)
        draft = kind.draft(content, options, where, self.progress)
        with self._folders() as (outside, inside):
            draft = draft.write(outside, self.progress)
            facts = draft.ledger_facts()
            version = version_of(facts.sources, self.given.sources, where)
            disclosures = draft.disclosed(inside, persons_of(version.source, self.ledger))
            return self._judged(ProposedRelease(kind.name, version, self.recipient, disclosures, inside.path))

    def of_file(self, microdata: Microdata, source: str | None) -> JointJudgement:
        """Return the verdict on a file as it is; the key of its source says whose records they are, and is left out."""
        path = Path(microdata.source.name)
        version = self._version(path, source)
        key = () if version.source is None else version.source.key
        relation, dictionary = microdata.relation, microdata.dictionary
        released = relation.renamed([column for column in relation.columns if column.name not in key])
        with self._folders() as (_, inside):
            # Whoever says nothing about roles says that an intruder may know everything.
            known = () if dictionary.quasi_identifiers else [column.name for column in released.columns]
            records = ReleasedRecordsOf(microdata, released, None, known=known)
            disclosed = disclosed_records(inside, records, persons_of(version.source, self.ledger))
            disclosures = Disclosures(records=disclosed)
            return self._judged(ProposedRelease(_FILE, version, self.recipient, disclosures, inside.path))

    def of_release(self, folder: Path, *, to_same: bool) -> JointJudgement:
        """Return the verdict on a release that the ledger has, with all others; `to_same`: for who received it."""
        place = manifest_in(internal_folder(folder)).get(LEDGER)
        if not isinstance(place, dict) or place.get("id") != self.given.id:
            raise InputError(
                "the ledger does not have this release: what it discloses was not recorded",
                where=str(folder),
                do="judge the specification or the file that it was made of",
            )
        entry = self.ledger.entry(int(place["sequence"]))
        try:
            release = recorded(self.ledger, entry)
        except UnknownRelease as unknown:
            raise InputError(
                f"what it disclosed is not known any more: {unknown}",
                where=str(folder),
                do="restore the internal folder",
            ) from None
        version = SourceVersion((), entry.source, self.given.sources.get(entry.subject))
        recipient = entry.recipient if to_same else self.recipient
        release = replace(release, label=OutputLabel(0, entry.kind, folder.name, recipient=recipient))
        judge = JointJudge(self.ledger, self.given, self.progress)
        return judge.judge(release, version, recipient, leave_out=entry.sequence)

    def _judged(self, proposal: ProposedRelease) -> JointJudgement:
        judge = JointJudge(self.ledger, self.given, self.progress)
        return judge.judge(proposed(proposal), proposal.version, proposal.recipient)

    def _version(self, path: Path, source: str | None) -> SourceVersion:
        if source is None:
            return version_of([path], self.given.sources, str(path))
        if source not in self.given.sources:
            near = did_you_mean(source, self.given.sources)
            raise UsageError(
                f"no source '{printable(source)[:80]}' in the settings of the ledger{near}", do="add [sources.NAME]"
            )
        return replace(version_of([path], {}, str(path)), source=self.given.sources[source])

    @contextlib.contextmanager
    def _folders(self) -> Iterator[tuple[Workplace, Workplace]]:
        """Hand out two folders that are removed in any case, even after a kill."""
        state = (self.settings or Settings.from_environment()).state
        sweep(state)
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        with journalled(partial_beside(state / "judged"), state) as whole:
            places = [whole / name for name in ("release", "internal")]
            whole.mkdir(mode=0o700)
            for folder in places:
                folder.mkdir(mode=0o700)
            yield Workplace(places[0], self.settings), Workplace(places[1], self.settings)
