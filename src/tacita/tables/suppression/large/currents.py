"""Movements spread over many cells, like a current over wires: quick proofs for the margins of large tables.

The movement that keeps all sums, takes given cells to their levels and has the least ``sum((delta / room) ** 2)`` is
the solution of linear equations, whose matrix is factorised once for all targets. Nothing makes it stay within the
room of each cell; it is a proof where it does, as it mostly does when many cells are withheld. It moves them by
fractions, so it serves for amounts and not for counts.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.linalg import splu

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.large.local_routing import Detour, movable
from tacita.tables.suppression.problem import SuppressionProblem

_TOGETHER = 32  # targets that are tried with one movement
_CALM = 1e-10  # what is added to the diagonal, by its size: equations that follow from others do no harm then
_REFINED = 2  # times that what is left of the sums is taken out
_NOTHING = 1e-13  # of the largest movement
_WIDEST = 1e6  # of the largest level: room without end would make numbers too different
_KEPT = 1e-9  # of the largest movement: how well sums must be kept


class Currents:
    """Currents through the places that are withheld in one pattern."""

    def __init__(self, problem: SuppressionProblem, allowed: NDArray[np.bool_], level: NDArray[np.float64]) -> None:
        cells = np.flatnonzero(allowed & (np.minimum(problem.up, problem.down) > 0))
        part = problem.sums[:, cells].tocsr()
        live = np.flatnonzero(movable(part))
        part = part[:, live]
        self._sums = part[np.diff(part.indptr) > 0]
        self._across = self._sums.T.tocsr()
        self._cells = cells[live]
        self._level = level
        most = _WIDEST * float(level.max(initial=0.0))
        self._room = np.minimum(np.minimum(problem.up, problem.down)[self._cells], most)
        self._weight = self._room**2
        matrix = (self._sums @ sparse.diags(self._weight) @ self._across).tocsc()
        matrix = (matrix + sparse.diags(_CALM * matrix.diagonal())).tocsc()
        self._solved = (
            splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True}).solve
            if len(self._cells)
            else None
        )

    def movements(self, places: list[int]) -> Iterator[Detour]:
        """Yield movements, with room for their opposites, that take places to their levels: those that were found."""
        at = np.searchsorted(self._cells, places)
        here = at < len(self._cells)
        here[here] = self._cells[at[here]] == np.array(places)[here]
        columns = np.sort(at[here])
        for start in range(0, len(columns), _TOGETHER):
            chunk = columns[start : start + _TOGETHER]
            spread = self._spread(chunk)
            yield from self._grouped(chunk, spread)

    def _spread(self, columns: NDArray[np.int64]) -> NDArray[np.float64]:
        """Return for each column the movement that a push there makes."""
        assert self._solved is not None
        spread = np.zeros((len(self._cells), len(columns)))
        spread[columns, np.arange(len(columns))] = self._weight[columns]
        for _ in range(_REFINED):
            spread -= self._weight[:, None] * (self._across @ self._solved(self._sums @ spread))
        return spread

    def _grouped(self, columns: NDArray[np.int64], spread: NDArray[np.float64]) -> Iterator[Detour]:
        """Yield one movement for all columns or, where it leaves the room of a cell, those of either half."""
        wanted = np.where(np.arange(len(columns)) % 2, -1.0, 1.0) * self._level[self._cells[columns]]
        push = np.linalg.lstsq(spread[columns], wanted, rcond=None)[0]
        delta = np.asarray(spread @ push)
        if self._is_good(delta, columns, wanted):
            kept = np.abs(delta) > _NOTHING * np.abs(delta).max()
            yield Detour(self._cells[kept], delta[kept])
        elif len(columns) > 1:
            half = len(columns) // 2
            yield from self._grouped(columns[:half], spread[:, :half])
            yield from self._grouped(columns[half:], spread[:, half:])

    def _is_good(self, delta: NDArray[np.float64], columns: NDArray[np.int64], wanted: NDArray[np.float64]) -> bool:
        return bool(
            np.all(np.isfinite(delta))
            and np.all(np.abs(delta[columns] - wanted) <= _KEPT * np.abs(wanted))
            and np.all(np.abs(delta) <= self._room * (1 + _KEPT))
            and np.all(np.abs(self._sums @ delta) <= _KEPT * np.abs(delta).max(initial=0.0))
        )


def with_companions(
    problem: SuppressionProblem,
    pattern: NDArray[np.bool_],
    level: NDArray[np.float64],
    places: list[int],
    count: int,
    clock: Clock,
) -> NDArray[np.bool_]:
    """Return a pattern where, in each equation of the places, others have room for their level so many times over.

    The cheapest by the unit that they can carry are added, and then need others in their own equations for that.
    `OutOfTime` is raised when the clock is up.
    """
    columns, sums = problem.sums.tocsc(), problem.sums
    room = np.minimum(problem.up, problem.down)
    grown = pattern.copy()
    need = {place: float(level[place]) for place in places}
    while need:
        clock.check()
        place, carried = need.popitem()
        for row in columns.indices[columns.indptr[place] : columns.indptr[place + 1]].tolist():
            cells = sums.indices[sums.indptr[row] : sums.indptr[row + 1]]
            others = cells[(cells != place) & (room[cells] > 0)]
            share = np.minimum(room[others], carried)
            missing = count * carried - float(share[grown[others]].sum())
            free = np.flatnonzero(~grown[others])
            for number in free[np.lexsort((others[free], problem.cost[others[free]] / share[free]))].tolist():
                if missing <= 0:
                    break
                missing -= float(share[number])
                grown[others[number]] = True
                need[int(others[number])] = float(share[number])
    return grown
