"""The search against contributors: tables that leave what each of them knows true and move a cell as far as needed.

A change that touches few cells proves its goal against everybody whose cells it leaves alone. What is not proved by
then is asked for with fewer attackers at a time, in the end against one alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tacita.attacks.tables.demands import ENOUGH
from tacita.attacks.tables.system.blocks import Blocks
from tacita.attacks.tables.system.circulations import Circulations
from tacita.attacks.tables.system.possible_tables import Numbers, Places, Span
from tacita.progress import Progress, Step

TOUCHED = 20.0
"""How much sooner a cell that nobody knows is moved than one that somebody does."""

MANY = 40
"""A goal that so many attackers might stand against is asked for afresh."""

APART = 60
"""A large block is asked for one goal in so many numbers at once; changes that do not meet are changes of their own."""

Proof = tuple[Numbers, Places, dict[int, set[int]]]
"""Values (nan where nothing is proved), the part that each number moves in, and who is touched by each part."""


@dataclass(frozen=True, slots=True)
class Insight:
    """How near one contributor comes to one free number: its interval with that contributor's knowledge."""

    attacker: int
    free: int
    least: float
    most: float


@dataclass(slots=True)
class Goal:
    """One number to be moved, one way, against everybody in `against` (None: nobody was ruled out yet).

    `tries` says how it is asked for next: 0 and 1 beside other goals of the block (1: against all at once), 2 beside
    others against one attacker at a time, 3 alone.
    """

    place: int
    by: float
    against: set[int] | None = None
    tries: int = 0

    def barred(self) -> set[int]:
        """Return the attackers whose knowledge the next answer must leave true."""
        if not self.against:
            return set()
        return set(self.against) if self.tries == 1 else {min(self.against)}


