"""The judge: what a new release tells together with earlier ones that it did not tell before.

First with the groups that have records only; if these show something, with all groups that an intruder must reckon
with. A finding counts if it follows from the releases together, and neither from the earlier ones nor from the new one
alone: what they say by themselves was accepted when they were protected. What an earlier release withheld as sensitive
counts even if the new one alone shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tacita.arithmetic.modular.kernel_vector import KernelVector, SparseRows
from tacita.joint.differences import MOST_PERSONS, NestedSets, PersonContributions, nested_differences
from tacita.joint.evidence import COUNT, JointEvidence, Partition, Population
from tacita.joint.exact import exact_knowledge, few_persons, unions_are_complete
from tacita.joint.groups import RecordGroups
from tacita.joint.intervals import Hearer, Interval, ProtectedSum, intervals_of, too_near
from tacita.joint.possible_groups import with_possible_groups
from tacita.joint.system import SumSystem, system_of
from tacita.progress import Progress, Step, silent

AboutRecords = tuple[str, tuple[int, ...]]
LEAST = 3
"""Fewer persons than this must not be isolated, unless a source says otherwise."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointFinding:
    """Something that follows from releases: a sensitive statement, or the sum over a few persons.

    `row` is the statement (-1: none), `unknowns` are the groups of the persons. `near` is the interval in which the
    value lies; without it, the value follows exactly, by additions and subtractions alone. `pair` are two published
    sets, one within the other, that leave these groups.
    """

    system: SumSystem
    row: int = -1
    unknowns: tuple[int, ...] = ()
    near: Interval | None = None
    pair: NestedSets | None = None
    is_dominated: bool = False
    """Whether there are more persons, of whom one dominates the sum."""

    @property
    def partition(self) -> int:
        """The partition of the statement."""
        return int(self.system.partition[self.row])

    @property
    def is_exact(self) -> bool:
        """Whether a single value is possible."""
        return self.near is None or self.near.is_exact

    def about(self, groups: RecordGroups) -> AboutRecords:
        """Return what it is about, whatever else was released: the measure, and a statement or some records."""
        if self.row >= 0:
            return self.system.measure, (self.partition, int(self.system.statement[self.row]))
        units = np.flatnonzero(np.isin(groups.group_of, self.system.groups_of(self.unknowns)))
        return self.system.measure, tuple(units.tolist())

    def is_known_from(self, interval: Interval) -> bool:
        """Return whether somebody with such an interval knows as much."""
        return interval.is_exact if self.near is None else interval.is_within(self.near)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JointFindings:
    """What was found; `is_decided` if no further group could make it go away."""

    partitions: tuple[Partition, ...]
    is_new: tuple[bool, ...]
    """Which partitions are of the release that is judged."""
    groups: RecordGroups
    findings: tuple[JointFinding, ...] = ()
    is_decided: bool = True
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LinearJudge:
    """The judge of statements about sums: one release against others, for somebody who has all of them."""

    population: Population
    least: int = LEAST
    progress: Progress = silent
    measures: frozenset[str] | None = None
    """Of which measures it is asked what follows; None: of all."""
    is_accepted: bool = False
    """Whether somebody accepted what earlier releases tell together: then that is not told again."""

    def judge(self, evidence: Sequence[JointEvidence], new: Sequence[int]) -> JointFindings:
        """Return what follows from all evidence and not without the new part of it; `new` are its places."""
        partitions = tuple(part for one in evidence for part in one.partitions)
        is_new = tuple(at in new for at, one in enumerate(evidence) for _ in one.partitions)
        self.progress(Step("looking who is in which cells"))
        groups = RecordGroups.of(partitions, self.population)
        first = Hearing(self, partitions, groups, is_new)
        if not first.findings():
            return JointFindings(partitions, is_new, groups, notes=first.notes())
        self.progress(Step("looking which groups are possible"))
        larger, is_complete = with_possible_groups(partitions, groups)
        second = Hearing(self, partitions, larger, is_new)
        findings = second.findings(with_ends=True)
        for heard in (tuple(not one for one in is_new), is_new):
            # What an earlier release withheld was not accepted when the new one was protected.
            shown = [one for one in findings if heard is is_new and one.row >= 0 and not is_new[one.partition]]
            others = [one for one in findings if one not in shown]
            if others and any(heard):
                weaker, is_whole = with_possible_groups(partitions, groups, heard)
                if is_whole:  # otherwise nobody can tell what was known without the other part
                    others = Hearing(self, partitions, weaker, is_new, heard).not_known(others, larger)
                others = Hearing(self, partitions, groups, is_new, heard).without_known_unions(others, larger)
            findings = shown + others
        if self.is_accepted and findings:
            accepted = self._accepted([one for one, new in zip(partitions, is_new, strict=True) if not new])
            findings = [one for one in findings if one.about(larger) not in accepted]
        findings = _once(findings, larger)
        return JointFindings(partitions, is_new, larger, tuple(findings), is_complete or not findings, second.notes())

    def _accepted(self, partitions: Sequence[Partition]) -> set[AboutRecords]:
        """Return what earlier releases, which come first, tell together: somebody accepted it."""
        groups = RecordGroups.of(partitions, self.population)
        larger, _ = with_possible_groups(partitions, groups)
        hearing = Hearing(self, partitions, larger, [True] * len(partitions))
        return {one.about(larger) for one in hearing.findings()}


