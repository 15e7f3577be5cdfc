"""The definitions, written down naively: every set of attributes, every pair of records, every set of deleted records.

Nothing here is shared with the package. A table is a dict of columns; None is a missing value.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

Cells = Mapping[str, Sequence[Any]]
Key = tuple[tuple[str, ...], str]


def edits(one: str, other: str) -> int:
    """Levenshtein, by its recursion."""
    row = list(range(len(other) + 1))
    for i, a in enumerate(one, 1):
        before, row = row, [i]
        for j, b in enumerate(other, 1):
            row.append(min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (a != b)))
    return row[-1]


def are_alike(one: Any, other: Any, threshold: float) -> bool:
    if one is None or other is None or not threshold:
        return one == other
    return (edits(one, other) if isinstance(one, str) else abs(one - other)) <= threshold


@dataclass
class Naive:
    """A table, and what is alike in it."""

    cells: Cells
    within: Mapping[str, float] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        return list(self.cells)

    @property
    def records(self) -> int:
        return len(next(iter(self.cells.values()), ()))

    def alike(self, names: Sequence[str], one: int, other: int) -> bool:
        return all(are_alike(self.cells[n][one], self.cells[n][other], self.within.get(n, 0)) for n in names)

    def pairs(self) -> Iterator[tuple[int, int]]:
        return combinations(range(self.records), 2)

    def violations(self, left: Sequence[str], right: str) -> list[tuple[int, int]]:
        return [p for p in self.pairs() if self.alike(left, *p) and not self.alike([right], *p)]

    def deletions(self, left: Sequence[str], right: str) -> int:
        """The minimum vertex cover, by trying every set of records."""
        violating = self.violations(left, right)
        for size in range(self.records + 1):
            for gone in combinations(range(self.records), size):
                if all(one in gone or other in gone for one, other in violating):
                    return size
        raise AssertionError

    def minimal(self, holds: Callable[[tuple[str, ...], str], bool], largest: int | None = None) -> list[Key]:
        """Every minimal left-hand side of every right-hand side."""
        found: list[Key] = []
        for right in self.names:
            others = [name for name in self.names if name != right]
            for size in range(len(others) + 1 if largest is None else min(len(others), largest) + 1):
                for left in combinations(others, size):
                    smaller = [one for one, a in found if a == right and set(one) <= set(left)]
                    if not smaller and holds(left, right):
                        found.append((left, right))
        return found

    def exact(self, largest: int | None = None) -> list[Key]:
        return self.minimal(lambda left, right: not self.violations(left, right), largest)

    def within_g1(self, tolerance: float) -> list[Key]:
        total = max(1, len(list(self.pairs())))
        return self.minimal(lambda left, right: len(self.violations(left, right)) / total <= tolerance)

    def within_g3(self, tolerance: float) -> list[Key]:
        total = max(1, self.records)
        return self.minimal(lambda left, right: self.deletions(left, right) / total <= tolerance)

    def support(self, left: Sequence[str]) -> int:
        return len({record for pair in self.pairs() if self.alike(left, *pair) for record in pair})

    def gain(self, left: Sequence[str], right: str) -> float:
        """Each record predicted from the others; the mode is the value that is alike with most records."""
        cells, limit = self.cells[right], self.within.get(right, 0)
        if not self.records:
            return 0.0
        ranked = sorted(set(cells), key=_rank)
        tells = {value: sum(are_alike(value, cell, limit) for cell in cells) for value in ranked}
        mode = max(ranked, key=lambda value: tells[value])  # the first, which is the smallest, of several
        if tells[mode] == self.records:
            return 0.0
        correct = 0
        for record in range(self.records):
            twins = [o for o in range(self.records) if o != record and self.alike(left, record, o)]
            counts = Counter(cells[twin] for twin in twins)
            guess = max(sorted(counts, key=_rank), key=lambda value: counts[value]) if twins else mode
            correct += are_alike(guess, cells[record], limit)
        return (correct - tells[mode]) / (self.records - tells[mode])

    def group(self, name: str, value: Any) -> Naive:
        """The records with one value, without that attribute."""
        chosen = [n for n in range(self.records) if self.cells[name][n] == value]
        return Naive({other: [c[n] for n in chosen] for other, c in self.cells.items() if other != name}, self.within)


def _rank(value: Any) -> tuple[bool, Any]:
    """Missing values come last."""
    return (value is None, 0 if value is None else value)
