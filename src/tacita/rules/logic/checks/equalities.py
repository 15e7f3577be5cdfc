"""R505: joins on values that an equality rule may change.

An equality rule is harmless if it only makes nulls known or the same. If a rule joins on what is equated, each change
may enable new matches, and the outcome of the one depends on the other.
"""

from __future__ import annotations

from collections.abc import Iterator

from tacita.errors import counted
from tacita.rules.logic.checks.codes import fault
from tacita.rules.logic.checks.subject import Subject
from tacita.rules.logic.dependencies import equated_positions
from tacita.rules.logic.faults import Fault
from tacita.rules.logic.nulls import Flow, Position
from tacita.rules.logic.terms import Comparison


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
