"""What an intruder knows, computed the slow way: cell by cell, pair by pair, file by file. Shares no code with ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Any

from tacita.attacks.dependencies.concealed_file import KnownDependency

Table = dict[str, list[Any]]
Cell = tuple[int, str]


def edit_distance(one: str, two: str) -> int:
    last = list(range(len(two) + 1))
    for i, a in enumerate(one, 1):
        row = [i]
        for j, b in enumerate(two, 1):
            row.append(min(last[j] + 1, row[-1] + 1, last[j - 1] + (a != b)))
        last = row
    return last[-1]


def apart(one: Any, two: Any) -> float:
    """Return how far two values are apart; missing ones (None) only from others."""
    if one is None or two is None:
        return 0 if one is two else float("inf")
    return edit_distance(one, two) if isinstance(one, str) else abs(one - two)


def holds(table: Table, left: Sequence[str], right: str, thresholds: Mapping[str, float] | None = None) -> bool:
    limits = thresholds or {}
    rows = range(len(table[right]))
    return all(
        apart(table[right][i], table[right][j]) <= limits.get(right, 0)
        for i, j in combinations(rows, 2)
        if all(apart(table[name][i], table[name][j]) <= limits.get(name, 0) for name in left)
    )


def minimal_dependencies(table: Table, thresholds: Mapping[str, float] | None = None) -> list[KnownDependency]:
    limits = thresholds or {}
    result = []
    for right in table:
        others = [name for name in table if name != right]
        minimal: list[tuple[str, ...]] = []
        for size in range(len(others) + 1):
            for left in combinations(others, size):
                if not any(set(one) <= set(left) for one in minimal) and holds(table, left, right, limits):
                    minimal.append(left)
        for left in minimal:
            used = {name: limit for name, limit in limits.items() if name in (*left, right)}
            result.append(KnownDependency(left, right, used))
    return result


class NaiveChase:
    """Every pair of records, again and again. A cell is a pair of bounds, a text or None in a list, or unknown."""

    def __init__(self, table: Table, hidden: set[Cell], rules: Sequence[KnownDependency]) -> None:
        self.table, self.rules = table, rules
        limits: dict[str, float] = {}
        for rule in rules:
            for name, limit in rule.thresholds.items():
                limits[name] = max(limit, limits.get(name, 0) if name == rule.right else limit)
        self.metric = {name for name in limits if not isinstance(next(filter(None, table[name]), ""), str)}
        self.reach: dict[str, float] = {}
        for rule in rules:
            reach = rule.thresholds.get(rule.right, 0)
            self.reach[rule.right] = max(reach, self.reach.get(rule.right, 0))
        self.known = {(r, n): [v] for n, column in table.items() for r, v in enumerate(column) if (r, n) not in hidden}
        self.bounds: dict[Cell, tuple[float, float]] = {
            cell: (value[0], value[0])
            for cell, value in self.known.items()
            if cell[1] in self.metric and value[0] is not None
        }
        self.near: set[Cell] = set()
        while self._again([self._apply(rule) for rule in rules if not rule.error]):
            pass

    @staticmethod
    def _again(changes: list[bool]) -> bool:
        return any(changes)  # of a list: all rules are applied, and not only up to the first change

    def _apply(self, rule: KnownDependency) -> bool:
        rows = range(len(self.table[rule.right]))
        pairs = [(t, w) for t, w in product(rows, rows) if t != w]
        return self._again([self._learn(rule, t, w) for t, w in pairs if self._alike(rule, t, w)])

    def _alike(self, rule: KnownDependency, t: int, w: int) -> bool:
        if rule.condition is not None:
            cells = [self.known.get((row, rule.condition.attribute)) for row in (t, w)]
            if any(
                cell is None or str(cell[0] if cell[0] is not None else "") != rule.condition.value for cell in cells
            ):
                return False
        return all(self._near_enough(name, rule.thresholds.get(name, 0), t, w) for name in rule.left)

    def _near_enough(self, name: str, limit: float, t: int, w: int) -> bool:
        one, two = self.known.get((t, name)), self.known.get((w, name))
        if one is not None and two is not None:
            return apart(one[0], two[0]) <= limit
        if not limit or name not in self.metric or (t, name) not in self.bounds or (w, name) not in self.bounds:
            return False
        (low, high), (other_low, other_high) = self.bounds[t, name], self.bounds[w, name]
        return high - other_low <= limit and other_high - low <= limit

    def _learn(self, rule: KnownDependency, t: int, w: int) -> bool:
        name, limit = rule.right, rule.thresholds.get(rule.right, 0)
        value = self.known.get((w, name))
        if (t, name) in self.known:
            return False
        if name not in self.metric or (value is not None and value[0] is None):
            if value is None or (limit and name not in self.metric):
                is_new = value is not None and (t, name) not in self.near
                self.near |= {(t, name)} if value is not None else set()
                return is_new
            self.known[t, name] = value
            return True
        if (w, name) not in self.bounds:
            return False
        low, high = self.bounds[w, name]
        old = self.bounds.get((t, name), (-float("inf"), float("inf")))
        new = max(old[0], low - limit), min(old[1], high + limit)
        self.bounds[t, name] = new
        if new[0] == new[1] and new[0] in self.table[name]:
            self.known[t, name] = [new[0]]
        return new != old

    def derived(self, hidden: set[Cell]) -> dict[Cell, bool]:
        """Return the hidden cells that are derived, and whether as one value."""
        result = {cell: True for cell in hidden if cell in self.known}
        for cell in hidden - result.keys():
            low, high = self.bounds.get(cell, (0, float("inf")))
            if cell in self.near or low <= high <= low + 2 * self.reach.get(cell[1], 0):
                result[cell] = False
        return result


def majorities(table: Table, hidden: set[Cell], rules: Sequence[KnownDependency]) -> dict[Cell, Any]:
    """Return what rules by equality say: those without exceptions first, then all, by the most frequent value."""
    known = {cell: values[0] for cell, values in NaiveChase(table, hidden, rules).known.items()}
    is_new = True
    while is_new:
        is_new = False
        for rule in rules:
            said = {}
            for row in range(len(table[rule.right])):
                left = [known.get((row, name), "unknown") for name in rule.left]
                if (row, rule.right) in known or "unknown" in left:
                    continue
                votes = Counter(
                    known[other, rule.right]
                    for other in range(len(table[rule.right]))
                    if (other, rule.right) in known and [known.get((other, n), "unknown") for n in rule.left] == left
                )
                if votes:
                    said[row, rule.right] = min(votes, key=lambda value: (-votes[value], value is None, value or 0))
            known |= said
            is_new |= bool(said)
    return {cell: known[cell] for cell in hidden if cell in known}


def completions(
    table: Table, hidden: Sequence[Cell], rules: Sequence[KnownDependency], *, totals: bool, lists_all: bool
) -> Iterator[Table]:
    """Yield every file that fits what an intruder knows; values are those that occur in the attribute."""
    domains = [sorted(set(table[name]), key=str) for _, name in hidden]
    for values in product(*domains):
        other = {name: list(column) for name, column in table.items()}
        for (row, name), value in zip(hidden, values, strict=True):
            other[name][row] = value
        if totals and any(Counter(other[name]) != Counter(table[name]) for name in table):
            continue
        if not totals and any(set(other[name]) != set(table[name]) for name in table):
            continue
        if lists_all:
            if {(r.left, r.right) for r in minimal_dependencies(other)} == {(r.left, r.right) for r in rules}:
                yield other
        elif all(holds(other, rule.left, rule.right) for rule in rules) and not any(
            holds(other, [n for n in rule.left if n != gone], rule.right) for rule in rules for gone in rule.left
        ):
            yield other
