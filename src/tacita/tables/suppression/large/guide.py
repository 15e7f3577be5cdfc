"""A bound, and which cells a cheap pattern withholds: the master over fractions, with inequalities of subtables."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact.cuts import UselessAlone, lonely_cuts
from tacita.tables.suppression.exact.master import Master, Relaxed
from tacita.tables.suppression.large.local_attack import LocalAttack
from tacita.tables.suppression.large.subtables import Subtable
from tacita.tables.suppression.problem import SuppressionProblem

_ROUNDS = 1
_ITERATIONS = 8_000  # of one programme: counted, not timed, so that the guide is the same every time
_STALLED = 2e-3  # a round of these should raise the bound by this share
_ALONE = 2_000  # inequalities of cells withheld alone in one round
_CUTS = 3  # of one subtable in one round
_LARGEST = 2_000  # places of a subtable that is still asked


@dataclass(frozen=True, slots=True)
class Guide:
    """A bound that no pattern beats, and how much each cell is withheld where fractions are allowed."""

    bound: float
    x: NDArray[np.float64]


def guide_of(problem: SuppressionProblem, subtables: list[Subtable], clock: Clock) -> Guide:
    """Return the guide after a few rounds of inequalities; a clock that is up leaves those of single equations."""
    if clock.is_up:
        return Guide(0.0, problem.withheld.astype(np.float64))
    master, alone = Master(problem, _ITERATIONS), UselessAlone(problem)
    master.add(lonely_cuts(problem))
    relaxed = _relaxed(master, alone)
    best = Guide(0.0, problem.withheld.astype(np.float64)) if relaxed is None else Guide(relaxed.bound, relaxed.x)
    attacks = [LocalAttack(problem, each) for each in subtables if len(each.places) <= _LARGEST]
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
