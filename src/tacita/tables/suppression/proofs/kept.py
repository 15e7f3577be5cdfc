"""Proofs of protection: for each target the cells of one movement that reaches its level."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import compress

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Movement
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.problem import CLOSE_ENOUGH, EVERYBODY, WIDTH, ProtectionTarget, SuppressionProblem
from tacita.tables.suppression.proofs.movements import Movements


class Waiting:
    """Some targets in their order."""

    def __init__(self, targets: Iterable[ProtectionTarget]) -> None:
        self.targets = list(targets)
        columns = np.array(self.targets, np.float64).reshape(len(self.targets), len(ProtectionTarget._fields))
        self._cells, self._signs, self._attackers = (columns[:, at].astype(np.int64) for at in (0, 1, 3))
        self._enough = columns[:, 2] * (1 - CLOSE_ENOUGH)

    def __len__(self) -> int:
        return len(self.targets)

    def met_by(self, delta: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Return which a movement takes to their level (of a direction; widths need two movements)."""
        return np.asarray((self._signs * delta[self._cells] >= self._enough) & (self._signs != WIDTH))

    def of_others_than(self, contributors: frozenset[int]) -> NDArray[np.bool_]:
        """Return which are not about one of these contributors as attacker."""
        seen = np.fromiter(contributors, np.int64, len(contributors))
        return np.asarray((self._attackers == EVERYBODY) | ~np.isin(self._attackers, seen))

    def but(self, some: NDArray[np.bool_]) -> Waiting:
        """Return the others."""
        return self._only(list(compress(self.targets, (~some).tolist())), ~some) if some.any() else self

    def after_first(self) -> Waiting:
        """Return all but the first."""
        return self._only(self.targets[1:], slice(1, None))

    def _only(self, targets: list[ProtectionTarget], places: NDArray[np.bool_] | slice) -> Waiting:
        rest = Waiting(())
        rest.targets = targets
        rest._cells, rest._signs = self._cells[places], self._signs[places]
        rest._attackers, rest._enough = self._attackers[places], self._enough[places]
        return rest


_STILL = 1e-9  # of a level: less is no movement
_WORTH = 0.25  # share of a batch that must be proved for another batch to be tried
_FEW = 4


@dataclass(frozen=True, slots=True, eq=False)
class Witness:
    """The cells that a movement moves, in order, and by how much; many targets may be proved by the same one."""

    cells: NDArray[np.int64]
    movements: tuple[Movement, ...]

    @classmethod
    def of(cls, delta: NDArray[np.float64]) -> Witness:
        """Return the witness of a movement."""
        cells = np.flatnonzero(np.abs(delta) > _STILL * np.abs(delta).max(initial=0.0))
        return cls.moving(cells, delta[cells])

    @classmethod
    def moving(cls, cells: NDArray[np.int64], delta: NDArray[np.float64]) -> Witness:
        """Return the witness of a movement of some cells."""
        return cls(cells, (Movement(cells, delta),))

    def holds_in(self, withheld: NDArray[np.bool_]) -> bool:
        """Return whether all moved cells are withheld."""
        return bool(withheld[self.cells].all())

    def and_(self, other: Witness) -> Witness:
        """Return the witness of two movements."""
        return Witness(np.union1d(self.cells, other.cells), self.movements + other.movements)


def is_whole(delta: NDArray[np.float64]) -> bool:
    """Return whether a movement is by whole numbers."""
    return bool(np.all(np.abs(delta - np.rint(delta)) < 1e-6))


