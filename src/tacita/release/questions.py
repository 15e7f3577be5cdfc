"""Questions judged together with releases: what left before counts for every exact answer, whoever released it.

Questions and whoever attacks releases share no code (`.importlinter`): a database asks by the protocol
`queries.audit.judge.ReleasesJudge`, and here is who answers.
"""

from __future__ import annotations

import time
from collections.abc import Sequence

from tacita.errors import LimitError, listed
from tacita.joint.cube_case import NOW, CubeAttributeCodes, CubeCase, CubeSum, CubeVerdict
from tacita.joint.reading import ReleaseReader, gone_releases
from tacita.joint.recorded import RecordedRelease
from tacita.joint.releases_that_count import RELEASED, of_population, releases_that_count
from tacita.ledger.disclosures import POPULATION_FILE, Disclosures
from tacita.ledger.entry import WITHDRAWAL, Entry
from tacita.ledger.ledger import Ledger
from tacita.ledger.settings_file import LedgerSettings
from tacita.ledger.sources import LedgerSource, SourceVersion
from tacita.progress import Step
from tacita.queries.audit.judge import AuditRequest, EntryOf, Objection, ToldSum
from tacita.queries.cube.version import FrozenVersion
from tacita.queries.question import Predicate, products_of

_RULE = "releases"
_SumKey = tuple[str, Predicate]
"""A sum that is told: its measure, and what selects its records."""
_MOST_REASONS = 3
"""Reasons that are recorded of one refusal."""
_FEW_REVISED = (
    "few people in it have other values than in an earlier version of the data, of which something was released"
)
_DEADLINE = Objection(_RULE, "what follows from releases and answers together was not decided in its time")


