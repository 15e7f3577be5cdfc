"""How far each sensitive cell has to go, in which unit, and what is left to chance so that nobody can go back.

A cell that moved by exactly its level is no secret: whoever knows the rule divides the published figure by 1.15 or by
0.85. So each sensitive cell goes further than its level by an amount that is drawn for it, up to `margin` times the
larger level; and what a direction costs is drawn as well, so that the cheapest directions cannot be worked out again.
The draws depend on a secret seed and on what the cell is. All distances are multiples of the unit of the data, because
a figure with more decimals than the others shows that it was changed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Levels, Table
from tacita.tables.chance import uniform_by_cell
from tacita.tables.linear_program import Reals

_TOLL = 2.0


@dataclass(frozen=True, slots=True, repr=False)
class Chance:
    """A secret seed, and how much further than its level a sensitive cell goes at most, in times its larger level."""

    seed: int
    margin: float = 1.0
    attempt: int = 0
    """Every attempt draws anew from the same seed."""

    def drawn(self, table: Table, purpose: str) -> Reals:
        """Return a number in [0, 1) for each cell."""
        return uniform_by_cell(table, self.seed, f"{purpose} {self.attempt}")


@dataclass(frozen=True, slots=True, repr=False)
class DrawnDistances:
    """For each of some sensitive cells: how far it goes at least if it goes down or up, and what going up costs more.

    `factors` multiply the price of a change of each cell of the table.
    """

    down: Reals
    up: Reals
    toll: Reals
    factors: Reals


def distances_of(
    table: Table,
    levels: Levels,
    cells: NDArray[np.int64],
    unit: float,
    room: tuple[Reals, Reals],
    chance: Chance | None,
) -> DrawnDistances:
    """Return how far some sensitive cells go at least, given the room below and above each cell of the table.

    A cell that has a level to one side only is not safe where it is: on the other side it goes as far. Where a bound
    leaves room for the level and less than was drawn, it goes to the bound at most.
    """
    below, above = (side[cells] for side in room)
    down, up = levels.lower[cells], levels.upper[cells]
    either = np.maximum(np.maximum(down, up), unit if unit else 1e-2 * np.abs(table.values[cells]))
    down, up = _multiples(np.where(down > 0, down, either), unit), _multiples(np.where(up > 0, up, either), unit)
    if chance is None:
        return DrawnDistances(down, up, np.zeros(len(cells)), np.ones(len(table)))
    drawn = chance.drawn(table, "further")[cells]
    further = _further(np.maximum(down, up), unit, chance.margin, drawn)
    down, up = (
        np.where(far <= side, np.minimum(far + further, side), far) for far, side in ((down, below), (up, above))
    )
    direction = chance.drawn(table, "direction")[cells]
    return DrawnDistances(down, up, _TOLL * (2 * direction - 1) * (down + up) / 2, 1 + chance.drawn(table, "price"))


def _multiples(distances: Reals, unit: float) -> Reals:
    """Return the least multiples of the unit that are not smaller."""
    return np.asarray(np.ceil(distances / unit - 1e-9) * unit) if unit else distances


def _further(distances: Reals, unit: float, margin: float, drawn: Reals) -> Reals:
    """Return the amounts beyond the levels: uniform up to the margin, in units, and never certainly nothing."""
    if not unit:
        return margin * distances * drawn
    most = np.maximum(np.rint(margin * distances / unit), 1.0)
    return np.asarray(np.floor(drawn * (most + 1)) * unit)
