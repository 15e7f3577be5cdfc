"""In which order the items of a body can be used: what binds a variable, what only tests it, what waits for aggregates.

Items may be written in any order. Atoms bind their variables; ``X = term`` binds X if no atom does, ``X in S`` if
nothing else does; everything else tests. Aggregates come behind all that: the items that hold one, or need a variable
that was computed from one, are used once per group.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

from tacita.rules.logic.program import Rule
from tacita.rules.logic.steps import Absent, Assign, Enumerate, Match, Schedule, Step, Test, Unbound
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Blank,
    Comparison,
    Condition,
    Constant,
    Denial,
    HeadItem,
    Item,
    Member,
    Negation,
    Pack,
    Parameter,
    Term,
    Unpack,
    Variable,
    aggregates,
    variables,
    walk,
)

__all__ = [
    "Absent",
    "Assign",
    "Enumerate",
    "Match",
    "Schedule",
    "Step",
    "Test",
    "Unbound",
    "depends_on_aggregate",
    "existentials",
    "flattened",
    "frontier",
    "has_aggregate",
    "head_group",
    "head_terms",
    "is_aggregate_item",
    "scheduled",
]

# -- atoms -------------------------------------------------------------------------------------------------------------


def flattened(atom: Atom, taken: Collection[str] = ()) -> tuple[Atom, tuple[Comparison, ...]]:
    """Return an atom whose arguments are simple, and the equalities that the others became.

    >>> from tacita.rules.logic.terms import Operation
    >>> flat, tests = flattened(Atom("p", (Variable("X"), Operation("+", (Variable("X"), Constant(1))))))
    >>> flat.arguments[1].name, tests[0].left.name, tests[0].right.operator
    ('_t1', '_t1', '+')
    """
    if _is_flat(atom):
        return atom, ()
    used = {*taken, *(v.name for v in variables(atom))}
    arguments: list[Term] = []
    equalities: list[Comparison] = []
    for argument in atom.arguments:
        value = argument.record if isinstance(argument, Unpack) else argument
        if not isinstance(value, _SIMPLE):
            variable = _fresh(used, value)
            equalities.append(Comparison("=", variable, value, value.origin))
            value = variable
        is_packed = isinstance(argument, Unpack)
        arguments.append(Pack(value, argument.origin) if is_packed and isinstance(value, Variable) else value)
    return replace(atom, arguments=tuple(arguments)), tuple(equalities)


_SIMPLE = (Variable, Blank, Constant, Parameter, Pack)


def _is_flat(atom: Atom) -> bool:
    return all(isinstance(argument, _SIMPLE) for argument in atom.arguments)


def _fresh(used: set[str], term: Term) -> Variable:
    number = 1
    while f"_t{number}" in used:
        number += 1
    used.add(f"_t{number}")
    return Variable(f"_t{number}", term.origin)


# -- schedules ---------------------------------------------------------------------------------------------------------


def scheduled(items: Sequence[Item], bound: Iterable[str] = ()) -> Schedule:
    """Return the order in which items can be used when some variables have a value already.

    Conditions and negations come as soon as their variables are bound, atoms as they were written.

    >>> x, y = Variable("X"), Variable("Y")
    >>> items = Comparison(">", y, Constant(1)), Comparison("=", y, x), Atom("p", (x,))
    >>> [type(step).__name__ for step in scheduled(items).steps]
    ['Match', 'Assign', 'Test']
    >>> [unbound.variable.name for unbound in scheduled(items[:1]).unbound]
    ['Y']
    """
    given = frozenset(bound)
    taken: set[str] = set()
    flat: list[Item] = []
    for item in items:
        if isinstance(item, Atom) and not _is_flat(item):
            taken = taken or {*given, *(v.name for v in variables(*items))}
            atom, equalities = flattened(item, taken)
            taken.update(equality.left.name for equality in equalities if isinstance(equality.left, Variable))
            flat += [atom, *equalities]
        else:
            flat.append(item)
    negations = [item for item in flat if isinstance(item, Negation)]
    if not negations:
        return _Scheduler(flat, given, None).schedule()
    # What a negation shares with the rest is known only when it is known what the rest can bind.
    positive = _Scheduler([item for item in flat if not isinstance(item, Negation)], given, None).schedule()
    return _Scheduler(flat, given, positive.bound).schedule()


@dataclass(slots=True, eq=False)
class _Way:
    """One way to use an item: what it still waits for, and the step that it becomes."""

    place: int
    step: Step
    missing: set[str]
    gives: Variable | None = None
    has_aggregate: bool = False


@dataclass(slots=True)
class _Scheduler:
    items: Sequence[Item]
    bound: frozenset[str]
    shareable: frozenset[str] | None
    """What the items without the negations can bind."""
    waiting: dict[str, list[_Way]] = field(default_factory=dict)
    ready: list[tuple[int, int, _Way]] = field(default_factory=list)
    lists: list[tuple[int, int, _Way]] = field(default_factory=list)
    later: list[_Way] = field(default_factory=list)
    ways: list[_Way] = field(default_factory=list)
    done: set[int] = field(default_factory=set)
    known: set[str] = field(default_factory=set)
    inner: list[Unbound] = field(default_factory=list)
    is_after: bool = False
    ticket: Iterator[int] = field(default_factory=count)
    """Breaks ties in the queues: first come, first served."""

    def schedule(self) -> Schedule:
        self.known = set(self.bound)
        atoms = [(place, item) for place, item in enumerate(self.items) if isinstance(item, Atom)]
        by_atoms = {v.name for _, atom in atoms for v in _binds(atom)} | self.bound
        holds = [not isinstance(item, Atom) and is_aggregate_item(item) for item in self.items]
        # A variable that an aggregate computes waits for it, even if another equation could give it a value.
        reserved = {
            side.name
            for item, has_aggregate in zip(self.items, holds, strict=True)
            if has_aggregate and isinstance(item, Comparison) and item.operator == "="
            for side in (item.left, item.right)
            if isinstance(side, Variable) and side.name not in by_atoms
        }
        for place, item in enumerate(self.items):
            if not isinstance(item, Atom):
                for way in self._ways_of(place, item, by_atoms):
                    way.has_aggregate = holds[place]
                    if not (way.gives and way.gives.name in reserved and not way.has_aggregate):
                        self._offer(way)
        before: list[Step] = []
        self._settle(before)
        for _, atom in atoms:
            before.append(Match(atom))
            self._learn(_binds(atom))
            self._settle(before)
        while self.lists:
            self._enumerate(before)
        first = frozenset(self.known)
        after: list[Step] = []
        self.is_after = True
        for way in self.later:
            heapq.heappush(self.ready, (way.place, next(self.ticket), way))
        self._settle(after)
        while self.lists:
            self._enumerate(after)
        known = frozenset(self.known)
        return Schedule(tuple(before), tuple(after), self._unbound() + tuple(self.inner), known, known - first)

    def _ways_of(self, place: int, item: Negation | Condition, by_atoms: set[str]) -> Iterable[_Way]:
        if isinstance(item, Negation):
            names = [v.name for v in variables(item)]
            shared = tuple(name for name in names if name in (self.shareable or self.bound))
            inside = scheduled(item.items, shared)
            self.inner += inside.unbound
            yield _Way(place, Absent(item, inside, shared), set(shared))
            return
        yield _Way(place, Test(item), {v.name for v in variables(item)})
        if isinstance(item, Comparison) and item.operator == "=":
            for side, other in ((item.left, item.right), (item.right, item.left)):
                if isinstance(side, Variable) and side.name not in by_atoms:
                    needs = {v.name for v in variables(other)}
                    if side.name not in needs:
                        yield _Way(place, Assign(side, other), needs, side)
        if isinstance(item, Member) and not item.is_negated and isinstance(item.item, Variable):
            needs = {v.name for v in variables(item.collection)}
            if item.item.name not in by_atoms and item.item.name not in needs:
                yield _Way(place, Enumerate(item.item, item.collection), needs, item.item)

    def _offer(self, way: _Way) -> None:
        self.ways.append(way)
        way.missing -= self.known
        for name in way.missing:
            self.waiting.setdefault(name, []).append(way)
        if not way.missing:
            self._free(way)

    def _free(self, way: _Way) -> None:
        if way.has_aggregate and not self.is_after:
            self.later.append(way)
        else:
            queue = self.lists if isinstance(way.step, Enumerate) else self.ready
            heapq.heappush(queue, (way.place, next(self.ticket), way))

    def _learn(self, names: Iterable[Variable]) -> None:
        for variable in names:
            if variable.name not in self.known:
                self.known.add(variable.name)
                for way in self.waiting.pop(variable.name, ()):
                    way.missing.discard(variable.name)
                    if not way.missing:
                        self._free(way)

    def _take(self, way: _Way, steps: list[Step]) -> None:
        if way.place in self.done or (way.gives is not None and way.gives.name in self.known):
            return  # done already, or bound meanwhile: then the item tests, and that way is ready too
        self.done.add(way.place)
        steps.append(way.step)
        if way.gives is not None:
            self._learn([way.gives])

    def _settle(self, steps: list[Step]) -> None:
        while self.ready:
            self._take(heapq.heappop(self.ready)[2], steps)

    def _enumerate(self, steps: list[Step]) -> None:
        self._take(heapq.heappop(self.lists)[2], steps)
        self._settle(steps)

    def _unbound(self) -> tuple[Unbound, ...]:
        stuck = [way for way in self.ways if way.place not in self.done]
        needs: dict[str, set[str]] = {}
        for way in stuck:
            if way.gives is not None:
                needs.setdefault(way.gives.name, set()).update(way.missing)
        missing = [
            Unbound(variable, self.items[way.place])
            for way in stuck
            if way.gives is None
            for variable in variables(self.items[way.place])
            if variable.name not in self.known
        ]
        # X = Y + 1 without a Y is short of Y only; X = Y + 1, Y = X - 1 is short of both.
        roots = tuple(u for u in missing if u.variable.name not in needs)
        return roots or tuple(u for u in missing if _needs_itself(u.variable.name, needs))


def _needs_itself(name: str, needs: dict[str, set[str]]) -> bool:
    seen: set[str] = set()
    waiting = [name]
    while waiting:
        for other in needs.get(waiting.pop(), ()):
            if other == name:
                return True
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return False


def _binds(atom: Atom) -> list[Variable]:
    return [
        argument.variable if isinstance(argument, Pack) else argument
        for argument in atom.arguments
        if isinstance(argument, Variable | Pack)
    ]


# -- aggregates and heads ----------------------------------------------------------------------------------------------


def is_aggregate_item(item: Item | HeadItem) -> bool:
    """Whether an item holds an aggregate."""
    if isinstance(item, Atom) and _is_flat(item):
        return False
    return any(isinstance(node, Aggregate) for node in walk(item))


def head_terms(rule: Rule) -> tuple[Term, ...]:
    """Return the arguments of the head atoms and the two sides of a head equality, in order."""
    terms: list[Term] = []
    for item in rule.head:
        if isinstance(item, Atom):
            terms += item.arguments
        elif isinstance(item, Comparison):
            terms += (item.left, item.right)
    return tuple(terms)


def has_aggregate(rule: Rule) -> bool:
    """Whether a rule forms groups."""
    return any(is_aggregate_item(item) for item in (*rule.body, *rule.head))


def depends_on_aggregate(term: Term, schedule: Schedule) -> bool:
    """Whether a term of a rule with that schedule holds an aggregate or a variable that was computed from one."""
    return bool(aggregates(term)) or any(v.name in schedule.aggregated for v in variables(term))


def head_group(rule: Rule, schedule: Schedule | None = None) -> tuple[Term, ...]:
    """Return what the aggregates of a rule are grouped by: the different head terms that depend on no aggregate.

    Constants are left out: they tell no groups apart. A term with an existential variable counts by its other
    variables. Without terms there is one group, and none if the body has no match.
    """
    schedule = schedule or scheduled(rule.body)
    group: dict[Term, None] = {}
    for term in head_terms(rule):
        value: Term = term.record if isinstance(term, Unpack) else term
        if isinstance(value, Constant | Parameter) or depends_on_aggregate(value, schedule):
            continue
        names = variables(value)
        if all(v.name in schedule.bound for v in names):
            group.setdefault(value)
        else:
            group.update((v, None) for v in names if v.name in schedule.bound)
    return tuple(group)


def frontier(rule: Rule, schedule: Schedule | None = None) -> tuple[Variable, ...]:
    """Return the body variables that occur in the head, in the order of the head."""
    bound = (schedule or scheduled(rule.body)).bound
    return tuple(v for v in variables(*_items(rule.head)) if v.name in bound)


def existentials(rule: Rule, schedule: Schedule | None = None) -> tuple[Variable, ...]:
    """Return the head variables that nothing in the body binds, in the order of the head."""
    bound = (schedule or scheduled(rule.body)).bound
    return tuple(v for v in variables(*_items(rule.head)) if v.name not in bound)


def _items(head: Sequence[HeadItem]) -> list[Atom | Comparison]:
    return [item for item in head if not isinstance(item, Denial)]
