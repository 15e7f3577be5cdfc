"""Does the attacker's polytope reach the protection levels? The protector's own check of boxes around every cell.

A published rounding or interval leaves each cell somewhere between two ends. Together with the sums these boxes are
what an attacker knows. A sensitive cell is protected when some table in the boxes has it at its level above the true
value, and some table has it at its level below. Such a table is a witness, and one witness often serves many cells: so
cells are tried together in random directions first, and one by one only where that did not do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Levels, Table
from tacita.tables.linear_program import ConstraintRows, LinearProgram, Reals, answer_of, solve, solver_of

_CLOSE = 1e-6
_SECONDS = 3.0  # for one table of whole numbers; not found counts as not there


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A sensitive cell that an attacker knows better than allowed, and how far the interval reaches that side."""

    cell: int
    upward: bool
    needed: float
    reached: float


def shortfalls(table: Table, levels: Levels, below: Reals, above: Reals, *, whole: bool) -> tuple[Shortfall, ...]:
    """Return the levels that are not reached when cell c may be anywhere from ``value - below`` to ``value + above``.

    `whole` says that the attacker knows that all values are whole numbers. A sliding level that is missed is told as a
    shortfall of the upper side.
    """
    needed = _needed(levels)
    if not needed:
        return ()
    scale = max(1e-12, *(distance for _, _, distance in needed))
    box = _Box(table, below / scale, above / scale, whole, scale)
    open_ends = {(cell, sign): distance / scale for cell, sign, distance in needed}
    box.try_together(open_ends)
    lacking = []
    for cell, sign in list(open_ends):
        distance = open_ends.get((cell, sign))
        if distance is None:
            continue
        reached = box.try_alone(cell, sign, distance, open_ends)
        if reached < distance * (1 - _CLOSE) - _CLOSE:
            lacking.append(Shortfall(cell, sign > 0, distance * scale, reached * scale))
    lacking.extend(_sliding(levels, box, scale))
    return tuple(lacking)


def _needed(levels: Levels) -> list[tuple[int, int, float]]:
    cells = np.flatnonzero(levels.sensitive)
    return [
        (int(cell), sign, float(side[cell]))
        for sign, side in ((1, levels.upper), (-1, levels.lower))
        for cell in cells
        if side[cell] > 0
    ]


def _sliding(levels: Levels, box: _Box, scale: float) -> list[Shortfall]:
    lacking = []
    for cell in np.flatnonzero(levels.sensitive & (levels.sliding > levels.lower + levels.upper)):
        wanted = float(levels.sliding[cell]) / scale
        up = box.try_alone(int(cell), 1, wanted, {})
        down = box.try_alone(int(cell), -1, wanted, {})
        if up + down < wanted * (1 - _CLOSE) - _CLOSE:
            lacking.append(Shortfall(int(cell), True, (wanted - down) * scale, up * scale))
    return lacking


class _Box:
    """The attacker's program on differences from the true table, in units of the largest level."""

    def __init__(self, table: Table, below: Reals, above: Reals, whole: bool, scale: float) -> None:
        equations = table.equations
        zero = np.zeros(len(equations))
        self.lower, self.upper = -below, above.copy()
        self.whole, self.scale = whole, scale
        rows = ConstraintRows(equations.starts, equations.cells, equations.coefficients, zero, zero)
        self.program = LinearProgram(np.zeros(len(table)), self.lower, self.upper, rows)
        self.solver: Any = solver_of(self.program)
        self.solver.setOptionValue("simplex_strategy", 4)  # primal: only costs and few bounds change

    def try_together(self, open_ends: dict[tuple[int, int], float]) -> None:
        """Close the ends that a few tables with many cells at their levels reach."""
        signs = np.random.default_rng(0)
        for _ in range(6):
            if len(open_ends) < 3:
                return
            before = len(open_ends)
            chosen = {}
            for cell in dict.fromkeys(cell for cell, _ in open_ends):
                both = [sign for sign in (1, -1) if (cell, sign) in open_ends]
                chosen[cell] = both[int(signs.integers(len(both)))]
            self._witness({(cell, sign): open_ends[cell, sign] for cell, sign in chosen.items()}, open_ends)
            if len(open_ends) > 0.9 * before:
                return

    def try_alone(self, cell: int, sign: int, distance: float, open_ends: dict[tuple[int, int], float]) -> float:
        """Return how far one cell reaches, at most its distance, and close what the same table reaches besides."""
        deltas = self._witness({(cell, sign): distance}, open_ends)
        return float(sign * deltas[cell])

    def _witness(self, ends: dict[tuple[int, int], float], open_ends: dict[tuple[int, int], float]) -> Reals:
        cells = np.array([cell for cell, _ in ends], np.int32)
        signs = np.array([sign for _, sign in ends])
        caps = np.array(list(ends.values()))
        lower = np.where(signs < 0, np.maximum(self.lower[cells], -caps), self.lower[cells])
        upper = np.where(signs > 0, np.minimum(self.upper[cells], caps), self.upper[cells])
        self.solver.changeColsBounds(len(cells), cells, lower, upper)
        self.solver.changeColsCost(len(cells), cells, -signs.astype(np.float64))
        self.solver.run()
        deltas = answer_of(self.solver).values
        self.solver.changeColsBounds(len(cells), cells, self.lower[cells], self.upper[cells])
        self.solver.changeColsCost(len(cells), cells, np.zeros(len(cells)))
        if deltas is None:
            # The true table itself is always a solution; a solver that fails proves nothing.
            deltas = np.zeros(len(self.lower))
        if self.whole and not self._is_whole(deltas):
            deltas = self._whole_witness(cells, signs, caps)
        for (cell, sign), distance in list(open_ends.items()):
            if sign * deltas[cell] >= distance * (1 - _CLOSE) - _CLOSE / 10:
                del open_ends[cell, sign]
        return deltas

    def _is_whole(self, deltas: Reals) -> bool:
        wide = deltas * self.scale
        return bool(np.abs(wide - np.rint(wide)).max(initial=0) < 1e-5)

    def _whole_witness(self, cells: NDArray[np.int32], signs: Reals, caps: Reals) -> Reals:
        """Return a table of whole numbers with some cells far to one side.

        One cell is held at its level, and any table will do: to find one is much easier than to find the best.
        """
        costs = np.zeros(len(self.lower))
        lower, upper = np.ceil(self.lower * self.scale - 1e-9), np.floor(self.upper * self.scale + 1e-9)
        levels = np.ceil(caps * self.scale - 1e-9)
        if len(cells) == 1:
            if signs[0] > 0:
                lower[cells] = levels
            else:
                upper[cells] = -levels
            if (lower > upper).any():
                return np.zeros(len(costs))
        else:
            costs[cells] = -signs
            lower[cells] = np.where(signs < 0, np.maximum(lower[cells], -levels), lower[cells])
            upper[cells] = np.where(signs > 0, np.minimum(upper[cells], levels), upper[cells])
        program = replace(self.program, costs=costs, lower=lower, upper=upper, integer=np.ones(len(costs), bool))
        values = solve(program, seconds=_SECONDS, gap=0.05).values
        return np.zeros(len(costs)) if values is None else np.rint(values) / self.scale
