"""Where labelled nulls can turn up: affected positions, and how nulls flow from one to another.

A position is affected if an existential variable stands there, if the data may hold unknown values there, or if a
variable is passed on to it that occurs in affected positions only. Where a variable must be known for the body to
match (``X is not null``, ``X > 1``, ``X = "a"``), no null gets through it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tacita.rules.logic.binding import Assign, Enumerate, Match, Schedule, Test, scheduled
from tacita.rules.logic.program import Program, Rule
from tacita.rules.logic.terms import (
    Access,
    Aggregate,
    Atom,
    Call,
    Case,
    Comparison,
    Condition,
    Constant,
    IsNull,
    ListOf,
    Member,
    Operation,
    Pack,
    Pair,
    Parameter,
    SetOf,
    Term,
    Unpack,
    Update,
    Variable,
)

Position: TypeAlias = tuple[str, int]
"""A predicate and the place of an argument, counted from 0."""


def name_of(atom: Atom) -> str:
    """Return the predicate of an atom, external ones with their ``#``."""
    return f"#{atom.predicate}" if atom.is_external else atom.predicate


def carried(term: Term) -> Iterator[Variable]:
    """Yield the variables whose null would be the value of a term, or inside it.

    >>> list(carried(Operation("+", (Variable("X"), Constant(1)))))  # arithmetic on a null has no value
    []
    >>> [v.name for v in carried(Update(Variable("R"), Variable("A"), Variable("Z")))]
    ['R', 'Z']
    """
    waiting: list[Term] = [term]
    while waiting:
        term = waiting.pop()
        if isinstance(term, Variable):
            yield term
        else:
            waiting += reversed(_carriers(term))


def _carriers(term: Term) -> Sequence[Term]:
    match term:
        case Operation("union" | "minus" | "intersect", operands):
            return operands
        case Call("first" | "second" | "least" | "greatest", arguments):
            return arguments
        case Access(record=record):
            return (record,)
        case Update(record, _, value):
            return (record, value)
        case Pair(first, second):
            return (first, second)
        case SetOf(items) | ListOf(items):
            return items
        case Case(then=then, otherwise=otherwise):
            return (then, otherwise)
        case Aggregate("munion" | "collect", value) if value is not None:
            return (value,)
        case Unpack(record):
            return (record,)
        case Pack(variable):
            return (variable,)
    return ()


# -- one rule ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class NullTarget:
    """A position of a head, what is passed on to it, and whether something new is made there."""

    position: Position
    variables: tuple[str, ...]
    """The variables of body atoms whose nulls arrive there."""
    is_new: bool


@dataclass(frozen=True, slots=True)
class Flow:
    """What one rule does with nulls."""

    rule: Rule
    places: Mapping[str, tuple[tuple[Atom, Position], ...]]
    """Where each variable stands in the positive atoms of the body."""
    known: frozenset[str]
    """The variables that are never null when the body matches."""
    sources: Mapping[str, tuple[str, ...]]
    """For each variable that is computed, those of atoms whose nulls it can hold."""
    targets: tuple[NullTarget, ...]

    def origins(self, term: Term) -> tuple[str, ...]:
        """Return the variables of body atoms whose nulls a term can hold."""
        return tuple(dict.fromkeys(name for v in carried(term) for name in self.sources.get(v.name, (v.name,))))


def flow(rule: Rule, schedule: Schedule | None = None) -> Flow:
    """Return what a rule does with nulls."""
    schedule = schedule or scheduled(rule.body)
    places: dict[str, list[tuple[Atom, Position]]] = {}
    known: set[str] = set()
    sources: dict[str, tuple[str, ...]] = {}
    for step in schedule.steps:
        if isinstance(step, Match):
            for at, argument in enumerate(step.atom.arguments):
                for variable in carried(argument):
                    places.setdefault(variable.name, []).append((step.atom, (name_of(step.atom), at)))
        elif isinstance(step, Assign | Enumerate):
            term = step.term if isinstance(step, Assign) else step.collection
            origins = (name for v in carried(term) for name in sources.get(v.name, (v.name,)))
            sources[step.variable.name] = tuple(dict.fromkeys(origins))
        elif isinstance(step, Test):
            known.update(v.name for v in _known(step.condition))
    result = Flow(rule, {n: tuple(p) for n, p in places.items()}, frozenset(known), sources, ())
    targets = []
    for atom in rule.head:
        if isinstance(atom, Atom):
            for at, argument in enumerate(atom.arguments):
                names = result.origins(argument)
                is_new = any(name not in schedule.bound for name in names)
                passed = tuple(n for n in names if n in schedule.bound and n not in known)
                targets.append(NullTarget((name_of(atom), at), passed, is_new))
    return Flow(rule, result.places, result.known, sources, tuple(targets))


