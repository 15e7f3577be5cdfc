"""How the records that are alike on a left-hand side are found without looking at all pairs.

Records that are alike on X are equal on those attributes of X that are compared by equality, and alike on one more, the
driver. Sorted by these, the records that can be alike with a record stand in a range, or in one range for each linked
value. The driver is the attribute that leaves the fewest pairs; how many it leaves is known from the patterns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.masks import bits_of
from tacita.dependencies.discovery.patterns import PairPatterns

if TYPE_CHECKING:
    from tacita.dependencies.discovery.comparing import ComparedTable
    from tacita.dependencies.discovery.kernels.neighbourhoods import AttributeLines, PairPlan
    from tacita.dependencies.discovery.kernels.pairs import AlikeTables

Places = NDArray[np.int64]

_MOST_MARKS = 1_000_000
"""Numbers up to which it is cheaper to mark those that occur than to sort them."""


@dataclass(slots=True, eq=False)
class PairFinder:
    """Makes plans for the records of a table; the last one is kept, since right-hand sides come one after the other."""

    table: ComparedTable
    tables: AlikeTables
    patterns: PairPatterns
    _last: tuple[int, PairPlan] | None = field(default=None, init=False)

    def lines(self, attributes: Sequence[int], order: Places) -> AttributeLines:
        """Return attributes in an order of the records, with what is alike."""
        from tacita.dependencies.discovery.kernels.neighbourhoods import AttributeLines

        tables = self.tables
        ranged = [place for place in attributes if not tables.is_linked[place]]
        linked = [place for place in attributes if tables.is_linked[place]]
        entries = [tables.at[place] + self.table.codes[place][order] for place in ranged]
        lows = _stacked([tables.low[entry] for entry in entries], len(order))
        highs = _stacked([tables.high[entry] for entry in entries], len(order))
        return AttributeLines(
            _stacked([self.table.codes[place][order] for place in ranged], len(order)),
            lows,
            (highs - lows).astype(np.uint32),
            _stacked([self.table.codes[place][order] for place in linked], len(order)),
            np.array([tables.at[place] for place in linked], np.int64),
            tables.link_begins,
            tables.links,
        )

    def marks(self, lines: int) -> NDArray[np.uint8]:
        """Return room for marks of so many attributes with links."""
        return np.zeros((lines, int(self.table.counts.max(initial=0)) + 1), np.uint8)

    def plan(self, left: int) -> PairPlan:
        """Return the plan of a left-hand side."""
        from tacita.dependencies.discovery.kernels.neighbourhoods import PairPlan

        if self._last is not None and self._last[0] == left:
            return self._last[1]
        equal = [place for place in bits_of(left) if self.table.neighbours[place] is None]
        relaxed = [place for place in bits_of(left) if self.table.neighbours[place] is not None]
        driver = self._driver(equal, relaxed)
        groups = self._groups(equal)
        codes = np.zeros(len(groups), np.int64) if driver is None else self.table.codes[driver].astype(np.int64)
        width = 1 if driver is None else int(self.table.counts[driver])
        keys = groups * width + codes
        order = _sorted_by(groups, codes)
        ordered = keys[order]
        is_new = np.concatenate([np.ones(min(1, len(ordered)), np.bool_), ordered[1:] != ordered[:-1]])
        cells = ordered[is_new]
        begins, spans = self._spans(ordered, cells, driver, width)
        others = sorted((place for place in relaxed if place != driver), key=self._selectivity)
        plan = PairPlan(order, np.cumsum(is_new) - 1, begins, spans, self.lines(others, order))
        self._last = left, plan
        return plan

    def _driver(self, equal: list[int], relaxed: list[int]) -> int | None:
        """Return the attribute that leaves the fewest pairs beside those that must be equal."""
        if not relaxed:
            return None
        base = sum(1 << place for place in equal)
        sets = np.array([base | 1 << place for place in relaxed], np.uint64)
        return relaxed[int(np.argmin(self.patterns.pairs_alike(sets)))]

    def _selectivity(self, place: int) -> tuple[int, int]:
        return int(self.patterns.pairs_alike(np.array([1 << place], np.uint64))[0]), place

    def _groups(self, equal: list[int]) -> Places:
        """Return a number for each record: the same for records that are equal on some attributes."""
        groups = np.zeros(self.table.records, np.int64)
        for place in equal:
            groups = _without_gaps(groups * int(self.table.counts[place]) + self.table.codes[place])
        return groups

    def _spans(self, ordered: Places, cells: Places, driver: int | None, width: int) -> tuple[Places, Places]:
        """Return the ranges of places in which the neighbours of the records of each cell stand."""
        group, code = np.divmod(cells, width)
        alike = None if driver is None else self.table.neighbours[driver]
        if alike is None or alike.begins is None or alike.links is None:
            low, high = (code, code) if alike is None else (alike.first[code], alike.last[code])
            first = np.searchsorted(ordered, group * width + low, side="left")
            last = np.searchsorted(ordered, group * width + high, side="right")
            return np.arange(len(cells) + 1), np.stack([first, last], axis=1).astype(np.int64)
        lengths = alike.begins[code + 1] - alike.begins[code]
        ends = np.cumsum(lengths)
        within = np.arange(int(ends[-1]) if len(ends) else 0) - np.repeat(ends - lengths, lengths)
        values = alike.links[np.repeat(alike.begins[code], lengths) + within]
        wanted = np.repeat(group * width, lengths) + values
        first = np.searchsorted(ordered, wanted, side="left")
        last = np.searchsorted(ordered, wanted, side="right")
        is_there = last > first
        numbers = np.bincount(np.repeat(np.arange(len(cells)), lengths)[is_there], minlength=len(cells))
        begins = np.concatenate([[0], np.cumsum(numbers)]).astype(np.int64)
        return begins, np.stack([first[is_there], last[is_there]], axis=1).astype(np.int64)


def _sorted_by(groups: Places, codes: Places) -> Places:
    """Return the order of records by group, then by code, then as they stand.

    >>> _sorted_by(np.array([1, 0, 1]), np.array([4, 9, 3])).tolist()
    [1, 2, 0]
    """
    order = _stable(codes)
    return order[_stable(groups[order])]


def _stable(numbers: Places) -> Places:
    """Return a stable order of numbers from 0; numpy sorts those of 16 bits by their digits, in a tenth of the time."""
    fits = numbers.max(initial=0) <= np.iinfo(np.uint16).max
    return np.argsort(numbers.astype(np.uint16) if fits else numbers, kind="stable")


def _without_gaps(numbers: Places) -> Places:
    """Return numbers from 0 that are equal where the given ones are equal, in the same order.

    >>> _without_gaps(np.array([7, 0, 7, 3])).tolist()
    [2, 0, 2, 1]
    """
    largest = int(numbers.max(initial=0))
    if largest > _MOST_MARKS:
        return np.unique(numbers, return_inverse=True)[1].astype(np.int64)
    is_there = np.zeros(largest + 1, np.bool_)
    is_there[numbers] = True
    return (np.cumsum(is_there) - 1)[numbers]


def _stacked(lines: list[NDArray[np.int32]], length: int) -> NDArray[np.int32]:
    """Return lines as a matrix, also if there are none."""
    return np.stack(lines) if lines else np.empty((0, length), np.int32)
