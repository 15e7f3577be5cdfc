"""Try again where it matters: small data deserve more thought than one look from largest to smallest.

A few changed records that have to do with each other are put back as they were, those that are unsafe then are repaired
in another order, and what is unnecessary is taken back. It stays if it costs less and no more of the changed records
lean on the nulls of others, or if it costs the same and fewer records lean at all: both numbers count. The order is
random from a fixed beginning and the number of tries is fixed, so the same data always give the same answer.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence

from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.repair import repaired
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import Costs
from tacita.cycle.suppression.take_back import taken_back

_MOST_RECORDS, _MOST_ATTRIBUTES = 1_000, 20
_TRIES = (10, 600)
"""At least and at most; fewer for more records and more attributes."""
_WORK = 800_000
_MOST_PUT_BACK = 8
_STRAIGHT, _ASTRAY = 0.8, 0.4
"""How often a cell that is enough is taken if there is one, and how often any cell if not."""


def polished(alike: LookAlikes, requirement: Requirement, costs: Costs) -> list[int]:
    """Look for a cheaper suppression; return the records that are changed in the end, in file order."""
    changed = [record for record in range(len(alike)) if alike.known[record] != alike.first[record]]
    if not changed or len(alike) > _MOST_RECORDS or alike.attributes > _MOST_ATTRIBUTES:
        return changed
    dice = random.Random(0)
    fewest, most = _TRIES
    for _ in range(min(most, max(fewest, _WORK // (len(alike) * alike.attributes**2)))):
        seed = dice.choice(changed)
        near = [other for other in alike.meeting(seed, alike.known[seed]) if alike.known[other] != alike.first[other]]
        near += [other for other in alike.meeting(seed, alike.first[seed]) if alike.known[other] != alike.first[other]]
        near = sorted(set(near) - {seed})
        dice.shuffle(near)
        _try(alike, requirement, costs, [seed, *near[: dice.randint(1, _MOST_PUT_BACK)]], dice)
        changed = [record for record in range(len(alike)) if alike.known[record] != alike.first[record]]
    return changed


def _try(alike: LookAlikes, requirement: Requirement, costs: Costs, back: Sequence[int], dice: random.Random) -> None:
    """Put some records back and repair what is unsafe then; undo it if it costs more, or more lean on others."""
    before = list(alike.known)
    affected = set(back)
    for record in back:
        affected.update(alike.meeting(record, alike.known[record]))
    were = _leaning(alike, requirement, affected)
    for record in back:
        alike.move(record, alike.first[record])
    wanted = sorted(affected)
    dice.shuffle(wanted)
    moved = repaired(alike, requirement, costs, _Dice(dice), wanted)
    taken_back(alike, requirement, costs, moved)
    touched = {*back, *moved}
    old, new = _cost(alike, costs, before, touched), _cost(alike, costs, alike.known, touched)
    if new <= old and not _somebody_lost(alike, requirement, affected, touched):
        are = _leaning(alike, requirement, affected)
        if are[1] <= were[1] and (new < old or are[0] <= were[0]):
            return
    for record in touched:
        alike.move(record, before[record])


def _leaning(alike: LookAlikes, requirement: Requirement, records: Iterable[int]) -> tuple[int, int]:
    """Return how many records lean on the nulls of others, and how many of these were changed themselves."""
    leaning = [record for record in records if not requirement.is_met_alone(alike.now(record))]
    return len(leaning), sum(alike.known[record] != alike.first[record] for record in leaning)


def _somebody_lost(
    alike: LookAlikes, requirement: Requirement, affected: Iterable[int], touched: Iterable[int]
) -> bool:
    """Return whether somebody is unsafe now: those put back, or others that met a record before it was changed."""
    others = {other for record in touched for other in alike.meeting(record, alike.first[record])}
    return any(not requirement.is_met(alike.now(record)) for record in {*affected, *touched, *others})


def _cost(alike: LookAlikes, costs: Costs, known: Sequence[int], records: Iterable[int]) -> float:
    return sum(costs.of(record, alike.first[record] & ~known[record]) for record in records)


class _Dice:
    """Mostly the cell that brings the record furthest, sometimes another."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice

    def next(
        self, alike: LookAlikes, requirement: Requirement, costs: Costs, record: int, places: Sequence[int]
    ) -> int:
        """Return the attribute."""
        merits = {}
        for place in places:
            count = alike.if_known(record, alike.known[record] & ~(1 << place))
            counted_alike = count.certain + requirement.alpha * count.leaning
            merits[place] = (requirement.is_met(count), (1 + counted_alike) / costs.of(record, 1 << place))
        enough = [place for place, (is_enough, _) in merits.items() if is_enough]
        if enough and self._dice.random() < _STRAIGHT:
            return self._dice.choice(enough)
        if self._dice.random() < _ASTRAY:
            return self._dice.choice(list(places))
        return max(places, key=lambda place: merits[place][1])
