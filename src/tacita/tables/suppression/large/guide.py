"""A bound, and which cells a cheap pattern withholds: the master over fractions, with inequalities of subtables.

Why the bound is valid: every inequality holds for every safe pattern (what is withheld besides must carry the level of
a sensitive cell, against everybody or against a contributor), or for some cheapest one (`UselessAlone`); a linear
programme over fractions that satisfy them costs no more than the cheapest pattern. Inequalities that were not added,
and equations that a subtable leaves out, only lower it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import highspy
import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact.cuts import Cut, UselessAlone, capacity_cut, carried_by, lonely_cuts
from tacita.tables.suppression.exact.master import Master, Relaxed
from tacita.tables.suppression.large.subtables import Subtable
from tacita.tables.suppression.problem import WIDTH, SuppressionProblem, part_of, targets_of
from tacita.tables.suppression.proofs.movements import solver_of

_SOFT = 0.01  # cells that the point publishes count as withheld by this much: the inequality is kind to none of them
_WORTH = 1e-3
_REACHED = 1 - 1e-6
_BATCHES = 3
_FEW = 4
_PROGRESS = 0.25


class LocalAttack:
    """Asks how far targets of one subtable can move when only its own equations bind.

    Leaving out equations lets the attacker do less, never more: a level that is not reached here is not reached at all,
    and the multipliers, zero elsewhere, prove it (see `capacity_cut`).
    """

    def __init__(self, problem: SuppressionProblem, subtable: Subtable) -> None:
        self.places = subtable.places
        self._part = part = part_of(problem, subtable.places, subtable.rows)
        self._size = len(part)
        self._columns = np.arange(self._size, dtype=np.int32)
        self._solver = solver_of(part.sums, np.zeros(self._size), np.zeros(self._size))
        self._against = -part.sums.T.tocsr()
        targets = [target for target in targets_of(part) if target.sign != WIDTH]
        levels = {target.level for target in targets}
        # With one level and the same room either way, what goes up goes down as well.
        self._is_even = len(levels) == 1 and bool(
            np.all(np.minimum(part.up, min(levels)) == np.minimum(part.down, min(levels)))
        )
        self.targets = [target for target in targets if target.sign > 0 or not self._is_even]
        self._cells = np.array([target.cell for target in self.targets], np.int32)
        self._level = next(iter(levels)) if self._is_even else 0.0
        self._witnesses = np.full((len(self.targets) if self._is_even else 0, self._size), np.inf)
        self._priced = self._columns[:0]
        self._lower, self._upper = np.zeros(self._size), np.zeros(self._size)

    def broken(self, x: NDArray[np.float64], most: int) -> list[Cut]:
        """Return some inequalities that a point (of all places) breaks, at most so many."""
        mine = x[self.places]
        soft = np.maximum(mine, _SOFT)
        cuts: list[Cut] = []
        allowed = -1.0
        for number in self._doubtful(mine):
            target = self.targets[number]
            if len(cuts) >= most:
                break
            if target.level != allowed:
                self._allow(soft, target.level)
                allowed = target.level
            cut = self._cut(target.cell, target.sign, target.level)
            if cut is not None and cut.shortfall(mine) >= _WORTH:
                cuts.append(Cut(self.places[cut.cells], cut.coefficients, cut.bound))
        return cuts

    def _doubtful(self, x: NDArray[np.float64]) -> list[int]:
        """Return the targets that no movement known so far, and none of a few batches, shows to be safe."""
        if not self._is_even:
            return list(range(len(self.targets)))
        room = np.minimum(self._part.up, self._level) * x
        left = np.flatnonzero((self._witnesses > room + 1e-9).any(axis=1))
        if len(left) >= _FEW:
            self._allow(x, self._level)
        for number in range(_BATCHES):
            if len(left) < _FEW:
                break
            signs = np.where((self._cells[left] // (number + 1)) % 2, 1.0, -1.0)
            moved = np.abs(np.array(self._solved(self._cells[left], signs).col_value))
            is_met = moved[self._cells[left]] >= self._level * _REACHED
            self._witnesses[left[is_met]] = moved
            before, left = len(left), left[~is_met]
            if before - len(left) < _PROGRESS * before:
                break
        return list(left.tolist())

    def _allow(self, x: NDArray[np.float64], level: float) -> None:
        part = self._part
        self._lower, self._upper = -np.minimum(part.down, level) * x, np.minimum(part.up, level) * x
        self._solver.changeColsBounds(self._size, self._columns, self._lower, self._upper)

    def _solved(self, cells: NDArray[np.int32], prices: NDArray[np.float64]) -> highspy.HighsSolution:
        solver = self._solver
        solver.changeColsCost(len(self._priced), self._priced, np.zeros(len(self._priced)))
        self._priced = cells
        solver.changeColsCost(len(cells), cells, prices)
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            solver.clearSolver()
            solver.run()
        return solver.getSolution()

    def _cut(self, cell: int, sign: int, level: float) -> Cut | None:
        solution = self._solved(np.array([cell], np.int32), np.array([float(sign)]))
        if sign * solution.col_value[cell] >= level * _REACHED:
            return None
        weights = np.asarray(self._against @ np.array(solution.row_dual))
        weights[cell] = 0.0
        return capacity_cut(self._part, carried_by(self._part, weights), level)


_ROUNDS = 2
_ITERATIONS = 500_000  # of one programme: counted, not timed, so that the guide is the same every time
_STALLED = 2e-3  # a round of these should raise the bound by this share
_ALONE = 2_000  # inequalities of cells withheld alone in one round
_CUTS = 3  # of one subtable in one round
_LARGEST = 2_000  # places of a subtable that is still asked


@dataclass(frozen=True, slots=True)
class Guide:
    """A bound that no pattern beats, and how much each cell is withheld where fractions are allowed."""

    bound: float
    x: NDArray[np.float64]


def cuts_against_contributors(problem: SuppressionProblem) -> Iterator[Cut]:
    """Yield, for each equation, target and contributor who knows cells there, that the others must carry the level.

    Only where what is withheld anyway does not carry it without the contributor's cells.
    """
    known_by: dict[int, list[int]] = {}
    for who, cells in problem.known_by.items():
        for cell in cells.tolist():
            known_by.setdefault(cell, []).append(who)
    if not known_by:
        return
    sums = problem.sums
    is_target = np.zeros(len(problem), bool)
    is_target[problem.targets] = True
    for row in range(sums.shape[0]):
        part = slice(sums.indptr[row], sums.indptr[row + 1])
        cells, signs = sums.indices[part].astype(np.int64), sums.data[part]
        known = {who: None for cell in cells.tolist() for who in known_by.get(cell, ())}
        for at in np.flatnonzero(is_target[cells]).tolist() if known else ():
            cell, weights = int(cells[at]), signs / -float(signs[at])
            rises = np.where(weights > 0, weights * problem.up[cells], -weights * problem.down[cells])
            falls = np.where(weights > 0, weights * problem.down[cells], -weights * problem.up[cells])
            rises[at] = falls[at] = 0.0
            for who in known:
                distances = problem.distances(cell, who)
                unknown = ~np.isin(cells, problem.known_by[who])
                for carried, level in ((rises, distances.upper), (falls, distances.lower)):
                    rest = level - float(carried[unknown & problem.withheld[cells]].sum())
                    free = unknown & ~problem.withheld[cells] & (carried > 0)
                    if unknown[at] and level > 0 and rest > 1e-7 * level and free.any():
                        yield Cut(cells[free], np.clip(carried[free] / rest, 1e-6, 1.0))


def guide_of(problem: SuppressionProblem, subtables: list[Subtable], clock: Clock) -> Guide:
    """Return the guide after a few rounds of inequalities; a clock that is up leaves those of single equations."""
    if clock.is_up:
        return Guide(0.0, problem.withheld.astype(np.float64))
    master, alone = Master(problem, _ITERATIONS), UselessAlone(problem)
    master.add(lonely_cuts(problem))
    master.add(cuts_against_contributors(problem))
    relaxed = _relaxed(master, alone)
    best = Guide(0.0, problem.withheld.astype(np.float64)) if relaxed is None else Guide(relaxed.bound, relaxed.x)
    attacks = [LocalAttack(problem, subtable) for subtable in subtables if len(subtable.places) <= _LARGEST]
    for _ in range(_ROUNDS):
        if relaxed is None or clock.is_up:
            break
        if not sum(master.add(attack.broken(relaxed.x, _CUTS)) for attack in attacks if attack.targets):
            break
        relaxed = _relaxed(master, alone)
        if relaxed is not None:
            best = Guide(max(best.bound, relaxed.bound), relaxed.x)
    return best


def _relaxed(master: Master, alone: UselessAlone, rounds: int = 12) -> Relaxed | None:
    """Return the last optimum that was reached while cells withheld alone are excluded."""
    best = relaxed = master.relaxed()
    for _ in range(rounds):
        if relaxed is None or not master.add(alone.broken(relaxed.x, _ALONE)):
            break
        relaxed = master.relaxed()
        if relaxed is None or best is None or relaxed.bound < (1 + _STALLED) * best.bound:
            return relaxed or best
        best = relaxed
    return best
