"""Inequalities that every safe pattern satisfies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.problem import Problem

_NOTHING = 1e-9
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


def capacity_cut(problem: Problem, carried: NDArray[np.float64], level: float) -> Cut | None:
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


def carried_by(problem: Problem, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the most that each cell can carry when the target moves by ``weights @ delta``.

    That is ``weights * up`` where the weight is positive and ``-weights * down`` where it is negative.
    """
    with np.errstate(invalid="ignore"):
        above = np.where(weights > _NOTHING, weights * problem.up, 0.0)
        below = np.where(weights < -_NOTHING, -weights * problem.down, 0.0)
    return np.asarray(above + below)


def lonely_cuts(problem: Problem) -> Iterator[Cut]:
    """Yield, for each equation and sensitive cell in it, that the others must carry its level."""
    sums = problem.sums
    columns = sums.tocsc()
    for cell in problem.targets.tolist():
        for row in columns.indices[columns.indptr[cell] : columns.indptr[cell + 1]].tolist():
            part = slice(sums.indptr[row], sums.indptr[row + 1])
            weights = np.zeros(len(problem))
            weights[sums.indices[part]] = sums.data[part]
            weights /= -weights[cell]
            weights[cell] = 0.0
            for sign, level in ((1, problem.upper[cell]), (-1, problem.lower[cell])):
                if level > 0:
                    cut = capacity_cut(problem, carried_by(problem, sign * weights), float(level))
                    if cut is not None:
                        yield cut


def useless_alone(problem: Problem) -> list[Cut]:
    """Return, for each equation without a withheld cell, that no cell of it is withheld alone.

    A cell withheld alone in an equation is recalculated at once; publishing it changes nothing and costs less, so
    some cheapest pattern never does so. Each of these says ``-x[i] + sum of the others >= 0``.
    """
    sums = problem.sums
    cuts = []
    for row in range(sums.shape[0]):
        cells = sums.indices[sums.indptr[row] : sums.indptr[row + 1]].astype(np.int64)
        if problem.withheld[cells].any():
            continue
        for at in range(len(cells)):
            signs = np.ones(len(cells))
            signs[at] = -1.0
            cuts.append(Cut(cells, signs, 0.0))
    return cuts
