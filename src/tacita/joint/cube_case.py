"""A cube of which sums are told one after the other, judged together with releases of the same persons.

The releases are read, and their records found again in the cube, once; each judgement adds what was told of the cube
by then, and what is about to be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.errors import LimitError
from tacita.joint.case import cannot_be_judged, counted_attributes, evidence_of, unknown_tables, unseen
from tacita.joint.evidence import (
    COUNT,
    JointEvidence,
    OutputLabel,
    Partition,
    PartitionColumn,
    Statements,
)
from tacita.joint.explaining import Explainer, of_outputs
from tacita.joint.judgement import JointReason
from tacita.joint.judging import LinearJudge
from tacita.joint.meanings import with_meanings
from tacita.joint.partitions import measure_factors
from tacita.joint.reading import MOST_REASONS
from tacita.joint.record_numbers import numbered_records
from tacita.joint.recorded import RecordedRelease, UnknownRelease
from tacita.ledger.sources import LedgerSource
from tacita.progress import Progress

BEFORE = OutputLabel(0, words="earlier answers")
_MOST_READ = 16
"""Sets of attributes by which releases are kept."""
NOW = OutputLabel(0, words="this question")


@dataclass(frozen=True, slots=True, eq=False)
class CubeSum:
    """The sum of a measure over some records, which is told exactly."""

    measure: str
    """Empty: records are counted."""
    products: tuple[Mapping[str, frozenset[int]], ...] = field(repr=False)
    """Which records: those that have, by one of these, certain codes of some attributes."""
    name: str
    """What it is called in a reason, such as the number of its question."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CubeAttributeCodes:
    """An attribute of a cube: how its codes are written, and the code of each cell."""

    labels: tuple[str, ...]
    codes: NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CubeVerdict:
    """What speaks against sums of a cube together with releases."""

    reasons: tuple[JointReason, ...] = ()
    blamed: tuple[int, ...] = ()
    """The sums that are to blame; none: nobody can tell."""


