"""Tables of few differences from the true one: within given widths, or beyond them where that costs the least."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table
from tacita.tables.intervals.program import Need, Room, Widths
from tacita.tables.linear_program import ConstraintRows, LinearProgram, Reals, answer_of, solver_of

_SAFE = 1e-4  # of a level: what the solver's tolerance must not take away
_WITHIN = 1e-3  # what a difference within the widths costs, as a share of the same beyond them


class Differences:
    """One program for many questions, of which each changes few bounds.

    Columns are how far each cell goes up and how far down, within the widths; with a room, also how far beyond them.
    """

    def __init__(
        self, table: Table, widths: Widths, scale: float, room: Room | None = None, weights: Reals | None = None
    ) -> None:
        equations, cells = table.equations, len(table)
        self._count, self._scale, self._room = cells, max(scale, 1e-12), room
        layers = 2 if room is None else 4
        zero = np.zeros(len(equations))
        order = np.argsort(np.tile(equations.row_of, layers), kind="stable")
        columns = np.concatenate([equations.cells + cells * layer for layer in range(layers)])[order]
        signs = (1.0, -1.0, 1.0, -1.0)[:layers]
        values = np.concatenate([sign * equations.coefficients for sign in signs])[order]
        rows = ConstraintRows(equations.starts * layers, columns, values, zero, zero)
        usual = np.ones(cells) if weights is None else weights / weights.max(initial=1e-12)
        costs = np.concatenate([usual * (_WITHIN if layer < layers - 2 else 1.0) for layer in range(layers)])
        self._most = np.zeros(layers * cells)
        self._solver: Any = solver_of(LinearProgram(costs, self._most, self._most, rows))
        self.widen(widths)

    def widen(self, widths: Widths) -> None:
        """Allow differences up to these widths."""
        parts = [widths.up, widths.down]
        if self._room is not None:
            parts += [np.maximum(self._room.above - widths.up, 0.0), np.maximum(self._room.below - widths.down, 0.0)]
        most = np.concatenate(parts) / self._scale
        changed = np.flatnonzero(most != self._most).astype(np.int32)
        self._most = most
        self._solver.changeColsBounds(len(changed), changed, np.zeros(len(changed)), most[changed])

    def table(self, need: Need, fixed: NDArray[np.int64]) -> Reals | None:
        """Return a table in which a cell is as far as needed and some cells do not differ; None if there is none."""
        layers = np.arange(0, len(self._most), self._count)
        mine = need.cell + layers[0 if need.upward else 1 :: 2]
        needed, room = need.distance / self._scale, float(self._most[mine].sum())
        if room < needed * (1 - 1e-9) or need.cell in fixed:
            return None
        least = min(needed * (1 + _SAFE), room)
        # First what lies within the width, then what goes beyond it.
        lower = np.diff(np.minimum(np.cumsum(self._most[mine]), least), prepend=0.0)
        still = np.concatenate(((fixed[:, None] + layers).ravel(), need.cell + layers[1 if need.upward else 0 :: 2]))
        columns = np.concatenate((still, mine)).astype(np.int32)
        nothing = np.zeros(len(columns))
        low, high = nothing.copy(), nothing.copy()
        low[len(still) :], high[len(still) :] = lower, self._most[mine]
        self._solver.changeColsBounds(len(columns), columns, low, high)
        self._solver.run()
        answer = answer_of(self._solver)
        self._solver.changeColsBounds(len(columns), columns, nothing, self._most[columns])
        if answer.values is None or not answer.optimal:
            return None
        parts = answer.values.reshape(len(layers), self._count)
        return np.asarray((parts[0::2].sum(axis=0) - parts[1::2].sum(axis=0)) * self._scale)
