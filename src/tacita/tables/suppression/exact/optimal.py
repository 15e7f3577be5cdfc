"""The cheapest safe pattern: master and attacker in turns (Fischetti and Salazar), until bound and pattern meet."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Movement
from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.exact.cuts import Cut, Separation, UselessAlone, lonely_cuts, strengthened
from tacita.tables.suppression.exact.master import Master, Relaxed
from tacita.tables.suppression.exact.renewal import Renewal
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
from tacita.tables.suppression.problem import ProtectionTarget, SuppressionProblem
from tacita.tables.suppression.proofs.kept import Witness

_TIGHT = 1e-7
_ROOT_ROUNDS = 30
_STALLED = 1e-4  # a round of inequalities at the root should raise the bound by this share
_MIP_SECONDS = 8.0
_ROOT_SHARE = 0.3  # of the time
_STARTS = (0.5, 0.3, 0.9)  # what of a fractional point a pattern starts from
_WIDE = 0.1  # a gap above which more than one start is worth its time
_FAR = 0.08  # a gap above which a neighbourhood of the best pattern is searched after each integer programme
_RENEWALS, _MORE_RENEWALS = 40, 120  # steps of such a search, and where the gap is above `_WIDE`
_FIRST_SHARE = 0.5  # of the time: when there is no pattern by then, those of large tables are looked for
_GRACE = 2.0  # seconds of work: what a first pattern may take besides
_AFTERWARDS = 1.0  # seconds of work: what taking back may take when time is up
_MOMENT = 1.0  # seconds: what a first guide may take after time is up


@dataclass(frozen=True, slots=True)
class Best:
    """A safe pattern, what it costs beyond what is withheld anyway, and a bound that no pattern can beat."""

    withheld: NDArray[np.bool_]
    cost: float
    bound: float

    @property
    def gap(self) -> float:
        """How much cheaper a pattern might be, as a share of this one's cost."""
        return (self.cost - self.bound) / self.cost if self.cost > _TIGHT else 0.0


@dataclass(frozen=True, slots=True)
class EarlierPattern:
    """A pattern to go on from, and movements that prove much of it."""

    withheld: NDArray[np.bool_]
    movements: Sequence[Movement]


