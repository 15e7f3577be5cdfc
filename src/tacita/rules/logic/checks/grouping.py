"""R506, R507, R508: where aggregates stand, and whether a group has one value."""

from __future__ import annotations

from collections.abc import Iterator

from tacita.rules.logic.binding import Assign, Enumerate, Schedule, depends_on_aggregate, head_group, head_terms
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.program import Rule
from tacita.rules.logic.terms import Aggregate, Atom, Denial, Node, Term, Variable, aggregates, children


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
