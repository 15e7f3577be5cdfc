"""Proofs for many targets, against many single contributors, by few movements."""

from __future__ import annotations

import time
from contextlib import suppress
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.problem import EVERYBODY, ProtectionTarget, SuppressionProblem
from tacita.tables.suppression.proofs.kept import Proofs, Witness
from tacita.tables.suppression.proofs.movements import Movements

_NOBODY, _SEVERAL = -1, -2
_MOST_PLACES = 12_000
_MOMENT = 2.0  # seconds of work: what it may take when time is up


def prove_in_crowds(problem: SuppressionProblem, proofs: Proofs, clock: Clock) -> None:
    """Prove what the cells that are withheld anyway prove, by movements that many targets share.

    A movement protects from every contributor who knows none of its cells. Asked one by one, each target needs a linear
    programme for those who see through its proof. So contributors are put into crowds, twice, such that no two are in
    the same crowd both times (the rows and the columns of a square). Within the cells that nobody knows or only one
    crowd does, one movement takes many targets to their levels, and protects them from all others. The two movements
    of a target then leave nobody but contributors against whom nothing is asked.

    These proofs last: they move no cell that could be published again. Targets that are not proved here are left as
    they were. Where movements must be by whole numbers, shared ones seldom are, and nothing is tried; nor in tables so
    large that one programme over all that is withheld takes long. The clock ends it early, but for a moment.
    """
    if problem.known_by and not problem.whole and len(problem) <= _MOST_PLACES:
        is_late = clock.is_up or clock.left < _MOMENT
        _Crowds(problem, proofs, Clock(_MOMENT, now=time.process_time) if is_late else clock).prove()


class _Crowds:
    def __init__(self, problem: SuppressionProblem, proofs: Proofs, clock: Clock) -> None:
        self._clock = clock
        self._problem = problem
        self._proofs = proofs
        self._targets = [target for target in proofs.targets if target.attacker == EVERYBODY]
        self._witnesses: dict[ProtectionTarget, list[Witness]] = {}
        self._knowers: dict[int, frozenset[int]] = {}

    def prove(self) -> None:
        with suppress(OutOfTime):
            self._prove_crowd_by_crowd()
        for target in self._witnesses:
            self._keep(target)

    def _prove_crowd_by_crowd(self) -> None:
        rows, columns = _crowds(self._problem)
        self._prove_within(rows == _NOBODY, self._targets)
        for crowds in (rows, columns):
            left = [target for target in self._targets if self._is_seen_through(target)]
            for number in range(int(crowds.max(initial=_NOBODY)) + 1):
                here = [target for target in left if crowds[target.cell] in {_NOBODY, number}]
                self._prove_within((crowds == _NOBODY) | (crowds == number), here)

    def _prove_within(self, cells: NDArray[np.bool_], targets: list[ProtectionTarget]) -> None:
        withheld = cells & self._problem.withheld
        inside = [target for target in targets if withheld[target.cell]]
        self._clock.check()
        movements = Movements(self._problem, withheld)
        failed = set(self._proofs.prove_together(movements, inside, self._clock)) if inside else set()
        for target in inside:
            witness = self._proofs.of(target)
            if target not in failed and witness is not None:
                self._witnesses.setdefault(target, []).append(witness)
                self._knowers[id(witness)] = self._proofs.knowers(witness)

    def _is_seen_through(self, target: ProtectionTarget) -> bool:
        """Return whether somebody knows a cell of every movement found for a target, or there is none."""
        seen = [self._knowers[id(witness)] for witness in self._witnesses.get(target, ())]
        return not seen or bool(frozenset.intersection(*seen) - self._problem.unasked(target))

    def _keep(self, target: ProtectionTarget) -> None:
        """Keep the movement that fewest contributors see through, and another against each of these."""
        best, *others = sorted(self._witnesses[target], key=lambda witness: len(self._knowers[id(witness)]))
        self._proofs.add(target, best)
        for who in sorted(self._knowers[id(best)] - self._problem.unasked(target)):
            other = next((witness for witness in others if who not in self._knowers[id(witness)]), None)
            if other is not None:
                single = self._problem.seen_by(target, who)
                self._proofs.watch([single])
                self._proofs.add(single, other)


def _crowds(problem: SuppressionProblem) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return for each cell the crowd of those who know it, in two ways."""
    side = ceil(sqrt(len(problem.known_by)))
    rows, columns = np.full(len(problem), _NOBODY), np.full(len(problem), _NOBODY)
    for number, who in enumerate(sorted(problem.known_by)):
        cells = problem.known_by[who]
        for crowds, crowd in ((rows, number // side), (columns, number % side)):
            crowds[cells] = np.where(np.isin(crowds[cells], (_NOBODY, crowd)), crowd, _SEVERAL)
    return rows, columns
