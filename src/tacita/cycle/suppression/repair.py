"""Repair one record after the other, one cell at a time, until each is safe: the cycle step by step.

Which record comes next and which of its cells goes first are orders that can be chosen (`routing`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import Costs
from tacita.progress import Progress, Step, silent

_EVERY = 500


class AttributeOrder(Protocol):
    """Says which cell of a record is suppressed next."""

    def next(
        self, alike: LookAlikes, requirement: Requirement, costs: Costs, record: int, places: Sequence[int]
    ) -> int:
        """Return one of the attributes of a record that may be suppressed, by their numbers."""


def repaired(
    alike: LookAlikes,
    requirement: Requirement,
    costs: Costs,
    order: AttributeOrder,
    records: Iterable[int],
    progress: Progress = silent,
) -> list[int]:
    """Suppress cells of unsafe records in the order given; return the changed records, in order, some maybe twice.

    A suppression may take a certain look-alike away from others, unless nulls match everything: then these come again.
    """
    moved: list[int] = []
    wanted = _unsafe_of(alike, requirement, records)
    while wanted:
        again: list[int] = []
        for done, record in enumerate(wanted):
            if done % _EVERY == 0:
                progress(Step("repairing", done, len(wanted)))
            changed = _one(alike, requirement, costs, order, record)
            if changed:
                moved.append(record)
                again.append(record)
        wanted = _worse_off(alike, requirement, costs, again, wanted) if requirement.alpha < 1 else []
    return moved


def _unsafe_of(alike: LookAlikes, requirement: Requirement, records: Iterable[int]) -> list[int]:
    """Leave out complete records that are safe, where a record that is safe stays so: if a null counts in full."""
    at_once = alike.complete_now(requirement.alpha) if requirement.alpha == 1 else None
    if at_once is None:
        return list(records)
    frequency, population = at_once
    return [
        record
        for record in records
        if alike.known[record] != alike.full or not requirement.is_met_at(frequency[record], population[record])
    ]


def _one(alike: LookAlikes, requirement: Requirement, costs: Costs, order: AttributeOrder, record: int) -> bool:
    changed = False
    while not requirement.is_met(alike.now(record)):
        left = alike.known[record] & costs.allowed(record)
        places = [place for place in range(alike.attributes) if left >> place & 1]
        if not places:
            break
        place = order.next(alike, requirement, costs, record, places)
        alike.move(record, alike.known[record] & ~(1 << place))
        changed = True
    return changed


def _worse_off(
    alike: LookAlikes, requirement: Requirement, costs: Costs, changed: Sequence[int], among: Sequence[int]
) -> list[int]:
    """Return the records that lost a look-alike to changes, and can still be changed."""
    if not changed:
        return []
    return [
        record
        for record in among
        if alike.known[record] & costs.allowed(record) and not requirement.is_met(alike.now(record))
    ]


class MostGained:
    """Suppresses the cell that brings the record furthest: safe on its own, then by look-alikes for the price."""

    def next(
        self, alike: LookAlikes, requirement: Requirement, costs: Costs, record: int, places: Sequence[int]
    ) -> int:
        """Return the attribute; the first of equal ones."""

        def merit(place: int) -> tuple[bool, float, float]:
            pattern = alike.known[record] & ~(1 << place)
            count = alike.if_known(record, pattern)
            cost = costs.of(record, 1 << place)
            counted_alike = count.certain + requirement.alpha * count.leaning
            is_enough = requirement.is_met_alone(count)
            return (is_enough, -cost if is_enough else counted_alike / max(cost, 1e-12), counted_alike)

        return max(places, key=merit)
