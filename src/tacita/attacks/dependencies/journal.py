"""What an intruder learnt in which order, and from which records: transcripts are rebuilt from it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
NOBODY = -1
"""In place of a twin or a rule where there is none."""


class LearningWay(IntEnum):
    """How an intruder learns about a cell."""

    TWIN = 0
    """A record that is alike on the left-hand side shows the value."""
    LOW = 1
    """A record that is alike on the left-hand side, and a threshold, give a lower bound."""
    HIGH = 2
    """The same for an upper bound."""
    NEAR = 3
    """A record that is alike on the left-hand side shows a text within the threshold."""
    MAJORITY = 4
    """Most of the records that are alike on the left-hand side show the value; the dependency has exceptions."""
    EXCEPTION = 5
    """A dependency does not hold, and only this record can be the exception."""
    CONTRADICTION = 6
    """With the value of another record the two would violate a dependency."""
    TOTALS = 7
    """The totals leave no other value."""


_BOUNDS = (LearningWay.LOW, LearningWay.HIGH)
_ELIMINATION = (LearningWay.EXCEPTION, LearningWay.CONTRADICTION, LearningWay.TOTALS)


@dataclass(frozen=True, slots=True)
class Event:
    """That an intruder learnt about a cell."""

    number: int
    row: int
    attribute: int
    way: LearningWay
    rule: int
    twin: int


class Journal:
    """Events in the order of time. Those of one entry build on earlier entries, not on each other."""

    __slots__ = ("_columns", "_entries", "records")

    def __init__(self, records: int) -> None:
        self.records = records
        self._entries = 0
        self._columns: tuple[list[Ints], ...] = ([], [], [], [], [])

    def add(
        self, way: LearningWay | Ints, attribute: int, rows: Ints, rule: int | Ints, twins: int | Ints = NOBODY
    ) -> None:
        """Note that something became known about cells of an attribute, by a rule and from twins."""
        cells = attribute * self.records + rows.astype(np.int64)
        for column, values in zip(self._columns, (cells, way, rule, twins, self._entries), strict=True):
            column.append(np.full(len(rows), values, dtype=np.int64))
        self._entries += 1

    def closed(self) -> CellHistory:
        """Return what was noted so far, sorted by cell."""
        cells, ways, rules, twins, entries = (np.concatenate([_NONE, *column]) for column in self._columns)
        order = np.argsort(cells, kind="stable")
        return CellHistory(self.records, ways, rules, twins, entries, cells, order, cells[order])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CellHistory:
    """A journal by cell. A cell is the place of its attribute times the number of records, plus that of its record."""

    records: int
    ways: Ints
    rules: Ints
    twins: Ints
    entries: Ints
    cells: Ints
    order: Ints
    """The events by cell, and by time within a cell."""
    ordered: Ints
    """The cells of these events."""

    def event(self, number: int) -> Event:
        """Return an event by its number."""
        attribute, row = divmod(int(self.cells[number]), self.records)
        way, rule, twin = (int(values[number]) for values in (self.ways, self.rules, self.twins))
        return Event(number, row, attribute, LearningWay(way), rule, twin)

    def causes(self, attribute: int, row: int, before: int | None = None) -> list[int]:
        """Return the events by which a cell is known; with `before`, by which it was known before that event."""
        cell = attribute * self.records + row
        first, last = np.searchsorted(self.ordered, [cell, cell + 1])
        events = self._earlier(self.order[first:last], before)
        if not len(events):
            return []
        ways = self.ways[events]
        bounds = [int(events[ways == way][-1]) for way in _BOUNDS if (ways == way).any()]
        if ways[-1] in _BOUNDS:
            return bounds
        last_entry = [int(one) for one in events[self.entries[events] == self.entries[events[-1]]]]
        return [*bounds, *last_entry] if ways[-1] in _ELIMINATION else last_entry

    def known_before(self, attribute: int, event: int) -> list[int]:
        """Return the records whose cells of an attribute became known before an event."""
        first, last = np.searchsorted(self.ordered, [attribute * self.records, (attribute + 1) * self.records])
        events = self._earlier(self.order[first:last], event)
        return [int(row) for row in np.unique(self.cells[events]) - attribute * self.records]

    def _earlier(self, events: Ints, before: int | None) -> Ints:
        return events if before is None else events[self.entries[events] < self.entries[before]]


_NONE = np.empty(0, dtype=np.int64)
