"""Inequalities that every safe pattern satisfies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.problem import EVERYBODY, WIDTH, ProtectionTarget, SuppressionProblem
from tacita.tables.suppression.proofs.movements import Movements

_NOTHING = 1e-9
_LEFT_OUT = 40  # cells at most that a cover leaves out
_SMALLEST = 1e-6  # a coefficient below is raised, which keeps the inequality true and the solver calm


@dataclass(frozen=True, slots=True)
class Cut:
    """``sum(coefficients * x[cells]) >= bound`` over cells that are free to be withheld or not."""

    cells: NDArray[np.int64]
    coefficients: NDArray[np.float64]
    bound: float = 1.0

    def shortfall(self, x: NDArray[np.float64]) -> float:
        """Return by how much a point fails the inequality."""
        return self.bound - float(self.coefficients @ x[self.cells])


def capacity_cut(problem: SuppressionProblem | _Part, carried: NDArray[np.float64], level: float) -> Cut | None:
    """Return what a dual solution says of all patterns: what is withheld must carry the level of a sensitive cell.

    `carried` is the most that each cell can carry towards it (see `carried_by`). Cells that are withheld anyway go to
    the right-hand side, and no cell needs to count for more than what is left there (Fischetti and Salazar; the
    strengthening is theirs). None when nothing is left.
    """
    rest = level - float(carried[problem.withheld].sum())
    if not rest > 1e-7 * level:
        return None
    cells = np.flatnonzero((carried > 0) & ~problem.withheld)
    return Cut(cells, np.clip(carried[cells] / rest, _SMALLEST, 1.0))


def carried_by(problem: SuppressionProblem | _Part, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the most that each cell can carry when the target moves by ``weights @ delta``.

    That is ``weights * up`` where the weight is positive and ``-weights * down`` where it is negative.
    """
    with np.errstate(invalid="ignore"):
        above = np.where(weights > _NOTHING, weights * problem.up, 0.0)
        below = np.where(weights < -_NOTHING, -weights * problem.down, 0.0)
    return np.asarray(above + below)


def lonely_cuts(problem: SuppressionProblem) -> Iterator[Cut]:
    """Yield, for each equation and sensitive cell in it, that the others must carry its level."""
    for row, cell, sign, level in _lonely(problem):
        cells, signs = _row(problem, row)
        weights = signs[cells != cell] / -float(signs[cells == cell][0])
        others = cells[cells != cell]
        part = _part(problem, others)
        cut = capacity_cut(part, carried_by(part, sign * weights), level)
        if cut is not None:
            yield Cut(others[cut.cells], cut.coefficients)


def _lonely(problem: SuppressionProblem) -> Iterator[tuple[int, int, int, float]]:
    """Yield equation, sensitive cell, direction and level where the cells withheld anyway do not carry enough.

    What they carry is added up for all equations at once: it depends on the sensitive cell only by its coefficient.
    """
    sums = problem.sums
    row = np.repeat(np.arange(sums.shape[0]), np.diff(sums.indptr))
    size, is_part = np.abs(sums.data), sums.data > 0
    withheld = problem.withheld[sums.indices]
    needed = np.zeros(len(problem), bool)
    needed[problem.targets] = True
    for sign, levels in ((1, problem.upper), (-1, problem.lower)):
        for part in (True, False):
            # Others of the same sign move against the cell, those of the other sign with it.
            against = is_part == part
            falls, rises = (problem.down, problem.up) if sign > 0 else (problem.up, problem.down)
            room = np.where(against, falls[sums.indices], rises[sums.indices])
            carried = np.where(withheld, size * np.where(np.isfinite(room), room, 0.0), 0.0)
            endless = (withheld & ~np.isfinite(room)).astype(np.int64)
            together = np.bincount(row, weights=carried, minlength=sums.shape[0])
            without_end = np.bincount(row, weights=endless, minlength=sums.shape[0])
            here = needed[sums.indices] & against & (levels[sums.indices] > 0)
            others = (together[row] - carried) / size
            lacking = here & (without_end[row] - endless <= 0) & (others < levels[sums.indices])
            for entry in np.flatnonzero(lacking).tolist():
                cell = int(sums.indices[entry])
                yield int(row[entry]), cell, sign, float(levels[cell])


def strengthened(cut: Cut, x: NDArray[np.float64]) -> Cut | None:
    """Return a cover of an inequality ``sum(a * x) >= 1`` that a point breaks; None if none is found.

    Cells that carry ``s < 1`` together may all be withheld and still leave ``1 - s`` to the others, none of which needs
    to count for more than that: ``sum(min(1, a / (1 - s)) * x) >= 1`` over the others. Good cells to leave out are
    those that the point withholds most for the little that they carry.
    """
    carried, amounts = cut.coefficients, x[cut.cells]
    small = np.flatnonzero((carried < 1 - 1e-9) & (amounts > 1e-6))
    order = small[np.argsort(-(amounts[small] / carried[small]), kind="stable")]
    together = np.cumsum(carried[order])
    order = order[together < 1 - 1e-6][:_LEFT_OUT]
    best, least = 0, 1 - 1e-4
    for count in range(1, len(order) + 1):
        rest = np.minimum(carried / (1 - together[count - 1]), 1.0)
        rest[order[:count]] = 0.0
        if (reached := float(rest @ amounts)) < least:
            best, least = count, reached
    if not best:
        return None
    rest = np.minimum(carried / (1 - together[best - 1]), 1.0)
    rest[order[:best]] = 0.0
    kept = rest > 0
    return Cut(cut.cells[kept], np.maximum(rest[kept], _SMALLEST))


