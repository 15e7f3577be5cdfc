"""Find inequalities that a point breaks: ask the attacker, and turn the answer's proof into an inequality."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact.cuts import Cut, capacity_cut, carried_by
from tacita.tables.suppression.problem import SuppressionProblem
from tacita.tables.suppression.proofs.movements import Movements
from tacita.tables.suppression.target import EVERYBODY, WIDTH, ProtectionTarget

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
        found: list[tuple[ProtectionTarget, Cut]] = []
        for target in targets:
            if len(found) >= most or clock.is_up:
                break
            plain = self._cut(x, target, 0.0)
            if is_whole and (plain is None or plain.shortfall(x) < _WORTH):
                plain = self._cut(x, target, 0.0, clipped=False)
            if plain is None or (shortfall := plain.shortfall(x)) < _WORTH:
                continue
            soft = self._cut(x, target, _SOFT) if len(found) < _SOFT_QUESTIONS else None
            good = soft is not None and soft.shortfall(x) > max(_WORTH, _KEPT_SHARE * shortfall)
            found.append((target, soft if good and soft is not None else plain))
        return found

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
        down, up = np.minimum(problem.down, most), np.minimum(problem.up, most)
        with np.errstate(invalid="ignore"):
            self._movements.allow(np.where(open_ > 0, down * open_, 0.0), np.where(open_ > 0, up * open_, 0.0))
        reach = self._movements.reach(target.cell, target.sign, level)
        weights = -problem.sums.T @ reach.multipliers
        weights[target.cell] = 0.0
        if target.attacker != EVERYBODY:
            weights[problem.known_by[target.attacker]] = 0.0
        return reach.distance >= level * (1 - 1e-6), carried_by(problem, weights)
