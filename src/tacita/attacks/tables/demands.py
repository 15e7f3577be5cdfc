"""What the levels demand of the attacker's intervals, and which demands are not met."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.reach import AttackerReach, Ends
from tacita.attacks.tables.result import LevelViolation
from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables, Span
from tacita.attacks.tables.system.reduction import Reduction
from tacita.model.table import Levels, Table
from tacita.progress import Progress

ENOUGH = 1e-6
"""A level counts as reached when this share of it is missing at most."""

EXACT_UP_TO = 5_000
"""Attacked cells up to this number get their exact intervals unless told otherwise; beyond it levels are judged."""


@dataclass(frozen=True, slots=True)
class Demands:
    """For some unknown cells (places in the possible tables): how far down and up they must reach, and how wide.

    A sensitive cell without any level must at least not be known exactly.
    """

    places: Places
    value: Numbers
    down_to: Numbers
    up_to: Numbers
    width: Numbers

    @classmethod
    def of(cls, levels: Levels, possible: PossibleTables, values: Numbers) -> Demands:
        """Return the demands on the sensitive cells among the unknown ones.

        Where a true value is not at hand only the width is judged: an interval that reaches far enough on both sides
        is at least as wide as both levels together.
        """
        places = np.flatnonzero(levels.sensitive[possible.cells])
        cells = possible.cells[places]
        lower, upper, width = levels.lower[cells], levels.upper[cells], levels.sliding[cells]
        value = values[cells]
        width = np.where(np.isnan(value), np.maximum(width, lower + upper), width)
        size = np.maximum(1.0, np.abs(np.nan_to_num(value)))
        width = np.where((lower <= 0) & (upper <= 0) & (width <= 0), 1.0 if possible.whole else 1e-6 * size, width)
        down_to = np.where(lower > 0, value - lower, np.nan)
        up_to = np.where(upper > 0, value + upper, np.nan)
        if possible.whole:
            down_to, up_to, width = np.floor(down_to + 1e-9), np.ceil(up_to - 1e-9), np.ceil(width - 1e-9)
        return cls(places, value, down_to, up_to, width)

    def of_free_numbers(self, reduction: Reduction) -> tuple[Numbers, Numbers]:
        """Return how far each free number must reach for all the cells that follow it; nan: nothing is demanded."""
        return self.of_numbers(reduction, reduction.place[self.places], reduction.matrix.shape[1])

    def of_numbers(self, reduction: Reduction, number: Places, count: int) -> tuple[Numbers, Numbers]:
        """Return the same for numbers of the caller's, one for each demand (-1: none)."""
        down, up = np.full(count, np.inf), np.full(count, -np.inf)
        is_free = number >= 0
        place, factor, shift = (
            number[is_free],
            reduction.factor[self.places][is_free],
            reduction.shift[self.places][is_free],
        )
        for demand in (self.down_to[is_free], self.up_to[is_free]):
            wish = (demand - shift) / factor
            downward = (factor > 0) == (demand < self.value[is_free])
            np.minimum.at(down, place, np.where(downward & ~np.isnan(wish), wish, np.inf))
            np.maximum.at(up, place, np.where(~downward & ~np.isnan(wish), wish, -np.inf))
        return np.where(np.isinf(down), np.nan, down), np.where(np.isinf(up), np.nan, up)

    def narrow(self, reduction: Reduction, ends: Ends) -> NDArray[np.bool_]:
        """Return the free numbers whose proved interval is not wide enough yet for a sliding level."""
        lower, upper = attained(reduction, ends)
        lacking = (upper - lower)[self.places] < self.width * (1 - ENOUGH)
        is_narrow = np.zeros(reduction.matrix.shape[1], bool)
        place = reduction.place[self.places[lacking]]
        is_narrow[place[place >= 0]] = True
        return is_narrow

    def moves(self, reduction: Reduction, start: Numbers, ends: Ends) -> tuple[Numbers, Numbers]:
        """Return how far each free number must be moved down and up to meet all demands on it; nan: not at all."""
        number = reduction.place[self.places]
        return self.moves_of(reduction, number, start, Span(start - ends.least, ends.most - start))

    def moves_of(self, reduction: Reduction, number: Places, start: Numbers, room: Span) -> tuple[Numbers, Numbers]:
        """Return the same for numbers of the caller's, one for each demand. Widths are shared out by the room."""
        down_to, up_to = self.of_numbers(reduction, number, len(start))
        down, up = np.nan_to_num(start - down_to), np.nan_to_num(up_to - start)
        is_free = number >= 0
        width = np.zeros(len(start))
        np.maximum.at(width, number[is_free], self.width[is_free] / np.abs(reduction.factor[self.places][is_free]))
        for wider, free in ((up, room.high), (down, room.low)):
            lacking = np.maximum(width - up - down, 0.0)
            wider[:] = wider + np.minimum(lacking, np.maximum(free - wider, 0.0))
        return np.where(down > 0, down, np.nan), np.where(up > 0, up, np.nan)

    def beyond(self, possible: PossibleTables, low: Numbers, high: Numbers) -> Demands:
        """Return the demands that are not met by cells which are known to go as low and as high as this."""
        cells = possible.cells[self.places]
        low, high = low[cells], high[cells]
        down = low <= self.down_to + ENOUGH * np.abs(self.value - self.down_to)
        up = high >= self.up_to - ENOUGH * np.abs(self.up_to - self.value)
        wide = high - low >= self.width * (1 - ENOUGH)
        return Demands(
            self.places,
            self.value,
            np.where(down, np.nan, self.down_to),
            np.where(up, np.nan, self.up_to),
            np.where(wide, 0.0, self.width),
        )

    def without(self, possible: PossibleTables, violations: Iterable[LevelViolation]) -> Demands:
        """Return the demands that are met, without those that are violated already."""
        down_to, up_to, width = self.down_to.copy(), self.up_to.copy(), self.width.copy()
        for violation in violations:
            at = int(np.searchsorted(possible.cells[self.places], violation.cell))
            if violation.what == "sliding":
                width[at] = 0.0
            else:
                (down_to if violation.what == "lower" else up_to)[at] = np.nan
        return Demands(self.places, self.value, down_to, up_to, width)

    def only(self, some: Places | NDArray[np.bool_]) -> Demands:
        """Return some of the demands."""
        return Demands(self.places[some], self.value[some], self.down_to[some], self.up_to[some], self.width[some])

    def violations(self, table: Table, possible: PossibleTables, interval: Span, attacker: str) -> list[LevelViolation]:
        """Return every demand that a proved interval of the unknown cells does not meet."""
        lower, upper = (end[self.places] for end in interval)
        exact = 1e-12 * np.abs(np.nan_to_num(self.value))
        below = lower > self.down_to + ENOUGH * (self.value - self.down_to) + exact
        above = upper < self.up_to - ENOUGH * (self.up_to - self.value) - exact
        narrow = upper - lower < self.width * (1 - ENOUGH) - exact
        # An end that nothing is demanded of may not have been searched: it may be further than it is known to be.
        is_point = (upper - lower <= 1e3 * exact) & (narrow | (below & above))
        violations = []
        for what, missed, needed, reached in (
            ("lower", below, self.down_to, lower),
            ("upper", above, self.up_to, upper),
            ("sliding", narrow, self.width, upper - lower),
        ):
            for at in np.flatnonzero(missed):
                cell, name = int(possible.cells[self.places[at]]), table.cell_name(int(possible.cells[self.places[at]]))
                ends = float(needed[at]), float(reached[at])
                violations.append(LevelViolation(cell, name, attacker, what, *ends, is_exact=bool(is_point[at])))
        return violations


