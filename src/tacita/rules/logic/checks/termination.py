"""R602: whether the chase ends. Cycles in which a null takes part in making the next one.

Weakly acyclic: there is no such cycle. Warded: there is, but facts alike but for their nulls can be told, and the
reasoner stops there. Guarded: each such cycle leads through a rule with a condition that uses itself up: ``is not
null`` on what is being replaced, a bound on a size, a negation of what the cycle derives. Unknown: none of these; only
the budget of the reasoner ends the run.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tacita.rules.logic.binding import Absent, Test
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.position_graph import Link, new_cycle, spelled
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.wardedness import report as wardedness_report
from tacita.rules.logic.dependencies import body_predicates, components, edges, head_predicates
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.nulls import Position, harmful
from tacita.rules.logic.program import Program
from tacita.rules.logic.terms import Comparison, Condition, IsNull, Member, variables

_ORDER = frozenset({"<", "<=", ">", ">="})


class Ending(StrEnum):
    """Why a chase ends."""

    ACYCLIC = "weakly acyclic"
    WARDED = "warded"
    GUARDED = "guarded"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class TerminationReport:
    """Why the chase of a program ends, and a cycle through an existential variable if there is one."""

    ending: Ending
    cycle: tuple[Link, ...] = ()

    def __str__(self) -> str:
        return f"{self.ending}: {spelled(self.cycle)}" if self.cycle else str(self.ending)


def termination(program: Program, nullable: Collection[Position] = ()) -> TerminationReport:
    """Return why the chase of a program ends."""
    return report(Subject(program, nullable=nullable))


def report(subject: Subject) -> TerminationReport:
    """Return why the chase of a program ends."""
    links = list(_links(subject))
    cycle = new_cycle(link for _, link in links)
    if not cycle:
        return TerminationReport(Ending.ACYCLIC)
    if wardedness_report(subject).is_warded:
        return TerminationReport(Ending.WARDED, cycle)
    # All dependencies count here, those of new versions too: these cycles run over the epochs.
    groups = components((), edges(subject.program, nullable=subject.nullable, schedules=subject.schedules))
    home = {predicate: number for number, group in enumerate(groups) for predicate in group}
    free = new_cycle(link for number, link in links if not _is_guarded(subject, number, home))
    return TerminationReport(Ending.UNKNOWN, free) if free else TerminationReport(Ending.GUARDED, cycle)


def terminating(subject: Subject) -> Iterator[Fault]:
    """Find cycles that may make nulls for ever."""
    found = report(subject)
    if found.ending is Ending.UNKNOWN:
        message = f"each new value may lead to another one, without end: {spelled(found.cycle)}"
        do = (
            "add a condition that fails in the end: 'is not null' on what is replaced, 'size(S) < n', "
            "or 'not' of what is already there; else the run ends when its budget is used up"
        )
        yield fault("R602", message, found.cycle[0].rule.origin, do)


def _links(subject: Subject) -> Iterator[tuple[int, Link]]:
    """Yield with the numbers of the rules how nulls go from position to position, and which new ones they make."""
    for number, one in enumerate(subject.flows):
        nulls = harmful(one, subject.affected) if subject.affected else frozenset()
        if not nulls:
            continue
        frontier: dict[Position, None] = {}
        for target in one.targets:
            for name in target.variables:
                if name in nulls:
                    for _, place in one.places[name]:
                        frontier[place] = None
                        yield number, Link(place, target.position, one.rule, False)
        for target in one.targets:
            if target.is_new:
                yield from ((number, Link(place, target.position, one.rule, True)) for place in frontier)


def _is_guarded(subject: Subject, number: int, home: Mapping[str, int]) -> bool:
    """Whether a rule of a cycle has a condition on its nulls that uses itself up."""
    one = subject.flows[number]
    own = {home.get(predicate) for predicate in head_predicates(one.rule)}
    nulls = harmful(one, subject.affected)
    for step in subject.schedules[number].steps:
        if isinstance(step, Absent):
            names = {predicate for predicate, _ in body_predicates((step.negation,))}
            if nulls & set(step.shared) and any(home.get(name) in own for name in names):
                return True
        elif isinstance(step, Test) and is_bound(step.condition):
            origins = {name for v in variables(step.condition) for name in one.sources.get(v.name, (v.name,))}
            if nulls & origins:
                return True
    return False


def is_bound(condition: Condition) -> bool:
    """Whether a condition can keep something from going on for ever."""
    match condition:
        case IsNull(is_negated=True) | Member(is_negated=True):
            return True
        case Comparison(operator):
            return operator in _ORDER
    return False
