"""Local suppression for measures that count look-alikes: which cells of which records become labelled nulls.

First the fewest nulls (`cover`, `exact_cover`) or an order of the user's (`routing`); then whoever is still unsafe is
repaired step by step; at the end every null that turned out unnecessary is taken back. What is chosen is then replayed,
so that each suppression is told with the risk before and after it and what could have been done instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tacita.cycle.suppression.cover import Cover
from tacita.cycle.suppression.exact_cover import solved
from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.polish import polished
from tacita.cycle.suppression.repair import AttributeOrder, repaired
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import Costs, smallest
from tacita.cycle.suppression.take_back import taken_back
from tacita.progress import Progress, silent

_FOR_THE_SOLVER = 20_000
"""With more choices than these, largest first is left alone."""


@dataclass(frozen=True, slots=True)
class Wishes:
    """How a suppression is to be chosen."""

    costs: Costs
    rank: Sequence[int]
    """The place of each risky record in the order of tuples."""
    order: AttributeOrder
    fewest: bool = True
    """Whether the fewest nulls are looked for, instead of going record by record."""
    take_back: bool = True


def suppress(
    alike: LookAlikes, requirement: Requirement, wishes: Wishes, progress: Progress = silent
) -> list[tuple[int, int]]:
    """Suppress cells until every risky record is safe, or has nothing left; return records and patterns in order."""
    in_order = sorted(range(len(alike)), key=wishes.rank.__getitem__)
    changed: list[int] = []
    if wishes.fewest:
        changed = _fewest(alike, requirement, wishes, in_order, progress)
    changed += repaired(alike, requirement, wishes.costs, wishes.order, in_order, progress)
    if wishes.take_back:
        taken_back(alike, requirement, wishes.costs, changed)
    if wishes.fewest and wishes.take_back:
        changed += polished(alike, requirement, wishes.costs)
    return [(r, alike.known[r]) for r in dict.fromkeys(changed) if alike.known[r] != alike.first[r]]


def _fewest(
    alike: LookAlikes, requirement: Requirement, wishes: Wishes, in_order: Sequence[int], progress: Progress
) -> list[int]:
    """Choose by largest groups first; where the solver finds fewer nulls, take its choice instead."""
    costs = wishes.costs
    candidates = smallest(alike, requirement, costs, range(len(alike)))
    changed = Cover(alike, requirement, candidates, wishes.rank).choose(progress)
    small = sum(len(cell_sets) for cell_sets in candidates.values()) <= _FOR_THE_SOLVER
    if not small or not changed:
        return changed
    changed += repaired(alike, requirement, costs, wishes.order, in_order)
    taken_back(alike, requirement, costs, changed)
    chosen = {r: alike.known[r] for r in dict.fromkeys(changed) if alike.known[r] != alike.first[r]}
    spent = {record: costs.of(record, alike.first[record] & ~pattern) for record, pattern in chosen.items()}
    for record in chosen:
        alike.move(record, alike.first[record])
    better = solved(alike, requirement, candidates, spent)
    for record, pattern in better.items():
        if pattern is None:
            chosen.pop(record, None)
        else:
            chosen[record] = pattern
    for record, pattern in chosen.items():
        alike.move(record, pattern)
    return list(chosen)
