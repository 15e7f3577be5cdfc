"""Coalitions of one: every contributor, who knows the own cells, attacks the cells of the others.

For a sensitive cell it is enough to find, against each contributor, one other possible table that leaves that
contributor's knowledge true and moves the cell as far as needed. A change that touches few cells proves this against
everybody whose cells it leaves alone, so that very few contributors have to be asked one by one.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np

from tacita.attacks.blocks import Blocks, gathered
from tacita.attacks.circulations import Circulations
from tacita.attacks.demands import ENOUGH, Demands
from tacita.attacks.insiders import Insiders, in_free_numbers
from tacita.attacks.possible_tables import Numbers, Places
from tacita.attacks.reach import Ends, Reach
from tacita.progress import Progress, Step, silent

TOUCHED = 20.0
"""How much sooner a cell that nobody knows is moved than one that somebody does."""


@dataclass(frozen=True, slots=True)
class Insight:
    """How near one contributor comes to one free number: its interval with that contributor's knowledge."""

    attacker: int
    free: int
    least: float
    most: float


def insights(reach: Reach, ends: Ends, demands: Demands, known: Insiders, progress: Progress = silent) -> list[Insight]:
    """Return the free numbers that some contributor comes nearer to than demanded, though everybody else does not."""
    reduction = reach.reduction
    who, at, lower, upper = in_free_numbers(known, reduction)
    down, up = demands.moves(reduction, reach.start, ends)
    wanted = ~(np.isnan(down) & np.isnan(up))
    blocks = np.intersect1d(reduction.block[at], reduction.block[wanted])
    exempt = demands.own(reduction, known)
    found: list[Insight] = []
    for group in gathered(reach.possible, reduction, reach.outer, blocks):
        local = np.full(len(reach.start), -1, np.int64)
        local[group.free] = np.arange(len(group.free))
        mine = local[at] >= 0
        search = _Search(
            group,
            reach.start[group.free],
            (who[mine], local[at[mine]], lower[mine], upper[mine]),
            {int(local[place]): attackers for place, attackers in exempt.items() if local[place] >= 0},
            (ends.least[group.free], ends.most[group.free]),
            reach.seconds,
        )
        search.run(down[group.free], up[group.free], progress)
        reach.solved += search.solved
        found += [Insight(each.attacker, int(group.free[each.free]), each.least, each.most) for each in search.found]
    return found


@dataclass(slots=True)
class _Goal:
    """One number to be moved, one way, against everybody in `against` (None: nobody was ruled out yet)."""

    place: int
    by: float
    against: set[int] | None = None
    one_by_one: bool = False


