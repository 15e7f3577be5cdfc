"""R509: what holds of a null only until an equality rule makes it known.

A rule that is completed together with an equality rule may see a null before the equality changes it. ``Y is null``,
``Y != Z`` and a negation can hold of the null and fail of what it becomes; the conclusion would stay.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.dependencies import equated_positions, head_predicates
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.nulls import Flow, Position, harmful, upstream
from tacita.rules.logic.terms import Comparison, IsNull, Item, Member, Negation, variables


def overturned(subject: Subject) -> Iterator[Fault]:
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
