"""The values that a hidden cell may still have: what is excluded and why, and when only one is left."""

from __future__ import annotations

import numpy as np

from tacita.attacks.dependencies.journal import NOBODY, Ints, LearningWay
from tacita.attacks.dependencies.knowledge import Codes, IntruderKnowledge, Mask, codes_of

_POSSIBLE, _BY_BOUNDS = -1, -2
_MOST_REASONS = 20
"""How many exclusions of one cell the journal keeps."""
_ROUNDING = 1e-9


class Candidates:
    """For each attribute whose values the intruder knows: which of them each hidden cell may have.

    With known totals, the values of hidden cells are those of the total that no other cell shows (L. Caruccio et al.,
    IEEE Access 2020, section V.C, gives the intruder the distributions and does not draw this conclusion).
    """

    def __init__(self, knowledge: IntruderKnowledge, most: int, exceptions_from: int) -> None:
        self._knowledge = knowledge
        self._exceptions_from = exceptions_from
        self._tables: dict[int, _Table] = {}
        self.left_out: list[str] = []
        self.contradictions: list[str] = []
        self.version = 0
        tables = [(p, _Table(knowledge, p)) for p in map(knowledge.place.__getitem__, knowledge.file.hidden)]
        for place, table in sorted(tables, key=lambda pair: (pair[1].size, pair[0])):
            if not knowledge.file.knows_domain(knowledge.names[place]):
                continue
            if table.size > most:
                self.left_out.append(knowledge.names[place])
                continue
            most -= table.size
            table.start()
            self._tables[place] = table

    def __contains__(self, place: int) -> bool:
        return place in self._tables

    def has_columns(self, place: int, codes: Codes | Ints) -> Mask:
        """Return which values hidden cells of an attribute may have, others excluded or not."""
        columns: Mask = self._tables[place].column[codes] >= 0
        return columns

    def exclude(self, place: int, rows: Ints, codes: Codes | Ints, rule: int, twins: Ints) -> None:
        """Note that hidden cells do not have some values, by a rule and because of twins."""
        if place not in self._tables:
            return
        table = self._tables[place]
        cells, columns = table.cell[rows], table.column[codes]
        new = (cells >= 0) & (columns >= 0)
        new[new] = table.rules[cells[new], columns[new]] == _POSSIBLE
        if new.any():
            table.rules[cells[new], columns[new]] = rule
            table.twins[cells[new], columns[new]] = twins[new]
            table.is_new = True
            self.version += 1

    def restrict(self, place: int, row: int, codes: Codes, rule: int, twins: Ints) -> None:
        """Note that a hidden cell has one of some values, each of which a twin has."""
        knowledge = self._knowledge
        allowed, first = np.unique(codes, return_index=True)
        if len(allowed) == 1:
            at = np.array([row])
            knowledge.journal.add(LearningWay.EXCEPTION, place, at, rule, int(twins[0]))
            knowledge.learn(place, at, int(allowed[0]))
        elif place in self._tables:
            others = np.setdiff1d(np.arange(int(knowledge.sizes[place])), allowed)
            self.exclude(place, np.full(len(others), row), others, rule, np.full(len(others), twins[first[0]]))

    def conclude(self) -> None:
        """Take cells as known for which one value is left; again while totals change by that."""
        for place, table in self._tables.items():
            while table.is_stale(self._knowledge):
                self._conclude(place, table)

    def _conclude(self, place: int, table: _Table) -> None:
        knowledge, name = self._knowledge, self._knowledge.names[place]
        table.is_new, table.version = False, int(knowledge.versions[place])
        table.exclude_by_bounds(knowledge)
        left = table.left_over(knowledge)
        is_open = knowledge.codes[place, table.rows] < 0
        possible = (table.rules == _POSSIBLE) & (left > 0) & is_open[:, None]
        choices = possible.sum(axis=1)
        forced = possible & (choices == 1)[:, None]
        is_contradictory = bool((choices[is_open] == 0).any())
        if table.totals is not None:
            is_contradictory |= bool((left < 0).any() or (forced.sum(axis=0) > left).any())
            # a value that is left over as often as there are cells that may have it
            forced |= possible & ((possible.sum(axis=0) == left) & (left > 0))
        if is_contradictory or (forced.sum(axis=1) > 1).any():
            self.contradictions += [name] if name not in self.contradictions else []
            return
        cells = np.flatnonzero(forced.any(axis=1))
        if not len(cells):
            return
        columns = forced[cells].argmax(axis=1)
        self._note(place, table, cells, left)
        knowledge.learn(place, table.rows[cells], table.codes[columns].astype(np.int32))

    def _note(self, place: int, table: _Table, cells: Ints, left: Ints) -> None:
        """Write into the journal why cells have no other value."""
        ways: list[int] = []
        rows: list[int] = []
        rules: list[int] = []
        twins: list[int] = []
        by_exclusion = (table.rules[cells] == _POSSIBLE).sum(axis=1) == 1
        for cell, is_enough in zip(cells, by_exclusion, strict=True):
            columns = np.flatnonzero((table.rules[cell] >= 0) & ((left > 0) | is_enough))
            reasons = dict.fromkeys(zip(table.rules[cell, columns], table.twins[cell, columns], strict=True))
            for rule, twin in list(reasons)[:_MOST_REASONS]:
                ways.append(LearningWay.EXCEPTION if rule >= self._exceptions_from else LearningWay.CONTRADICTION)
                rows.append(table.rows[cell])
                rules.append(rule)
                twins.append(twin)
            if not is_enough or not reasons:
                ways.append(LearningWay.TOTALS)
                rows.append(table.rows[cell])
                rules.append(NOBODY)
                twins.append(NOBODY)
        arrays = [np.array(values, dtype=np.int64) for values in (ways, rows, rules, twins)]
        self._knowledge.journal.add(arrays[0], place, arrays[1], arrays[2], arrays[3])


