"""Which predicate depends on which: edges, strongly connected components, cycles, and rules that make new versions."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import permutations
from typing import Any

from tacita.rules.logic.binding import Schedule, existentials, scheduled
from tacita.rules.logic.monotonicity import UseKind, uses
from tacita.rules.logic.nulls import Flow, Position, affected, flows, name_of, upstream
from tacita.rules.logic.program import Fact, Program, Rule
from tacita.rules.logic.terms import Atom, Comparison, Constant, Item, ListOf, Negation, walk


class EdgeKind(StrEnum):
    """Whether one predicate must be complete before the other is begun."""

    POSITIVE = "positive"
    NEGATIVE = "negative"
    AGGREGATE = "aggregate"


@dataclass(frozen=True, slots=True)
class Edge:
    """The target depends on the source, because of a rule."""

    source: str
    target: str
    kind: EdgeKind
    rule: Rule
    is_bond: bool = False
    """Whether they depend on each other only because the rule makes new values that both share."""


# -- edges -------------------------------------------------------------------------------------------------------------


def edges(
    program: Program,
    versioned: Mapping[str, Any] | None = None,
    nullable: Collection[Position] = (),
    schedules: Sequence[Schedule] | None = None,
) -> tuple[Edge, ...]:
    """Return what depends on what, in the order of the rules, without repetitions.

    The head predicates of a rule with existential variables depend on each other: they share their nulls. An equality
    rule changes the predicates that carry what it equates, and all those that their nulls come from. With `versioned`,
    the edges that rules making new versions add to the versioned predicates are left out: such rules wait until the
    rest of the program is done. `nullable` are the positions where the data have unknown values, `schedules` the
    schedules of the rules, if they are there already.
    """
    rules = program.rules
    schedules = schedules or tuple(scheduled(rule.body) for rule in rules)
    changed = _changed(program, schedules, nullable)
    by_ends: dict[tuple[str, str, EdgeKind, int], Edge] = {}
    for number, (rule, schedule) in enumerate(zip(rules, schedules, strict=True)):
        for source, target, kind in _edges_of(rule, schedule, changed.get(number, ())):
            by_ends.setdefault((source, target, kind, number), Edge(source, target, kind, rule))
        heads = head_predicates(rule)
        if len(heads) > 1 and existentials(rule, schedule):
            for source, target in permutations(heads, 2):
                bond = Edge(source, target, EdgeKind.POSITIVE, rule, is_bond=True)
                by_ends.setdefault((source, target, EdgeKind.POSITIVE, number), bond)
    result = tuple(by_ends.values())
    if not versioned:
        return result
    late = {id(rule) for rule in _version_rules(program, result, versioned)}
    return tuple(e for e in result if not (e.target in versioned and id(e.rule) in late))


def _edges_of(rule: Rule, schedule: Schedule, changed: Sequence[str]) -> Iterator[tuple[str, str, EdgeKind]]:
    heads = head_predicates(rule)
    is_final = any(use.kind is UseKind.FINAL for use in uses(rule, schedule))
    for source, is_negated in body_predicates(rule.body):
        kind = EdgeKind.POSITIVE
        if is_negated or is_final:
            kind = EdgeKind.NEGATIVE if is_negated else EdgeKind.AGGREGATE
        yield from ((source, target, kind) for target in (*heads, *changed))


def body_predicates(items: Iterable[Item]) -> Iterator[tuple[str, bool]]:
    """Yield the predicates of a body, and whether each stands under a negation."""
    for item in items:
        if isinstance(item, Atom):
            yield name_of(item), False
        elif isinstance(item, Negation):
            yield from ((name_of(node), True) for node in walk(item) if isinstance(node, Atom))


def head_predicates(rule: Rule) -> tuple[str, ...]:
    """Return the different predicates of a head."""
    return tuple(dict.fromkeys(name_of(item) for item in rule.head if isinstance(item, Atom)))


def _changed(
    program: Program, schedules: Sequence[Schedule], nullable: Collection[Position]
) -> dict[int, tuple[str, ...]]:
    """Return for the equality rules, by number, the predicates whose nulls they may replace."""
    rules = program.rules
    numbers = [n for n, rule in enumerate(rules) if any(isinstance(item, Comparison) for item in rule.head)]
    if not numbers:
        return {}
    nulls = flows(program, schedules)
    places = affected(nulls, nullable)
    changed = {}
    for number in numbers:
        carriers = equated_positions(nulls[number])
        predicates = [p for p, _ in carriers] + sorted(p for p, _ in upstream(nulls, places, carriers))
        changed[number] = tuple(dict.fromkeys(predicates))
    return changed


def equated_positions(one: Flow) -> tuple[Position, ...]:
    """Return the body positions whose values an equality rule equates."""
    equated: dict[Position, None] = {}
    for item in one.rule.head:
        if isinstance(item, Comparison):
            for name in (*one.origins(item.left), *one.origins(item.right)):
                equated.update((position, None) for _, position in one.places.get(name, ()))
    return tuple(equated)


# -- components and cycles ---------------------------------------------------------------------------------------------


def predicates(program: Program) -> tuple[str, ...]:
    """Return all predicates of a program in the order of their first place."""
    names: dict[str, None] = {}
    for clause in program.clauses:
        if isinstance(clause, Rule):
            names.update((name, None) for name, _ in body_predicates(clause.body))
            names.update((name, None) for name in head_predicates(clause))
        elif isinstance(clause, Fact):
            names[name_of(clause.atom)] = None
    return tuple(names)


def components(nodes: Iterable[str], edges: Iterable[Edge]) -> tuple[tuple[str, ...], ...]:
    """Return the strongly connected components: what depends on another comes after it, else the first named first.

    >>> rule = Rule((), ())
    >>> links = [("b", "c"), ("c", "b"), ("a", "b")]
    >>> components("cab", [Edge(a, b, EdgeKind.POSITIVE, rule) for a, b in links])
    (('a',), ('c', 'b'))
    """
    order: dict[str, int] = {}
    for node in nodes:
        order.setdefault(node, len(order))
    after: dict[str, dict[str, None]] = {}
    for edge in edges:
        for node in (edge.source, edge.target):
            order.setdefault(node, len(order))
        after.setdefault(edge.source, {})[edge.target] = None
    groups = strong_components(order, {node: list(targets) for node, targets in after.items()})
    members = [sorted(group, key=order.__getitem__) for group in groups]
    home = {node: number for number, group in enumerate(members) for node in group}
    # The order of the algorithm is one of many; take the one that follows the text.
    followers: list[set[int]] = [set() for _ in members]
    for source, targets in after.items():
        followers[home[source]].update(home[target] for target in targets if home[target] != home[source])
    open_ = [0] * len(members)
    for following in followers:
        for number in following:
            open_[number] += 1
    ready = [(order[members[number][0]], number) for number, waits in enumerate(open_) if not waits]
    heapq.heapify(ready)
    result = []
    while ready:
        _, number = heapq.heappop(ready)
        result.append(tuple(members[number]))
        for following_number in followers[number]:
            open_[following_number] -= 1
            if not open_[following_number]:
                heapq.heappush(ready, (order[members[following_number][0]], following_number))
    return tuple(result)


def strong_components(nodes: Iterable[Any], after: Mapping[Any, Sequence[Any]]) -> list[list[Any]]:
    """Return the strongly connected components of any graph (Tarjan's algorithm, without recursion)."""
    number: dict[Any, int] = {}
    low: dict[Any, int] = {}
    path: list[Any] = []
    on_path: set[Any] = set()
    components: list[list[Any]] = []
    for root in nodes:
        if root in number:
            continue
        number[root] = low[root] = len(number)
        path.append(root)
        on_path.add(root)
        walking = [(root, iter(after.get(root, ())))]
        while walking:
            node, targets = walking[-1]
            for target in targets:
                if target not in number:
                    number[target] = low[target] = len(number)
                    path.append(target)
                    on_path.add(target)
                    walking.append((target, iter(after.get(target, ()))))
                    break
                if target in on_path:
                    low[node] = min(low[node], number[target])
            else:
                walking.pop()
                if walking:
                    low[walking[-1][0]] = min(low[walking[-1][0]], low[node])
                if low[node] == number[node]:
                    components.append([])
                    while not components[-1] or components[-1][-1] != node:
                        components[-1].append(path.pop())
                    on_path.difference_update(components[-1])
    return components


def is_recursive(component: Collection[str], edges: Iterable[Edge]) -> bool:
    """Whether a component has a cycle: several predicates, or one that depends on itself."""
    return len(component) > 1 or any(e.source in component and e.target in component for e in edges)


def cycle(edges: Iterable[Edge], component: Collection[str], through: Edge | None = None) -> tuple[Edge, ...]:
    """Return a shortest cycle inside a component, beginning with an edge; without one, with the first that is not
    positive, else with the first.
    """
    within = frozenset(component)
    inside = [e for e in edges if e.source in within and e.target in within]
    if not inside:
        return ()
    first = through or next((e for e in inside if e.kind is not EdgeKind.POSITIVE), inside[0])
    after: dict[str, list[Edge]] = {}
    # What a rule says explains more than what it makes.
    for edge in (*(e for e in inside if not e.is_bond), *(e for e in inside if e.is_bond)):
        after.setdefault(edge.source, []).append(edge)
    came: dict[str, Edge] = {}
    waiting = deque([first.target])
    while waiting and first.source not in came and first.source != first.target:
        for edge in after.get(waiting.popleft(), ()):
            if edge.target not in came and edge.target != first.target:
                came[edge.target] = edge
                waiting.append(edge.target)
    back: list[Edge] = []
    node = first.source
    while node != first.target:
        if node not in came:
            return ()
        back.append(came[node])
        node = came[node].source
    return (first, *reversed(back))


# -- versions ----------------------------------------------------------------------------------------------------------


def versioned(program: Program) -> dict[str, tuple[str, ...]]:
    """Return the predicates of which only the newest version counts, with the names of their keys."""
    keys: dict[str, tuple[str, ...]] = {}
    for annotation in program.directives("versioned"):
        predicate, key = annotation.text(0), annotation.option("key")
        names = key.items if isinstance(key, ListOf) else ()
        if predicate is not None:
            keys[predicate] = tuple(
                name.value for name in names if isinstance(name, Constant) and isinstance(name.value, str)
            )
    return keys


def version_rules(program: Program) -> tuple[Rule, ...]:
    """Return the rules that make a new version of a predicate out of what depends on it."""
    return _version_rules(program, edges(program), versioned(program))


def _version_rules(program: Program, edges: Iterable[Edge], versioned: Mapping[str, Any]) -> tuple[Rule, ...]:
    after: dict[str, list[str]] = {}
    for edge in edges:
        after.setdefault(edge.source, []).append(edge.target)
    dependent = {predicate: _reachable(predicate, after) for predicate in versioned}
    return tuple(
        rule
        for rule in program.rules
        if any(
            source in dependent[head]
            for head in head_predicates(rule)
            if head in versioned
            for source, _ in body_predicates(rule.body)
        )
    )


def _reachable(start: str, after: Mapping[str, Sequence[str]]) -> set[str]:
    reached, waiting = {start}, [start]
    while waiting:
        for target in after.get(waiting.pop(), ()):
            if target not in reached:
                reached.add(target)
                waiting.append(target)
    return reached
