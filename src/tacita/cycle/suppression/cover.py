"""The choice of the fewest nulls: suppress where it repairs most unsafe records at once.

A null in a record of a group (records with the same values of the attributes that stay known) is a look-alike more for
all others of the group. Groups are taken by how many unsafe records they hold for the price, largest first. Of a group
the record that comes first in the order of tuples is changed, if it is safe on its own with this suppression.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from tacita.cycle.suppression.look_alikes import LookAlikes
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import CellSet
from tacita.progress import Progress, Step, silent

_EVERY = 500
"""Progress is told every so many records."""


class Cover:
    """Chooses whom to change so that everybody is repaired."""

    def __init__(
        self,
        alike: LookAlikes,
        requirement: Requirement,
        candidates: Mapping[int, Sequence[CellSet]],
        rank: Sequence[int],
    ) -> None:
        """Begin with the unsafe records and what may be suppressed in each; `rank` is the order of tuples."""
        self._alike, self._requirement, self._rank = alike, requirement, rank
        self._candidates = {r: {c.pattern: c for c in cell_sets} for r, cell_sets in candidates.items()}
        self._frequency, self._population = self._counted(list(candidates))
        self._unsafe = {r for r in candidates if not requirement.is_met_at(self._frequency[r], self._population[r])}
        self._patterns = sorted({p for cell_sets in self._candidates.values() for p in cell_sets}, reverse=True)
        self._unsafe_in: dict[int, list[int]] = {}
        self._heap: list[tuple[float, int, int, int, int]] = []
        self._waiting: dict[tuple[int, int], list[int]] = {}
        """The records of a group that may still be changed, the next one last."""
        self._left: dict[tuple[int, int], list[int]] = {}
        """The records of a group that are still unsafe, and maybe some more."""
        self.moved: list[int] = []

    def choose(self, progress: Progress = silent) -> list[int]:
        """Suppress until no group can repair anybody; return the changed records in order."""
        self._queue()
        total = len(self._unsafe)
        while self._heap:
            gain, place, first, pattern, group = heapq.heappop(self._heap)
            record = self._of_group[pattern, group]
            now = self._gain(record, pattern, group)
            if not now:
                continue
            if now != -gain:
                heapq.heappush(self._heap, (-now, place, first, pattern, group))
                continue
            chosen = self._chosen(record, pattern, group)
            if chosen is None:
                continue
            self._change(chosen, pattern)
            if len(self.moved) % _EVERY == 0:
                progress(Step("suppressing", total - len(self._unsafe), total))
            heapq.heappush(self._heap, (gain, place, first, pattern, group))
        return self.moved

    def _counted(self, records: Sequence[int]) -> tuple[dict[int, float], dict[int, float]]:
        """Return the look-alikes of records as they are and what they stand for."""
        alike, alpha = self._alike, self._requirement.alpha
        at_once = alike.complete_now(alpha)
        frequency, population = {}, {}
        for record in records:
            if at_once is not None and alike.known[record] == alike.full:
                frequency[record], population[record] = at_once[0][record], at_once[1][record]
                continue
            count = alike.now(record)
            frequency[record] = count.certain + alpha * count.leaning
            population[record] = count.certain_weight + alpha * count.leaning_weight
        return frequency, population

    def _queue(self) -> None:
        """Sort the unsafe records into the groups of all patterns that may come to be."""
        import numpy as np

        self._of_group: dict[tuple[int, int], int] = {}
        self._cost: dict[tuple[int, int], float] = {}
        unsafe = np.array(sorted(self._unsafe), dtype=np.int64)
        rank = np.array(self._rank, dtype=np.int64)
        for place, pattern in enumerate(self._patterns):
            groups = self._alike.groups(pattern)
            number = np.array(groups.number, dtype=np.int64)
            counts = np.bincount(number[unsafe], minlength=len(groups.start) - 1)
            self._unsafe_in[pattern] = counts.tolist()
            with_costs = [(r, c.cost) for r in unsafe.tolist() if (c := self._candidates[r].get(pattern)) is not None]
            if not with_costs:
                continue
            records = np.array([r for r, _ in with_costs], dtype=np.int64)
            order = np.argsort(number[records], kind="stable")
            records, costs = records[order], np.array([cost for _, cost in with_costs])[order]
            numbers, starts = np.unique(number[records], return_index=True)
            cheapest = np.minimum.reduceat(costs, starts)
            firsts = np.minimum.reduceat(rank[records], starts)
            gains = -(counts[numbers] / cheapest)
            for gain, first, group, record, cost in zip(
                *(a.tolist() for a in (gains, firsts, numbers, records[starts], cheapest)), strict=True
            ):
                self._of_group[pattern, group], self._cost[pattern, group] = record, cost
                self._heap.append((gain, place, first, pattern, group))
        heapq.heapify(self._heap)

    def _gain(self, record: int, pattern: int, group: int) -> float:
        """Return how many unsafe records a suppression in a group reaches, for its price."""
        return self._unsafe_in[pattern][group] / self._cost[pattern, group]

    def _chosen(self, record: int, pattern: int, group: int) -> int | None:
        """Return the next record of a group that may be changed, and is safe on its own then."""
        waiting = self._waiting.get((pattern, group))
        if waiting is None:
            among = [
                r
                for r in self._alike.members(record, pattern)
                if r in self._unsafe and pattern in self._candidates.get(r, ())
            ]
            among.sort(
                key=lambda r: (self._candidates[r][pattern].cost, self._frequency[r], self._rank[r]), reverse=True
            )
            waiting = self._waiting[pattern, group] = among
        while waiting:
            next_record = waiting.pop()
            if next_record in self._unsafe and self._requirement.is_met_alone(
                self._alike.if_known(next_record, pattern)
            ):
                return next_record
        return None

    def _change(self, record: int, pattern: int) -> None:
        alike, unsafe = self._alike, self._unsafe
        was_full = alike.known[record] == alike.full
        alike.move(record, pattern)
        self.moved.append(record)
        self._repaired(record)
        share, weight = self._requirement.alpha * alike.share(record), alike.weight[record]
        equal = alike.groups(alike.full).number
        if not share:  # its nulls are nobody's look-alike: only its equals lose one
            for other in alike.members(record, alike.full) if was_full else ():
                if other in unsafe and alike.known[other] == alike.full:
                    self._frequency[other] -= 1
                    self._population[other] -= weight
            return
        key = (pattern, alike.groups(pattern).number[record])
        among = self._left.get(key)
        if among is None:
            among = alike.members(record, pattern)
        frequency, population, known, full = self._frequency, self._population, alike.known, alike.full
        mine, enough = equal[record] if was_full else -1, self._requirement.enough
        counts = self._requirement.k is not None
        for other in among:
            if other not in unsafe or known[other] != full:
                continue
            gained = share - (equal[other] == mine)
            frequency[other] += gained
            population[other] += gained * weight
            if counts:
                if frequency[other] >= enough:
                    self._repaired(other)
            elif self._requirement.is_met_at(frequency[other], population[other]):
                self._repaired(other)
        self._left[key] = [other for other in among if other in unsafe]

    def _repaired(self, record: int) -> None:
        self._unsafe.discard(record)
        for pattern, counts in self._unsafe_in.items():
            counts[self._alike.groups(pattern).number[record]] -= 1