def settle(reach: AttackerReach, ends: Ends, demands: Demands, exact: bool, progress: Progress) -> None:
    """Settle the ends of every cell (`exact`), or only as far as the levels demand."""
    count = len(reach.start)
    if exact:
        reach.settle(ends, np.full(count, -np.inf), np.full(count, np.inf), progress, "attacking the cells")
        return
    reach.settle(ends, *demands.of_free_numbers(reach.reduction), progress, "attacking the levels")
    narrow = demands.narrow(reach.reduction, ends)
    if narrow.any():
        down_to, up_to = np.where(narrow, -np.inf, np.nan), np.where(narrow, np.inf, np.nan)
        reach.settle(ends, down_to, up_to, progress, "attacking the widths")


def attained(reduction: Reduction, ends: Ends) -> Span:
    """Return the proved interval of every unknown cell."""
    return _of_cells(reduction, ends.least, ends.most)


def final(reduction: Reduction, ends: Ends) -> Span:
    """Return the interval of every unknown cell: its true end where that is settled, what is proved otherwise."""
    low = np.where(ends.closed_below & ~ends.unsettled, ends.lowest, ends.least)
    high = np.where(ends.closed_above & ~ends.unsettled, ends.highest, ends.most)
    return _of_cells(reduction, low, high)


def _of_cells(reduction: Reduction, low: Numbers, high: Numbers) -> Span:
    one, other = reduction.cells(low), reduction.cells(high)
    return Span(np.minimum(one, other), np.maximum(one, other))
