"""The cheapest cells to withhold besides, looked for in a neighbourhood, one target at a time."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.tables.suppression.problem import CLOSE_ENOUGH, SuppressionProblem
from tacita.tables.suppression.proofs.kept import is_whole
from tacita.tables.suppression.proofs.movements import solver_of

_STILL = 1e-7  # of a level
_FRACTION = 1e-6
_TRIES = 8
_DEARER = 3.0
_START = 0.02  # of a usual price: what a place that is free costs then
_BREATH = 1e-5  # of a usual price: what keeps free cells from moving for nothing


@dataclass(frozen=True, slots=True)
class Detour:
    """A movement: the places that move, in order, and by how much."""

    places: NDArray[np.int64]
    delta: NDArray[np.float64]

    def mirrored(self) -> Detour:
        """Return the movement the other way."""
        return Detour(self.places, -self.delta)


class LocalRouter:
    """A min-cost linear programme over some places and every equation that they are in.

    Everything else stands still, so a movement found here keeps all sums of the whole table. A target is *required* to
    reach its level: standing still costs nothing, so the empty basis is dual feasible, and the dual simplex needs only
    about as many steps as the detour is long.
    """

    def __init__(self, problem: SuppressionProblem, places: NDArray[np.int64]) -> None:
        part = problem.sums[:, places].tocsr()
        live = movable(part)
        part = part[:, np.flatnonzero(live)]
        part = part[np.diff(part.indptr) > 0]
        self.places = places[live]
        self._size = len(self.places)
        self._is_whole = problem.whole
        self._up, self._down = problem.up[self.places], problem.down[self.places]
        self._columns = np.arange(2 * self._size, dtype=np.int32)
        self._both = both = sparse.hstack([part, -part]).tocsr()
        self._solver = solver_of(both, np.zeros(2 * self._size), self._room(mirrored=True), maximize=False)
        self._solver.setOptionValue("simplex_strategy", 1)

    def _room(self, *, mirrored: bool) -> NDArray[np.float64]:
        if mirrored:
            return np.tile(np.minimum(self._up, self._down), 2)
        return np.concatenate([self._up, self._down])

    def price(self, prices: NDArray[np.float64]) -> None:
        """Let movement of each of the places here cost so much by the unit."""
        both = np.tile(prices + _BREATH * max(float(prices.mean()), 1e-9), 2) if self._size else np.zeros(0)
        self._solver.changeColsCost(2 * self._size, self._columns, both)

    def at(self, place: int) -> int:
        """Return where a place stands, -1 if it cannot move here."""
        position = int(np.searchsorted(self.places, place))
        return position if position < self._size and self.places[position] == place else -1

    def route(
        self, place: int, sign: int, level: float, *, mirrored: bool, shut: NDArray[np.int64] | None = None
    ) -> Detour | None:
        """Return the cheapest movement that takes a place up (sign 1) or down (-1) by a level; None if there is none.

        A `mirrored` movement has room for its opposite too, so it proves both directions. Places in `shut` stand still.
        """
        column = self.at(place)
        if column < 0:
            return None
        room = self._room(mirrored=mirrored)
        if shut is not None and len(shut):
            known = np.flatnonzero(np.isin(self.places, shut))
            room[known] = room[known + self._size] = 0.0
        least = np.zeros(2 * self._size)
        ahead, back = (column, column + self._size) if sign > 0 else (column + self._size, column)
        if room[ahead] < level * (1 - CLOSE_ENOUGH):
            return None
        room[ahead] = least[ahead] = min(level, room[ahead])
        room[back] = 0.0
        solver = self._solver
        solver.changeColsBounds(2 * self._size, self._columns, least, room)
        solver.clearSolver()
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        delta = self._delta(solver)
        if self._is_whole and not is_whole(delta):
            whole = self._whole(np.abs(delta) > _STILL * level)
            if whole is None:
                return None
            delta = whole
        used = np.abs(delta) > _STILL * level
        return Detour(self.places[used], delta[used])

    def _whole(self, used: NDArray[np.bool_]) -> NDArray[np.float64] | None:
        """Return a movement by whole numbers for the question asked last; None if none was found.

        Only places that share an equation with one that moved are looked at. Those that move by fractions are made
        dearer, and the next corner is taken: that is nearly always one of whole numbers.
        """
        single = self._both[:, : self._size]
        rows = np.flatnonzero(abs(single) @ used.astype(np.float64))
        near = np.unique(single[rows].indices)
        columns = np.concatenate([near, near + self._size])
        model = self._solver.getLp()
        lower, upper, prices = (
            np.array(column)[columns] for column in (model.col_lower_, model.col_upper_, model.col_cost_)
        )
        part = self._both[:, columns].tocsr()
        solver = solver_of(part[np.diff(part.indptr) > 0], lower, upper, maximize=False)
        solver.setOptionValue("simplex_strategy", 1)
        numbers, start = np.arange(len(columns), dtype=np.int32), _START * float(prices.mean())
        for _ in range(_TRIES):
            solver.changeColsCost(len(columns), numbers, prices)
            solver.clearSolver()
            solver.run()
            moved = np.array(solver.getSolution().col_value)
            delta = moved[: len(near)] - moved[len(near) :]
            if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal and is_whole(delta):
                movement = np.zeros(self._size)
                movement[near] = np.rint(delta)
                return movement
            broken = np.tile(np.abs(delta - np.rint(delta)) > _FRACTION, 2)
            prices = np.where(broken, _DEARER * prices + start, prices)
        return None

    def _delta(self, solver: highspy.Highs) -> NDArray[np.float64]:
        moved = np.array(solver.getSolution().col_value)
        return np.asarray(moved[: self._size] - moved[self._size :])


def movable(sums: sparse.csr_matrix) -> NDArray[np.bool_]:
    """Return the columns that are left when whoever is alone in an equation is taken out, again and again."""
    pattern = sums.copy()
    pattern.data = np.ones_like(pattern.data)
    across = pattern.T.tocsr()
    live = np.ones(sums.shape[1])
    while True:
        alone = (pattern @ live == 1).astype(np.float64)
        if not alone.any():
            return np.asarray(live > 0)
        live[across @ alone > 0] = 0.0


def cheapest(problem: SuppressionProblem, count: int) -> NDArray[np.bool_]:
    """Return the cells that are among the so many cheapest, of those that may be published, of some equation."""
    sums = problem.sums
    row = np.repeat(np.arange(sums.shape[0]), np.diff(sums.indptr))
    free = ~problem.withheld[sums.indices]
    row, cell = row[free], sums.indices[free]
    order = np.lexsort((cell, problem.cost[cell], row))
    row, cell = row[order], cell[order]
    first = np.searchsorted(row, row)
    is_reached = np.zeros(len(problem), bool)
    is_reached[cell[np.arange(len(row)) - first < count]] = True
    return is_reached
