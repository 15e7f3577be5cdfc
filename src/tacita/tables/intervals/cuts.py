"""Interval widths by cutting planes: a program over the widths alone, and the attacker's program that finds its faults.

For widths (down, up) the attacker's reach of a sensitive cell is the maximum of its difference d over all tables of
differences with ``-down <= d <= up``. The duals of the sums write that difference as ``g d`` for every such table, so
``sum of (g above zero) up + (g below zero) down >= level`` holds for all widths that protect: a cut (Fischetti and
Salazar 2003). Cuts are taken at slightly wider intervals too, where they say more.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from tacita.model.table import Table
from tacita.tables.intervals.program import Need, Room
from tacita.tables.linear_program import ConstraintRows, LinearProgram, Reals, answer_of, solver_of

_ROUNDS = 400


def cut_widths(
    table: Table, needs: tuple[Need, ...], room: Room, weights: Reals, end: float
) -> tuple[Reals, Reals, float] | None:
    """Return widths below and above, and a bound of their weighted sum; they protect when time was enough.

    Whoever calls has to widen them where they do not. None when the first program has no solution.
    """
    cells, scale = len(table), max((need.distance for need in needs), default=1.0)
    lower = np.zeros(2 * cells)
    upper = np.concatenate((room.below, room.above)) / scale
    for need in needs:
        at = need.cell + (cells if need.upward else 0)
        lower[at] = max(lower[at], need.distance / scale)
    if (lower > upper).any():
        return None
    nothing = ConstraintRows(np.zeros(1, np.int64), np.zeros(0, np.int64), np.zeros(0), np.zeros(0), np.zeros(0))
    master = solver_of(LinearProgram(np.concatenate((weights, weights)), lower, upper, nothing))
    attack = _Attack(table)
    widths, bound = lower, 0.0
    for _ in range(_ROUNDS):
        master.run()
        answer = answer_of(master)
        if answer.values is None or not answer.optimal:
            break
        widths, bound = np.maximum(answer.values, lower), answer.objective
        wider = np.minimum(np.maximum(widths, 0.02), upper)
        cuts = 0
        for need in needs:
            if time.monotonic() >= end:
                break
            level = need.distance / scale
            for tried in (wider, widths):
                cut = attack.cut(need, tried)
                if cut @ widths < level * (1 - 1e-7) - 1e-9:
                    used = np.flatnonzero(cut).astype(np.int32)
                    master.addRow(level, np.inf, len(used), used, cut[used])
                    cuts += 1
                    break
        if not cuts or time.monotonic() >= end:
            break
    return widths[:cells] * scale, widths[cells:] * scale, bound * scale


class _Attack:
    """The attacker's program on differences from the true table."""

    def __init__(self, table: Table) -> None:
        equations, cells = table.equations, len(table)
        zero = np.zeros(len(equations))
        rows = ConstraintRows(equations.starts, equations.cells, equations.coefficients, zero, zero)
        self.cells = np.arange(cells, dtype=np.int32)
        self.solver: Any = solver_of(LinearProgram(np.zeros(cells), np.zeros(cells), np.zeros(cells), rows))
        self.solver.setOptionValue("simplex_strategy", 4)

    def cut(self, need: Need, widths: Reals) -> Reals:
        """Return the coefficients of the cut on the widths (below, then above) at some widths."""
        count = len(self.cells)
        self.solver.changeColsBounds(count, self.cells, -widths[:count], widths[count:])
        self.solver.changeColCost(need.cell, -1.0 if need.upward else 1.0)
        self.solver.run()
        prices = np.array(self.solver.getSolution().col_dual)
        self.solver.changeColCost(need.cell, 0.0)
        return np.concatenate((np.maximum(prices, 0.0), np.maximum(-prices, 0.0)))
