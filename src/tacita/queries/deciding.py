"""Which groups of a question may be answered together: what they would tell goes before all judges, as one request."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tacita.queries.answer import Figure
from tacita.queries.audit.judge import AuditRequest, Objection, QueryJudge, ReleasesJudge, ToldSum
from tacita.queries.cube.cube import Cube
from tacita.queries.disclosing import told_exactly
from tacita.queries.figures import counts_told_by, facts_of
from tacita.queries.mechanism import AskedGroup, AskedQuestion
from tacita.queries.policy.policy import AnswerMode
from tacita.queries.question import DataQuestion

_TRIES = 5
"""How many times the deadline of one audit the groups of a question may take together."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupsRequest:
    """What would be told of some groups, and the place of the group that each fact is of."""

    request: AuditRequest
    of: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class JudgedGroups:
    """The places of the groups that may be answered together, what they tell, and what is said against the others."""

    places: tuple[int, ...]
    request: AuditRequest
    against: tuple[Objection, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class DecidedAnswer:
    """What becomes of a question: figures that may be seen, why others may not, and whether anything was drawn."""

    groups: tuple[tuple[int, ...], ...]
    """The codes of each group."""
    figures: tuple[tuple[Figure, ...], ...] = field(repr=False)
    objections: tuple[Objection, ...] = ()
    judged: JudgedGroups | None = None
    """None if no judge was asked."""
    is_drawn: bool = False
    """What is drawn is paid for, whether noise leaves it a value or not."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class GroupsDecision:
    """All judges of one question that is asked."""

    cube: Cube
    judges: Sequence[QueryJudge]
    releases: ReleasesJudge
    number: int
    """The number that the answer would have, for explanations."""

    def judged(self, wanted: AskedQuestion) -> JudgedGroups:
        """Return which groups may be answered together: all, or those that no judge objects to, by the policy."""
        policy, deadline = self.cube.policy, self.cube.policy.limits.deadline
        # Private totals of measures are made to fit their groups: they are drawn all together.
        is_drawn = policy.answers is AnswerMode.PRIVATE and any(one.measure for one in wanted.question.aggregates)
        cell_by_cell = policy.rules.cell_by_cell and not (is_drawn and wanted.question.levels)
        places = list(range(len(wanted.groups)))
        against: list[Objection] = []
        ends = time.thread_time() + _TRIES * deadline / 1000
        while places:
            if against and time.thread_time() >= ends:
                against.append(Objection("deadline", "the audit of its groups takes too long"))
                break
            asking, objections = self._objections(wanted, places)
            if not objections:
                return JudgedGroups(tuple(places), asking.request, tuple(dict.fromkeys(against)))
            # By groups of the question: the places of facts differ from one try to the next.
            against += [
                replace(one, places=tuple(sorted({places[asking.of[at]] for at in one.places}))) for one in objections
            ]
            if not cell_by_cell or len(places) == 1:
                break
            if blamed := {asking.of[at] for one in objections for at in one.places}:
                places = [place for at, place in enumerate(places) if at not in blamed]
            else:
                places = self._first_of(wanted, places, ends)
        return JudgedGroups((), AuditRequest(()), tuple(dict.fromkeys(against)))

    def _first_of(self, wanted: AskedQuestion, places: list[int], ends: float) -> list[int]:
        """Return as many of the first groups as may be told: where none is to blame, the last ones wait."""
        low, high = 0, len(places)
        while high - low > 1 and time.thread_time() < ends:
            middle = (low + high) // 2
            low, high = (low, middle) if self._objections(wanted, places[:middle])[1] else (middle, high)
        return places[:low]

    def _objections(self, wanted: AskedQuestion, places: Sequence[int]) -> tuple[GroupsRequest, list[Objection]]:
        """Return what is said against some groups together; releases are looked at last, they cost most."""
        asking = request_of(wanted.question, [wanted.groups[place] for place in places], self.cube, self.number)
        objections = [one for judge in self.judges for one in judge.objections(asking.request)]
        return asking, objections or [*self.releases.objections(told_exactly(self.cube, asking.request))]


def request_of(question: DataQuestion, groups: Sequence[AskedGroup], cube: Cube, number: int) -> GroupsRequest:
    """Return what would be told of some groups of a question."""
    facts: list[ToldSum] = []
    of: list[int] = []
    policy = cube.policy
    is_private = policy.answers is AnswerMode.PRIVATE
    # In vectors, and of public records, only counts are exact; other private figures tell no sum.
    facts_by = counts_told_by if policy.has_exact_counts else facts_of
    for place, group in enumerate(() if is_private and not policy.has_exact_counts else groups):
        where = question.selecting(group.codes)
        # Figures of one group have facts in common: AVG and SUM the sum, and a figure may be asked for often.
        every = [one for figure in question.aggregates for one in facts_by(figure, cube, group.cells, where)]
        different = {(one.measure, one.power, one.extreme, one.cells.tobytes()): one for one in reversed(every)}
        facts += [replace(one, cells=cube.same_values(one.measure, one.cells)) for one in reversed(different.values())]
        of += [place] * len(different)
    return GroupsRequest(AuditRequest(tuple(facts), number, cube.version), tuple(of))
