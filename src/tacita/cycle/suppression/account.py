"""The account of a suppression: what was chosen is done again step by step, and each step is told.

Each suppressed cell gets a decision: the risk of its record before and after, and for every other cell of the record
what its suppression would have come to.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from tacita.cycle.suppression.look_alikes import Count, LookAlikes
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import Costs
from tacita.errors import counted
from tacita.model.decision import Alternative, Decision

FOR_OTHERS = ", for the sake of records that look like it"
"""Behind the rule of a suppression in a record that was safe by then: others would be unsafe without it."""


@dataclass(frozen=True, slots=True)
class Account:
    """Tells suppressions of one pass of the cycle."""

    alike: LookAlikes
    requirement: Requirement
    costs: Costs
    known: Sequence[str]
    rows: Sequence[int]
    rule: str
    levels: Mapping[str, int]
    """The level that whole columns were rolled up to before, by attribute; 0 where nothing is said."""

    def decisions(self, chosen: Iterable[tuple[int, int]], step: int) -> Iterator[Decision]:
        """Yield the decisions that lead to the chosen patterns, numbered from a step on.

        Records that are unsafe at the moment come first; one that is safe by then is changed for the sake of others.
        """
        waiting = list(chosen)
        is_for_others = False
        while waiting:
            later = []
            for record, pattern in waiting:
                if not is_for_others and self.requirement.is_met(self.alike.now(record)):
                    later.append((record, pattern))
                    continue
                for decision in self._of_record(record, pattern, step, FOR_OTHERS if is_for_others else ""):
                    yield decision
                    step += 1
            is_for_others = len(later) == len(waiting)
            waiting = later

    def _of_record(self, record: int, pattern: int, step: int, sake: str) -> Iterator[Decision]:
        gone = [p for p in range(len(self.known)) if (self.alike.known[record] & ~pattern) >> p & 1]
        kept = [p for p in range(len(self.known)) if pattern >> p & 1]
        for place in self._in_order(record, gone):
            yield self._one(record, place, kept, step, self.rule + sake)
            step += 1

    def _in_order(self, record: int, places: Sequence[int]) -> list[int]:
        """Return the cells of a record in the order in which each step brings it furthest."""
        if len(places) == 1:
            return list(places)
        known = self.alike.known[record]
        return sorted(places, key=lambda p: (self.requirement.risk(self.alike.if_known(record, known & ~(1 << p))), p))

    def _one(self, record: int, place: int, kept: Sequence[int], step: int, rule: str) -> Decision:
        alike = self.alike
        pattern = alike.known[record] & ~(1 << place)
        before, after = alike.now(record), alike.if_known(record, pattern)
        helped = alike.companions(record, pattern)
        alternatives = tuple(self._alternative(record, other, place, after, helped) for other in kept)
        alike.move(record, pattern)
        name = self.known[place]
        return Decision(
            step,
            int(self.rows[record]),
            name,
            self.levels.get(name, 0),
            None,
            rule,
            self.requirement.risk(before),
            self.requirement.risk(after),
            alternatives,
        )

    def _alternative(self, record: int, other: int, place: int, after: Count, helped: int) -> Alternative:
        action = f"suppress {self.known[other]}"
        if not self.costs.allowed(record) >> other & 1:
            return Alternative(action, "it must not be touched")
        pattern = self.alike.known[record] & ~(1 << other)
        count = self.alike.if_known(record, pattern)
        if not self.requirement.is_met_alone(count) and self.requirement.is_met_alone(after):
            return Alternative(action, self._too_little(count))
        if self.costs.of(record, 1 << other) > self.costs.of(record, 1 << place):
            return Alternative(action, "it counts for more")
        others = self.alike.companions(record, pattern)
        if others < helped:
            return Alternative(action, f"it would help {counted(others, 'other risky record')} instead of {helped:,}")
        if not self.requirement.is_met(count):
            return Alternative(action, self._too_little(count))
        return Alternative(action, "as good for this record; the choice fits the others better")

    def _too_little(self, count: Count) -> str:
        if self.requirement.k is not None:
            leaning = " without leaning on the nulls of others" if self.requirement.is_met(count) else ""
            return f"{count.certain:,.4g} would look alike{leaning}, {self.requirement.k} are needed"
        return f"the risk would be {self.requirement.risk_at(count.certain, count.certain_weight):.4g}"