@dataclass(slots=True)
class _Search:
    """The search in one group of blocks."""

    group: Blocks
    start: Numbers
    known: tuple[Places, Places, Numbers, Numbers]
    exempt: dict[int, set[int]]
    interval: tuple[Numbers, Numbers]
    seconds: float
    found: list[Insight] = field(default_factory=list)
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

    def run(self, down: Numbers, up: Numbers, progress: Progress) -> None:
        """Settle every goal; fill `found`."""
        goals: list[deque[_Goal]] = [deque() for _ in range(self.group.count)]
        for place in range(len(self.start)):
            for by in (up[place], -down[place]):
                if not np.isnan(by) and by != 0:
                    goals[self.group.block[place]].append(_Goal(place, float(by)))
        total = sum(map(len, goals))
        failed: list[deque[tuple[int, int]]] = [deque() for _ in goals]
        while any(goals):
            progress(Step("attacking as a contributor", total - sum(map(len, goals)), total))
            self._round(goals, failed)
        seen: set[tuple[int, int]] = set()
        while any(failed):
            self._widths(failed, seen)

    def _round(self, goals: list[deque[_Goal]], failed: list[deque[tuple[int, int]]]) -> None:
        """Ask for one goal of each block, and take whatever the answer proves for the others."""
        asked = {block: queue[0] for block, queue in enumerate(goals) if queue}
        barred = {
            block: set() if goal.against is None else {min(goal.against)} if goal.one_by_one else set(goal.against)
            for block, goal in asked.items()
        }
        proofs = self._proofs(
            np.array([goal.place for goal in asked.values()], np.int64),
            np.array([goal.by for goal in asked.values()]),
            barred,
        )
        for block, goal in asked.items():
            before = (None if goal.against is None else set(goal.against), goal.one_by_one)
            for values, touched in proofs:
                for each in goals[block]:
                    moved = values[each.place] - self.start[each.place]
                    if moved * np.sign(each.by) >= abs(each.by) * (1 - ENOUGH):
                        left = touched.get(block, set())
                        each.against = (
                            left - self.exempt.get(each.place, set()) if each.against is None else each.against & left
                        )
            if goal.against == before[0]:
                # Nothing came of it: ask against one at a time, and a single one who stands firm has broken in.
                if goal.against is None:
                    goal.against = self._present(block) - self.exempt.get(goal.place, set())
                    goal.one_by_one = True
                elif not goal.one_by_one and len(goal.against) > 1:
                    goal.one_by_one = True
                else:
                    broken = min(goal.against)
                    failed[block].append((broken, goal.place))
                    goal.against.discard(broken)
            goals[block] = deque(each for each in goals[block] if each.against is None or each.against)

    def _present(self, block: int) -> set[int]:
        return {who for who, where in self.pairs if where == block}

    def _proofs(
        self, places: Places, by: Numbers, barred: dict[int, set[int]]
    ) -> list[tuple[Numbers, dict[int, set[int]]]]:
        """Return checked tables (nan in blocks where there is none), with the attackers that know each to be false."""
        _, place, low, high = self.known
        lower, upper = np.full(len(self.start), -np.inf), np.full(len(self.start), np.inf)
        for block, attackers in barred.items():
            for attacker in attackers:
                mine = np.array(self.pairs[attacker, block])
                np.maximum.at(lower, place[mine], low[mine])
                np.minimum.at(upper, place[mine], high[mine])
        moved = self.changes.change(places, by, lower, upper)
        self.solved += 1
        if moved is None:
            return []
        ahead, back = self.changes.steps(moved)
        found = []
        for times in (np.ones(self.group.count), ahead, -np.minimum(back, 1.0), -back):
            change = times[self.group.block] * moved
            good = self.changes.proved(change)
            values = np.where(good[self.group.block] & (change != 0), self.start + change, np.nan)
            values = np.where(good[self.group.block] & (change == 0), self.start, values)
            found.append((values, self._touched(values)))
        return found + self._whole(places, by, (lower, upper), found[0][0])

    def _whole(
        self, places: Places, by: Numbers, within: tuple[Numbers, Numbers], proved: Numbers
    ) -> list[tuple[Numbers, dict[int, set[int]]]]:
        """Return tables of whole numbers where the smallest change was one of fractions, and so proved nothing."""
        found = []
        for place, goal in zip(places.tolist(), by.tolist(), strict=True):
            if not self.group.whole or not np.isnan(proved[place]):
                continue
            low, high = within[0].copy(), within[1].copy()
            limit = high if goal > 0 else low
            limit[place] = (min if goal > 0 else max)(limit[place], self.start[place] + goal)
            point, _, _ = self.group.whole_proposal(place, float(np.sign(goal)), self.seconds, (low, high))
            self.solved += 1
            if point is None:
                continue
            mine = self.group.block == self.group.block[place]
            held, slip = self.group.checked(np.where(mine, point, self.start))
            if np.isfinite(slip[self.group.block[place]]):
                values = np.where(mine, held, np.nan)
                found.append((values, self._touched(values)))
        return found

    def _touched(self, values: Numbers) -> dict[int, set[int]]:
        """Return, by block, the attackers who know that these values are false."""
        who, place, low, high = self.known
        near = 1e-9 * self.group.size[self.group.block[place]]
        touched: dict[int, set[int]] = {}
        for at in np.flatnonzero((values[place] < low - near) | (values[place] > high + near)):
            touched.setdefault(int(self.group.block[place[at]]), set()).add(int(who[at]))
        return touched

    def _widths(self, failed: list[deque[tuple[int, int]]], seen: set[tuple[int, int]]) -> None:
        """Find how far the numbers that somebody comes near to can still be, for that attacker."""
        asked: dict[int, tuple[int, int]] = {}
        for block, queue in enumerate(failed):
            while queue and block not in asked:
                pair = queue.popleft()
                if pair not in seen:
                    seen.add(pair)
                    asked[block] = pair
        if not asked:
            return
        places = np.array([place for _, place in asked.values()], np.int64)
        barred = {block: {attacker} for block, (attacker, _) in asked.items()}
        reached = []
        for end in self.interval:
            room = end[places] - self.start[places]
            far = self.group.endless[self.group.block[places]]
            room = np.where(np.isfinite(room), room, np.copysign(far, room))
            values = self.start[places].copy()
            proofs = self._proofs(places, room, barred)
            for proof, _ in proofs[:1] + proofs[4:]:
                values = np.where(np.isnan(proof[places]), values, proof[places])
            reached.append(np.where(np.abs(values) >= far / 4, np.copysign(np.inf, values), values))
        for number, (attacker, place) in enumerate(asked.values()):
            self.found.append(Insight(attacker, place, float(reached[0][number]), float(reached[1][number])))
