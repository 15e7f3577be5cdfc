"""How far cells can move when some are withheld: the attacker's linear programme, on deviations.

It is the protector's own. The room `attacks` has another, on values, and shares nothing with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.problem import ProtectionTarget, SuppressionProblem

_SECONDS_FOR_ONE = 5.0  # for one question about whole numbers; almost all take milliseconds
_OPTIMAL = highspy.HighsModelStatus.kOptimal
_INTERRUPTED = highspy.HighsModelStatus.kInterrupt


@dataclass(frozen=True, slots=True)
class MovementReach:
    """How far a cell goes, one movement of all cells that shows it, and multipliers that prove no more is possible."""

    distance: float
    delta: NDArray[np.float64]
    multipliers: NDArray[np.float64]


class Movements:
    """One warm linear programme over some cells; only bounds and the objective change between questions.

    Primal simplex: no movement at all is always possible, so there is always a point to start from.
    """

    def __init__(self, problem: SuppressionProblem, allowed: NDArray[np.bool_] | None = None) -> None:
        self.problem = problem
        every = np.ones(len(problem), bool) if allowed is None else allowed
        self.cells = np.flatnonzero(every)
        self._column = np.full(len(problem), -1)
        self._column[self.cells] = np.arange(len(self.cells))
        part = problem.sums[:, self.cells].tocsr()
        self._rows = np.flatnonzero(np.diff(part.indptr))
        self._lower, self._upper = -problem.down[self.cells], problem.up[self.cells]
        self._solver = solver_of(part[self._rows], self._lower, self._upper)
        self._columns = np.arange(len(self.cells), dtype=np.int32)
        self._priced: NDArray[np.int32] = self._columns[:0]

    def allow(self, down: NDArray[np.float64], up: NDArray[np.float64]) -> None:
        """Let every cell move by so much from now on."""
        self._lower, self._upper = -down[self.cells], up[self.cells]
        self._solver.changeColsBounds(len(self.cells), self._columns, self._lower, self._upper)

    def shut(self, cell: int) -> None:
        """Let a cell not move from now on."""
        self._bound(cell, 0.0, 0.0)

    def open(self, cell: int) -> None:
        """Let a cell move again as far as an attacker cannot exclude."""
        self._bound(cell, -float(self.problem.down[cell]), float(self.problem.up[cell]))

    def _bound(self, cell: int, lower: float, upper: float) -> None:
        column = int(self._column[cell])
        self._lower[column], self._upper[column] = lower, upper
        self._solver.changeColBounds(column, lower, upper)

    @contextmanager
    def knowing(self, cells: Iterable[int]) -> Iterator[None]:
        """Ask as somebody who knows some cells exactly."""
        known = [int(column) for cell in cells if (column := self._column[cell]) >= 0]
        for column in known:
            self._solver.changeColBounds(column, 0.0, 0.0)
        try:
            yield
        finally:
            for column in known:
                self._solver.changeColBounds(column, float(self._lower[column]), float(self._upper[column]))

    def reach(self, cell: int, sign: int, level: float) -> MovementReach:
        """Return how far a cell goes up (sign 1) or down (-1), but no further than a level."""
        column = int(self._column[cell])
        self._cap(column, sign, level)
        solution = self._best([column], [float(sign)])
        self._solver.changeColBounds(column, self._lower[column], self._upper[column])
        delta = self._full(solution)
        multipliers = np.zeros(self.problem.sums.shape[0])
        multipliers[self._rows] = solution.row_dual
        return MovementReach(float(sign * delta[cell]), delta, multipliers)

    def whole_reach(self, cell: int, sign: int, level: float, hint: MovementReach) -> MovementReach:
        """Return how far a cell goes when every cell moves by whole numbers, but no further than a level.

        Cells that move in the hint are tried first, then all. The multipliers are zero: there is no dual to such a
        question. What was not found in time counts as no reach.
        """
        near = self._whole_reach(cell, sign, level, np.abs(hint.delta) > 1e-7)
        return near if near.distance >= level else self._whole_reach(cell, sign, level, None)

    def _whole_reach(self, cell: int, sign: int, level: float, only: NDArray[np.bool_] | None) -> MovementReach:
        column = int(self._column[cell])
        self._cap(column, sign, level)
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.silent()
        model = self._solver.getLp()
        prices = np.zeros(len(self.cells))
        prices[column] = sign
        model.col_cost_ = prices
        if only is not None:
            still = ~only[self.cells]
            model.col_lower_ = np.where(still, 0.0, model.col_lower_)
            model.col_upper_ = np.where(still, 0.0, model.col_upper_)
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(self.cells)
        solver.passModel(model)
        for option, value in (("threads", 1), ("time_limit", _SECONDS_FOR_ONE), ("objective_target", float(level))):
            solver.setOptionValue(option, value)
        solver.run()
        self._solver.changeColBounds(column, self._lower[column], self._upper[column])
        delta = np.zeros(len(self.problem))
        if solver.getInfo().primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible:
            delta[self.cells] = np.rint(solver.getSolution().col_value)
        return MovementReach(float(sign * delta[cell]), delta, np.zeros(self.problem.sums.shape[0]))

    def together(self, targets: Sequence[ProtectionTarget], clock: Clock | None = None) -> NDArray[np.float64]:
        """Return one movement that takes as many targets as it can towards their levels, each counted equally.

        With a clock, `OutOfTime` is raised when it is up; questions of one target take too little to ask for it.
        """
        columns = [int(self._column[target.cell]) for target in targets]
        for target, column in zip(targets, columns, strict=True):
            self._cap(column, target.sign, target.level)
        try:
            with ended_by(self._solver, clock):
                solution = self._best(columns, [target.sign / target.level for target in targets])
        finally:
            for column in columns:
                self._solver.changeColBounds(column, self._lower[column], self._upper[column])
        return self._full(solution)

    def _cap(self, column: int, sign: int, level: float) -> None:
        lower, upper = float(self._lower[column]), float(self._upper[column])
        bounds = (lower, min(upper, level)) if sign > 0 else (max(lower, -level), upper)
        self._solver.changeColBounds(column, *bounds)

    def _best(self, columns: list[int], prices: list[float]) -> highspy.HighsSolution:
        solver = self._solver
        solver.changeColsCost(len(self._priced), self._priced, np.zeros(len(self._priced)))
        self._priced = np.array(columns, np.int32)
        solver.changeColsCost(len(columns), self._priced, np.array(prices))
        solver.run()
        if solver.getModelStatus() == _INTERRUPTED:
            raise OutOfTime
        if solver.getModelStatus() != _OPTIMAL:
            # Rounding in a long series of warm starts; a cold one settles it.
            solver.clearSolver()
            solver.run()
        return solver.getSolution()

    def _full(self, solution: highspy.HighsSolution) -> NDArray[np.float64]:
        delta = np.zeros(len(self.problem))
        delta[self.cells] = solution.col_value
        return delta


@contextmanager
def ended_by(solver: highspy.Highs, clock: Clock | None) -> Iterator[None]:
    """Let a simplex end when the time is up; its status says so."""
    if clock is None:
        yield
        return

    def look(event: highspy.highs.HighsCallbackEvent) -> None:
        if event.data_in is not None:
            event.data_in.user_interrupt = clock.is_up

    solver.cbSimplexInterrupt += look
    try:
        yield
    finally:
        solver.cbSimplexInterrupt -= look


def solver_of(
    sums: sparse.csr_matrix, lower: NDArray[np.float64], upper: NDArray[np.float64], *, maximize: bool = True
) -> highspy.Highs:
    """Return a quiet primal simplex over movements that keep all sums."""
    solver = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.silent()
    for option, value in (("presolve", "off"), ("solver", "simplex"), ("simplex_strategy", 4), ("threads", 1)):
        solver.setOptionValue(option, value)
    rows, cells = sums.shape
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = cells, rows
    model.col_cost_ = np.zeros(cells)
    model.col_lower_, model.col_upper_ = lower, upper
    model.row_lower_, model.row_upper_ = np.zeros(rows), np.zeros(rows)
    model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    model.a_matrix_.start_ = sums.indptr
    model.a_matrix_.index_ = sums.indices
    model.a_matrix_.value_ = sums.data
    model.sense_ = highspy.ObjSense.kMaximize if maximize else highspy.ObjSense.kMinimize
    solver.passModel(model)
    return solver
