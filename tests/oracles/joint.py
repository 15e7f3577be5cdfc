"""The intruder of a joint verdict by brute force: every data set that agrees with what was released is gone through.

A record is a dictionary: for each version the attributes (or None if it is not in it), and for each file the released
values. Statements are functions of a record. Records that no statement tells apart are one unknown. It shares no code
with `tacita.joint`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import numpy as np
from numba import njit

Record = Mapping[str, Any]


@dataclass(frozen=True)
class OracleStatement:
    """How many records fulfil a condition: between lower and upper; what must stay uncertain, if it is sensitive."""

    release: int
    holds: Callable[[Record], bool]
    lower: float
    upper: float
    is_sensitive: bool = False
    needs_lower: float | None = None
    needs_upper: float | None = None
    needs_width: float = 0.0


class TooManyDataSets(Exception):
    """There are more data sets than a test wants to go through."""


@dataclass
class BruteForce:
    """All data sets over the records that are possible and agree with the statements of some releases."""

    possible: Sequence[Record]
    truth: Sequence[Record]
    statements: Sequence[OracleStatement]
    most: int = 2_000_000

    def __post_init__(self) -> None:
        signatures: dict[tuple[bool, ...], int] = {}
        for record in self.possible:
            signatures.setdefault(self._signature(record), len(signatures))
        self.signatures = list(signatures)
        self.counts = np.zeros(len(signatures), np.int64)
        for record in self.truth:
            self.counts[signatures[self._signature(record)]] += 1

    def _signature(self, record: Record) -> tuple[bool, ...]:
        return tuple(statement.holds(record) for statement in self.statements)

    def intervals(self, releases: Iterable[int], extra: Sequence[Sequence[int]] = ()) -> tuple[np.ndarray, np.ndarray]:
        """Return the least and largest value of each unknown, then of each statement, then of each union in `extra`.

        The intruder has the statements of some releases.
        """
        heard = set(releases)
        member = np.array(self.signatures, np.int64).reshape(len(self.signatures), len(self.statements)).T
        used = [at for at, one in enumerate(self.statements) if one.release in heard]
        lower = np.array([max(self.statements[at].lower, 0) for at in used])
        upper = np.array([min(self.statements[at].upper, 1e6) for at in used])
        unions = np.zeros((len(extra), len(self.signatures)), np.int64)
        for at, union in enumerate(extra):
            unions[at, list(union)] = 1
        wanted = np.concatenate([np.eye(len(self.signatures), dtype=np.int64), member, unions])
        rows = member[used].astype(np.float64)
        # An intruder who hears no total holds any number possible: what is not bounded is not known.
        bounded = rows[upper < 1e6].any(axis=0) if len(used) else np.zeros(len(self.signatures), bool)
        order = np.argsort([-rows[:, at].sum() for at in range(len(self.signatures))], kind="stable")
        order = np.array([at for at in order if bounded[at]], np.int64)
        least = np.full(len(wanted), np.inf)
        largest = np.full(len(wanted), -np.inf)
        visited = search(rows[:, order], lower, upper, wanted[:, order].astype(np.float64), least, largest, self.most)
        if visited < 0:
            raise TooManyDataSets
        free = wanted[:, ~bounded].any(axis=1)
        largest[free] = np.inf
        return least, largest

    def violations(self, new: int, least_persons: int) -> list[tuple[str, int]]:
        """Return what follows from all releases and neither without the new one nor from it alone.

        Pairs of what ('statement', 'few', 'union') and its number. A union is one of several unknowns.
        """
        releases = {one.release for one in self.statements}
        heard = [releases, releases - {new}, {new}]
        many = len(self.signatures)
        ones = [at for at, count in enumerate(self.counts) if count]
        unions = [
            some
            for size in range(2, least_persons)
            for some in combinations(ones, size)
            if self.counts[list(some)].sum() < least_persons
        ]
        low, high = self.intervals(heard[0], unions)
        differences = list(self._differences(new, high[:many], least_persons))
        low, high = self.intervals(heard[0], unions + differences)
        suspects = []
        for at in range(len(unions) + len(differences)):
            place = many + len(self.statements) + at
            if low[place] == high[place]:
                suspects.append(("union" if at < len(unions) else "difference", at, place))
        for at, count in enumerate(self.counts):
            if 0 < count < least_persons and low[at] == high[at]:
                suspects.append(("few", at, at))
        for at, statement in enumerate(self.statements):
            if statement.is_sensitive and not self._is_protected(statement, low[many + at], high[many + at]):
                suspects.append(("statement", at, many + at))
        if not suspects:
            return []
        parts = [self.intervals(some, unions + differences) for some in heard[1:]]
        return [
            (what, at)
            for what, at, place in suspects
            if not any(
                some[0][place] >= low[place] and some[1][place] <= high[place]
                # What an earlier release withholds must not be shown by the new one alone either.
                for some in (parts[:1] if what == "statement" and self.statements[at].release != new else parts)
            )
        ]

    def _differences(self, new: int, high: np.ndarray, least_persons: int) -> Iterable[tuple[int, ...]]:
        """Yield what is left of a published set by another one within it, if that is a few persons."""
        exact = [at for at, one in enumerate(self.statements) if one.lower == one.upper]
        inside = {
            at: frozenset(place for place, one in enumerate(self.signatures) if one[at] and high[place] > 0)
            for at in exact
        }
        for outer, inner in product(exact, exact):
            if (self.statements[outer].release == new) != (self.statements[inner].release == new):
                left = inside[outer] - inside[inner]
                if (
                    inside[inner]
                    and inside[inner] <= inside[outer]
                    and 0 < self.counts[list(left)].sum() < least_persons
                ):
                    yield tuple(sorted(left))

    def _is_protected(self, statement: OracleStatement, low: float, high: float) -> bool:
        if statement.needs_lower is not None and low > statement.needs_lower:
            return False
        if statement.needs_upper is not None and high < statement.needs_upper:
            return False
        no_level = statement.needs_lower is None and statement.needs_upper is None and not statement.needs_width
        return high - low >= (1 if no_level else statement.needs_width)


@njit(cache=True)
def search(rows, lower, upper, wanted, least, largest, most):  # type: ignore[no-untyped-def]
    """Go through all vectors of whole numbers between the bounds of the rows; return how many steps, -1 if too many."""
    count = rows.shape[1]
    sums = np.zeros(rows.shape[0])
    totals = np.zeros(wanted.shape[0])
    # What the unknowns from each place on can still add to a row: nothing, or anything.
    last = np.full(rows.shape[0], -1)
    for row in range(rows.shape[0]):
        for at in range(count):
            if rows[row, at]:
                last[row] = at
    value = np.full(count + 1, -1)
    at = 0
    steps = 0
    for row in range(rows.shape[0]):
        if last[row] < 0 and lower[row] > 0:
            return 0
    while at >= 0:
        steps += 1
        if steps > most:
            return -1
        if at == count:
            for one in range(wanted.shape[0]):
                least[one] = min(least[one], totals[one])
                largest[one] = max(largest[one], totals[one])
            at -= 1
            continue
        # One more of the unknown at this place, beginning with none.
        if value[at] >= 0:
            for row in range(rows.shape[0]):
                sums[row] += rows[row, at]
            for one in range(wanted.shape[0]):
                totals[one] += wanted[one, at]
        value[at] += 1
        too_many = False
        lacks = False
        for row in range(rows.shape[0]):
            if sums[row] > upper[row]:
                too_many = True
                break
            if last[row] == at and sums[row] < lower[row]:
                lacks = True
        if too_many:
            for row in range(rows.shape[0]):
                sums[row] -= rows[row, at] * value[at]
            for one in range(wanted.shape[0]):
                totals[one] -= wanted[one, at] * value[at]
            value[at] = -1
            at -= 1
        elif not lacks:
            at += 1
    return steps