class Proofs:
    """Which targets are proved in a pattern, and by which cells.

    A proof stays good as long as all its cells are withheld. That is what makes taking back cheap: publishing a cell
    touches only the targets whose proof uses it.
    """

    def __init__(self, problem: SuppressionProblem, targets: Sequence[ProtectionTarget]) -> None:
        self.problem = problem
        self.targets = list(targets)
        self._watched = set(self.targets)
        self._witness: dict[ProtectionTarget, Witness] = {}
        self._proved: defaultdict[int, dict[ProtectionTarget, None]] = defaultdict(dict)
        self._users: defaultdict[int, dict[int, None]] = defaultdict(dict)
        self._seen_by: dict[int, frozenset[int]] = {}
        self._safe_from: defaultdict[ProtectionTarget, set[int]] = defaultdict(set)
        self._knowers: defaultdict[int, list[int]] = defaultdict(list)
        for who, cells in problem.known_by.items():
            for cell in cells.tolist():
                self._knowers[cell].append(who)
        self._last = np.zeros(len(problem))

    def of(self, target: ProtectionTarget) -> Witness | None:
        """Return the movement that proves a target, if it was proved."""
        return self._witness.get(target)

    def add(self, target: ProtectionTarget, witness: Witness) -> None:
        """Remember a proof instead of the one there was."""
        before = self._witness.get(target)
        if before is not None:
            proved = self._proved[id(before)]
            del proved[target]
            if not proved:
                del self._proved[id(before)]
                self._index(before, is_new=False)
        self._witness[target] = witness
        if id(witness) not in self._proved:
            self._index(witness, is_new=True)
        self._proved[id(witness)][target] = None
        if target.attacker != EVERYBODY:
            safe_from = self._safe_from[self.problem.seen_by(target, EVERYBODY)]
            (safe_from.add if witness.holds_in(self.problem.withheld) else safe_from.discard)(target.attacker)

    def _index(self, witness: Witness, *, is_new: bool) -> None:
        """Note who knows what a movement moves, and for each cell that may be published again which proofs move it."""
        if is_new:
            self._seen_by[id(witness)] = self._who_knows(witness.cells)
        else:
            del self._seen_by[id(witness)]
        for cell in witness.cells[~self.problem.withheld[witness.cells]].tolist():
            if is_new:
                self._users[cell][id(witness)] = None
            else:
                del self._users[cell][id(witness)]

    def using(self, cell: int) -> list[ProtectionTarget]:
        """Return the targets whose proof moves a cell that is not withheld anyway, in a fixed order."""
        return sorted(target for key in self._users.get(cell, ()) for target in self._proved[key])

    def provers_using(self, cell: int) -> Iterator[tuple[int, Iterable[ProtectionTarget]]]:
        """Yield a number for each movement of a cell that is not withheld anyway, and what it proves."""
        return ((key, self._proved[key]) for key in self._users.get(cell, ()))

    def lacking(self, withheld: NDArray[np.bool_]) -> list[ProtectionTarget]:
        """Return the targets without a proof in a pattern."""
        good = {key: self._witness[next(iter(proved))].holds_in(withheld) for key, proved in self._proved.items()}
        lacking = [t for t in self.targets if (witness := self._witness.get(t)) is None or not good[id(witness)]]
        return [target for target in lacking if not self._is_unseen(target, good)]

    def _is_unseen(self, target: ProtectionTarget, good: Mapping[int, bool]) -> bool:
        """Return whether the proof against everybody holds against a contributor, too, who knows no cell of it."""
        witness = self._witness.get(self.problem.seen_by(target, EVERYBODY))
        if target.attacker == EVERYBODY or witness is None or not good[id(witness)]:
            return False
        if target.attacker in self.knowers(witness):
            return False
        self.add(target, witness)
        return True

    def kept(self) -> dict[ProtectionTarget, Witness]:
        """Return all proofs as they are now, to come back to."""
        return dict(self._witness)

    def come_back_to(self, kept: Mapping[ProtectionTarget, Witness]) -> None:
        """Let proofs be again what they were."""
        for target, witness in kept.items():
            if self._witness.get(target) is not witness:
                self.add(target, witness)

    def movements(self) -> list[Movement]:
        """Return every movement that proves something, once."""
        seen = {id(movement): movement for witness in self._witness.values() for movement in witness.movements}
        return list(seen.values())

    def learn(self, delta: NDArray[np.float64], targets: Iterable[ProtectionTarget]) -> None:
        """Remember a movement for every one of some targets that it reaches, unless it has a proof that is better."""
        self._settled(delta, Waiting(target for target in targets if not self._is_settled_for_good(target)))

    def restore(self, movements: Sequence[Movement], targets: Iterable[ProtectionTarget]) -> list[int]:
        """Take over movements of an earlier search that prove some targets, to everybody and to each contributor.

        Return the numbers of those taken over.
        """
        moving: defaultdict[int, list[tuple[float, int]]] = defaultdict(list)
        for number, movement in enumerate(movements):
            for cell, delta in zip(movement.cells.tolist(), movement.delta.tolist(), strict=True):
                moving[cell].append((delta, number))
        witnesses = [Witness.moving(movement.cells, movement.delta) for movement in movements]
        knowers = [self._who_knows(movement.cells) for movement in movements]
        used: dict[int, None] = {}

        def reaching(target: ProtectionTarget) -> list[int]:
            enough = target.level * (1 - CLOSE_ENOUGH)
            return [number for delta, number in moving[target.cell] if delta * target.sign >= enough]

        for target in [one for one in targets if one.attacker == EVERYBODY and one.sign != WIDTH]:
            numbers = reaching(target)
            if not numbers:
                continue
            first = min(numbers, key=lambda number: (len(knowers[number]), number))
            self.add(target, witnesses[first])
            used[first] = None
            for who in sorted(knowers[first] - self.problem.unasked(target)):
                single = self.problem.seen_by(target, who)
                other = next((number for number in reaching(single) if who not in knowers[number]), None)
                if other is not None:
                    self.watch([single])
                    self.add(single, witnesses[other])
                    used[other] = None
        return list(used)

    def _is_settled_for_good(self, target: ProtectionTarget) -> bool:
        """Return whether no contributor sees through a target, by proofs that move no cell to be published again."""
        witness = self._witness.get(target) if self._knowers else None
        return witness is not None and witness.holds_in(self.problem.withheld) and not self.attackers_in(target)

    def watch(self, targets: Iterable[ProtectionTarget]) -> None:
        """Count more targets among those that must be proved."""
        for target in targets:
            if target not in self._watched:
                self._watched.add(target)
                self.targets.append(target)

    def attackers_in(self, target: ProtectionTarget) -> list[int]:
        """Return the contributors who know a cell that the proof of a target moves, and may see through it.

        Not so those against whom nothing is asked of it, nor those against whom it has another proof, of cells none of
        which can be published again.
        """
        if target.attacker != EVERYBODY:
            return []  # contributors attack alone
        return sorted(self.knowers(self._witness[target]) - self._safe_from[target] - self.problem.unasked(target))

    def knowers(self, witness: Witness) -> frozenset[int]:
        """Return the contributors who know a cell that a movement moves."""
        seen = self._seen_by.get(id(witness))
        return self._who_knows(witness.cells) if seen is None else seen

    def _who_knows(self, cells: NDArray[np.int64]) -> frozenset[int]:
        return frozenset(who for cell in cells.tolist() for who in self._knowers.get(cell, ()))

    def prove(
        self,
        movements: Movements,
        targets: Iterable[ProtectionTarget],
        *,
        stop_at_first: bool = False,
        clock: Clock | None = None,
    ) -> list[ProtectionTarget]:
        """Try to prove targets within a pattern; return those that cannot be, or the first of them.

        With a clock, `OutOfTime` is raised when it is up; what was proved until then stays so.
        """
        left = self._proved_together(movements, Waiting(targets), clock)
        failed = []
        while left:
            if clock is not None:
                clock.check()
            target = left.targets[0]
            left = left.after_first()
            witness = self._reached(movements, target)
            if witness is None:
                failed.append(target)
                if stop_at_first:
                    break
            else:
                self.add(target, witness)
                left = self._settled(self._last, left)
        return failed

    def prove_together(
        self, movements: Movements, targets: Iterable[ProtectionTarget], clock: Clock | None = None
    ) -> list[ProtectionTarget]:
        """Try to prove targets within a pattern, many by one movement, as long as that is quick; return the others."""
        return self._proved_together(movements, Waiting(targets), clock).targets

    def _proved_together(self, movements: Movements, left: Waiting, clock: Clock | None) -> Waiting:
        while len(left) >= _FEW:
            batch = self._batch(left.targets)
            if not batch:  # only targets of single contributors, who are asked one by one
                break
            rest = self._settled(movements.together(batch, clock), left)
            is_worth = len(left) - len(rest) >= _WORTH * len(batch)
            left = rest
            if not is_worth:
                break
        return left

    def _batch(self, targets: list[ProtectionTarget]) -> list[ProtectionTarget]:
        """Return at most one direction of each cell, of those that everybody attacks."""
        chosen: dict[int, ProtectionTarget] = {}
        for target in targets:
            if target.attacker == EVERYBODY and target.sign != WIDTH:
                chosen.setdefault(target.cell, target)
        return list(chosen.values())

    def _settled(self, delta: NDArray[np.float64], waiting: Waiting) -> Waiting:
        """Remember a movement for every target that it, or its mirror image, reaches; return the other targets."""
        delta, mirrored = self._counting(delta), self._counting(self._mirror(delta))
        ahead, back = Witness.of(delta), Witness.of(mirrored)
        # The mirror image moves the same cells, so the same contributors know some of them.
        unseen = waiting.of_others_than(self._who_knows(ahead.cells if len(ahead.cells) else back.cells))
        there = waiting.met_by(delta) & unseen
        mirror = waiting.met_by(mirrored) & unseen & ~there
        for met, witness in ((there, ahead), (mirror, back)):
            for number in np.flatnonzero(met).tolist():
                self.add(waiting.targets[number], witness)
        return waiting.but(there | mirror)

    def _counting(self, delta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return a movement, or none where it would have to be by whole numbers and is not."""
        if not self.problem.whole or is_whole(delta):
            return delta
        return np.zeros(len(delta))

    def _mirror(self, delta: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the movement the other way, as far as the bounds allow."""
        with np.errstate(divide="ignore", invalid="ignore"):
            room = np.where(delta > 0, self.problem.down / delta, np.where(delta < 0, self.problem.up / -delta, np.inf))
        return -delta * min(1.0, float(room.min(initial=np.inf)))

    def _reached(self, movements: Movements, target: ProtectionTarget) -> Witness | None:
        """Return the movement that proves a target, asked for it alone; None if it is not protected."""
        known = self.problem.known_by[target.attacker] if target.attacker != EVERYBODY else ()
        with movements.knowing(known):
            return self._ask(movements, target)

    def _ask(self, movements: Movements, target: ProtectionTarget) -> Witness | None:
        enough = target.level * (1 - CLOSE_ENOUGH)
        if target.sign != WIDTH:
            reach = movements.reach(target.cell, target.sign, target.level)
            if reach.distance >= enough and self.problem.whole and not is_whole(reach.delta):
                reach = movements.whole_reach(target.cell, target.sign, target.level, reach)
            self._last = reach.delta
            return Witness.of(reach.delta) if reach.distance >= enough else None
        above, below = (movements.reach(target.cell, sign, target.level) for sign in (1, -1))
        if self.problem.whole and not (is_whole(above.delta) and is_whole(below.delta)):
            above, below = (
                movements.whole_reach(target.cell, sign, target.level, reach)
                for sign, reach in ((1, above), (-1, below))
            )
        self._last = above.delta
        if above.distance + below.distance < enough:
            return None
        return Witness.of(above.delta).and_(Witness.of(below.delta))
