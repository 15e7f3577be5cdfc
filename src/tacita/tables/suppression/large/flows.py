"""Movements of many targets at once, at the least price: the one linear programme of the search for large tables."""

from __future__ import annotations

from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tacita.tables.suppression.problem import CLOSE_ENOUGH, SuppressionProblem
from tacita.tables.suppression.proofs.movements import solver_of

_REWARD = 1e6  # for a level reached, in usual prices: more than any movement costs
_DEAREST = 1e4  # usual prices: above, numbers would be too different for the solver
_BREATH = 1e-6  # of a usual price: what keeps free places from moving for nothing
_STILL = 1e-9
_MISSED = 1e-8  # of the largest movement: how well sums must be kept
_CALL = 2_500  # what asking takes, in columns
_STEP = 30  # what one step of the simplex is worth, in columns
_PRECISE = 1e-9
_DUAL = 1


@dataclass(frozen=True, slots=True, eq=False)
class ConnectedMove:
    """A movement that keeps all sums, and has room for its mirror image: the places that move, and by how much."""

    places: NDArray[np.int64]
    delta: NDArray[np.float64]


class Flows:
    """A min-cost linear programme over some places; everything else stands still.

    Places that are to move are rewarded for it up to their level, so the empty basis with these at their level is dual
    feasible: the dual simplex needs about as many steps as the movement is long, where a primal one wanders over all
    that is free. Measured on 25,000 cells: 0.03 s instead of 6 s for 400 targets.
    """

    def __init__(self, problem: SuppressionProblem) -> None:
        self._prepare(problem.sums.tocsc(), np.arange(len(problem)), problem.whole)

    def _prepare(self, sums: sparse.csc_matrix, places: NDArray[np.int64], is_whole: bool) -> None:
        self.places = places
        self._is_whole = is_whole
        self._sums = sums
        size = len(places)
        self._columns = np.arange(2 * size, dtype=np.int32)
        self._solver = solver_of(_both_ways(sums), np.zeros(2 * size), np.zeros(2 * size), maximize=False)
        self._solver.setOptionValue("simplex_strategy", _DUAL)
        self._solver.setOptionValue("simplex_scale_strategy", 0)
        self._solver.setOptionValue("primal_feasibility_tolerance", _PRECISE)
        self.work = 0

    def within(self, places: NDArray[np.int64]) -> Flows:
        """Return the programme over some of all places."""
        part = Flows.__new__(Flows)
        entry, starts = _entries(self._sums, places)
        rows, row = np.unique(self._sums.indices[entry], return_inverse=True)
        sums = sparse.csc_matrix((self._sums.data[entry], row.astype(np.int32), starts), (len(rows), len(places)))
        part._prepare(sums, places, self._is_whole)
        return part

    def pieces(
        self,
        at: NDArray[np.int64],
        signs: NDArray[np.float64],
        levels: NDArray[np.float64],
        prices: NDArray[np.float64],
        room: NDArray[np.float64],
    ) -> list[ConnectedMove]:
        """Return the connected pieces of the cheapest movement that takes as many places as possible to their levels.

        `at` are positions in `places`, `prices` and `room` those of all `places`; a place has the same room both ways.
        """
        delta = self._moved(at, signs, levels, prices, room)
        return [] if delta is None else self._connected(delta)

    def _moved(
        self,
        at: NDArray[np.int64],
        signs: NDArray[np.float64],
        levels: NDArray[np.float64],
        prices: NDArray[np.float64],
        room: NDArray[np.float64],
    ) -> NDArray[np.float64] | None:
        size = len(self.places)
        dear = prices[prices > 0]
        usual = float(np.median(dear)) if len(dear) else 1.0
        cost = np.tile(np.minimum(prices / usual, _DEAREST) + _BREATH, 2)
        most = np.tile(room, 2)
        ahead, back = np.where(signs > 0, at, at + size), np.where(signs > 0, at + size, at)
        most[back] = 0.0
        most[ahead] = np.minimum(most[ahead], levels)
        cost[ahead] = -_REWARD
        solver = self._solver
        solver.changeColsBounds(2 * size, self._columns, np.zeros(2 * size), most)
        solver.changeColsCost(2 * size, self._columns, cost)
        solver.clearSolver()
        solver.run()
        self.work += _CALL + 2 * size + _STEP * solver.getInfo().simplex_iteration_count
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            return None
        moved = np.array(solver.getSolution().col_value)
        return np.asarray(moved[:size] - moved[size:])

    def _connected(self, delta: NDArray[np.float64]) -> list[ConnectedMove]:
        """Return the parts of a movement that share no equation: a movement each."""
        moving = np.flatnonzero(np.abs(delta) > _STILL)
        if not len(moving):
            return []
        entry, starts = _entries(self._sums, moving)
        rows, row = np.unique(self._sums.indices[entry], return_inverse=True)
        column = np.repeat(np.arange(len(moving)), np.diff(starts))
        size = len(rows) + len(moving)
        links = sparse.csr_matrix((np.ones(len(entry)), (row, len(rows) + column)), (size, size))
        label = connected_components(links, directed=False)[1]
        missed = np.bincount(row, self._sums.data[entry] * delta[moving][column], len(rows))
        worst = np.zeros(int(label.max()) + 1)
        np.maximum.at(worst, label[: len(rows)], np.abs(missed))
        label = label[len(rows) :]
        order = np.argsort(label, kind="stable")
        pieces = []
        for members in np.split(order, np.flatnonzero(np.diff(label[order])) + 1):
            cells, by = moving[members], delta[moving[members]]
            if self._is_whole:
                if np.any(np.abs(by - np.rint(by)) > 1e-6):
                    continue
                by = np.rint(by)
            if worst[label[members[0]]] <= _MISSED * float(np.abs(by).max()):
                pieces.append(ConnectedMove(self.places[cells], by))
        return pieces


def _entries(sums: sparse.csc_matrix, columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return where the entries of some columns stand, and where each column starts among these."""
    sizes = sums.indptr[columns + 1] - sums.indptr[columns]
    starts = np.concatenate([[0], np.cumsum(sizes)])
    within = np.arange(int(starts[-1])) - np.repeat(starts[:-1], sizes)
    return np.repeat(sums.indptr[columns], sizes) + within, starts


def _both_ways(sums: sparse.csc_matrix) -> sparse.csr_matrix:
    """Return the equations of movements up and down."""
    rows = sums.tocsr()
    return sparse.hstack([rows, -rows]).tocsr()


def reached(piece: ConnectedMove, level: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the places of a piece with a level that it reaches."""
    here = level[piece.places]
    return piece.places[(here > 0) & (np.abs(piece.delta) >= here * (1 - CLOSE_ENOUGH))]