class UselessAlone:
    """For each equation without a withheld cell: no cell of it is withheld alone.

    A cell withheld alone in an equation is recalculated at once; publishing it changes nothing and costs less, so
    some cheapest pattern never does so. Each of these says ``-x[i] + sum of the others >= 0``.
    """

    def __init__(self, problem: SuppressionProblem) -> None:
        sums = problem.sums
        self._row = np.repeat(np.arange(sums.shape[0]), np.diff(sums.indptr))
        self._cell = sums.indices.astype(np.int64)
        self._rows = sums.shape[0]
        taken = np.bincount(self._row, weights=problem.withheld[self._cell], minlength=self._rows) > 0
        self._open = ~taken
        self._problem = problem

    def broken(self, x: NDArray[np.float64], most: int = 20_000) -> list[Cut]:
        """Return the inequalities that a point breaks, the worst first."""
        together = np.bincount(self._row, weights=x[self._cell], minlength=self._rows)
        shortfall = np.where(self._open[self._row], 2 * x[self._cell] - together[self._row], 0.0)
        rows = np.flatnonzero(shortfall > 1e-6)
        rows = rows[np.argsort(-shortfall[rows], kind="stable")][:most]
        cuts = []
        for entry in rows.tolist():
            cells, _ = _row(self._problem, int(self._row[entry]))
            cuts.append(Cut(cells, np.where(cells == self._cell[entry], -1.0, 1.0), 0.0))
        return cuts


def _row(problem: SuppressionProblem, row: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    sums = problem.sums
    part = slice(sums.indptr[row], sums.indptr[row + 1])
    return sums.indices[part].astype(np.int64), sums.data[part]


@dataclass(frozen=True, slots=True)
class _Part:
    """The bounds of a few cells; all that an inequality needs to know."""

    up: NDArray[np.float64]
    down: NDArray[np.float64]
    withheld: NDArray[np.bool_]


def _part(problem: SuppressionProblem, cells: NDArray[np.int64]) -> _Part:
    return _Part(problem.up[cells], problem.down[cells], problem.withheld[cells])


_WORTH = 1e-4  # a smaller shortfall is not worth a row
_SOFT = 0.01
"""Cells that the point publishes are taken as withheld by this much: the inequality is then kind to none of them."""
_SOFT_QUESTIONS = 10  # they take ten times as long as plain ones
_KEPT_SHARE = 0.3  # of the shortfall; below, the plain inequality is better than the soft one


class Separation:
    """Asks, for one problem, over all its cells."""

    def __init__(self, problem: SuppressionProblem) -> None:
        self.problem = problem
        self._movements = Movements(problem)

    def broken(
        self, x: NDArray[np.float64], targets: Sequence[ProtectionTarget], clock: Clock, *, most: int = 10**9
    ) -> list[tuple[ProtectionTarget, Cut]]:
        """Return inequalities that a point breaks, at most one for each target, in the order of the targets."""
        is_whole = bool(np.all((x < _WORTH) | (x > 1 - _WORTH)))
        cuts: list[tuple[ProtectionTarget, Cut]] = []
        for target in targets:
            if len(cuts) >= most or clock.is_up:
                break
            plain = self._cut(x, target, 0.0)
            if is_whole and (plain is None or plain.shortfall(x) < _WORTH):
                plain = self._cut(x, target, 0.0, clipped=False)
            if plain is None or (shortfall := plain.shortfall(x)) < _WORTH:
                continue
            soft = self._cut(x, target, _SOFT) if len(cuts) < _SOFT_QUESTIONS else None
            good = soft is not None and soft.shortfall(x) > max(_WORTH, _KEPT_SHARE * shortfall)
            cuts.append((target, soft if good and soft is not None else plain))
        return cuts

    def _cut(
        self, x: NDArray[np.float64], target: ProtectionTarget, soft: float, *, clipped: bool = True
    ) -> Cut | None:
        """Return the inequality from one question; None when the point is fine there."""
        problem = self.problem
        if target.sign == WIDTH:
            above, below = (self._weights(x, target._replace(sign=sign), soft, clipped) for sign in (1, -1))
            # Where one direction is as wide as the level, the point is fine; its multipliers would say nothing.
            is_wide = above[0] or below[0]
            return None if is_wide else capacity_cut(problem, above[1] + below[1], target.level)
        is_reached, carried = self._weights(x, target, soft, clipped)
        return None if is_reached else capacity_cut(problem, carried, target.level)

    def _weights(
        self, x: NDArray[np.float64], target: ProtectionTarget, soft: float, clipped: bool
    ) -> tuple[bool, NDArray[np.float64]]:
        """Return whether the target is reached, and what each cell carries towards it at most when withheld."""
        problem, level = self.problem, target.level
        open_ = np.maximum(x, soft) if soft else x
        if target.attacker != EVERYBODY:
            open_ = open_.copy()
            open_[problem.known_by[target.attacker]] = 0.0
        # A movement of one level never needs more than that of any cell where sums are a network; where they are not,
        # the inequality is true all the same, and the unclipped question decides.
        most = level if clipped else np.inf
        # What is withheld anyway moves as far as it can: multipliers that forbid less would say nothing.
        down = np.where(problem.withheld, problem.down, np.minimum(problem.down, most))
        up = np.where(problem.withheld, problem.up, np.minimum(problem.up, most))
        with np.errstate(invalid="ignore"):
            self._movements.allow(np.where(open_ > 0, down * open_, 0.0), np.where(open_ > 0, up * open_, 0.0))
        reach = self._movements.reach(target.cell, target.sign, level)
        weights = -problem.sums.T @ reach.multipliers
        weights[target.cell] = 0.0
        if target.attacker != EVERYBODY:
            weights[problem.known_by[target.attacker]] = 0.0
        return reach.distance >= level * (1 - 1e-6), carried_by(problem, weights)
