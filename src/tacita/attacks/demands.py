"""What the levels demand of the attacker's intervals, and which demands are not met."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.possible_tables import Numbers, Places, PossibleTables
from tacita.attacks.reach import Ends
from tacita.attacks.reduction import Reduction
from tacita.attacks.result import Violation
from tacita.model.table import Levels, Table

ENOUGH = 1e-6
"""A level counts as reached when this share of it is missing at most."""


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
    def of(cls, levels: Levels, possible: PossibleTables) -> Demands:
        """Return the demands on the sensitive cells among the unknown ones; widths only, where no truth is at hand."""
        places = np.flatnonzero(levels.sensitive[possible.cells])
        cells = possible.cells[places]
        lower, upper, width = levels.lower[cells], levels.upper[cells], levels.sliding[cells]
        value = np.full(len(cells), np.nan) if possible.truth is None else possible.truth[places]
        size = np.maximum(1.0, np.abs(np.nan_to_num(value)))
        width = np.where((lower <= 0) & (upper <= 0) & (width <= 0), 1.0 if possible.whole else 1e-6 * size, width)
        down_to = np.where(lower > 0, value - lower, np.nan)
        up_to = np.where(upper > 0, value + upper, np.nan)
        if possible.whole:
            down_to, up_to, width = np.floor(down_to + 1e-9), np.ceil(up_to - 1e-9), np.ceil(width - 1e-9)
        return cls(places, value, down_to, up_to, width)

    def of_free_numbers(self, reduction: Reduction) -> tuple[Numbers, Numbers]:
        """Return how far each free number must reach for all the cells that follow it; nan: nothing is demanded."""
        count = reduction.matrix.shape[1]
        down, up = np.full(count, np.inf), np.full(count, -np.inf)
        place = reduction.place[self.places]
        held = place >= 0
        place, factor, shift = place[held], reduction.factor[self.places][held], reduction.shift[self.places][held]
        for demand in (self.down_to[held], self.up_to[held]):
            wish = (demand - shift) / factor
            downward = (factor > 0) == (demand < self.value[held])
            np.minimum.at(down, place, np.where(downward & ~np.isnan(wish), wish, np.inf))
            np.maximum.at(up, place, np.where(~downward & ~np.isnan(wish), wish, -np.inf))
        return np.where(np.isinf(down), np.nan, down), np.where(np.isinf(up), np.nan, up)

    def narrow(self, reduction: Reduction, ends: Ends) -> NDArray[np.bool_]:
        """Return the free numbers whose proved interval is not wide enough yet for a sliding level."""
        lower, upper = attained(reduction, ends)
        lacking = (upper - lower)[self.places] < self.width * (1 - ENOUGH)
        found = np.zeros(reduction.matrix.shape[1], bool)
        place = reduction.place[self.places[lacking]]
        found[place[place >= 0]] = True
        return found

    def violations(
        self, table: Table, possible: PossibleTables, reduction: Reduction, ends: Ends, attacker: str
    ) -> list[Violation]:
        """Return every demand that no checked table proves, with how far the cell is proved to reach."""
        lower, upper = attained(reduction, ends)
        lower, upper = lower[self.places], upper[self.places]
        exact = 1e-12 * np.abs(np.nan_to_num(self.value))
        found = []
        for what, missed, needed, reached in (
            ("lower", lower > self.down_to + ENOUGH * (self.value - self.down_to) + exact, self.down_to, lower),
            ("upper", upper < self.up_to - ENOUGH * (self.up_to - self.value) - exact, self.up_to, upper),
            ("sliding", upper - lower < self.width * (1 - ENOUGH) - exact, self.width, upper - lower),
        ):
            for at in np.flatnonzero(missed):
                cell = int(possible.cells[self.places[at]])
                found.append(
                    Violation(cell, table.cell_name(cell), attacker, what, float(needed[at]), float(reached[at]))
                )
        return found


def attained(reduction: Reduction, ends: Ends) -> tuple[Numbers, Numbers]:
    """Return the proved interval of every unknown cell."""
    return _of_cells(reduction, ends.least, ends.most)


def excluded(reduction: Reduction, ends: Ends) -> tuple[Numbers, Numbers]:
    """Return, for every unknown cell, the interval outside of which nothing is possible."""
    return _of_cells(reduction, ends.lowest, ends.highest)


def _of_cells(reduction: Reduction, low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    one, other = reduction.cells(low), reduction.cells(high)
    return np.minimum(one, other), np.maximum(one, other)
