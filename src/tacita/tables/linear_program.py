"""Linear and mixed integer programs over the cells of a table, solved by HiGHS.

The ways to protect a table other than suppression (rounding, adjustment, intervals) each state one program; this is the
only place that talks to the solver for them. One thread, so that the same program gives the same answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InternalError

Reals = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class ConstraintRows:
    """Sparse constraints ``lower <= A x <= upper``, row by row."""

    starts: NDArray[np.int64]
    columns: NDArray[np.int64]
    coefficients: Reals
    lower: Reals
    upper: Reals

    def __len__(self) -> int:
        return len(self.starts) - 1

    def followed_by(self, other: ConstraintRows) -> ConstraintRows:
        """Return these rows and then others."""
        return ConstraintRows(
            np.concatenate((self.starts, other.starts[1:] + self.starts[-1])),
            np.concatenate((self.columns, other.columns)),
            np.concatenate((self.coefficients, other.coefficients)),
            np.concatenate((self.lower, other.lower)),
            np.concatenate((self.upper, other.upper)),
        )


@dataclass(frozen=True, slots=True)
class LinearProgram:
    """Minimise ``costs x`` within bounds and rows; the columns of `integer` take whole numbers.

    >>> rows = ConstraintRows(np.array([0, 2]), np.array([0, 1]), np.ones(2), np.array([1.5]), np.array([np.inf]))
    >>> both = LinearProgram(np.array([1.0, 2.0]), np.zeros(2), np.ones(2), rows)
    >>> solve(both).values.tolist()
    [1.0, 0.5]
    """

    costs: Reals
    lower: Reals
    upper: Reals
    rows: ConstraintRows
    integer: NDArray[np.bool_] | None = None
    offset: float = 0.0
    """Added to every cost, so that gaps are shares of what is meant."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What the solver found: `values` is None when there is no solution, or none was found in time."""

    values: Reals | None
    objective: float
    bound: float
    optimal: bool
    infeasible: bool

    @property
    def gap(self) -> float:
        """How far from the optimum the solution can be at most, as a share of its cost."""
        if self.optimal or self.objective == self.bound:
            return 0.0
        return float(abs(self.objective - self.bound) / max(abs(self.objective), 1e-9))


def solver_of(program: LinearProgram) -> Any:
    """Return a solver that holds a program, for those who solve it again and again with other costs or bounds."""
    import highspy

    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = len(program.costs), len(program.rows)
    lp.col_cost_, lp.col_lower_, lp.col_upper_ = program.costs, program.lower, program.upper
    lp.offset_ = program.offset
    lp.row_lower_, lp.row_upper_ = program.rows.lower, program.rows.upper
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = program.rows.starts.astype(np.int32)
    lp.a_matrix_.index_ = program.rows.columns.astype(np.int32)
    lp.a_matrix_.value_ = program.rows.coefficients
    if program.integer is not None and program.integer.any():
        kinds = (highspy.HighsVarType.kContinuous, highspy.HighsVarType.kInteger)
        lp.integrality_ = [kinds[int(whole)] for whole in program.integer]
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("threads", 1)
    if solver.passModel(lp) == highspy.HighsStatus.kError:
        raise InternalError("the solver did not take the program")
    return solver


def solve(
    program: LinearProgram,
    *,
    seconds: float = np.inf,
    gap: float = 0.0,
    start: Reals | None = None,
    options: dict[str, Any] | None = None,
) -> Answer:
    """Return the best solution found within a time; `start` is a solution known before."""
    solver = solver_of(program)
    for name, value in (options or {}).items():
        solver.setOptionValue(name, value)
    solver.setOptionValue("mip_rel_gap", max(gap, 1e-9))
    solver.setOptionValue("mip_abs_gap", 1e-6)
    if np.isfinite(seconds):
        solver.setOptionValue("time_limit", max(seconds, 0.0))
    if start is not None:
        solver.setSolution(len(start), np.arange(len(start), dtype=np.int32), start)
    solver.run()
    return answer_of(solver)


def is_whole(values: Reals) -> bool:
    """Return whether all values are whole numbers, to within the precision of the solver."""
    return bool(np.abs(values - np.rint(values)).max(initial=0) < 1e-6)


def answer_of(solver: Any) -> Answer:
    """Return what a solver found when it ran last."""
    import highspy

    status, info = solver.getModelStatus(), solver.getInfo()
    optimal = status == highspy.HighsModelStatus.kOptimal
    infeasible = status in {highspy.HighsModelStatus.kInfeasible, highspy.HighsModelStatus.kUnboundedOrInfeasible}
    has_solution = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    if not has_solution:
        return Answer(None, np.inf, -np.inf, optimal=False, infeasible=infeasible)
    values = np.array(solver.getSolution().col_value)
    objective = float(info.objective_function_value)
    is_mip = info.mip_node_count >= 0
    bound = float(info.mip_dual_bound) if is_mip else (objective if optimal else -np.inf)
    return Answer(values, objective, bound, optimal, infeasible=False)