@dataclass(slots=True)
class ContributorSearch:
    """The search in one group of blocks; everything is numbered within the group."""

    group: Blocks
    start: Numbers
    known: tuple[Places, Places, Numbers, Numbers]
    exempt: dict[int, set[int]]
    interval: Span
    seconds: float
    insights: list[Insight] = field(default_factory=list)
    solved: int = 0
    changes: Circulations = field(init=False)
    pairs: dict[tuple[int, int], list[int]] = field(init=False)

    def __post_init__(self) -> None:
        who, place, _, _ = self.known
        weight = np.ones(len(self.start))
        weight[place] = TOUCHED
        self.changes = Circulations(self.group, self.start, weight)
        self.pairs = {}
        for number, key in enumerate(zip(who.tolist(), self.group.block[place].tolist(), strict=True)):
            self.pairs.setdefault(key, []).append(number)

    def run(
        self,
        down: Numbers,
        up: Numbers,
        single: Sequence[tuple[int, int, float, float]],
        tables: Numbers,
        progress: Progress,
    ) -> None:
        """Settle every goal; fill `insights`. `tables` are possible tables that were found before, a row each.

        `single` are goals against one attacker: who, which number, how far down, how far up.
        """
        goals = [
            Goal(place, float(by))
            for place in range(len(self.start))
            for by in (up[place], -down[place])
            if not np.isnan(by)
        ]
        goals += [
            Goal(place, float(by), {attacker}, 1)
            for attacker, place, below, above in single
            for by in (above, -below)
            if not np.isnan(by)
        ]
        self._combine(goals, tables)
        total = len(goals)
        failed: list[deque[tuple[int, int]]] = [deque() for _ in range(self.group.count)]
        while goals:
            progress(Step("attacking as a contributor", total - len(goals), total))
            goals = [goal for goal in goals if goal.against is None or goal.against]
            if goals:
                self._round(goals, failed)
        seen: set[tuple[int, int]] = set()
        while any(failed):
            self._widths(failed, seen)

    def _combine(self, goals: list[Goal], tables: Numbers) -> None:
        """Rule out the attackers against whom tables that are known already prove a goal.

        Between two possible tables lies another with any value in between: if one of the tables that reach a goal shows
        a cell no less than its owner knows, and one no more, then a mixture of both shows it right and reaches as far.
        Of attackers who know several cells of a block one table must leave all of them right; so must it where numbers
        are whole, since mixtures are not.
        """
        if not len(tables):
            return
        _, place, low, high = self.known
        near = 1e-9 * self.group.size[self.group.block[place]]
        above, below = tables[:, place] >= low - near, tables[:, place] <= high + near
        by_block: dict[int, list[Goal]] = {}
        for wish in goals:
            by_block.setdefault(int(self.group.block[wish.place]), []).append(wish)
        present: dict[int, list[tuple[int, list[int]]]] = {}
        for (attacker, block), pairs in self.pairs.items():
            present.setdefault(block, []).append((attacker, pairs))
        for block, mine in by_block.items():
            attackers = present.get(block, [])
            mixes = [len(pairs) == 1 and not self.group.whole for _, pairs in attackers]
            over, under = (
                np.array(
                    [
                        one[:, pairs].all(axis=1) & (other[:, pairs].all(axis=1) | mix)
                        for (_, pairs), mix in zip(attackers, mixes, strict=True)
                    ]
                )
                for one, other in ((above, below), (below, above))
            )
            numbers = np.array([attacker for attacker, _ in attackers])
            for first in range(0, len(mine) if attackers else 0, 2_000):
                some = mine[first : first + 2_000]
                at, by = np.array([wish.place for wish in some]), np.array([wish.by for wish in some])
                reached = (tables[:, at] - self.start[at]) * np.sign(by) >= np.abs(by) * (1 - ENOUGH)
                reached = reached.T.astype(np.float32)
                proved = (reached @ over.T.astype(np.float32) > 0) & (reached @ under.T.astype(np.float32) > 0)
                for row, goal in enumerate(some):
                    if goal.against is not None:
                        goal.against -= set(numbers[proved[row]].tolist())
                        continue
                    goal.against = set(numbers[~proved[row]].tolist()) - self.exempt.get(goal.place, set())
                    goal.tries = 1 if len(goal.against) <= MANY else 0
                    goal.against = goal.against if goal.tries else None

    def _chosen(self, goals: list[Goal]) -> list[Goal]:
        """Return the goals to ask for together: many of a large block, far apart if chance will have it."""
        sizes = np.bincount(self.group.block, minlength=self.group.count)
        room = np.maximum(1, sizes // APART)
        stage = np.full(self.group.count, 9)
        np.minimum.at(stage, self.group.block[[goal.place for goal in goals]], [goal.tries for goal in goals])
        room = np.where(stage == 0, room, np.where(stage == 3, 1, np.maximum(1, room // 4)))
        taken: dict[int, set[int]] = {}
        chosen = []
        step = max(1, len(goals) // 997)
        for goal in (goals[at] for first in range(step) for at in range(first, len(goals), step)):
            block = int(self.group.block[goal.place])
            places = taken.setdefault(block, set())
            if goal.tries == stage[block] and len(places) < room[block] and goal.place not in places:
                places.add(goal.place)
                chosen.append(goal)
        return chosen

    def _round(self, goals: list[Goal], failed: list[deque[tuple[int, int]]]) -> None:
        """Ask for some goals of each block, and take whatever the answer proves for the others."""
        chosen = self._chosen(goals)
        barred: dict[int, set[int]] = {}
        for one in chosen:
            barred.setdefault(int(self.group.block[one.place]), set()).update(one.barred())
        before = [None if one.against is None else len(one.against) for one in chosen]
        place, by = np.array([one.place for one in goals], np.int64), np.array([one.by for one in goals])
        proofs = self._proofs(
            np.array([one.place for one in chosen], np.int64), np.array([one.by for one in chosen]), barred
        )
        for values, part, touched in proofs:
            with np.errstate(invalid="ignore"):
                moved = (values - self.start)[place] * np.sign(by)
            for at in np.flatnonzero(moved >= np.abs(by) * (1 - ENOUGH)):
                goal, left = goals[at], touched.get(int(part[place[at]]), set())
                if goal.against is None:
                    goal.against, goal.tries = left - self.exempt.get(goal.place, set()), max(goal.tries, 1)
                else:
                    goal.against &= left
        for one, count in zip(chosen, before, strict=True):
            if one.against is not None and (count is None or len(one.against) < count):
                continue
            # Nothing came of it: ask with less at a time, and a single attacker who stands firm has broken in.
            if one.tries < 3:
                one.tries = 3 if one.against is None else one.tries + 1
            elif one.against is None:
                one.against = self._present(int(self.group.block[one.place])) - self.exempt.get(one.place, set())
            else:
                broken = min(one.against)
                failed[self.group.block[one.place]].append((broken, one.place))
                one.against.discard(broken)

    def _present(self, block: int) -> set[int]:
        return {who for who, where in self.pairs if where == block}

    def _proofs(self, places: Places, by: Numbers, barred: dict[int, set[int]]) -> list[Proof]:
        """Return checked tables: values (nan where nothing is proved), parts that move by themselves, who is touched.

        Parts of a change that share no sum are changes of their own, and each of them can be had without the others.
        """
        _, place, low, high = self.known
        lower, upper = np.full(len(self.start), -np.inf), np.full(len(self.start), np.inf)
        for block, attackers in barred.items():
            for attacker in attackers:
                mine = np.array(self.pairs[attacker, block])
                np.maximum.at(lower, place[mine], low[mine])
                np.minimum.at(upper, place[mine], high[mine])
        moved = self.changes.change(places, by, lower, upper)
        self.solved += 1
        if moved is None or not moved.any():
            return []
        part = self.changes.parts(moved)
        ahead, back = self.changes.steps(moved, part)
        proofs = []
        for times in (np.ones(len(ahead)), ahead, -np.minimum(back, 1.0), -back):
            change = np.where(part >= 0, times[part] * moved, 0.0)
            good = self.changes.proved(change)
            values = np.where((part >= 0) & good[self.group.block], self.start + change, np.nan)
            proofs.append((values, part, self._touched(values, part)))
        return proofs + self._whole(places, by, Span(lower, upper), proofs[0][0])

    def _whole(self, places: Places, by: Numbers, within: Span, proved: Numbers) -> list[Proof]:
        """Return tables of whole numbers where the smallest change was one of fractions, and so proved nothing."""
        proofs: list[Proof] = []
        for place, goal in zip(places.tolist(), by.tolist(), strict=True):
            if not self.group.whole or not np.isnan(proved[place]):
                continue
            low, high = within.low.copy(), within.high.copy()
            limit = high if goal > 0 else low
            limit[place] = (min if goal > 0 else max)(limit[place], self.start[place] + goal)
            point, _, _ = self.group.whole_proposal(place, float(np.sign(goal)), self.seconds, Span(low, high))
            self.solved += 1
            if point is None:
                continue
            mine = self.group.block == self.group.block[place]
            checked, slip = self.group.checked(np.where(mine, point, self.start))
            if np.isfinite(slip[self.group.block[place]]):
                values = np.where(mine, checked, np.nan)
                part = np.where(mine, 0, -1).astype(np.int64)
                proofs.append((values, part, self._touched(values, part)))
        return proofs

    def _touched(self, values: Numbers, part: Places) -> dict[int, set[int]]:
        """Return, by part, the attackers who know that these values are false."""
        who, place, low, high = self.known
        near = 1e-9 * self.group.size[self.group.block[place]]
        touched: dict[int, set[int]] = {}
        for at in np.flatnonzero((values[place] < low - near) | (values[place] > high + near)):
            touched.setdefault(int(part[place[at]]), set()).add(int(who[at]))
        return touched

    def _widths(self, failed: list[deque[tuple[int, int]]], seen: set[tuple[int, int]]) -> None:
        """Find how far the numbers that somebody comes near to can still be, for that attacker."""
        pairs: dict[int, tuple[int, int]] = {}
        for block, queue in enumerate(failed):
            while queue and block not in pairs:
                pair = queue.popleft()
                if pair not in seen:
                    seen.add(pair)
                    pairs[block] = pair
        if not pairs:
            return
        places = np.array([place for _, place in pairs.values()], np.int64)
        barred = {block: {attacker} for block, (attacker, _) in pairs.items()}
        reached = []
        for end in self.interval:
            room = end[places] - self.start[places]
            far = self.group.endless[self.group.block[places]]
            room = np.where(np.isfinite(room), room, np.copysign(far, room))
            values = self.start[places].copy()
            proofs = self._proofs(places, room, barred)
            for proof, _, _ in proofs[:1] + proofs[4:]:
                values = np.where(np.isnan(proof[places]), values, proof[places])
            reached.append(np.where(np.abs(values) >= far / 4, np.copysign(np.inf, values), values))
        for number, (attacker, place) in enumerate(pairs.values()):
            self.insights.append(Insight(attacker, place, float(reached[0][number]), float(reached[1][number])))
