"""The cheapest cells to withhold besides, so that targets reach their levels."""

from __future__ import annotations

from collections.abc import Sequence

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.problem import (
    CLOSE_ENOUGH,
    EVERYBODY,
    WIDTH,
    ProtectionTarget,
    SuppressionProblem,
    part_of,
)
from tacita.tables.suppression.proofs.movements import ended_by, solver_of

_STILL = 1e-7  # of a level
_ROUNDS = 3
_DUAL = 1
_SECONDS_FOR_ONE = 10.0
_REWARD = 1e3  # of the highest price: in a batch, reaching a level is worth more than any detour


class Router:
    """A min-cost linear programme: movement costs what withholding costs, spread over what must be carried.

    The price of a cell is its cost by the unit that it carries. Since a cell is withheld whole, prices are set again by
    what was carried, a few times (slope scaling); the best round counts.
    """

    def __init__(self, problem: SuppressionProblem) -> None:
        self.problem = problem
        self._cells = len(problem)
        both = sparse.hstack([problem.sums, -problem.sums]).tocsr()
        self._room = np.concatenate([problem.up, problem.down])
        self._solver = solver_of(both, np.zeros(2 * self._cells), self._room, maximize=False)
        self._columns = np.arange(2 * self._cells, dtype=np.int32)

    def route(
        self,
        target: ProtectionTarget,
        costs: NDArray[np.float64],
        rounds: int = _ROUNDS,
        shut: NDArray[np.int64] | None = None,
    ) -> NDArray[np.float64] | None:
        """Return a movement that reaches one target at little cost; None if there is none without what is shut."""
        level = self._carried(target)
        most = np.minimum(np.maximum(self.problem.up, self.problem.down), level)
        spread = costs / np.maximum(most, 1e-12)
        prices = spread
        best: tuple[float, NDArray[np.float64]] | None = None
        for _ in range(rounds):
            delta = self._priced_route(target, prices, shut)
            if delta is None:
                return None
            used = np.abs(delta) > _STILL * level
            cost = float(costs[used].sum())
            if best is not None and cost >= best[0]:
                break
            best = (cost, np.where(used, delta, 0.0))
            prices = np.where(used, costs / np.maximum(np.abs(delta), _STILL * level), 2 * spread)
        assert best is not None
        return best[1]

    def whole_route(self, target: ProtectionTarget, costs: NDArray[np.float64]) -> NDArray[np.float64] | None:
        """Return a movement by whole numbers that reaches one target at little cost; None if none was found."""
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        solver.silent()
        level = self._carried(target)
        room, least = self._room.copy(), np.zeros(2 * self._cells)
        ahead, back = self._directions(target)
        if target.attacker != EVERYBODY:
            known = self.problem.known_by[target.attacker]
            room[known] = room[known + self._cells] = 0.0
        if room[ahead] < level:
            return None
        least[ahead], room[back] = level, 0.0
        model = self._solver.getLp()
        most = np.minimum(np.maximum(self.problem.up, self.problem.down), level)
        model.col_cost_ = np.tile(costs / np.maximum(most, 1.0), 2) + self._breath(costs, level)
        model.col_lower_, model.col_upper_ = least, room
        model.integrality_ = [highspy.HighsVarType.kInteger] * (2 * self._cells)
        solver.passModel(model)
        for option, value in (("threads", 1), ("time_limit", _SECONDS_FOR_ONE), ("mip_rel_gap", 0.05)):
            solver.setOptionValue(option, value)
        solver.run()
        if solver.getInfo().primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
            return None
        moved = np.rint(solver.getSolution().col_value)
        return np.asarray(moved[: self._cells] - moved[self._cells :])

    def route_many(
        self, targets: Sequence[ProtectionTarget], costs: NDArray[np.float64], clock: Clock | None = None
    ) -> NDArray[np.float64]:
        """Return one movement that reaches many targets at little cost, each if it can be.

        With a clock, `OutOfTime` is raised when it is up.
        """
        level = float(np.median([target.level for target in targets]))
        most = np.minimum(np.maximum(self.problem.up, self.problem.down), level)
        prices = np.tile(costs / np.maximum(most, 1e-12), 2) + self._breath(costs, level)
        reward = _REWARD * float(prices.max())
        room = self._room.copy()
        for target in targets:
            ahead, back = self._directions(target)
            prices[ahead] = -reward * level / target.level
            room[ahead], room[back] = min(room[ahead], target.level), 0.0
        self._solver.clearSolver()
        self._solver.setOptionValue("simplex_strategy", _DUAL)
        with ended_by(self._solver, clock):
            delta = self._solved(prices, np.zeros(2 * self._cells), room)
        return np.zeros(self._cells) if delta is None else delta

    def _priced_route(
        self, target: ProtectionTarget, prices: NDArray[np.float64], shut: NDArray[np.int64] | None
    ) -> NDArray[np.float64] | None:
        """Return the cheapest movement at these prices.

        Dual simplex from no movement at all: prices are never negative, so only the target's own equations are to be
        mended, step by step.
        """
        level = self._carried(target)
        ahead, back = self._directions(target)
        room = self._room.copy()
        if target.attacker != EVERYBODY:
            known = self.problem.known_by[target.attacker]
            room[known] = room[known + self._cells] = 0.0
        if shut is not None:
            room[shut] = room[shut + self._cells] = 0.0
        if room[ahead] < level * (1 - CLOSE_ENOUGH):
            return None
        least = np.zeros(2 * self._cells)
        least[ahead] = room[ahead] = min(level, room[ahead])
        room[back] = 0.0
        self._solver.clearSolver()
        self._solver.setOptionValue("simplex_strategy", _DUAL)
        return self._solved(np.tile(prices, 2) + self._breath(prices * level, level), least, room)

    def _carried(self, target: ProtectionTarget) -> float:
        """Return what the target must move by; a width is reached upwards, as far as there is room."""
        if target.sign != WIDTH:
            return target.level
        return min(target.level, float(self.problem.up[target.cell]))

    def _directions(self, target: ProtectionTarget) -> tuple[int, int]:
        up, down = target.cell, target.cell + self._cells
        return (down, up) if target.sign < 0 else (up, down)

    @staticmethod
    def _breath(costs: NDArray[np.float64], level: float) -> float:
        """Return a price so small that it only keeps free cells from moving for nothing."""
        return 1e-6 * max(float(costs.mean()), 1e-9) / level

    def _solved(
        self, prices: NDArray[np.float64], least: NDArray[np.float64], room: NDArray[np.float64]
    ) -> NDArray[np.float64] | None:
        solver, size = self._solver, 2 * self._cells
        solver.changeColsCost(size, self._columns, prices)
        solver.changeColsBounds(size, self._columns, least, room)
        solver.run()
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInterrupt:
            raise OutOfTime
        if status not in {highspy.HighsModelStatus.kOptimal, highspy.HighsModelStatus.kInfeasible}:
            solver.clearSolver()
            solver.run()
            status = solver.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            return None
        moved = np.array(solver.getSolution().col_value)
        return np.asarray(moved[: self._cells] - moved[self._cells :])


class RouterWithin:
    """A router that moves some cells only, such as those of a pattern: small, and so quick."""

    def __init__(self, problem: SuppressionProblem, cells: NDArray[np.bool_]) -> None:
        self._cells = np.flatnonzero(cells)
        self._at = np.full(len(problem), -1)
        self._at[self._cells] = np.arange(len(self._cells))
        rows = np.flatnonzero(np.diff(problem.sums[:, self._cells].tocsr().indptr))
        self._router = Router(part_of(problem, self._cells, rows))

    def route(
        self, target: ProtectionTarget, costs: NDArray[np.float64], rounds: int = 1
    ) -> NDArray[np.float64] | None:
        """Return the cheapest movement that reaches a target of everybody; None if there is none."""
        here = target._replace(cell=int(self._at[target.cell]))
        moved = self._router.route(here, costs[self._cells], rounds)
        if moved is None:
            return None
        delta = np.zeros(len(self._at))
        delta[self._cells] = moved
        return delta
