"""One block of possible tables in the solver, asked again and again: only what is sought changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.attacks.tables.system.possible_tables import Numbers, Places
from tacita.errors import InternalError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


class Polytope:
    """``matrix @ x = sums`` and ``lower <= x <= upper``, kept in HiGHS with its last basis.

    Every answer is only a proposal: whoever uses it as a proof checks it with plain arithmetic. `walked` counts the
    steps of the simplex method, a measure of work that does not depend on the clock.
    """

    def __init__(
        self,
        matrix: csr_array[Any],
        sums: Numbers,
        lower: Numbers,
        upper: Numbers,
        *,
        whole: bool = False,
        dual: bool = False,
    ) -> None:
        import highspy

        self._highspy = highspy
        self.size = matrix.shape[1]
        self._solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for option, value in (
            ("output_flag", False),
            ("threads", 1),
            ("random_seed", 0),
            ("primal_feasibility_tolerance", 1e-9),
            ("dual_feasibility_tolerance", 1e-9),
            ("simplex_scale_strategy", 0),
        ):
            self._solver.setOptionValue(option, value)
        model = highspy.HighsLp()
        model.num_col_, model.num_row_ = self.size, matrix.shape[0]
        model.col_cost_ = np.zeros(self.size)
        model.col_lower_, model.col_upper_ = lower, upper
        model.row_lower_, model.row_upper_ = sums, sums
        model.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        model.a_matrix_.start_ = matrix.indptr.astype(np.int32)
        model.a_matrix_.index_ = matrix.indices.astype(np.int32)
        model.a_matrix_.value_ = matrix.data
        if whole:
            model.integrality_ = [highspy.HighsVarType.kInteger] * self.size
            self._solver.setOptionValue("mip_rel_gap", 0.0)
            self._solver.setOptionValue("mip_abs_gap", 0.99)
        if self._solver.passModel(model) == highspy.HighsStatus.kError:
            raise InternalError("the solver refused the attacker's problem")
        self._whole, self._strategy = whole, 1 if dual else 4
        self._costs = np.zeros(self.size)
        self._started = False
        self.walked = 0

    def limit(self, seconds: float, nodes: int | None = None) -> None:
        """Give up a single question after so many seconds, and one over whole numbers after so many nodes."""
        self._solver.setOptionValue("time_limit", float(seconds))
        if nodes is not None:
            self._solver.setOptionValue("mip_max_nodes", nodes)

    def bound(self, columns: Places, lower: Numbers, upper: Numbers) -> None:
        """Change the bounds of some numbers: an attacker who knows more, or who is released of it."""
        if len(columns):
            self._solver.changeColsBounds(len(columns), columns.astype(np.int32), lower, upper)

    def largest(self, wish: Numbers) -> tuple[Numbers | None, float, bool]:
        """Return a point with the largest ``wish @ x`` (None: nothing found), the bound on it, and whether it is exact.

        Infinite bounds must have been capped before, so that there always is a largest value.
        """
        changed = np.flatnonzero(wish != self._costs)
        if changed.size:
            self._solver.changeColsCost(len(changed), changed.astype(np.int32), -wish[changed])
            self._costs = wish.copy()
        if self._whole:
            self._solver.clearSolver()
        elif self._started:
            # The last point is still possible when only the wish changed, and the primal simplex just walks on. Small
            # changes of a table are a few dual steps from no change at all, fewer than from the last one.
            self._solver.setOptionValue("presolve", "off")
            self._solver.setOptionValue("simplex_strategy", self._strategy)
            if self._strategy == 1:
                self._solver.clearSolver()
        self._solver.run()
        status = self._solver.getModelStatus()
        good = status == self._highspy.HighsModelStatus.kOptimal
        if not good and not self._whole:
            # A basis that went astray is no verdict: ask once more from the beginning.
            self._solver.clearSolver()
            self._solver.setOptionValue("presolve", "choose")
            self._solver.setOptionValue("simplex_strategy", 1)
            self._solver.run()
            good = self._solver.getModelStatus() == self._highspy.HighsModelStatus.kOptimal
        self._started = good
        info = self._solver.getInfo()
        self.walked += max(0, int(info.simplex_iteration_count))
        if good:
            point = np.array(self._solver.getSolution().col_value)
            return point, float(wish @ point), True
        if self._whole and info.primal_solution_status == self._highspy.SolutionStatus.kSolutionStatusFeasible:
            return np.array(self._solver.getSolution().col_value), -float(info.mip_dual_bound), False
        return None, -float(info.mip_dual_bound) if self._whole else np.inf, False

    def prices(self) -> Numbers:
        """Return what one more unit of each sum would add to the last answer: the attacker's combination of sums."""
        return -np.array(self._solver.getSolution().row_dual)
