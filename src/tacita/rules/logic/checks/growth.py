"""R603: values that a recursion computes out of themselves: ``Count(N) -> Count(N + 1)``."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.rules.logic.binding import Absent, Assign, Enumerate, Match, Schedule, Test
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.position_graph import Link, new_cycles, spelled
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.checks.termination import is_bound
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.nulls import Position, carried, name_of
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Call,
    ListOf,
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

_OPERATIONS = frozenset({"+", "-", "*", "/", "union"})
_FUNCTIONS = frozenset({"concat", "replace", "add_days", "power", "exp"})
_SUMS = frozenset({"msum", "mprod", "sum", "prod", "avg"})


def growth(subject: Subject) -> Iterator[Fault]:
    """Find recursions that may compute new values for ever."""
    numbers = {number for rules in subject.recursive_rules.values() for number, _ in rules}
    links = [link for number in sorted(numbers) for link in _links(subject.rules[number], subject.schedules[number])]
    for cycle in new_cycles(links):
        made = cycle[0]
        message = f"each value may lead to another one, without end: {spelled(cycle)}"
        do = "add a condition that fails in the end, such as N < 100; else the run ends when its budget is used up"
        yield fault("R603", message, made.rule.origin, do)


def _links(rule: Rule, schedule: Schedule) -> Iterator[Link]:
    places: dict[str, list[Position]] = {}
    made: dict[str, tuple[frozenset[str], bool]] = {}
    tested: set[str] = set()
    for step in schedule.steps:
        if isinstance(step, Match):
            for at, argument in enumerate(step.atom.arguments):
                for variable in carried(argument):
                    places.setdefault(variable.name, []).append((name_of(step.atom), at))
        elif isinstance(step, Assign | Enumerate):
            term = step.term if isinstance(step, Assign) else step.collection
            made[step.variable.name] = _made(term, made)
        elif isinstance(step, Absent):
            tested.update(step.shared)
        elif isinstance(step, Test) and (is_bound(step.condition) or isinstance(step.condition, Subset)):
            tested.update(variable.name for variable in variables(step.condition))
    tested |= {name for computed in tested if computed in made for name in made[computed][0]}
    for item in rule.head:
        if isinstance(item, Atom):
            for at, argument in enumerate(item.arguments):
                names, is_new = _made(argument, made)
                if is_new and names & tested:
                    continue  # a condition on what grows: it may well end
                for name in sorted(names):
                    yield from (Link(p, (name_of(item), at), rule, is_new) for p in places.get(name, ()))


def _made(term: Term, made: dict[str, tuple[frozenset[str], bool]]) -> tuple[frozenset[str], bool]:
    """Return the variables of atoms that a term is computed from, and whether its values can go on for ever."""
    names: set[str] = set()
    is_new = False
    waiting: list[Node] = [term]
    while waiting:
        node = waiting.pop()
        match node:
            case Variable(name):
                before = made.get(name, (frozenset({name}), False))
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