class PatternSearch:
    """The search for one problem; `best` is safe at any time after the first pattern."""

    def __init__(
        self,
        problem: SuppressionProblem,
        patterns: SafePatterns,
        clock: Clock,
        otherwise: Callable[[SafePatterns], Best],
    ) -> None:
        """Prepare a search; `otherwise` makes a safe pattern, and its proofs, where a first one here takes long."""
        self.problem = problem
        self._otherwise = otherwise
        self._patterns = patterns
        self._clock = clock
        self._master = Master(problem)
        self._separation = Separation(problem)
        self._alone = UselessAlone(problem)
        self._renewal = Renewal(patterns)
        self.best = Best(np.ones(len(problem), bool), float("inf"), 0.0)
        self._proofs: dict[ProtectionTarget, Witness] = {}
        self._capacities: list[Cut] = []
        self._carry(lonely_cuts(problem))

    def run(self, gap: float, report: Callable[[Best], None], start: EarlierPattern | None = None) -> Best:
        """Search until the gap is closed or the time is up; the first pattern is made whatever the time."""
        if start is not None:
            self._go_on_from(start)
        if not np.isfinite(self.best.cost):
            relaxed = self._relaxed()
            self._first(np.zeros(len(self.problem)) if relaxed is None else relaxed.x)
        if self.best.gap > _TIGHT:  # whatever gap is allowed: a pattern that is handed out holds nothing superfluous
            clock = _work(_AFTERWARDS) if self._clock.is_up else self._clock
            # A try that time cut short left proofs of another pattern.
            self._patterns.proofs.come_back_to(self._proofs)
            self._keep(self._patterns.taken_back(self.best.withheld, clock))
        report(self.best)
        relaxed = None if start is not None and self._clock.is_up else self._root(gap, report)
        while relaxed is not None and not self._is_done(gap):
            relaxed = self._round(relaxed, gap)
            report(self.best)
            if relaxed is not None:
                self._renew(relaxed.x, gap, report)
        self._patterns.proofs.come_back_to(self._proofs)
        return self.best

    def _go_on_from(self, start: EarlierPattern) -> None:
        """Make a pattern safe that nearly is, by the proofs that it comes with, if there is time."""
        proofs = self._patterns.proofs
        proofs.restore(start.movements, list(proofs.targets))
        try:
            self._keep(self._patterns.safe(start.withheld, clock=_work(_GRACE) if self._clock.is_up else self._clock))
        except OutOfTime:
            return

    def _first(self, guide: NDArray[np.float64]) -> None:
        """Make a first pattern; where that takes long, a coarse one before, or another, which are safe as well."""
        if self._is_made(guide, self._clock.part(_FIRST_SHARE)) or self._is_made(guide, _work(_GRACE)):
            return
        # Proofs made until now are of other patterns.
        fresh = SafePatterns(self.problem)
        pattern = self._otherwise(fresh).withheld
        self._patterns.proofs.watch(fresh.proofs.targets)
        self._patterns.proofs.come_back_to(fresh.proofs.kept())
        self._keep(pattern)

    def _is_made(self, guide: NDArray[np.float64], clock: Clock) -> bool:
        """Make a first pattern; return whether there was time for it."""
        try:
            if self._patterns.is_crowded():
                self._keep(self._patterns.coarse(guide, clock))
                self._try(guide > 0.5, guide)
            else:
                self._keep(self._patterns.safe(guide > 0.5, guide, clock))
        except OutOfTime:
            return False
        return True

    def _is_done(self, gap: float) -> bool:
        return self._clock.is_up or self.best.gap <= max(gap, _TIGHT)

    def _root(self, gap: float, report: Callable[[Best], None]) -> Relaxed | None:
        """Raise the bound with inequalities alone, then make a first pattern of the point."""
        before = -1.0
        for number in range(_ROOT_ROUNDS):
            relaxed = self._relaxed()
            if relaxed is None or self._is_done(gap):
                return relaxed
            report(self.best)
            targets = self._in_turn(number)
            cuts = self._separation.broken(relaxed.x, targets, self._clock, most=40)
            if not self._carry(cut for _, cut in cuts):
                break
            if number > 3 and relaxed.bound - before < _STALLED * relaxed.bound:
                break
            if self._clock.used > _ROOT_SHARE * self._clock.seconds and number > 1:
                break
            before = relaxed.bound
        relaxed = self._relaxed()
        for start in _STARTS:
            if relaxed is not None and (start == _STARTS[0] or self.best.gap > _WIDE):
                self._try(relaxed.x > start, relaxed.x)
                report(self.best)
        return relaxed

    def _renew(self, guide: NDArray[np.float64], gap: float, report: Callable[[Best], None]) -> None:
        """Search the neighbourhood of the best pattern while the gap is wide."""
        pattern = self.best.withheld
        self._patterns.proofs.come_back_to(self._proofs)
        for _ in range(_MORE_RENEWALS if self.best.gap > _WIDE else _RENEWALS):
            if self.best.gap <= _FAR or self._is_done(gap):
                return
            pattern = self._renewal.step(pattern, guide, self._clock)
            self._keep(pattern)
            report(self.best)

    def _round(self, relaxed: Relaxed, gap: float) -> Relaxed | None:
        """Solve the integer programme, mend what it finds, and learn from what was wrong with it."""
        excluded = relaxed.reduced_costs > self.best.cost - relaxed.bound + 1e-6 * max(1.0, self.best.cost)
        seconds = min(self._clock.left, _MIP_SECONDS)
        aim = max(_TIGHT, 0.5 * gap)
        whole = self._master.whole(excluded, self.best.withheld, seconds, aim, self._clock.stopped)
        if whole is None:
            self._bound(self.best.cost)  # nothing satisfies the inequalities and costs less
            return relaxed
        self._bound(whole.bound)
        for pattern in whole.patterns[-6:-1]:
            self._learn(pattern)
        for pattern in whole.patterns[-1:]:
            if self._learn(pattern):
                self._try(pattern, np.maximum(relaxed.x, 0.5 * pattern))
        if self._is_done(gap):
            return relaxed
        return self._relaxed(rounds=20)

    def _learn(self, pattern: NDArray[np.bool_]) -> bool:
        """Keep a pattern if it is safe; otherwise add what it breaks, and return that it is not."""
        try:
            missing = self._patterns.unproved(pattern, self._clock)
        except OutOfTime:
            return False
        if not missing:
            self._keep(pattern)
            return False
        x = pattern.astype(np.float64)
        cuts = [cut for _, cut in self._separation.broken(x, missing, self._clock)]
        alone = self._alone.broken(x)
        self._carry(cuts)
        self._master.add(alone if cuts else [*alone, self._more_than(pattern)])
        return True

    def _carry(self, cuts: Iterable[Cut]) -> int:
        """Add inequalities about what withheld cells can carry, and keep them: covers are made of them."""
        new = list(cuts)
        self._capacities.extend(new)
        return self._master.add(new)

    def _more_than(self, pattern: NDArray[np.bool_]) -> Cut:
        """Return that a pattern, being unsafe, needs at least one more cell."""
        others = np.flatnonzero(~pattern)
        return Cut(others, np.ones(len(others)))

    def _relaxed(self, rounds: int = 50) -> Relaxed | None:
        """Return the optimum over fractions, no cell withheld alone in its equation, and all covers satisfied."""
        relaxed = self._master.relaxed()
        moment = Clock(_MOMENT)
        for number in range(rounds):
            if relaxed is None:
                return None
            if self._clock.is_up and moment.is_up:
                break
            new = self._master.add(self._alone.broken(relaxed.x))
            if not new and not self._clock.is_up:
                covers = (strengthened(cut, relaxed.x) for cut in self._capacities)
                new = self._master.add(cover for cover in covers if cover is not None)
            if not new:
                break
            before = relaxed.bound
            relaxed = self._master.relaxed()
            if relaxed is not None and number > 10 and relaxed.bound - before < 1e-5 * abs(before):
                break
        if relaxed is not None:
            self._bound(relaxed.bound)
        return relaxed

    def _in_turn(self, number: int) -> list[ProtectionTarget]:
        targets = self._patterns.proofs.targets
        start = (number * 37) % max(1, len(targets))
        return targets[start:] + targets[:start]

    def _try(self, pattern: NDArray[np.bool_], guide: NDArray[np.float64]) -> None:
        """Make a pattern safe and lean, if there is time."""
        if self._clock.is_up:
            return
        try:
            safe = self._patterns.safe(pattern, guide, self._clock)
        except OutOfTime:
            return
        self._keep(self._patterns.taken_back(safe, self._clock))

    def _keep(self, pattern: NDArray[np.bool_]) -> None:
        cost = self._patterns.cost(pattern)
        if cost < self.best.cost:
            self.best = Best(pattern, cost, self.best.bound)
            self._proofs = self._patterns.proofs.kept()

    def _bound(self, bound: float) -> None:
        self.best = Best(self.best.withheld, self.best.cost, max(self.best.bound, min(bound, self.best.cost)))


def _work(seconds: float) -> Clock:
    """Return a clock that nobody stops, of what is done anyway when time is up."""
    return Clock(seconds, now=time.process_time)