class CubeCase:
    """Releases and a cube of the same persons."""

    def __init__(
        self,
        releases: Sequence[RecordedRelease],
        cube: RecordedRelease,
        attributes: Mapping[str, CubeAttributeCodes],
        source: LedgerSource,
    ) -> None:
        """Find the records of releases in a cube: a release with a population whose dimension is the cell."""
        population = cube.disclosures.population
        assert population is not None and cube.population is not None
        together = (*releases, cube)
        numbers = numbered_records(together)
        together = with_meanings(together, numbers)
        self._releases = together[:-1]
        self._names = frozenset(counted_attributes(releases) | set(source.attributes))
        self._factors = {name: (name,) for name in population.measures} | measure_factors(together)
        self.unjudged = tuple(unknown_tables(releases))
        self.notes = tuple(unseen(together, numbers))
        """What cannot be seen."""
        self._is_accepted = any(release.is_allowed for release in releases)
        self._numbers, self._least = numbers, source.least
        self._read: dict[frozenset[str], list[JointEvidence]] = {}
        own = self._evidence(self._names)
        units = numbers.of_population[-1]
        assert units is not None
        self._units = units
        cell_of = np.asarray(cube.population.column("d0").cast("int32"), np.int32)
        self._columns = {
            name: PartitionColumn(name, one.labels, one.codes[cell_of]) for name, one in attributes.items()
        }
        self._contributions = {
            name: np.asarray(cube.population.column(f"m{at}"), np.float64)
            for at, name in enumerate(population.measures)
        }

        self.measures = {some.measure for one in own for part in one.partitions for some in part.statements}
        """The measures that releases say something about; the empty name counts."""

    def judge(self, before: Sequence[CubeSum], now: Sequence[CubeSum], progress: Progress) -> CubeVerdict:
        """Return what follows from sums that are told now, together with those told before and all releases."""
        if self.unjudged:
            return CubeVerdict(self.unjudged[:MOST_REASONS])
        measures = list(dict.fromkeys(one.measure for one in now))
        parts = [self._partition([one for one in now if one.measure == measure]) for measure in measures]
        own = JointEvidence(BEFORE, (self._partition(before),) if before else ())
        # Of a file, those attributes take part that somebody counts by, as for releases of tables.
        names = self._names | {name for one in (*before, *now) for product in one.products for name in product}
        evidence = [*self._evidence(names), own, JointEvidence(NOW, tuple(parts))]
        last = len(evidence) - 1
        # A sum says nothing of another measure; a first count says in which groups a sum can be at all.
        wanted = frozenset(measures) if COUNT not in measures or COUNT in self.measures else None
        judge = LinearJudge(self._numbers.population, self._least, progress, wanted, self._is_accepted)
        try:
            findings = judge.judge(evidence, [last])
        except LimitError as limit:
            sentence = f"What follows from all releases together could not be decided: {limit.found}."
            return CubeVerdict((JointReason("unknown", sentence, (NOW,), is_decided=False),))
        outputs = of_outputs([one.label for one in evidence], [len(one.partitions) for one in evidence])
        explainer = Explainer(findings, outputs, self._numbers.rows, self._least)
        reasons = tuple(explainer.reasons(MOST_REASONS))
        return CubeVerdict(reasons, _blamed(reasons, measures, now))

    def _evidence(self, names: frozenset[str]) -> list[JointEvidence]:
        """Return what releases say, files by some attributes; note those that cannot be judged."""
        if names not in self._read:
            if len(self._read) >= _MOST_READ:
                self._read.clear()
            evidence, unjudged = [], []
            for at, release in enumerate(self._releases):
                try:
                    evidence.append(evidence_of(release, at, self._numbers, names, self._factors))
                except UnknownRelease as unknown:
                    unjudged.append(cannot_be_judged(release, str(unknown)))
            self._read[names] = [one for one in evidence if one.partitions]
            self.unjudged = tuple(dict.fromkeys((*self.unjudged, *unjudged)))
        return self._read[names]

    def _partition(self, sums: Sequence[CubeSum]) -> Partition:
        measures = dict.fromkeys(one.measure for one in sums)
        used = {name for one in sums for product in one.products for name in product}
        columns = [column for name, column in self._columns.items() if name in used]
        statements = (self._statements([one for one in sums if one.measure == name], columns) for name in measures)
        own = {name: values for name, values in self._contributions.items() if name in measures}
        return Partition("questions", self._units, tuple(columns), tuple(statements), own)

    def _statements(self, sums: Sequence[CubeSum], columns: Sequence[PartitionColumn]) -> Statements:
        """Return what sums of one measure say; their values are those that the records add up to."""
        many, measure = len(sums), sums[0].measure
        values, nothing = np.zeros(many), np.full(many, np.nan)
        added = np.ones(len(self._units)) if measure == COUNT else self._contributions[measure]
        products = [(at, product) for at, one in enumerate(sums) for product in one.products]
        choices, masks = np.zeros((len(products), len(columns)), np.int32), []
        for at, column in enumerate(columns):
            every = frozenset(range(len(column.labels)))
            places: dict[frozenset[int], int] = {}
            for row, (_, product) in enumerate(products):
                choices[row, at] = places.setdefault(product.get(column.attribute, every), len(places))
            mask = np.zeros((len(places), len(column.labels)), np.bool_)
            for codes, place in places.items():
                mask[place, list(codes)] = True
            masks.append(mask)
        return Statements(
            measure,
            choices,
            np.array([at for at, _ in products], np.int64),
            tuple(masks),
            values,
            values,
            np.zeros(many, np.bool_),
            nothing,
            nothing,
            values,
            is_whole=bool((added == np.rint(added)).all()),
            is_nonnegative=bool((added >= 0).all()),
            names=tuple(one.name for one in sums),
        )


def _blamed(reasons: Sequence[JointReason], measures: Sequence[str], now: Sequence[CubeSum]) -> tuple[int, ...]:
    """Return the sums that the arithmetic of reasons takes; none if a reason has no arithmetic."""
    places = {name: [at for at, one in enumerate(now) if one.measure == name] for name in measures}
    blamed: set[int] = set()
    for reason in reasons:
        own = {places[measures[term.place[0]]][term.place[1]] for term in reason.terms if term.output == NOW}
        if not own:
            return ()
        blamed |= own
    return tuple(sorted(blamed))