def _known(condition: Condition) -> Iterator[Variable]:
    """Yield the variables that cannot be null where a condition holds."""
    match condition:
        case IsNull(Variable() as variable, True):
            yield variable
        case Comparison("<" | "<=" | ">" | ">=", left, right):
            yield from (side for side in (left, right) if isinstance(side, Variable))
        case Comparison("=", Variable() as variable, Constant() | Parameter()):
            yield variable
        case Comparison("=", Constant() | Parameter(), Variable() as variable):
            yield variable
        case Member(Variable() as variable, SetOf(items) | ListOf(items), False):
            if all(isinstance(item, Constant | Parameter) for item in items):
                yield variable


# -- the program -------------------------------------------------------------------------------------------------------


def flows(program: Program, schedules: Sequence[Schedule] | None = None) -> tuple[Flow, ...]:
    """Return what each rule does with nulls."""
    rules = program.rules
    return tuple(flow(rule, schedules[at] if schedules else None) for at, rule in enumerate(rules))


def affected(flows: Sequence[Flow], nullable: Collection[Position] = ()) -> frozenset[Position]:
    """Return the positions where a null can turn up; `nullable` are those where the data have unknown values."""
    positions: set[Position] = set()
    # For each rule and variable, in how many positions it stands that are not affected (yet).
    safe: list[dict[str, int]] = []
    standing: dict[Position, list[tuple[int, str]]] = {}
    reached: list[dict[str, list[Position]]] = []
    waiting = list(dict.fromkeys(nullable))
    for number, one in enumerate(flows):
        safe.append({name: len(places) for name, places in one.places.items() if name not in one.known})
        for name in safe[-1]:
            for _, position in one.places[name]:
                standing.setdefault(position, []).append((number, name))
        reached.append({})
        for target in one.targets:
            if target.is_new:
                waiting.append(target.position)
            for name in target.variables:
                reached[-1].setdefault(name, []).append(target.position)
    while waiting:
        position = waiting.pop()
        if position in positions:
            continue
        positions.add(position)
        for number, name in standing.get(position, ()):
            safe[number][name] -= 1
            if not safe[number][name]:
                waiting += reached[number].get(name, ())
    return frozenset(positions)


def harmful(one: Flow, affected: Collection[Position]) -> frozenset[str]:
    """Return the variables of a rule that can be null: those that stand in affected positions only."""
    return frozenset(
        name
        for name, places in one.places.items()
        if name not in one.known and all(position in affected for _, position in places)
    )


def affected_positions(program: Program, nullable: Collection[Position] = ()) -> frozenset[Position]:
    """Return the positions of a program where a null can turn up."""
    return affected(flows(program), nullable)


def upstream(flows: Sequence[Flow], affected: Collection[Position], ends: Collection[Position]) -> frozenset[Position]:
    """Return the positions that nulls flow from into some positions, these included if they are affected."""
    into: dict[Position, set[Position]] = {}
    for one in flows:
        nulls = harmful(one, affected)
        for target in one.targets:
            origins = (position for name in target.variables if name in nulls for _, position in one.places[name])
            into.setdefault(target.position, set()).update(origins)
    positions: set[Position] = set()
    waiting = [position for position in ends if position in affected]
    while waiting:
        position = waiting.pop()
        if position not in positions:
            positions.add(position)
            waiting += into.get(position, ())
    return frozenset(positions)