class _Table:
    """The hidden cells of an attribute, and the values that they may have."""

    def __init__(self, knowledge: IntruderKnowledge, place: int) -> None:
        name = knowledge.names[place]
        self._place = place
        self.rows: Ints = np.flatnonzero(knowledge.file.is_hidden(name))
        totals = np.bincount(codes_of(knowledge.columns[place]), minlength=int(knowledge.sizes[place]))
        shown = knowledge.codes[place][~knowledge.file.is_hidden(name)]
        self.totals: Ints | None = totals if knowledge.file.knows_total(name) else None
        """How many records have each value; None if the intruder does not know."""
        if self.totals is not None:
            totals = totals - np.bincount(shown, minlength=len(totals))
        self.codes: Ints = np.flatnonzero(totals > 0)
        self.size = len(self.rows) * len(self.codes)
        self.is_new = True
        self.version = -1
        self.cell: Ints = np.empty(0, dtype=np.int64)
        self.column: Ints = np.empty(0, dtype=np.int64)
        self.rules: Codes = np.empty((0, 0), dtype=np.int32)
        self.twins: Codes = np.empty((0, 0), dtype=np.int32)
        self._length = knowledge.records, len(totals)

    def start(self) -> None:
        """Let every cell have every value."""
        self.cell = _places(self.rows, self._length[0])
        self.column = _places(self.codes, self._length[1])
        self.rules = np.full((len(self.rows), len(self.codes)), _POSSIBLE, dtype=np.int32)
        self.twins = np.full(self.rules.shape, NOBODY, dtype=np.int32)

    def is_stale(self, knowledge: IntruderKnowledge) -> bool:
        """Return whether something became known since the last conclusion."""
        return self.is_new or self.version != int(knowledge.versions[self._place])

    def left_over(self, knowledge: IntruderKnowledge) -> Ints:
        """Return how many unknown cells have each value; 1 for each that may occur if totals are not known."""
        if self.totals is None:
            return np.ones(len(self.codes), dtype=np.int64)
        codes = knowledge.codes[self._place]
        shown = np.bincount(codes[codes >= 0], minlength=len(self.totals))
        return (self.totals - shown)[self.codes]

    def exclude_by_bounds(self, knowledge: IntruderKnowledge) -> None:
        """Exclude values that are not between the bounds of a cell."""
        if self._place not in knowledge.low:
            return
        low, high = knowledge.low[self._place][self.rows], knowledge.high[self._place][self.rows]
        cells = np.flatnonzero((np.isfinite(low) | np.isfinite(high)) & (knowledge.codes[self._place, self.rows] < 0))
        values = knowledge.scales[self._place][self.codes]
        slack = _ROUNDING * np.maximum(1.0, np.abs(values))
        inside = (values + slack >= low[cells, None]) & (values - slack <= high[cells, None])
        part = self.rules[cells]
        part[(part == _POSSIBLE) & ~inside] = _BY_BOUNDS
        self.rules[cells] = part


def _places(values: Ints, size: int) -> Ints:
    places = np.full(size, -1, dtype=np.int64)
    places[values] = np.arange(len(values))
    return places
