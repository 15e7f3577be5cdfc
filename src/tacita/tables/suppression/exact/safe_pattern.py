"""From any pattern to a safe one: withhold what is missing, then take back what is not needed."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.exact.routing import Router, RouterWithin
from tacita.tables.suppression.problem import EVERYBODY, WIDTH, ProtectionTarget, SuppressionProblem, targets_of
from tacita.tables.suppression.proofs.kept import Proofs, Witness, is_whole
from tacita.tables.suppression.proofs.movements import Movements


class Companions:
    """Counts the withheld cells of every equation while cells are taken back."""

    def __init__(self, problem: SuppressionProblem, withheld: NDArray[np.bool_]) -> None:
        self._sums = problem.sums
        self._columns = problem.sums.tocsc()
        self._withheld = withheld.copy()
        self._is_target = np.zeros(len(problem), bool)
        self._is_target[problem.targets] = True
        pattern = self._sums.copy()
        pattern.data = np.ones_like(pattern.data)
        self._count = np.asarray(pattern @ withheld.astype(np.float64)).astype(np.int64)

    def needs(self, cell: int) -> bool:
        """Return whether some sensitive cell would be alone in an equation without this cell."""
        return any(self._count[row] == 2 and self._has_target(row, cell) for row in self._rows(cell))

    def publish(self, cell: int) -> None:
        """Count a cell out."""
        self._withheld[cell] = False
        self._count[self._rows(cell)] -= 1

    def _rows(self, cell: int) -> NDArray[np.int32]:
        columns = self._columns
        return np.asarray(columns.indices[columns.indptr[cell] : columns.indptr[cell + 1]])

    def _has_target(self, row: int, without: int) -> bool:
        cells = self._sums.indices[self._sums.indptr[row] : self._sums.indptr[row + 1]]
        return bool(np.any(self._is_target[cells] & self._withheld[cells] & (cells != without)))


_MANY = 150  # unprotected targets are routed together above, one by one below
_STILL = 1e-7
_CROWD = 60  # targets that contributors may see through: above, a coarse pattern is made first


class Unprotectable(Exception):
    """No pattern at all protects these targets."""

    def __init__(self, targets: tuple[ProtectionTarget, ...]) -> None:
        super().__init__(f"{len(targets)} targets")
        self.targets = targets


@dataclass(slots=True)
class SafePatterns:
    """Makes safe patterns of one problem, remembering proofs from one to the next."""

    problem: SuppressionProblem
    proofs: Proofs = field(init=False)
    _router: Router = field(init=False)
    _blockers: dict[int, ProtectionTarget] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.proofs = Proofs(self.problem, targets_of(self.problem))
        self._router = Router(self.problem)

    def cost(self, withheld: NDArray[np.bool_]) -> float:
        """Return what a pattern costs beyond what is withheld anyway."""
        return float(self.problem.cost[withheld & ~self.problem.withheld].sum())

    def unproved(self, withheld: NDArray[np.bool_], clock: Clock | None = None) -> list[ProtectionTarget]:
        """Return the targets that a pattern leaves unprotected."""
        lacking = self.proofs.lacking(withheld)
        if not lacking:
            return self._betrayed(withheld, None, clock)
        movements = Movements(self.problem, withheld)
        return self.proofs.prove(movements, lacking, clock=clock) or self._betrayed(withheld, movements, clock)

    def is_crowded(self) -> bool:
        """Return whether so many targets may be seen through by single contributors that asking takes long."""
        return bool(self.problem.known_by) and len(self._seen_through_by_some(self.problem.withheld)) > _CROWD

    def coarse(self, guide: NDArray[np.float64], clock: Clock) -> NDArray[np.bool_]:
        """Return a safe pattern soon where there are many single contributors, though it withholds more than others do.

        Each target gets a movement of cells that no contributor knows but those it need not hold against: one linear
        programme, where one for each contributor is needed otherwise. `OutOfTime` is raised when the clock is up.
        """
        pattern, costs = self.problem.withheld.copy(), self._costs(guide)
        known = np.unique(np.concatenate(list(self.problem.known_by.values())))
        for target in self._seen_through_by_some(pattern):
            clock.check()
            if target.sign == WIDTH or self._is_hidden(target, pattern):
                continue
            shut = np.setdiff1d(known, self.problem.known_to_unasked(target), assume_unique=True)
            delta = self._router.route(target, np.where(pattern, 0.0, costs), rounds=1, shut=shut)
            if delta is not None:
                pattern = pattern | (np.abs(delta) > 0)
                self.proofs.learn(delta, [target, target._replace(sign=-target.sign, level=self._level_back(target))])
        return self.safe(pattern, guide, clock)

    def safe(
        self,
        withheld: NDArray[np.bool_],
        guide: NDArray[np.float64] | None = None,
        clock: Clock | None = None,
        near: RouterWithin | None = None,
    ) -> NDArray[np.bool_]:
        """Return a safe pattern that holds the given one; cells that the guide likes (0 to 1) are cheaper.

        With a clock, `OutOfTime` is raised when it is up; without one, the pattern is found however long it takes.
        A router `near` by is asked before the one over all cells: it knows all the cells of the pattern, and is quick.
        """
        pattern = withheld | self.problem.withheld
        costs = self._costs(guide)
        tries: dict[ProtectionTarget, int] = {}
        while missing := self.unproved(pattern, clock):
            many = [t for t in missing if t.attacker == EVERYBODY and t.sign != WIDTH and tries.get(t, 0) < 2]
            free = np.where(pattern, 0.0, costs)
            if len(many) > _MANY:
                tries.update({target: tries.get(target, 0) + 1 for target in many})
                pattern = pattern | self._moved(self._router.route_many(self._one_way(many), free, clock), many)
                continue
            pattern = self._routed_one_by_one(missing, pattern, costs, clock, near)
        return pattern

    def taken_back(self, withheld: NDArray[np.bool_], clock: Clock) -> NDArray[np.bool_]:
        """Return a safe pattern without what it does not need, the dearest cells first, as long as time allows."""
        pattern = withheld.copy()
        movements = Movements(self.problem, pattern)
        lone = Companions(self.problem, pattern)
        extra = np.flatnonzero(pattern & ~self.problem.withheld)
        for cell in extra[np.lexsort((extra, -self.problem.cost[extra]))].tolist():
            if clock.is_up:
                break
            if lone.needs(cell):
                continue
            movements.shut(cell)
            pattern[cell] = False
            if self._holds_without(cell, pattern, movements, clock):
                lone.publish(cell)
            else:
                movements.open(cell)
                pattern[cell] = True
        return pattern

    def _costs(self, guide: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return what cells cost with a guide, none of them nothing."""
        liked = np.zeros(len(self.problem)) if guide is None else np.clip(guide, 0.0, 1.0)
        least = 1e-6 * max(float(self.problem.cost.mean()), 1e-9)
        return np.asarray(self.problem.cost * (1.0001 - liked) + least)

    def _seen_through_by_some(self, pattern: NDArray[np.bool_]) -> list[ProtectionTarget]:
        everybodys = [target for target in self.proofs.targets if target.attacker == EVERYBODY]
        return [target for target in everybodys if not self._is_hidden(target, pattern)]

    def _is_hidden(self, target: ProtectionTarget, pattern: NDArray[np.bool_]) -> bool:
        """Return whether a target has a proof in a pattern that no contributor sees through."""
        witness = self.proofs.of(target)
        return witness is not None and witness.holds_in(pattern) and not self._singles(target, pattern)

    def _level_back(self, target: ProtectionTarget) -> float:
        return float((self.problem.lower if target.sign > 0 else self.problem.upper)[target.cell])

    def _holds_without(self, cell: int, pattern: NDArray[np.bool_], movements: Movements, clock: Clock) -> bool:
        """Return whether all targets were proved in time without a cell; if not, the proofs are as they were."""
        touched = self.proofs.using(cell)
        blocker = self._blockers.get(cell)
        if blocker in touched:
            # What stood in the way last time does so again more often than not.
            touched.remove(blocker)
            touched.insert(0, blocker)
        kept = {target: witness for target in touched if (witness := self.proofs.of(target)) is not None}
        try:
            failed = self.proofs.prove(movements, touched[:1], stop_at_first=True)
            failed = failed or self.proofs.prove(movements, touched[1:], stop_at_first=True, clock=clock)
            failed = failed or self._seen_through(touched, pattern, movements, clock)
            if not failed:
                return True
            self._blockers[cell] = failed[0]
        except OutOfTime:
            pass
        self.proofs.come_back_to(kept)
        return False

    def _routed_one_by_one(
        self,
        missing: list[ProtectionTarget],
        pattern: NDArray[np.bool_],
        costs: NDArray[np.float64],
        clock: Clock | None,
        near: RouterWithin | None,
    ) -> NDArray[np.bool_]:
        hopeless = []
        for target in missing:
            _watch(clock)
            witness = self.proofs.of(target)
            if witness is not None and witness.holds_in(pattern):
                continue
            free = np.where(pattern, 0.0, costs)
            delta = near.route(target, free, rounds=3) if near and target.attacker == EVERYBODY else None
            if delta is None:
                delta = self._router.route(target, free)
            if delta is not None and self.problem.whole and not (np.abs(delta) > 0)[~pattern].any():
                # What is withheld lets it move, but not by whole numbers: otherwise it would have been proved.
                delta = self._router.whole_route(target, free)
            if delta is None:
                hopeless.append(target)
                continue
            pattern = pattern | (np.abs(delta) > 0)
            if target.sign != WIDTH:
                self.proofs.learn(delta, missing)
        if hopeless:
            raise Unprotectable(tuple(hopeless))
        return pattern

    @staticmethod
    def _one_way(targets: list[ProtectionTarget]) -> list[ProtectionTarget]:
        """Return one direction for each cell; neighbours in alternation, so that they can move against each other."""
        chosen: dict[int, ProtectionTarget] = {}
        for target in targets:
            if target.cell not in chosen or target.sign == (1 if target.cell % 2 else -1):
                chosen[target.cell] = target
        return list(chosen.values())

    @staticmethod
    def _moved(delta: NDArray[np.float64], targets: list[ProtectionTarget]) -> NDArray[np.bool_]:
        least = min(target.level for target in targets)
        return np.asarray(np.abs(delta) > _STILL * least)

    def _betrayed(
        self, withheld: NDArray[np.bool_], movements: Movements | None, clock: Clock | None
    ) -> list[ProtectionTarget]:
        """Return the targets that a contributor who knows their own cells can see through.

        A proof that does not move a contributor's cells holds for that contributor too; only the others are asked.
        """
        if not self.problem.known_by:
            return []
        wanted: list[ProtectionTarget] = []
        router: RouterWithin | None = None
        for target in [t for t in self.proofs.targets if t.attacker == EVERYBODY]:
            if singles := self._singles(target, withheld):
                _watch(clock)
                router = router or RouterWithin(self.problem, withheld)
                self._avoid_what_is_known(target, router, singles)
                wanted += self._singles(target, withheld)
        if not wanted:
            return []
        self.proofs.watch(wanted)
        movements = movements or Movements(self.problem, withheld)
        return self.proofs.prove(movements, wanted, clock=clock)

    def _seen_through(
        self, targets: list[ProtectionTarget], withheld: NDArray[np.bool_], movements: Movements, clock: Clock
    ) -> list[ProtectionTarget]:
        """Return a target that a contributor sees through now that its proof is another, if there is one."""
        if not self.problem.known_by:
            return []
        new = [s for t in targets if t.attacker == EVERYBODY for s in self._singles(t, withheld)]
        self.proofs.watch(new)
        return self.proofs.prove(movements, new, stop_at_first=True, clock=clock)

    def _singles(self, target: ProtectionTarget, withheld: NDArray[np.bool_]) -> list[ProtectionTarget]:
        """Return a target as those see it who know a cell of its proof, and against whom it has no proof yet."""
        singles = [self.problem.seen_by(target, attacker) for attacker in self.proofs.attackers_in(target)]
        return [t for t in singles if (w := self.proofs.of(t)) is None or not w.holds_in(withheld)]

    def _avoid_what_is_known(
        self, target: ProtectionTarget, router: RouterWithin, singles: list[ProtectionTarget]
    ) -> None:
        """Look for a proof that moves as few cells as possible that some contributor knows."""
        problem = self.problem
        known = np.zeros(len(problem), bool)
        for single in singles:
            known[problem.known_by[single.attacker]] = True
        # A width is proved by half of it, there and back.
        half = target._replace(sign=1, level=target.level / 2) if target.sign == WIDTH else target
        delta = router.route(half, np.where(known, 1.0, 0.01))
        if delta is None:
            return
        if target.sign != WIDTH:
            self.proofs.learn(delta, [target, *singles])
        elif (np.abs(delta) <= np.minimum(problem.down, problem.up)).all() and (not problem.whole or is_whole(delta)):
            witness = Witness.of(delta)
            knowers = self.proofs.knowers(witness)
            before = self.proofs.of(target)
            if before is None or len(knowers) < len(self.proofs.knowers(before)):
                self.proofs.add(target, witness)
            unseen = [single for single in singles if single.attacker not in knowers]
            self.proofs.watch(unseen)
            for single in unseen:
                self.proofs.add(single, witness)


def _watch(clock: Clock | None) -> None:
    if clock is not None:
        clock.check()
