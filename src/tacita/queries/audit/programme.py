"""Linear programmes over the sums of classes: how large one can be, by all answers and bounds."""

from __future__ import annotations

import time
from dataclasses import dataclass
from fractions import Fraction

import highspy
import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
_OPTIMAL = highspy.HighsModelStatus.kOptimal
_INFEASIBLE = highspy.HighsModelStatus.kInfeasible
_MOST_ITERATIONS = 100_000


class TooLate(Exception):
    """An audit did not come to an end in its time."""


class NoDataSet(TooLate):
    """No data set agrees; for answers as they were given that is rounding, and no verdict."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Optimum:
    """A point at which a class is as far as it can be, and the factors of answers that prove it."""

    point: Numbers
    value: float
    duals: Numbers


class ClassProgramme:
    """All data that agree with answers, by classes. Warm: one objective after the other."""

    def __init__(self, rows: Numbers, right: Numbers, lower: Numbers, upper: Numbers, ends: float) -> None:
        """`ends` is the CPU time of the thread at which to give up: other work on the machine decides nothing."""
        self._ends = ends
        self._columns = rows.shape[1]
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.silent()
        for option, value in (("presolve", "off"), ("solver", "simplex"), ("simplex_strategy", 4), ("threads", 1)):
            solver.setOptionValue(option, value)
        solver.setOptionValue("simplex_iteration_limit", _MOST_ITERATIONS)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = self._columns, len(rows)
        model.col_cost_ = np.zeros(self._columns)
        model.col_lower_, model.col_upper_ = lower, upper
        model.row_lower_ = model.row_upper_ = right
        at_row, at_column = np.nonzero(rows)
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = np.concatenate([[0], np.cumsum(np.bincount(at_row, minlength=len(rows)))])
        model.a_matrix_.index_ = at_column
        model.a_matrix_.value_ = rows[at_row, at_column]
        solver.passModel(model)
        self._solver = solver
        self._priced = 0

    def farthest(self, column: int, sign: int) -> Optimum:
        """Return the point at which a class is largest (sign 1) or smallest (-1). Raises `TooLate`, or `NoDataSet`."""
        left = self._ends - time.thread_time()
        if left <= 0:
            raise TooLate
        solver = self._solver
        solver.changeColCost(self._priced, 0.0)
        solver.changeColCost(column, -float(sign))
        self._priced = column
        # The limit counts from the beginning of the solver's own clock.
        solver.setOptionValue("time_limit", solver.getRunTime() + left)
        solver.run()
        if solver.getModelStatus() != _OPTIMAL:
            # Rounding in a long series of warm starts; a cold one settles it, or it is too late.
            solver.clearSolver()
            solver.run()
            if solver.getModelStatus() != _OPTIMAL:
                raise NoDataSet if solver.getModelStatus() == _INFEASIBLE else TooLate
        solution = solver.getSolution()
        point = np.array(solution.col_value)
        return Optimum(point, float(point[column]), -sign * np.array(solution.row_dual))


def as_fraction(factor: float) -> str:
    """Return a factor of a proof as people write it.

    >>> as_fraction(-0.3333333334), as_fraction(1.0)
    ('-1/3', '1')
    """
    return str(Fraction(factor).limit_denominator(1_000))