class QuestionsBesideReleases:
    """The judge of what exact answers tell together with the releases in their ledger. Mutable: it follows the ledger.

    An answer goes to everybody, so that every release of the same source counts, whoever received it.
    """

    def __init__(self, version: FrozenVersion, ledger: Ledger, settings: LedgerSettings | None) -> None:
        self._version, self._ledger, self._settings = version, ledger, settings
        source = None if settings is None else settings.sources.get(version.policy.subject)
        self._source = source or LedgerSource(version.policy.subject)
        self._content = SourceVersion((), version.source_sha256, self._source)
        self._reader = None if settings is None else ReleaseReader(ledger, settings)
        self._own: set[int] = set()
        self._earlier: set[int] = set()
        self._first: dict[tuple[str, str], Entry] = {}
        """The first entry of each subject and source that something was released of by others."""
        self._related: set[tuple[str, str]] = set()
        self._is_behind = False
        self._counting: tuple[Entry, ...] = ()
        self._case: CubeCase | None = None
        self._gone: tuple[Objection, ...] = ()
        self._told: dict[_SumKey, int] = {}
        """Sums that were answered, with the number of the first answer that has each."""
        self._sums: dict[_SumKey, CubeSum] = {}
        """The same in the form in which they are judged, as far as that was needed."""
        self._spent = (0, 0.0)
        """The number of the question that was judged last, and the seconds that it took so far."""

    def follow(self, entry: Entry, whose: EntryOf) -> None:
        """Take notice of an entry. Answers of earlier versions count beside releases: they are about other records."""
        if whose is EntryOf.THIS_VERSION:
            self._own.add(entry.sequence)
        elif whose is EntryOf.EARLIER_VERSION:
            self._earlier.add(entry.sequence)
        elif entry.kind == WITHDRAWAL:
            self._is_behind |= bool(self._related)
        elif entry.decision == RELEASED:
            pair = entry.subject, entry.source
            if pair not in self._first:
                self._first[pair] = entry
                of_same = of_population(list(self._first.values()), self._content)
                self._related = {(one.subject, one.source) for one in of_same}
            self._is_behind |= pair in self._related

    def learn(self, request: AuditRequest) -> None:
        """Take in what was answered."""
        for fact in request.facts:
            if _is_sum(fact):
                self._told.setdefault((fact.measure, fact.where), request.number)

    def read(self) -> None:
        """Read the releases that count, if there are others than before."""
        if not self._is_behind or self._reader is None or self._settings is None:
            return
        counting = releases_that_count(self._ledger, self._content, "", self._settings)
        self._counting = tuple(one for one in counting.entries if one.sequence not in self._own)
        if all(one.sequence in self._earlier for one in self._counting):
            self._counting = ()  # without releases, the cube of all versions says all that they tell together
        releases = self._reader.releases(self._counting)
        gone = list(gone_releases(releases))
        known = [one for _, one in releases if isinstance(one, RecordedRelease)]
        self._gone = tuple(Objection(_RULE, f"{one.sentence} {one.do}") for one in gone[:_MOST_REASONS])
        self._case = CubeCase(known, self._cube(), self._attributes(), self._source) if known else None
        # What is not there yet may be put in its place at any moment.
        self._is_behind = bool(gone)

    def notes(self) -> tuple[str, ...]:
        """Return what a person who opens the data set should know."""
        self.read()
        notes = []
        if self._settings is not None and not self._version.source_sha256:
            notes.append(f"The data are in no file: only releases under the name '{self._content.subject}' count.")
        if self._counting:
            numbers = listed([entry.sequence for entry in self._counting])
            notes.append(f"Questions are judged together with releases of the same source (entry {numbers}).")
        if self._counting and self._version.policy.rules.simulatable:
            notes.append("Releases look at values, so that a refusal itself tells something, 'simulatable' or not.")
        if self._case is not None:
            notes += [f"{note[:1].upper()}{note[1:]}." for note in self._case.notes]
        return tuple(notes)

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return what would follow from sums together with releases and earlier answers."""
        self.read()
        if self._gone:
            return self._gone
        if self._case is None or not request.facts:
            return ()
        if hidden := (*self._unjudged(request), *self._revised(request)):
            return hidden
        places = [place for place, fact in enumerate(request.facts) if _is_sum(fact)]
        number, spent = self._spent
        start = time.thread_time()
        ends = start + self._version.policy.limits.deadline / 1000 - (spent if number == request.number else 0.0)
        try:
            verdict = self._verdict([request.facts[place] for place in places], ends)
        except _TooLate:
            return (_DEADLINE,)
        except LimitError as error:
            return (Objection(_RULE, f"{error.found}, so that it cannot be judged together with releases"),)
        finally:
            so_far = spent if number == request.number else 0.0
            self._spent = request.number, so_far + time.thread_time() - start
        blamed = tuple(places[at] for at in verdict.blamed)
        return tuple(
            Objection(_RULE, f"together with releases: {one.in_a_line}", blamed, looks_at_values=one.kind != "unknown")
            for one in verdict.reasons[:_MOST_REASONS]
        )

    def _verdict(self, facts: Sequence[ToldSum], ends: float) -> CubeVerdict:
        def tick(_: Step) -> None:
            if time.thread_time() >= ends:
                raise _TooLate

        assert self._case is not None
        for key, number in self._told.items():
            if key not in self._sums:
                self._sums[key] = self._sum(key, f"question {number}")
        now: dict[_SumKey, int] = {}
        for at, fact in enumerate(facts):
            if (fact.measure, fact.where) not in self._told:
                now.setdefault((fact.measure, fact.where), at)
        if not now:
            return CubeVerdict()
        new = [self._sum(key, f"sum {at + 1}") for key, at in now.items()]
        verdict = self._case.judge(list(self._sums.values()), new, tick)
        places = list(now.values())
        return CubeVerdict(verdict.reasons, tuple(places[at] for at in verdict.blamed))

    def _sum(self, wanted: _SumKey, name: str) -> CubeSum:
        sizes = {one.name: len(one.labels) for one in self._version.cube.attributes}
        return CubeSum(wanted[0], products_of(wanted[1], sizes), name)

    def _revised(self, request: AuditRequest) -> list[Objection]:
        """Return the sums in which few people have other values than in an earlier version that something left of.

        A release told the old sum of these records, or of nearly these: the difference would be the change of a few.
        """
        cube, own = self._version.cube, self._version.source_sha256
        if not any(entry.source != own for entry in self._counting if entry.sequence not in self._earlier):
            return []
        few = []
        for place, fact in enumerate(request.facts):
            if not fact.measure or not _is_sum(fact):
                continue
            cells = fact.where.cells(cube.codes, len(cube)) & cube.present & cube.revised(fact.measure)
            if 0 < cube.contributors(cells) < max(self._source.least, self._version.policy.rules.minimum):
                few.append(Objection(_RULE, _FEW_REVISED, (place,), looks_at_values=True))
        return few

    def _unjudged(self, request: AuditRequest) -> list[Objection]:
        """Return the facts that are no sums, of measures that releases tell something about."""
        assert self._case is not None
        measures = self._case.measures
        return [
            Objection(
                _RULE,
                f"{'numbers of people' if fact.power == 0 else 'squares, minima and maxima'} cannot be judged together "
                f"with releases that tell sums of {repr(fact.measure) if fact.measure else 'records'}",
                (place,),
            )
            for place, fact in enumerate(request.facts)
            if (fact.power != 1 or fact.extreme) and fact.measure in measures
        ]

    def _attributes(self) -> dict[str, CubeAttributeCodes]:
        cube = self._version.cube
        return {one.name: CubeAttributeCodes(one.labels, cube.codes[one.name]) for one in cube.attributes}

    def _cube(self) -> RecordedRelease:
        import pyarrow.parquet as pq

        table = pq.read_table(self._version.folder / POPULATION_FILE)
        disclosures = Disclosures(population=self._version.population)
        return RecordedRelease(NOW, self._version.source_sha256, disclosures, population=table)


class _TooLate(Exception):
    """The deadline of a question is over."""


def _is_sum(fact: ToldSum) -> bool:
    return fact.power == 1 and not fact.extreme
