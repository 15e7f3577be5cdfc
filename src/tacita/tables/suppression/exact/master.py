"""The master problem: which cells to withhold at the least cost, under the inequalities known so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.exact.cuts import Cut
from tacita.tables.suppression.problem import SuppressionProblem

_ENOUGH = 1e-6


@dataclass(frozen=True, slots=True)
class Relaxed:
    """The optimum when cells may be withheld in part: a bound, the point, and what one more of each cell would cost."""

    bound: float
    x: NDArray[np.float64]
    reduced_costs: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Whole:
    """What the integer programme found: a proven bound, and the patterns it met, the best one last."""

    bound: float
    patterns: tuple[NDArray[np.bool_], ...]
    is_optimal: bool


class Master:
    """Binary variables for the cells that are free, and rows for cuts; nothing is ever taken out."""

    def __init__(self, problem: SuppressionProblem, iterations: int | None = None) -> None:
        self.problem = problem
        self.free = np.flatnonzero(~problem.withheld)
        self._column = np.full(len(problem), -1, np.int32)
        self._column[self.free] = np.arange(len(self.free), dtype=np.int32)
        self._seen: set[tuple[bytes, bytes]] = set()
        self._solver = highspy.Highs()  # type: ignore[no-untyped-call]
        self._solver.silent()
        self._solver.setOptionValue("presolve", "off")
        self._solver.setOptionValue("threads", 1)
        if iterations is not None:
            self._solver.setOptionValue("simplex_iteration_limit", iterations)
        self._solver.passModel(self._empty())

    def _empty(self) -> highspy.HighsLp:
        model = highspy.HighsLp()
        size = len(self.free)
        model.num_col_, model.num_row_ = size, 0
        model.col_cost_ = self.problem.cost[self.free]
        model.col_lower_, model.col_upper_ = np.zeros(size), np.ones(size)
        model.a_matrix_.start_ = np.zeros(size + 1, np.int32)
        return model

    def add(self, cuts: Iterable[Cut]) -> int:
        """Add inequalities that are not there yet; return how many were new."""
        new = []
        for cut in cuts:
            key = (cut.cells.tobytes(), np.round(cut.coefficients, 7).tobytes())
            if key not in self._seen:
                self._seen.add(key)
                new.append(cut)
        if new:
            sizes = [len(cut.cells) for cut in new]
            starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int32)
            columns = self._column[np.concatenate([cut.cells for cut in new])]
            values = np.concatenate([cut.coefficients for cut in new])
            bounds = np.array([cut.bound for cut in new])
            above = np.full(len(new), highspy.kHighsInf)
            self._solver.addRows(len(new), bounds, above, len(columns), starts, columns, values)
        return len(new)

    def relaxed(self) -> Relaxed | None:
        """Return the optimum over fractions; None when there is none, or none within the iterations allowed."""
        self._solver.run()
        if self._solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        solution = self._solver.getSolution()
        x, reduced = self.problem.withheld.astype(np.float64), np.zeros(len(self.problem))
        x[self.free] = np.clip(solution.col_value, 0.0, 1.0)
        x[x < _ENOUGH] = 0.0
        reduced[self.free] = solution.col_dual
        return Relaxed(float(self._solver.getObjectiveValue()), x, reduced)

    def whole(
        self,
        excluded: NDArray[np.bool_],
        start: NDArray[np.bool_] | None,
        seconds: float,
        gap: float,
        stopped: Callable[[], bool],
    ) -> Whole | None:
        """Return what the integer programme finds without some cells; None when nothing satisfies the inequalities."""
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.silent()
        model = self._solver.getLp()
        model.integrality_ = [highspy.HighsVarType.kInteger] * len(self.free)
        model.col_upper_ = np.where(excluded[self.free], 0.0, 1.0)
        solver.passModel(model)
        for option, value in (("time_limit", max(0.05, seconds)), ("threads", 1), ("mip_rel_gap", gap)):
            solver.setOptionValue(option, value)
        if start is not None:
            known = highspy.HighsSolution()
            known.col_value = start[self.free].astype(np.float64)
            solver.setSolution(known)
        met: list[NDArray[np.bool_]] = []
        solver.cbMipSolution += lambda event: met.append(self._pattern(event.data_out.mip_solution))
        solver.cbMipInterrupt += lambda event: setattr(event.data_in, "user_interrupt", stopped())
        solver.run()
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        is_optimal = status == highspy.HighsModelStatus.kOptimal
        if is_optimal:
            met.append(self._pattern(solver.getSolution().col_value))
        return Whole(float(solver.getInfo().mip_dual_bound), tuple(met), is_optimal)

    def _pattern(self, values: object) -> NDArray[np.bool_]:
        pattern = self.problem.withheld.copy()
        pattern[self.free] = np.asarray(values) > 0.5
        return pattern
