"""The equivalence classes that risky records can join under the strict meaning of nulls, and what joining costs.

Strictly (alpha = 0) a record of which the attributes P are known counts the complete records that agree with it on P,
and those of which exactly P is known too, with the same values: these are its *class*. A complete record that is
unsafe stays so until it is changed, so each of them gets at least one null, and none of them counts for anybody as a
complete record any more. The safe ones never change. So all that a suppression decides is which class each risky record
joins: a class has as many look-alikes as the safe records in it and the risky ones that join it.

A record is safe *alone* in a class if the safe records there are enough for it. Other classes are worth something only
if enough risky records join them together, which is what has to be decided (`joining`, `joining_solved`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tacita.cycle.suppression.look_alikes import CodedRecords
from tacita.cycle.suppression.requirement import Requirement
from tacita.cycle.suppression.smallest import Costs
from tacita.engines.arrow import renumbered

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

NOWHERE = -1
"""The pattern of a record that is safe alone in no class."""
TINY = 1e-9
_MOST = 2**62
_MOST_WORK = 60_000_000
"""Records that are looked at, over all patterns; beyond that the classes with most nulls are left out."""
_MOST_PATTERNS = 20_000


@dataclass(frozen=True, slots=True)
class EquivalenceClasses:
    """What each risky record can do: be safe alone for some cost, or join one of some classes for no more than that."""

    alone_cost: Array
    """Of each record; where there is no such class, more than the suppression of all that may be suppressed costs."""
    alone_pattern: Array
    record: Array
    """Of each choice, sorted by class, the first in the order of tuples first."""
    cost: Array
    start: Array
    """Where the choices of each class begin, and the end."""
    pattern: Array
    """Of each class."""
    count: Array
    """Safe records in each class."""
    weight: Array
    """What they stand for."""

    numbers: Array
    """The class of each choice."""

    def __len__(self) -> int:
        return len(self.pattern)


def classes_of(
    safe: CodedRecords, risky: CodedRecords, requirement: Requirement, costs: Costs, rank: Sequence[int]
) -> EquivalenceClasses:
    """Return the classes that risky records can join.

    Left out is what cannot be needed: a class that costs a record more than being safe alone, one that too few records
    can join, one that is cheaper for none of them.

    >>> import numpy as np
    >>> from tacita.risk.identity.k_anonymity import KAnonymity
    >>> def records(rows): return CodedRecords(np.array(rows), np.ones(len(rows), dtype=int), np.ones(len(rows)))
    >>> safe, risky = records([[0, 0], [0, 0]]), records([[0, 1], [1, 2], [1, 3]])
    >>> found = classes_of(safe, risky, Requirement(KAnonymity(2), 0.0), Costs([1.0, 1.0]), range(3))
    >>> found.alone_pattern.tolist(), found.alone_cost.tolist()  # the first keeps attribute 0, which safe ones share
    ([1, 0, 0], [1.0, 2.0, 2.0])
    >>> found.record.tolist(), found.pattern.tolist()  # the others do so together
    ([1, 2], [1])
    """
    import numpy as np

    search = _Search(safe, risky, requirement, costs)
    for mask in search.patterns():
        if not search.look(mask):
            break
    empty = np.zeros(0, dtype=np.int64)
    columns = [np.concatenate(parts) for parts in zip(*search.found, strict=True)] if search.found else [empty] * 6
    record, cost, pattern, number, count, weight = columns
    kept = np.flatnonzero(cost <= search.alone_cost[record] + TINY)
    order = kept[np.lexsort((np.asarray(rank, dtype=np.int64)[record[kept]], number[kept]))]
    record, cost, number = record[order], cost[order], number[order]
    _, start, inverse, size = np.unique(number, return_index=True, return_inverse=True, return_counts=True)
    first = order[start]
    together = np.bincount(inverse, weights=risky.weights[record], minlength=len(start))
    useful = requirement.are_met(count[first] + size, weight[first] + together)
    useful &= np.bincount(inverse, weights=cost < search.alone_cost[record] - TINY, minlength=len(start)) > 0
    chosen, first = np.flatnonzero(useful[inverse]), first[useful]
    length = size[useful]
    return EquivalenceClasses(
        search.alone_cost,
        search.alone_pattern,
        record[chosen],
        cost[chosen],
        np.concatenate([[0], np.cumsum(length)]).astype(np.int64),
        pattern[first],
        count[first],
        weight[first],
        np.repeat(np.arange(len(first)), length),
    )


class _Search:
    """Goes from pattern to pattern, those with fewest nulls first."""

    def __init__(self, safe: CodedRecords, risky: CodedRecords, requirement: Requirement, costs: Costs) -> None:
        import numpy as np

        self._safe, self._risky, self._requirement = safe, risky, requirement
        attributes = risky.codes.shape[1]
        self._bits = np.left_shift(np.int64(1), np.arange(attributes, dtype=np.int64))
        self._full = (1 << attributes) - 1
        self._known = (risky.codes >= 0) @ self._bits
        self._safe_known = (safe.codes >= 0) @ self._bits
        every = range(len(risky.codes))
        self._allowed = np.array([costs.allowed(record) for record in every], dtype=np.int64)
        self._price = np.array([costs.prices(record) for record in every]).reshape(len(risky.codes), attributes)
        all_of_it = (self._price * ((self._known & self._allowed)[:, None] & self._bits > 0)).sum(axis=1)
        self.alone_cost: Array = all_of_it + self._price.max(axis=1, initial=1.0)
        self.alone_pattern: Array = np.full(len(risky.codes), NOWHERE, dtype=np.int64)
        self._alone_count: Array = np.zeros(len(risky.codes))
        self._everybody = (safe.counts.sum() + len(risky.codes), safe.weights.sum() + risky.weights.sum())
        self._sizes = [
            int(max(r.max(initial=-1), s.max(initial=-1))) + 2 for r, s in zip(risky.codes.T, safe.codes.T, strict=True)
        ]
        self.found: list[tuple[Array, ...]] = []
        """Choices: record, cost, pattern, number of the class, and the safe records there with what they stand for."""
        self._classes = self._work = 0

    def patterns(self) -> list[int]:
        """Return the sets of attributes that may stay known, largest first; nothing is known of a record at the end."""
        from itertools import combinations

        attributes = len(self._bits)
        masks: list[int] = []
        for size in range(attributes - 1, 0, -1):
            if len(masks) > _MOST_PATTERNS:
                break
            masks += [sum(1 << place for place in kept) for kept in combinations(range(attributes), size)]
        return [*masks, 0]

    def look(self, pattern: int) -> bool:
        """Find the classes of a pattern; return whether there is work that may still be done."""
        import numpy as np

        gone = self._known & ~pattern
        may = (self._known & pattern == pattern) & (gone & ~self._allowed == 0)
        records = np.flatnonzero(may)
        cost = (self._price[records] * (gone[records, None] & self._bits > 0)).sum(axis=1)
        cheap = cost <= self.alone_cost[records] + TINY
        records, cost = records[cheap], cost[cheap]
        if not len(records):
            return True
        self._work += len(records)
        if pattern == 0:  # of which nothing is known is like everybody
            everybody = (np.full(len(records), value) for value in self._everybody)
            self._alone(records, cost, pattern, *everybody)
            return True
        number, classes, count, weight = self._numbered(pattern, records)
        size = np.bincount(number, minlength=classes)
        together = np.bincount(number, weights=self._risky.weights[records], minlength=classes)
        mine = self._risky.weights[records]
        alone = self._requirement.are_met(count[number] + 1, weight[number] + mine)
        self._alone(records[alone], cost[alone], pattern, count[number[alone]] + 1, None)
        viable = self._requirement.are_met(count + size, weight + together)
        here = np.flatnonzero(viable[number] & ~alone)
        if len(here):
            at = number[here]
            kind = np.full(len(here), pattern, dtype=np.int64)
            self.found.append((records[here], cost[here], kind, at + self._classes, count[at], weight[at]))
        self._classes += classes
        return self._work < _MOST_WORK

    def _alone(self, records: Array, cost: Array, pattern: int, count: Array, weight: Array | None) -> None:
        """Let records be safe alone in a class if that is cheaper, or as cheap and among more look-alikes."""
        if weight is not None:
            met = self._requirement.are_met(count, weight)
            records, cost, count = records[met], cost[met], count[met]
        before = self.alone_cost[records]
        better = (cost < before - TINY) | ((cost <= before + TINY) & (count > self._alone_count[records]))
        chosen = records[better]
        self.alone_cost[chosen], self.alone_pattern[chosen] = cost[better], pattern
        self._alone_count[chosen] = count[better]

    def _numbered(self, pattern: int, records: Array) -> tuple[Array, int, Array, Array]:
        """Return the class of each record, how many there are, and the safe records in each with their weights."""
        import numpy as np

        there = np.flatnonzero((self._safe_known == self._full) | (self._safe_known == pattern))
        keys: Array = np.zeros(len(records) + len(there), dtype=np.int64)
        bound = 1
        for place, size in enumerate(self._sizes):
            if not pattern >> place & 1:
                continue
            if bound * size >= _MOST:
                keys, bound = renumbered(keys)
            values = np.concatenate([self._risky.codes[records, place], self._safe.codes[there, place]])
            keys = keys * size + values + 1
            bound *= size
        numbers, classes = renumbered(keys)
        theirs = numbers[len(records) :]
        count = np.bincount(theirs, weights=self._safe.counts[there], minlength=classes)
        weight = np.bincount(theirs, weights=self._safe.weights[there], minlength=classes)
        return numbers[: len(records)], classes, count, weight
