"""Opening a data set for questions: a cube, a frozen version, and the ledger that will have its answers."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from sqlglot import exp

from tacita.engines.plans.terms import as_text
from tacita.errors import LedgerError, LimitError, OutputError, UsageError, counted, listed
from tacita.ledger.ledger import Ledger
from tacita.ledger.persons import persons_of
from tacita.ledger.seen import SeenState
from tacita.ledger.settings_file import LedgerSettings, find_ledger_settings
from tacita.ledger.sources import sha256_of, version_of
from tacita.ledger.stores.sqlite import SqliteStore
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.progress import Progress, silent
from tacita.queries.audit.contributors import ClassContributors
from tacita.queries.audit.judge import ReleasesJudge
from tacita.queries.cube.build import build_cube
from tacita.queries.cube.cube import Cube
from tacita.queries.cube.following import RecordChanges, followed_by
from tacita.queries.cube.version import FrozenVersion, SourceFacts, VersionOrigin, read_version, write_version
from tacita.queries.database import BesideReleases, QueryDatabase
from tacita.queries.mechanisms import mechanism_of
from tacita.queries.policy.policy import AnswerMode, JudgedTogether, QueryPolicy
from tacita.queries.question import Statistic
from tacita.queries.succession import check_latest, check_not_open, check_succession, record_opening
from tacita.settings import Settings

JudgeOfReleases = Callable[[FrozenVersion, Ledger, LedgerSettings | None], ReleasesJudge]
OWN_LEDGER = "answers.sqlite"
"""The ledger in the folder of a version, where none is configured."""
NO_LEDGER = (
    "No ledger is configured: answers are recorded in the folder of the data set, and nothing is compared with other "
    "releases."
)


@dataclass(frozen=True, slots=True, repr=False)
class OpenedDatabase(Result):
    """A data set that was opened for questions."""

    folder: Path
    name: str
    records: int
    cells: int
    most_cells: int
    attributes: tuple[tuple[str, int], ...]
    """Attributes that may be filtered by, with the number of their codes."""
    small_cells: int
    """Cells about fewer people (records, without a unit) than the least that a question may be about."""
    measures: tuple[str, ...]
    answers: str
    notes: tuple[str, ...] = ()
    policy: QueryPolicy | None = field(default=None, repr=False, compare=False)

    def _in_short(self) -> str:
        return f"'{self.name}': {counted(self.records, 'record')} in {counted(self.cells, 'cell')}"


def open_version(
    microdata: Microdata,
    policy: QueryPolicy,
    folder: Path,
    *,
    judge_of: JudgeOfReleases,
    after: Path | None = None,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> OpenedDatabase:
    """Open microdata for questions in a new folder: `after` a version of the same data set, which answers no more.

    `judge_of` makes the judge of questions together with releases. Raises if the data do not fit the policy, the folder
    is there, the data set is open already under its name, or the settings of the ledger give the data another name than
    the policy. A version cannot follow one that had another policy, no key, or has a newer version.
    """
    if folder.exists() or folder.is_symlink():
        raise OutputError("exists already", where=str(folder), do="choose another name: a version is never replaced")
    if not folder.parent.is_dir():
        raise OutputError("the folder does not exist", where=str(folder.parent), do="make it first")
    source = _source(microdata)
    before = None if after is None else read_version(after)
    if before is not None:
        check_succession(before, policy)
    configured = _configured(folder, before, settings)
    if configured is not None:
        with configured.open(settings) as ledger:
            _check_ledger(ledger, configured, policy, source, before)
            source = _with_persons(source, microdata, configured, ledger)
    if before is not None:
        with ledger_of(before, settings) as ledger:
            check_latest(policy.subject, before.id, ledger)
    origin = _origin(before, configured)
    cube = build_cube(microdata, policy, progress, secret=origin.secret)
    notes = list(_notes(cube, policy, configured))
    joined = cube
    if before is not None:
        joined, changes = followed_by(before.cube, cube)
        notes.append(_changes_note(changes, before, len(joined)))
    version = write_version(folder, joined, source, origin, settings)
    notes += _begin(version, configured, judge_of, settings)
    return OpenedDatabase(
        folder,
        policy.name,
        cube.records,
        len(cube),
        policy.limits.cells,
        tuple((one.name, len(one.labels)) for one in joined.attributes),
        int((ClassContributors(cube).of_cell < policy.rules.minimum).sum()),
        tuple(one.name for one in policy.measures),
        str(policy.answers),
        tuple(notes),
        policy,
    )


def open_database(folder: Path, judge_of: JudgeOfReleases, settings: Settings | None = None) -> QueryDatabase:
    """Return an opened data set, ready for questions."""
    version = read_version(folder)
    configured = _settings_of(version.ledger_id, folder, settings) if version.ledger_id else None
    return QueryDatabase(version, ledger_of(version, settings), _beside(judge_of, configured))


def _configured(folder: Path, before: FrozenVersion | None, settings: Settings | None) -> LedgerSettings | None:
    """Return the ledger that will have the answers, if it is a configured one: that of the version before."""
    if before is not None and before.ledger_id:
        return _settings_of(before.ledger_id, folder, settings)
    configured = find_ledger_settings(folder.resolve().parent, settings)
    if before is not None and configured is not None:
        raise LedgerError(
            "a ledger is configured, which does not have the answers of the version before",
            where=str(configured.path),
            do="open the data under a new name; or put the folder where no ledger is configured, as the one before",
        )
    return configured


def _origin(before: FrozenVersion | None, configured: LedgerSettings | None) -> VersionOrigin:
    if before is None:
        return VersionOrigin.new(configured.id if configured else "")
    own = None if configured else _own_path(before)
    return VersionOrigin(before.secret, before.ledger_id, (*before.earlier, before.id), own)


def _begin(
    version: FrozenVersion, configured: LedgerSettings | None, judge_of: JudgeOfReleases, settings: Settings | None
) -> tuple[str, ...]:
    """Record the opening, and return what has to be said of releases that count.

    What cannot answer, or came second after the same version, is taken away again.
    """
    try:
        mechanism_of(version)
        if configured is None and not version.earlier:
            SqliteStore.create(version.folder / OWN_LEDGER, version.policy.name, settings=settings).close()
        with ledger_of(version, settings) as ledger:
            record_opening(version, ledger)
            database = QueryDatabase(version, ledger, _beside(judge_of, configured))
            return (*_unanswered(version.policy, database.statistics), *database.notes)
    except (UsageError, LimitError):  # raised before anything is recorded
        shutil.rmtree(version.folder, ignore_errors=True)
        raise


def _beside(judge_of: JudgeOfReleases, configured: LedgerSettings | None) -> BesideReleases:
    return lambda version, ledger: judge_of(version, ledger, configured)


def _own(path: Path, settings: Settings | None) -> Ledger:
    store = SqliteStore(path)
    return Ledger(store, SeenState(store.identity.id, settings))


def _own_path(version: FrozenVersion) -> Path:
    return (version.folder.resolve() / (version.own_ledger or OWN_LEDGER)).resolve()


def ledger_of(version: FrozenVersion, settings: Settings | None) -> Ledger:
    """Return the ledger that has the answers of a version, opened."""
    if version.ledger_id:
        return _settings_of(version.ledger_id, version.folder, settings).open(settings)
    path = _own_path(version)
    if not path.is_file():
        whose = "of the first version, which has the answers of all," if version.own_ledger else "with the answers"
        raise LedgerError(
            f"the ledger {whose} is not there",
            where=str(path),
            do="restore it from a backup (tacita query restore): without it, nobody knows what was answered",
        )
    return _own(path, settings)


def _settings_of(ledger_id: str, folder: Path, settings: Settings | None) -> LedgerSettings:
    """Return the configured ledger that has the answers of a data set; raise if another one, or none, is configured."""
    configured = find_ledger_settings(folder.resolve().parent, settings)
    if configured is None or configured.id != ledger_id:
        raise LedgerError(
            "the ledger that has the answers of this data set is not configured here",
            where=str(folder),
            do="set TACITA_LEDGER, or put the settings file of the ledger back",
        )
    return configured


def _source(microdata: Microdata) -> SourceFacts:
    path = Path(microdata.source.name)
    if not path.is_file():
        return SourceFacts(microdata.dictionary.name, "", "")
    return SourceFacts(path.name, str(path.resolve()), sha256_of(path))


def _with_persons(source: SourceFacts, microdata: Microdata, settings: LedgerSettings, ledger: Ledger) -> SourceFacts:
    """Return the facts with hashes of persons, as releases have them, if the source has a key."""
    paths = [Path(source.path)] if source.path else []
    persons = persons_of(version_of(paths, settings.sources, str(settings.path)).source, ledger)
    if persons is None:
        return source
    terms = [as_text(term) for term in microdata.relation.physical(persons.attributes)]
    plan = exp.select(*(exp.alias_(term, f"k{at}") for at, term in enumerate(terms)))
    plan = plan.from_(microdata.relation.source())
    hashes = [
        persons.of(values)
        for batch in microdata.relation.engine.stream(plan, 100_000)
        for values in zip(*(column.to_pylist() for column in batch.columns), strict=True)
    ]
    return replace(source, person_key=persons.attributes, persons=tuple(hashes))


def _check_ledger(
    ledger: Ledger, settings: LedgerSettings, policy: QueryPolicy, source: SourceFacts, before: FrozenVersion | None
) -> None:
    if before is None:
        check_not_open(policy.subject, ledger)
    named = version_of([Path(source.path)] if source.path else [], settings.sources, str(settings.path)).subject
    if named != policy.subject and (named or policy.subject in settings.sources):
        raise UsageError(
            f"the policy says that the data are those of '{policy.subject}', and the settings of the ledger "
            + (f"that they are '{named}'" if named else "list other files for that name"),
            where=str(settings.path),
            do=f'write source = "{named}" in the policy' if named else f"add the file to [sources.{policy.subject}]",
        )


def _changes_note(changes: RecordChanges, before: FrozenVersion, cells: int) -> str:
    return (
        f"Version {len(before.earlier) + 2}, after {before.folder}, which answers no more: "
        f"{counted(changes.kept, 'record')} with the same values, {changes.changed:,} with others, "
        f"{changes.added:,} added, {changes.removed:,} removed. Questions are judged in {counted(cells, 'cell')} of "
        "all versions; sets of records that changed by few contributors since they were asked about are refused."
    )


def _unanswered(policy: QueryPolicy, statistics: frozenset[Statistic]) -> Sequence[str]:
    """Return what is said of statistics that a policy declares and its mode never answers."""
    declared = {one for measure in policy.measures for one in measure.statistics}
    names = [str(one) for one in sorted(declared - statistics)]
    return (
        [f"'{policy.answers}' answers have no {listed(names)}: the policy declares them for nothing."] if names else []
    )


def _notes(cube: Cube, policy: QueryPolicy, configured: LedgerSettings | None) -> Sequence[str]:
    notes = []
    listed_by_data = [
        one.name for one in policy.filters if not one.cuts and not one.values and one.name not in policy.unlisted
    ]
    if listed_by_data:
        notes.append(
            f"All values of {listed(listed_by_data)} that occur become public: analysts may ask which there are. "
            "Declare 'values' to decide yourself."
        )
    if policy.unlisted:
        notes.append(
            f"Labels of {listed(sorted(policy.unlisted))} are confidential: analysts may group by them, and see those "
            "whose noisy count reaches a threshold."
        )
    if policy.has_public_records:
        notes.append(
            "Which records there are, and their attributes to filter by, is not protected: counts are exact. Only the "
            "values of measures are."
        )
    if policy.together is JudgedTogether.ANALYST:
        notes.append("Each analyst is judged alone: two who tell each other their answers are not protected against.")
    rules = policy.rules
    is_judged = policy.answers not in {AnswerMode.CAMOUFLAGE, AnswerMode.PRIVATE}
    if (
        is_judged
        and (rules.dominance or rules.p_percent or rules.program or rules.knows_bounds)
        and not rules.simulatable
    ):
        notes.append(
            "Some rules look at values, so that a refusal itself tells something; 'simulatable' in [rules] prevents it."
        )
    if configured is None:
        notes.append(NO_LEDGER)
    return notes
