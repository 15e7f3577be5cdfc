"""Where published intervals lie around the values: by chance, so that knowing the method gives no value back.

An end at ``value - lower`` and another at ``value + upper`` are the value for whoever knows the levels, and so is a
width that is a share of the value. So a sensitive cell needs an interval some two to three times as wide as its levels,
of a width that is drawn, and lies anywhere in it that leaves it its levels. Every end, also of other cells, then moves
out by a drawn share of the width, and on to a round number: what the cheapest program leaves without slack would be
equations between cells. The draws depend on a secret seed and on what the cell is.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.model.table import Levels, Table
from tacita.tables.chance import uniform_by_cell
from tacita.tables.intervals.program import Room
from tacita.tables.linear_program import Reals
from tacita.tables.unit import in_units

LEAST = 2.2
"""The width of the interval of a sensitive cell is at least so many times its levels together."""

_MOST = 1.6 * LEAST
_FURTHER = 0.15  # of the width, to either side, for everybody
_TRIES = 12


def placed(table: Table, levels: Levels, room: Room, seed: int) -> Levels:
    """Return levels that are drawn: how far the interval of each sensitive cell must go to either side.

    Draws count whose ends leave an attacker who knows the method as much as both levels together; whether they do
    depends on the ends alone, and so tells nothing.
    """
    cells = np.flatnonzero(levels.sensitive)
    lower, upper = levels.lower[cells], levels.upper[cells]
    needed = np.maximum(lower + upper, levels.sliding[cells])
    down, up = lower.copy(), upper.copy()
    left = needed > 0
    for number in range(_TRIES):
        width = needed * LEAST * (_MOST / LEAST) ** uniform_by_cell(table, seed, f"width {number}")[cells]
        share = uniform_by_cell(table, seed, f"place {number}")[cells]
        rest = width - lower - upper
        tried = lower + share * rest, upper + (1 - share) * rest
        down, up = np.where(left, tried[0], down), np.where(left, tried[1], up)
        left &= ~_tells_little(table.values[cells], lower, upper, needed, down, up, table.is_count)
    down, up = np.minimum(down, room.below[cells]), np.minimum(up, room.above[cells])
    wide = [side.copy() for side in (levels.lower, levels.upper)]
    for side, most in zip(wide, (np.maximum(down, lower), np.maximum(up, upper)), strict=True):
        side[cells] = most
    return replace(levels, lower=wide[0], upper=wide[1])


def _tells_little(
    value: Reals, lower: Reals, upper: Reals, needed: Reals, down: Reals, up: Reals, absolute: bool
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return for which ends the values that can be behind them reach as far as both levels."""
    if absolute:
        return np.asarray(down + up - lower - upper >= needed)
    with np.errstate(divide="ignore", invalid="ignore"):
        least = np.maximum((value - down) / (1 - lower / value), (down + up) * value / (_MOST * needed))
        most = np.minimum((value + up) / (1 + upper / value), (down + up) * value / (LEAST * needed))
        return np.asarray((value <= 0) | (most - least >= needed / value * np.minimum((most + least) / 2, value)))


def ends_outward(table: Table, down: Reals, up: Reals, unit: float, seed: int) -> tuple[Reals, Reals]:
    """Return the ends of intervals that go down and up so far from the values: further by chance, and rounded outwards.

    Cells whose interval has no width keep their value.
    """
    small = 1e-9 * max(1.0, float(np.abs(table.values).max(initial=0)))
    width = down + up
    wide = width > small
    step = steps_of(np.where(wide, width, 10.0) / 10, unit)
    lower, upper = (
        outward(
            table.values + sign * (side + _FURTHER * width * uniform_by_cell(table, seed, f"further {sign}")),
            step,
            sign,
        )
        for sign, side in ((-1, down), (1, up))
    )
    if unit:
        lower, upper = in_units(lower, unit), in_units(upper, unit)
    # An end that is the value itself would tell it.
    lower, upper = (
        np.where(np.abs(end - table.values) <= small, end + sign * step, end) for sign, end in ((-1, lower), (1, upper))
    )
    return np.where(wide, lower, table.values), np.where(wide, upper, table.values)


def steps_of(size: Reals, unit: float) -> Reals:
    """Return the largest of 1, 2, 5, 10, 20 and so on not above each size, in whole units.

    >>> steps_of(np.array([0.3, 7.0, 1999.0]), 1.0).tolist()
    [1.0, 5.0, 1000.0]
    """
    ten = 10.0 ** np.floor(np.log10(size))
    step = ten * np.select([size >= 5 * ten, size >= 2 * ten], [5.0, 2.0], 1.0)
    return np.asarray(np.maximum(step, unit) if unit else step)


def outward(ends: Reals, step: Reals, sign: int) -> Reals:
    """Return ends moved to a multiple of their step: lower ones (sign -1) down, upper ones (1) up."""
    whole = np.floor(ends / step + 1e-9) if sign < 0 else np.ceil(ends / step - 1e-9)
    return np.asarray(whole * step)