class Hearing:
    """Somebody who has some of the releases: what follows for them."""

    def __init__(
        self,
        judge: LinearJudge,
        partitions: Sequence[Partition],
        groups: RecordGroups,
        is_new: Sequence[bool],
        heard: Sequence[bool] | None = None,
    ) -> None:
        self._judge, self._partitions, self._groups, self._is_new = judge, partitions, groups, is_new
        self._heard = np.array([True] * len(partitions) if heard is None else heard, np.bool_)
        self._systems: dict[str, tuple[SumSystem, KernelVector]] = {}

    @property
    def measures(self) -> list[str]:
        """The measures that something is said about."""
        return list(dict.fromkeys(some.measure for one in self._partitions for some in one.statements))

    def findings(self, *, with_ends: bool = False) -> list[JointFinding]:
        """Return everything that must stay uncertain and does not; with the ends of intervals if asked for."""
        wanted = self._judge.measures
        some = [one for one in self.measures if wanted is None or one in wanted]
        return [finding for measure in some for finding in self._of_measure(measure, with_ends)]

    def notes(self) -> tuple[str, ...]:
        """Return what could not be looked at."""
        if all(unions_are_complete(self._system(name)[0], self._judge.least) for name in self.measures):
            return ()
        return ("unions of three groups of persons or more were not looked at: there are too many",)

    def not_known(self, findings: Sequence[JointFinding], groups: RecordGroups) -> list[JointFinding]:
        """Return the findings that do not follow for this hearer; `groups` are those that they are about."""
        return [
            finding
            for measure in dict.fromkeys(one.system.measure for one in findings)
            for finding in self._not_known([one for one in findings if one.system.measure == measure], measure, groups)
        ]

    def without_known_unions(self, findings: Sequence[JointFinding], groups: RecordGroups) -> list[JointFinding]:
        """Return the findings without unions of several groups that follow for this hearer.

        That these people are a part of their own was known then, if not what they have in common.
        """
        return [one for one in findings if len(one.unknowns) < 2 or not self._follows(_with_persons(one), groups)]

    def _follows(self, finding: JointFinding, groups: RecordGroups) -> bool:
        """Return whether the sum over some groups follows by additions and subtractions."""
        self._judge.progress(Step("looking what was known before"))
        system, knowledge = self._system(finding.system.measure)
        own = self._unknowns_of(finding, groups)
        return min(own) >= 0 and bool(knowledge.follows(SparseRows.of([own], system.unknowns))[0])

    def _unknowns_of(self, finding: JointFinding, groups: RecordGroups) -> list[int]:
        """Return the unknowns of this hearer that those of a finding are, -1 where there is none."""
        system, _ = self._system(finding.system.measure)
        place = self._place_of_group
        return [
            int(
                next(
                    iter(system.unknown[system.group == place.get(tuple(groups.leaf[of[0]].tolist()), -1)]),
                    -1,
                )
            )
            for of in (finding.system.groups_of([one]) for one in finding.unknowns)
        ]

    @cached_property
    def _place_of_group(self) -> dict[tuple[int, ...], int]:
        return {row: at for at, row in enumerate(map(tuple, self._groups.leaf.tolist()))}

    def _of_measure(self, measure: str, with_ends: bool) -> list[JointFinding]:
        system, knowledge = self._system(measure)
        sensitive = np.flatnonzero(system.sensitive)
        exact = sensitive[knowledge.follows(system.rows.taken(sensitive))]
        findings = [JointFinding(system, row) for row in exact.tolist()]
        findings += self._of_few(system, knowledge)
        small = np.flatnonzero((system.persons > 0) & (system.persons < self._judge.least) & (knowledge.vector != 0))
        targets = [ProtectedSum(int(row)) for row in np.setdiff1d(sensitive, exact)]
        targets += [ProtectedSum(-1, int(unknown)) for unknown in small]
        hearer = self._hearer(measure)
        near = too_near(system, hearer, targets, self._judge.progress)
        if near and with_ends:
            ends = intervals_of(system, hearer, near, progress=self._judge.progress)
            findings += [JointFinding(system, one.row, _unknowns(one), ends[one]) for one in near]
        return findings + ([] if with_ends else [JointFinding(system, one.row, _unknowns(one)) for one in near])

    def _of_few(self, system: SumSystem, knowledge: KernelVector) -> list[JointFinding]:
        """Return the sums over a few persons, or over one who dominates, that follow exactly."""
        findings: dict[tuple[int, ...], JointFinding] = {}
        new = np.array(self._is_new, np.bool_)[system.partition]
        contributions = self._contributions(system)
        most = self._judge.least - 1 if contributions is None else max(self._judge.least, MOST_PERSONS)
        for pair in nested_differences(system, new, self._heard[system.partition], most):
            persons = int(system.persons[list(pair.unknowns)].sum())
            if 0 < persons < self._judge.least:
                findings.setdefault(pair.unknowns, JointFinding(system, unknowns=pair.unknowns, pair=pair))
            elif contributions is not None and contributions.is_dominated(system.groups_of(pair.unknowns)):
                finding = JointFinding(system, unknowns=pair.unknowns, pair=pair, is_dominated=True)
                findings.setdefault(pair.unknowns, finding)
        for union in few_persons(system, knowledge, self._judge.least):
            own = tuple(sorted(union.tolist()))
            findings.setdefault(own, JointFinding(system, unknowns=own))
        return list(findings.values())

    def _contributions(self, system: SumSystem) -> PersonContributions | None:
        if system.measure == COUNT:
            return None
        group, person, value = [], [], []
        for one in self._partitions:
            if system.measure in one.contributions:
                group.append(self._groups.group_of[one.units])
                person.append(self._judge.population.persons[one.units])
                value.append(one.contributions[system.measure])
                break
        return PersonContributions(*(np.concatenate([*some, np.zeros(0)]) for some in (group, person, value)))

    def _hearer(self, measure: str) -> Hearer:
        system, knowledge = self._system(measure)
        return Hearer(self._heard[system.partition], knowledge.vector == 0)

    def _not_known(self, findings: Sequence[JointFinding], measure: str, groups: RecordGroups) -> list[JointFinding]:
        system, _ = self._system(measure)
        unknown: list[JointFinding] = []
        waiting: dict[ProtectedSum, JointFinding] = {}
        for finding in findings:
            if finding.row >= 0:
                waiting[ProtectedSum(self._row_of(system, finding))] = finding
            elif len(finding.unknowns) > 1:
                if not self._follows(finding, groups):
                    unknown.append(finding)
            elif (own := self._unknowns_of(finding, groups)[0]) < 0:
                unknown.append(finding)
            else:
                waiting[ProtectedSum(-1, own)] = finding
        ends = intervals_of(system, self._hearer(measure), list(waiting), progress=self._judge.progress)
        return unknown + [one for target, one in waiting.items() if not one.is_known_from(ends[target])]

    def _row_of(self, system: SumSystem, finding: JointFinding) -> int:
        same = (system.partition == finding.system.partition[finding.row]) & (
            system.statement == finding.system.statement[finding.row]
        )
        return int(np.flatnonzero(same)[0])

    def _system(self, measure: str) -> tuple[SumSystem, KernelVector]:
        if measure not in self._systems:
            self._judge.progress(Step("adding up what was released"))
            groups = self._groups
            if measure != COUNT and COUNT in self.measures:
                # Where counts are published, a sum can be in a group only if a record can be there, too.
                groups = groups.with_records()
            system = system_of(measure, self._partitions, groups)
            self._systems[measure] = system, exact_knowledge(system, self._heard[system.partition])
        return self._systems[measure]


def _once(findings: Sequence[JointFinding], groups: RecordGroups) -> list[JointFinding]:
    """Return findings about the same records once: that with the fewest unknowns, which is the easiest to read."""
    shortest: dict[AboutRecords, JointFinding] = {}
    for finding in sorted(findings, key=lambda one: len(one.unknowns)):
        shortest.setdefault(finding.about(groups), finding)
    return list(shortest.values())


def _unknowns(target: ProtectedSum) -> tuple[int, ...]:
    return () if target.unknown < 0 else (target.unknown,)


def _with_persons(finding: JointFinding) -> JointFinding:
    """Return a finding about those of its groups that have records."""
    return replace(finding, unknowns=tuple(one for one in finding.unknowns if finding.system.persons[one]))
