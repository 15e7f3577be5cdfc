"""The linear programs of interval publication: all widths together, or one sensitive cell after the other."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tacita.model.table import Table
from tacita.tables.linear_program import ConstraintRows, LinearProgram, Reals, solve


@dataclass(frozen=True, slots=True)
class Need:
    """A level: how far from its value, and to which side, some table within the intervals must have a cell."""

    cell: int
    upward: bool
    distance: float


@dataclass(frozen=True, slots=True)
class Room:
    """How far below and above its value each interval may go: external bounds, nothing for exact cells."""

    below: Reals
    above: Reals


def needs_of(cell: int, below: float, above: float, width: float, room: Room) -> list[Need]:
    """Return what the levels of a cell need; a width is asked of the upper side as far as there is room."""
    rest = max(width - above - below, 0.0)
    more = min(rest, max(float(room.above[cell]) - above, 0.0))
    distances = ((True, above + more), (False, below + rest - more))
    return [Need(cell, upward, distance) for upward, distance in distances if distance > 0]


class Widths(NamedTuple):
    """How far below and above its value each interval goes."""

    down: Reals
    up: Reals


def joint_widths(
    table: Table, needs: tuple[Need, ...], room: Room, weights: Reals, end: float
) -> tuple[Reals, Reals, float] | None:
    """Return the widths below and above of the least weighted sum, and that sum; None without a solution in time.

    Columns: down and up for each cell, then one table of differences d per need. Rows: the sums of each d, and
    ``-down <= d <= up``.
    """
    cells, scale = len(table), max((need.distance for need in needs), default=1.0)
    equations, every = table.equations, np.arange(len(table), dtype=np.int64)
    lower, upper = [np.zeros(2 * cells)], [np.concatenate((room.below, room.above)) / scale]
    rows: ConstraintRows | None = None
    zero = np.zeros(len(equations))
    pairs = np.arange(0, 4 * cells + 1, 2, dtype=np.int64)
    for number, need in enumerate(needs):
        first = (2 + number) * cells
        least, most = -room.below / scale, room.above / scale
        if need.upward:
            least[need.cell] = need.distance / scale
        else:
            most[need.cell] = -need.distance / scale
        if least[need.cell] > most[need.cell]:
            return None
        lower.append(least)
        upper.append(most)
        sums = ConstraintRows(equations.starts, first + equations.cells, equations.coefficients, zero, zero)
        columns = np.concatenate(
            (np.column_stack((first + every, every)), np.column_stack((first + every, cells + every)))
        )
        signs = np.concatenate((np.tile((1.0, 1.0), (cells, 1)), np.tile((-1.0, 1.0), (cells, 1))))
        within = ConstraintRows(pairs, columns.ravel(), signs.ravel(), np.zeros(2 * cells), np.full(2 * cells, np.inf))
        both = sums.followed_by(within)
        rows = both if rows is None else rows.followed_by(both)
    if rows is None:
        return np.zeros(cells), np.zeros(cells), 0.0
    costs = np.concatenate((weights, weights, np.zeros(len(needs) * cells)))
    program = LinearProgram(costs, np.concatenate(lower), np.concatenate(upper), rows)
    answer = solve(program, seconds=max(end - time.monotonic(), 0.0))
    if not answer.optimal or answer.values is None:
        return None
    # The witnesses, not the widths, are what protects: take the widths from them.
    tables = answer.values[2 * cells :].reshape(len(needs), cells) * scale
    return np.maximum(-tables.min(axis=0), 0.0), np.maximum(tables.max(axis=0), 0.0), answer.objective * scale


def widened_by_whole(table: Table, need: Need, room: Room, weights: Reals, widths: Widths) -> Widths | None:
    """Return the widths after the cheapest widening with which whole numbers reach a level; None: none is known.

    Columns: what lies within the present widths (free), what goes above them, what goes below them.
    """
    cells, (down, up) = len(table), widths
    equations = table.equations
    most = np.concatenate((up, np.maximum(room.above - up, 0), np.maximum(room.below - down, 0)))
    least = np.concatenate((-down, np.zeros(2 * cells)))
    least, most = np.ceil(least - 1e-9), np.floor(most + 1e-9)
    order = np.argsort(np.tile(equations.row_of, 3), kind="stable")
    columns = np.concatenate((equations.cells, equations.cells + cells, equations.cells + 2 * cells))[order]
    values = np.concatenate((equations.coefficients, equations.coefficients, -equations.coefficients))[order]
    zero = np.zeros(len(equations))
    sign = 1.0 if need.upward else -1.0
    reach = ConstraintRows(
        np.array([0, 3]),
        need.cell + np.array([0, cells, 2 * cells]),
        np.array([sign, sign, -sign]),
        np.array([need.distance]),
        np.array([np.inf]),
    )
    program = LinearProgram(
        np.concatenate((np.zeros(cells), weights, weights)),
        least,
        most,
        ConstraintRows(equations.starts * 3, columns, values, zero, zero).followed_by(reach),
        np.ones(3 * cells, bool),
    )
    answer = solve(program, seconds=20.0)
    if answer.values is None:
        return None
    free, above, below = np.split(answer.values, 3)
    differences = free + above - below
    return Widths(np.maximum(down, -differences), np.maximum(up, differences))
