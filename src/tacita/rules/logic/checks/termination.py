"""R602, R603: whether the chase ends, and whether a recursion computes values out of themselves for ever.

A cycle in which a null takes part in making the next one may go on for ever. Weakly acyclic: there is no such cycle.
Warded: there is, but facts alike but for their nulls can be told, and the reasoner stops there. Guarded: each such
cycle leads through a rule with a condition that uses itself up: ``is not null`` on what is being replaced, a bound on
a size, a negation of what the cycle derives. Unknown: none of these; only the budget of the reasoner ends the run.
Values grow in the same way without nulls: ``Count(N) -> Count(N + 1)``.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum

from tacita.rules.logic.binding import Absent, Assign, Enumerate, Match, Schedule, Test
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.wardedness import report as wardedness_report
from tacita.rules.logic.dependencies import body_predicates, components, edges, head_predicates, strong_components
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.nulls import Position, carried, harmful, name_of
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Call,
    Comparison,
    Condition,
    IsNull,
    ListOf,
    Member,
    Node,
    Operation,
    Pair,
    SetOf,
    Subset,
    Term,
    Variable,
    children,
    variables,
)


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """A rule passes a value on, or makes a new one out of it."""

    source: Position
    target: Position
    rule: Rule
    is_new: bool


def new_cycle(links: Iterable[Link]) -> tuple[Link, ...]:
    """Return a shortest cycle through the first link that makes something new and leads back to itself."""
    return next(iter(new_cycles(links)), ())


def new_cycles(links: Iterable[Link]) -> list[tuple[Link, ...]]:
    """Return for each group of positions that feed each other one cycle that makes something new."""
    after: dict[Position, list[Link]] = {}
    for link in links:
        after.setdefault(link.source, []).append(link)
    graph = {source: [link.target for link in group] for source, group in after.items()}
    home = {p: number for number, group in enumerate(strong_components(graph, graph)) for p in group}
    cycles: dict[int, tuple[Link, ...]] = {}
    for group in after.values():
        for link in group:
            number = home[link.source]
            if link.is_new and home.get(link.target) == number and number not in cycles:
                cycles[number] = _back(link, after, home)
    return list(cycles.values())


def _back(first: Link, after: dict[Position, list[Link]], home: dict[Position, int]) -> tuple[Link, ...]:
    came: dict[Position, Link] = {}
    waiting = deque([first.target])
    while waiting and first.source != first.target and first.source not in came:
        for link in after.get(waiting.popleft(), ()):
            if home.get(link.target) == home[first.source] and link.target not in came and link.target != first.target:
                came[link.target] = link
                waiting.append(link.target)
    back: list[Link] = []
    position = first.source
    while position != first.target:
        back.append(came[position])
        position = came[position].source
    return (first, *reversed(back))


def spelled(cycle: Iterable[Link]) -> str:
    """Return a cycle in words, position by position."""
    return ", ".join(
        f"{_words(link.source)} {'makes a new' if link.is_new else 'goes to'} {_words(link.target)} "
        f"by {link.rule.name} ({link.rule.origin})"
        for link in cycle
    )


def _words(position: Position) -> str:
    return f"{position[0]}[{position[1] + 1}]"


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


def endless_nulls(subject: Subject) -> Iterator[Fault]:
    """Find cycles that may make nulls for ever."""
    ends = report(subject)
    if ends.ending is Ending.UNKNOWN:
        message = f"each new value may lead to another one, without end: {spelled(ends.cycle)}"
        do = (
            "add a condition that fails in the end: 'is not null' on what is replaced, 'size(S) < n', "
            "or 'not' of what is already there; else the run ends when its budget is used up"
        )
        yield fault("R602", message, ends.cycle[0].rule.origin, do)


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


_OPERATIONS = frozenset({"+", "-", "*", "/", "union"})
_FUNCTIONS = frozenset({"concat", "replace", "add_days", "power", "exp"})
_SUMS = frozenset({"msum", "mprod", "sum", "prod", "avg"})


def endless_growth(subject: Subject) -> Iterator[Fault]:
    """Find recursions that may compute new values for ever."""
    numbers = {number for rules in subject.recursive_rules.values() for number, _ in rules}
    links = [
        link for number in sorted(numbers) for link in _computations(subject.rules[number], subject.schedules[number])
    ]
    for cycle in new_cycles(links):
        first = cycle[0]
        message = f"each value may lead to another one, without end: {spelled(cycle)}"
        do = "add a condition that fails in the end, such as N < 100; else the run ends when its budget is used up"
        yield fault("R603", message, first.rule.origin, do)


def _computations(rule: Rule, schedule: Schedule) -> Iterator[Link]:
    places: dict[str, list[Position]] = {}
    computed_from: dict[str, tuple[frozenset[str], bool]] = {}
    tested: set[str] = set()
    for step in schedule.steps:
        if isinstance(step, Match):
            for at, argument in enumerate(step.atom.arguments):
                for variable in carried(argument):
                    places.setdefault(variable.name, []).append((name_of(step.atom), at))
        elif isinstance(step, Assign | Enumerate):
            term = step.term if isinstance(step, Assign) else step.collection
            computed_from[step.variable.name] = _computed_from(term, computed_from)
        elif isinstance(step, Absent):
            tested.update(step.shared)
        elif isinstance(step, Test) and (is_bound(step.condition) or isinstance(step.condition, Subset)):
            tested.update(variable.name for variable in variables(step.condition))
    tested |= {name for computed in tested if computed in computed_from for name in computed_from[computed][0]}
    for item in rule.head:
        if isinstance(item, Atom):
            for at, argument in enumerate(item.arguments):
                names, is_new = _computed_from(argument, computed_from)
                if is_new and names & tested:
                    continue  # a condition on what grows: it may well end
                for name in sorted(names):
                    yield from (Link(p, (name_of(item), at), rule, is_new) for p in places.get(name, ()))


def _computed_from(term: Term, computed_from: dict[str, tuple[frozenset[str], bool]]) -> tuple[frozenset[str], bool]:
    """Return the variables of atoms that a term is computed from, and whether its values can go on for ever."""
    names: set[str] = set()
    is_new = False
    waiting: list[Node] = [term]
    while waiting:
        node = waiting.pop()
        match node:
            case Variable(name):
                before = computed_from.get(name, (frozenset({name}), False))
                names |= before[0]
                is_new = is_new or before[1]
            case Aggregate("mmin" | "min" | "mcount" | "count"):
                pass  # the smallest value cannot grow, and there are only so many contributors
            case _:
                is_new = is_new or _grows(node)
                waiting += children(node)
    return frozenset(names), is_new


def _grows(node: Node) -> bool:
    match node:
        case Operation(operator, operands):
            return operator in _OPERATIONS and len(operands) > 1
        case Call(function):
            return function in _FUNCTIONS
        case Aggregate(function):
            return function in _SUMS
    return isinstance(node, Pair | SetOf | ListOf)
