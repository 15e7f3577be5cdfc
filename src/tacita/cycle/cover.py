"""The choice of the fewest nulls: suppress where it repairs most unsafe records at once.

A null in a record of a group (records with the same values of the attributes that stay known) is a look-alike more for
all others of the group. Groups are taken by how many unsafe records they hold for the price, largest first. Of a group
the record that comes first in the order of tuples is changed, if it is safe on its own with this suppression.
"""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence

from tacita.cycle.look_alikes import LookAlikes
from tacita.cycle.requirement import Requirement
from tacita.cycle.smallest import Candidate
from tacita.progress import Progress, Step, silent
from tacita.risk.bounds import is_above

_EVERY = 500
"""Progress is told every so many records."""


class Cover:
    """Chooses whom to change so that everybody is repaired."""

    def __init__(
        self,
        alike: LookAlikes,
        requirement: Requirement,
        candidates: Mapping[int, Sequence[Candidate]],
        rank: Sequence[int],
    ) -> None:
        """Begin with the unsafe records and what may be suppressed in each; `rank` is the order of tuples."""
        self._alike, self._requirement, self._rank = alike, requirement, rank
        self._candidates = {r: {c.pattern: c for c in found} for r, found in candidates.items()}
        counts = {record: alike.now(record) for record in candidates}
        self._frequency = {r: c.certain + requirement.alpha * c.leaning for r, c in counts.items()}
        self._population = {r: c.certain_weight + requirement.alpha * c.leaning_weight for r, c in counts.items()}
        self._unsafe = {record for record, count in counts.items() if not requirement.is_met(count)}
        self._patterns = sorted({c.pattern for found in candidates.values() for c in found}, reverse=True)
        self._unsafe_in: dict[int, dict[int, int]] = {}
        self._heap: list[tuple[float, int, int, int, int]] = []
        self._waiting: dict[tuple[int, int], list[int]] = {}
        """The records of a group that may still be changed, the next one last."""
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

    def _queue(self) -> None:
        """Sort the unsafe records into the groups of all patterns that may come to be."""
        self._of_group: dict[tuple[int, int], int] = {}
        self._cost: dict[tuple[int, int], float] = {}
        firsts: dict[tuple[int, int], int] = {}
        for place, pattern in enumerate(self._patterns):
            number = self._alike.groups(pattern).number
            counts = self._unsafe_in.setdefault(pattern, {})
            for record in sorted(self._unsafe):
                counts[number[record]] = counts.get(number[record], 0) + 1
                candidate = self._candidates[record].get(pattern)
                if candidate is None:
                    continue
                key = (pattern, number[record])
                if key not in self._of_group:
                    self._of_group[key], self._cost[key], firsts[key] = record, candidate.cost, self._rank[record]
                else:
                    self._cost[key] = min(self._cost[key], candidate.cost)
                    firsts[key] = min(firsts[key], self._rank[record])
            for (of_pattern, group), record in self._of_group.items():
                if of_pattern == pattern:
                    gain = self._gain(record, pattern, group)
                    self._heap.append((-gain, place, firsts[pattern, group], pattern, group))
        heapq.heapify(self._heap)

    def _gain(self, record: int, pattern: int, group: int) -> float:
        """Return how many unsafe records a suppression in a group reaches, for its price."""
        return self._unsafe_in[pattern].get(group, 0) / self._cost[pattern, group]

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
            each = waiting.pop()
            if each in self._unsafe and self._requirement.is_met_alone(self._alike.if_known(each, pattern)):
                return each
        return None

    def _change(self, record: int, pattern: int) -> None:
        alike, alpha = self._alike, self._requirement.alpha
        was_full = alike.known[record] == alike.full
        alike.move(record, pattern)
        self.moved.append(record)
        self._repaired(record)
        share, weight = alpha * alike.share(record), alike.weight[record]
        equal = alike.groups(alike.full).number
        for other in alike.members(record, pattern):
            if other not in self._unsafe or alike.known[other] != alike.full:
                continue
            is_equal = was_full and equal[other] == equal[record]
            self._frequency[other] += share - is_equal
            self._population[other] += (share - is_equal) * weight
            risk = self._requirement.risk_at(self._frequency[other], self._population[other])
            if not is_above(risk, self._requirement.measure.threshold):
                self._repaired(other)

    def _repaired(self, record: int) -> None:
        self._unsafe.discard(record)
        for pattern in self._patterns:
            group = self._alike.groups(pattern).number[record]
            self._unsafe_in[pattern][group] -= 1
