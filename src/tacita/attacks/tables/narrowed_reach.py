"""How far one number can be for somebody who knows others, too: asked one by one, on solvers that stay warm."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from tacita.attacks.tables.system.blocks import Blocks, gathered
from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables, Span
from tacita.attacks.tables.system.reduction import Reduction, propagated

_QUESTION = 60_000  # what a question counts as beside its steps: about as long
_WHOLE_QUESTION = 1_000_000  # the same of a search among tables of whole numbers
_STILL = 1e-8  # of the block's scale: less is no change


class KnownNumbers(NamedTuple):
    """Free numbers that somebody knows, exactly or to within bounds."""

    free: Places
    lower: Numbers
    upper: Numbers


class NarrowedEnd(NamedTuple):
    """The end of a free number, nothing being possible beyond it; a table with another end if it is not `settled`.

    `changed` are the free numbers that differ from the true ones in a table that was found, by `moved`.
    """

    end: float
    settled: bool
    changed: Places
    moved: Numbers


class NarrowedReach:
    """The programmes of a reduction, and how much work there may still be.

    Work is counted in steps of the simplex method, each as many times as its programme has numbers.
    """

    def __init__(
        self, possible: PossibleTables, reduction: Reduction, start: Numbers, *, work: float, seconds: float
    ) -> None:
        self.work = work
        self._seconds, self._start = seconds, start
        self._block_of = reduction.block
        outer = propagated(reduction.matrix, reduction.sums, reduction.lower, reduction.upper, whole=possible.whole)
        self._groups = {
            block: group
            for group in gathered(possible, reduction, outer, np.arange(reduction.blocks))
            for block in np.unique(reduction.block[group.free]).tolist()
        }

    def end(self, free: int, sign: float, known: KnownNumbers) -> NarrowedEnd:
        """Return how far up (sign 1) or down (-1) a number can be for somebody who knows some."""
        group = self._groups[int(self._block_of[free])]
        place = int(np.searchsorted(group.free, free))
        changed, lower, upper = _within(group, known)
        by = group.scale[group.block[changed]]
        before = group.solver.walked
        group.solver.bound(changed, lower / by, upper / by)
        wish = np.zeros(len(group.free))
        wish[place] = sign
        point = group.proposal(wish / group.scale[group.block])
        group.solver.bound(changed, group.lowest[changed] / by, group.highest[changed] / by)
        self.work -= (group.solver.walked - before) * len(group.free) + _QUESTION
        nothing = np.zeros(0, np.int64), np.zeros(0)
        if point is None:
            return NarrowedEnd(sign * np.inf, False, *nothing)
        end, is_settled = float(point[place]), True
        if group.whole and np.abs(point - np.rint(point)).max(initial=0.0) > 1e-6:
            low, high = group.lowest.copy(), group.highest.copy()
            low[changed], high[changed] = lower, upper
            proposal, bound, is_settled = group.whole_proposal(place, sign, self._seconds, Span(low, high))
            self.work -= _WHOLE_QUESTION
            end = sign * min(sign * end, sign * bound)
            if proposal is None:
                return NarrowedEnd(end, False, *nothing)
            point = np.where(np.isnan(proposal), self._start[group.free], proposal)
        checked, slip = group.checked(point)
        moved = np.where(np.isfinite(slip)[group.block], checked - self._start[group.free], 0.0)
        is_moved = np.abs(moved) > _STILL * group.scale[group.block]
        end = sign * np.inf if sign * end >= float(group.endless[group.block[place]]) / 4 else end
        return NarrowedEnd(end, is_settled, group.free[is_moved], moved[is_moved])


def _within(group: Blocks, known: KnownNumbers) -> tuple[Places, Numbers, Numbers]:
    """Return the numbers of a group that somebody knows, with their bounds.

    Two cells that are tied say the same of one number; the solver takes each number once.
    """
    at = np.minimum(np.searchsorted(group.free, known.free), len(group.free) - 1)
    mine = group.free[at] == known.free
    changed, number = np.unique(at[mine], return_inverse=True)
    lower, upper = group.lowest[changed].copy(), group.highest[changed].copy()
    np.maximum.at(lower, number, known.lower[mine])
    np.minimum.at(upper, number, known.upper[mine])
    return changed, lower, np.maximum(lower, upper)
