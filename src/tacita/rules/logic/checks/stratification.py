"""R501, R502, R503, R505 to R509: negation, aggregates and equality rules, where a later round changes what they see.

Negation and final figures may not stand inside their own recursion (R501 to R503). An equality rule is harmless if it
only makes nulls known or the same. If a rule joins on what is equated, each change may enable new matches, and the
outcome of the one depends on the other (R505). A rule that is completed together with an equality rule may see a null
before the equality changes it: ``Y is null``, ``Y != Z`` and a negation can hold of the null and fail of what it
becomes, and the conclusion would stay (R509). R506 to R508 are about where aggregates stand, and whether a group has
one value.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence

from tacita.errors import counted
from tacita.rules.logic.binding import Assign, Enumerate, Schedule, depends_on_aggregate, head_group, head_terms
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.dependencies import Edge, EdgeKind, cycle, equated_positions, head_predicates
from tacita.rules.logic.faults import Fault, Origin
from tacita.rules.logic.monotonicity import MONOTONE, VALUES, Use, UseKind, thresholds
from tacita.rules.logic.nulls import Flow, Position, harmful, name_of, upstream
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import (
    Aggregate,
    Atom,
    Comparison,
    Denial,
    IsNull,
    Item,
    Member,
    Negation,
    Node,
    Term,
    Variable,
    aggregates,
    children,
    variables,
    walk,
)

_CYCLES = 10
"""So many cycles of one recursion are spelled out."""


def stratification(subject: Subject) -> Iterator[Fault]:
    """Find negations and final figures that depend on their own outcome."""
    numbers = {id(rule): number for number, rule in enumerate(subject.rules)}
    for component, inside in subject.inner_edges.items():
        seen: set[tuple[int, EdgeKind, str]] = set()
        for edge in inside:
            subject_of = edge.source if edge.kind is EdgeKind.NEGATIVE else ""
            key = (id(edge.rule), edge.kind, subject_of)
            if edge.kind is EdgeKind.POSITIVE or key in seen or len(seen) >= _CYCLES:
                continue
            seen.add(key)
            round_ = cycle(inside, subject.components[component], edge)
            if edge.kind is EdgeKind.NEGATIVE:
                yield _negated(edge, round_)
            else:
                yield from _aggregated(edge.rule, subject.uses[numbers[id(edge.rule)]], round_)


def spelled(cycle: Sequence[Edge]) -> str:
    """Return a cycle in words, predicate by predicate; the edge that it was found by comes last."""
    return ", and ".join(_link(edge) for edge in (*cycle[1:], *cycle[:1]))


def _link(edge: Edge) -> str:
    how = {EdgeKind.POSITIVE: "", EdgeKind.NEGATIVE: "not ", EdgeKind.AGGREGATE: "an aggregate over "}[edge.kind]
    by = f"by {edge.rule.name} ({edge.rule.origin})"
    if edge.is_bond:
        return f"{edge.target} shares new values with {edge.source} {by}"
    if any(isinstance(item, Comparison) for item in edge.rule.head):
        return f"{edge.target} may be changed because of {how}{edge.source} {by}"
    return f"{edge.target} depends on {how}{edge.source} {by}"


def _negated(edge: Edge, round_: Sequence[Edge]) -> Fault:
    message = f"whether '{edge.source}' is absent depends on itself: {spelled(round_)}"
    do = (
        f"take the negation out of the cycle: negate a predicate that is complete before {edge.target} is begun, "
        "or build the candidates first and leave some out in a later rule"
    )
    return fault("R501", message, _negation(edge), do)


def _negation(edge: Edge) -> Origin:
    for item in edge.rule.body:
        if isinstance(item, Negation):
            for node in walk(item):
                if isinstance(node, Atom) and name_of(node) == edge.source:
                    return item.origin
    return edge.rule.origin


def _aggregated(rule: Rule, uses: Sequence[Use], round_: Sequence[Edge]) -> Iterator[Fault]:
    for use in uses:
        if use.kind is not UseKind.FINAL:
            continue
        function = use.aggregate.function
        if function not in MONOTONE:
            grown = {"collect": "munion", "avg": ""}.get(function, f"m{function}")
            message = f"{function} needs a complete body, which it never has: {spelled(round_)}"
            instead = f"use {grown} if the figure only has to pass a threshold, or " if grown else ""
            do = f"{instead}compute the figure in a rule outside the cycle"
            yield fault("R502", message, use.aggregate.origin, do)
        else:
            message = (
                f"{function} is still being formed here, and {_how(use)} may be overtaken by a later round: "
                f"{spelled(round_)}"
            )
            yield fault("R503", message, use.where.origin, _allowed(function))


def _how(use: Use) -> str:
    if isinstance(use.where, Comparison):
        return f"a comparison with {use.where.operator}"
    return "a figure computed from it"


def _allowed(function: str) -> str:
    what = f"size({function}(...))" if function == "munion" else function
    value = f", and {function} as it is, as an argument of the head" if function in VALUES else ""
    more, most = thresholds(function)
    return (
        f"allowed inside a recursion: {what} {more} or {most} something that depends on no aggregate{value}; "
        "for anything else move the rule out of the cycle"
    )


def equalities(subject: Subject) -> Iterator[Fault]:
    """Find joins on what an equality rule equates."""
    numbers = [n for n, rule in enumerate(subject.rules) if any(isinstance(i, Comparison) for i in rule.head)]
    for number in numbers:
        changed = frozenset(p for p in equated_positions(subject.flows[number]) if p in subject.affected)
        if not changed:
            continue
        joins = [(one, name) for one in subject.flows for name in _joined(one, changed)]
        if joins:
            one, name = joins[0]
            positions = [position for _, position in one.places[name] if position in changed]
            predicate, at = positions[0]
            more = f" (and {counted(len(joins) - 1, 'more join')})" if len(joins) > 1 else ""
            message = (
                f"this equality may change argument {at + 1} of '{predicate}', and {name} is joined on it in "
                f"{one.rule.name} ({one.rule.origin}){more}"
            )
            do = "join on a key instead, or make sure that the values are known before they are joined: 'is not null'"
            yield fault("R505", message, subject.rules[number].origin, do)


def _joined(one: Flow, changed: frozenset[Position]) -> Iterator[str]:
    for name, places in one.places.items():
        if len(places) > 1 and name not in one.known and any(position in changed for _, position in places):
            yield name


def overturned_conditions(subject: Subject) -> Iterator[Fault]:
    """Find conditions that an equality rule of the same recursion may make untrue."""
    rules = enumerate(subject.rules)
    for number in [n for n, rule in rules if any(isinstance(item, Comparison) for item in rule.head)]:
        ends = equated_positions(subject.flows[number])
        changed = upstream(subject.flows, subject.affected, ends)
        homes = {subject.home[predicate] for predicate, _ in changed}
        for one in subject.flows:
            if any(subject.home[predicate] in homes for predicate in head_predicates(one.rule)):
                yield from _overturned(one, changed, subject, number)


def _overturned(one: Flow, changed: Collection[Position], subject: Subject, number: int) -> Iterator[Fault]:
    nulls = harmful(one, subject.affected)
    may_change = {name for name in nulls if any(position in changed for _, position in one.places[name])}
    computed = {name for name, sources in one.sources.items() if may_change & set(sources)}
    equality = subject.rules[number]
    for item in one.rule.body:
        name = _unsteady(item, may_change | computed)
        if name is not None:
            yield fault(
                "R509",
                f"this may hold while {name} is null and no longer when {equality.name} ({equality.origin}) has "
                f"changed it, and both belong to one recursion",
                item.origin,
                "ask for it in a rule that nothing in the recursion depends on, or let the equality come first: "
                "take what it equates from a predicate of its own",
            )


def _unsteady(item: Item, names: Collection[str]) -> str | None:
    """Return a variable of a condition that may hold of a null and fail of a value."""
    unsteady = (
        isinstance(item, Negation)
        or (isinstance(item, IsNull | Member) and item.is_negated == isinstance(item, Member))
        or (isinstance(item, Comparison) and item.operator == "!=")
    )
    return next((v.name for v in variables(item) if v.name in names), None) if unsteady else None


def grouping(subject: Subject) -> Iterator[Fault]:
    """Find aggregates where none can stand, and heads that are not determined by their group."""
    for number, rule in enumerate(subject.rules):
        if not any(isinstance(node, Aggregate) for part in subject.nodes[number] for node in part):
            continue
        for item in rule.body:
            if isinstance(item, Atom):
                for aggregate in aggregates(item):
                    message = f"{aggregate.function} stands inside an atom of the body"
                    do = f"name it first: S = {aggregate.function}(...), and compare S with the argument"
                    yield fault("R506", message, aggregate.origin, do)
        if subject.uses[number]:
            yield from _several(rule, subject.schedules[number])
        yield from _denied(rule)


def _several(rule: Rule, schedule: Schedule) -> Iterator[Fault]:
    group = {term.name for term in head_group(rule, schedule) if isinstance(term, Variable)}
    computed: dict[str, Term] = {}
    for step in schedule.after:
        if isinstance(step, Assign | Enumerate):
            computed[step.variable.name] = step.term if isinstance(step, Assign) else step.collection
    for term in head_terms(rule):
        if depends_on_aggregate(term, schedule):
            for variable in _beside(term, computed):
                if variable.name not in group and variable.name in schedule.bound:
                    message = f"{variable.name} is not part of the group, so a group may have several values here"
                    do = f"put {variable.name} into the head, or compute it from the group"
                    yield fault("R507", message, variable.origin, do)


def _beside(term: Term, computed: dict[str, Term]) -> Iterator[Variable]:
    """Yield the variables of a term that are read beside its aggregates, not under them."""
    waiting: list[Node] = [term]
    seen: set[str] = set()
    while waiting:
        node = waiting.pop()
        if isinstance(node, Variable):
            if node.name in seen:
                continue
            seen.add(node.name)
            if node.name in computed:
                waiting.append(computed[node.name])
            else:
                yield node
        elif not isinstance(node, Aggregate):
            waiting += children(node)


def _denied(rule: Rule) -> Iterator[Fault]:
    if any(isinstance(item, Denial) for item in rule.head):
        for aggregate in (a for item in rule.body for a in aggregates(item)):
            message = f"a denial has no group, so that {aggregate.function} runs over all matches together"
            do = "compute the figure per group in a rule of its own, and deny it there"
            yield fault("R508", message, aggregate.origin, do)
            return
