"""Which class each risky record joins under the strict meaning of nulls: the most saved first.

Each record begins where it is safe alone. Then classes are opened: those of its records that save something by it join,
and as many others as it takes for whom it costs the same. Nobody leaves a class that would be too small without them.
Which class comes next can be ordered in several ways, all of them quick; the cheapest result is taken.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from tacita.cycle.suppression.equivalence_classes import NOWHERE, TINY, EquivalenceClasses
from tacita.cycle.suppression.requirement import Requirement

ALONE = -1
"""The class of a record that is safe by the safe records it looks like, or not at all."""

Order = Callable[[float, float, int], tuple[float, float]]
"""What a class saves, what its new members cost together, how many they are -> its place."""

ORDERS: tuple[Order, ...] = (
    lambda saved, cost, joining: (cost / joining, -saved),
    lambda saved, cost, joining: (-saved, cost),
    lambda saved, cost, joining: (-saved / joining, cost),
)
"""Fewest nulls for a record, most saved, most saved for a record."""


@dataclass(slots=True)
class _Class:
    """A class that is open or may be opened."""

    members: list[int]
    """The records that may join."""
    price: dict[int, float]
    count: float
    weight: float
    """Safe records and those that joined, and what they stand for."""


class Joining:
    """The class of each record, now."""

    def __init__(self, classes: EquivalenceClasses, requirement: Requirement, weights: Sequence[float]) -> None:
        """Begin with each record alone."""
        self._requirement, self._weights = requirement, weights
        self.classes = classes
        self.cost: list[float] = classes.alone_cost.tolist()
        """What each record costs."""
        self.home: list[int] = [ALONE] * len(self.cost)
        """The class that each record joined."""
        ends, record, price = classes.start.tolist(), classes.record.tolist(), classes.cost.tolist()
        count, weight = classes.count.tolist(), classes.weight.tolist()
        self._classes = [
            _Class(record[a:b], dict(zip(record[a:b], price[a:b], strict=True)), count[i], weight[i])
            for i, (a, b) in enumerate(pairwise(ends))
        ]
        self._joined = [0] * len(self._classes)

    @property
    def spent(self) -> float:
        """What all records cost together."""
        return sum(self.cost)

    def pattern(self, record: int) -> int:
        """Return what stays known of a record; `NOWHERE` if nothing was found for it."""
        home = self.home[record]
        return int(self.classes.alone_pattern[record] if home == ALONE else self.classes.pattern[home])

    def opened(self, order: Order) -> Joining:
        """Open classes in an order until no other saves anything."""
        waiting: list[tuple[tuple[float, float], int]] = []
        for number in range(len(self._classes)):
            self._queue(waiting, number, order)
        heapq.heapify(waiting)
        while waiting:
            place, number = heapq.heappop(waiting)
            joining, saved = self._joining(number)
            if saved <= TINY:
                continue
            now = self._place(number, joining, saved, order)
            if now > place:  # others took some of its records
                heapq.heappush(waiting, (now, number))
                continue
            self.join(number, joining)
        return self

    def _queue(self, waiting: list[tuple[tuple[float, float], int]], number: int, order: Order) -> None:
        joining, saved = self._joining(number)
        if saved > TINY:
            waiting.append((self._place(number, joining, saved, order), number))

    def _place(self, number: int, joining: Sequence[int], saved: float, order: Order) -> tuple[float, float]:
        price = self._classes[number].price
        return order(saved, sum(price[record] for record in joining), len(joining))

    def _joining(self, number: int) -> tuple[list[int], float]:
        """Return the records that should join a class, and what it saves; nothing if too few can."""
        there = self._classes[number]
        cost, price = self.cost, there.price
        left: dict[int, tuple[float, float]] = {}
        winners = [r for r in there.members if price[r] < cost[r] - TINY and self._leaves(r, left)]
        saved = sum(cost[r] - price[r] for r in winners)
        if not winners:
            return [], 0.0
        count = there.count + len(winners)
        weight = there.weight + sum(self._weights[r] for r in winners)
        is_met = self._requirement.is_met_at
        if not is_met(count, weight):
            helping = [r for r in there.members if price[r] >= cost[r] - TINY and self.home[r] != number]
            helping.sort(key=lambda r: price[r] - cost[r])
            for record in helping:
                if not self._leaves(record, left):
                    continue
                winners.append(record)
                saved -= price[record] - cost[record]
                count, weight = count + 1, weight + self._weights[record]
                if saved <= TINY or is_met(count, weight):
                    break
            if not is_met(count, weight):
                return [], 0.0
        return winners, saved

    def _leaves(self, record: int, left: dict[int, tuple[float, float]]) -> bool:
        """Return whether a record can leave its class, after others left; note it if so."""
        home = self.home[record]
        if home == ALONE:
            return True
        there = self._classes[home]
        count, weight = left.get(home, (there.count, there.weight))
        count, weight = count - 1, weight - self._weights[record]
        if not self._requirement.is_met_at(count, weight):
            return False
        left[home] = count, weight
        return True

    def join(self, number: int, records: Sequence[int]) -> None:
        """Let records join a class, or be alone."""
        for record in records:
            home, weight = self.home[record], self._weights[record]
            if home != ALONE:
                self._classes[home].count -= 1
                self._classes[home].weight -= weight
                self._joined[home] -= 1
            self.home[record] = number
            if number == ALONE:
                self.cost[record] = float(self.classes.alone_cost[record])
                continue
            there = self._classes[number]
            there.count += 1
            there.weight += weight
            self._joined[number] += 1
            self.cost[record] = there.price[record]

    def joined(self, number: int) -> int:
        """Return how many records have joined a class."""
        return self._joined[number]

    @property
    def unplaced(self) -> list[int]:
        """The records for which nothing was found."""
        return [record for record in range(len(self.home)) if self.pattern(record) == NOWHERE]


def joined(classes: EquivalenceClasses, requirement: Requirement, weights: Sequence[float]) -> Joining:
    """Return the cheapest of some ways to join classes."""
    ways = (Joining(classes, requirement, weights).opened(order) for order in ORDERS)
    return min(ways, key=lambda joining: joining.spent)
