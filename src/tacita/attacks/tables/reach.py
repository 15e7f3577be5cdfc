"""How far each cell can be: searched from both sides, by tables that prove it and by bounds that exclude it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.system.blocks import Blocks, grouped
from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables
from tacita.attacks.tables.system.reduction import Reduction, propagated
from tacita.errors import InputError
from tacita.progress import Progress, Step, silent

NEAR = 1e-8
"""A proved end within this share of the block's size of what is excluded is the end."""

KEPT = 150
"""Checked tables of a group that are kept for those who ask again."""

Truths = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class WholeWork:
    """How much work searches over whole numbers may be: nodes of a single one, and steps of all of them in a group.

    Ends that are left over stay unsettled: they are what checked tables attain, and nothing is concluded beyond.
    """

    nodes: int
    steps: int


@dataclass(slots=True)
class Ends:
    """What is known of the interval of each free number.

    `least` and `most` are attained by checked tables; below `lowest` and above `highest` there is nothing. An end is
    closed when the two agree or the solver found no further. `unsettled` says that whole numbers could not be settled
    in time: the end is then not proved.
    """

    least: Numbers
    most: Numbers
    lowest: Numbers
    highest: Numbers
    closed_below: Truths
    closed_above: Truths
    unsettled: Truths

    @classmethod
    def around(cls, start: Numbers, lowest: Numbers, highest: Numbers) -> Ends:
        """Return what is known before any search: the start is possible, and nothing beyond the bounds is."""
        none = np.zeros(len(start), bool)
        return cls(start.copy(), start.copy(), lowest.copy(), highest.copy(), none.copy(), none.copy(), none.copy())


class AttackerReach:
    """The search over all blocks of a reduction."""

    def __init__(
        self,
        possible: PossibleTables,
        reduction: Reduction,
        *,
        seconds: float = 5.0,
        seed: int = 0,
        whole: WholeWork | None = None,
    ) -> None:
        self.possible, self.reduction = possible, reduction
        self.seconds, self.whole = seconds, whole
        self.draw = np.random.default_rng(seed)
        self.solved = 0
        self.outer = propagated(
            reduction.matrix, reduction.sums, reduction.lower, reduction.upper, whole=possible.whole
        )
        self.groups = grouped(possible, reduction, self.outer)
        self.pool: list[list[Numbers]] = [[] for _ in self.groups]
        self.start = self._start() if reduction.start is None else reduction.start
        self.sizes = np.maximum(np.abs(self.start), 1e-300)
        for group in self.groups:
            self.sizes[group.free] = group.size[group.block]

    def _start(self) -> Numbers:
        """Return some possible table, where the true one is not at hand."""
        low, high = self.outer
        start = np.where(np.isfinite(low), low, np.where(np.isfinite(high), high, 0.0))
        for group in self.groups:
            point = group.proposal(np.zeros(len(group.free)))
            if point is None:
                raise _nothing_fits()
            checked, slip = group.checked(point)
            for block in np.flatnonzero(np.isinf(slip)):
                inside = group.block == block
                proposal = None
                if group.whole:
                    proposal, _, _ = group.whole_proposal(int(np.flatnonzero(inside)[0]), 1.0, self.seconds)
                if proposal is None:
                    raise _nothing_fits()
                checked[inside] = np.rint(proposal[inside])
            start[group.free] = checked
        return start

    def ends(self) -> Ends:
        """Return the ends before the search; blocks of a single sum, or of none, are finished already."""
        low, high = self.outer
        ends = Ends.around(self.start, low, high)
        searched = np.zeros(len(self.start), bool)
        for group in self.groups:
            searched[group.free] = True
        ends.least[~searched], ends.most[~searched] = low[~searched], high[~searched]
        ends.closed_below[~searched] = ends.closed_above[~searched] = True
        return ends

    def settle(
        self, ends: Ends, down_to: Numbers, up_to: Numbers, progress: Progress = silent, doing: str = "attacking"
    ) -> None:
        """Search until each number is proved to reach as far as wanted, or known not to (infinite: its true end).

        nan stands for no wish. `ends` is brought up to date in place.
        """
        for group, pool in zip(self.groups, self.pool, strict=True):
            _Settling(self, group, ends, down_to[group.free], up_to[group.free], progress, doing, pool).run()

    def explore(self, ends: Ends, down_to: Numbers, up_to: Numbers, times: int) -> None:
        """Look for more possible tables, far out in the directions wished for; they are kept in `pool`."""
        for group, pool in zip(self.groups, self.pool, strict=True):
            search = _Settling(self, group, ends, down_to[group.free], up_to[group.free], silent, "", pool)
            below, above = ~np.isnan(search.down_to), ~np.isnan(search.up_to)
            for _ in range(times if (below | above).any() else 0):
                search.batch(below, above)

    def tables(self, free: Places) -> Numbers:
        """Return the checked tables of the pool, a row each, for some free numbers; nan where there is none."""
        tables = np.full((max((len(pooled) for pooled in self.pool), default=0), len(free)), np.nan)
        for group, pool in zip(self.groups, self.pool, strict=True):
            at = np.minimum(np.searchsorted(group.free, free), len(group.free) - 1)
            mine = group.free[at] == free
            if pool and mine.any():
                tables[: len(pool), mine] = np.array(pool)[:, at[mine]]
        return tables


def _nothing_fits() -> InputError:
    return InputError(
        "no table fits what is published",
        do="check that the published cells add up, and that known cells and bounds are true",
    )


@dataclass(slots=True)
class _Settling:
    """The search in one group of blocks."""

    reach: AttackerReach
    group: Blocks
    ends: Ends
    down_to: Numbers
    up_to: Numbers
    progress: Progress
    doing: str
    pool: list[Numbers]

    def run(self) -> None:
        gains = {"batch": np.inf, "single": np.inf}
        total = int(sum(place.sum() for place in self.open()))
        while True:
            below, above = self.open()
            left = int(below.sum() + above.sum())
            if not left:
                return
            self.progress(Step(self.doing, total - left, total))
            kind = "batch" if gains["batch"] >= gains["single"] and left > 2 * self.group.count else "single"
            before = self.group.solver.walked
            if kind == "batch":
                self.batch(below, above)
            else:
                self._single(below, above)
            after = int(sum(place.sum() for place in self.open()))
            gains[kind] = (left - after) / (self.group.solver.walked - before + 20)
            if kind == "batch" and left == after:
                gains[kind] = -1.0

    def open(self) -> tuple[Truths, Truths]:
        """Return the ends that are neither proved far enough nor closed."""
        free, ends, start = self.group.free, self.ends, self.reach.start[self.group.free]
        near = 1e-12 * self.reach.sizes[free]
        with np.errstate(invalid="ignore"):
            slack_below = np.where(np.isfinite(self.down_to), 1e-6 * np.abs(start - self.down_to), 0.0) + near
            slack_above = np.where(np.isfinite(self.up_to), 1e-6 * np.abs(self.up_to - start), 0.0) + near
        below = ~ends.closed_below[free] & (ends.least[free] > self.down_to + slack_below)
        above = ~ends.closed_above[free] & (ends.most[free] < self.up_to - slack_above)
        return below, above

    def batch(self, below: Truths, above: Truths) -> None:
        """Wish for many open ends at once, up or down by lot: one table proves many of them."""
        sign = np.where(below & above, self.reach.draw.choice((-1.0, 1.0), len(below)), np.where(below, -1.0, 1.0))
        far = np.where(sign > 0, self.up_to, self.down_to) - self.reach.start[self.group.free]
        far = np.where(np.isfinite(far), np.abs(far), self.reach.sizes[self.group.free])
        weight = 1 / np.maximum(far, 1e-6 * self.reach.sizes[self.group.free])
        wish = np.where(below | above, sign * weight, 0.0)
        top = np.zeros(self.group.count)
        np.maximum.at(top, self.group.block, np.abs(wish))
        wish = wish / np.where(top > 0, top, 1.0)[self.group.block]
        wish = np.where(wish != 0, np.sign(wish) * np.maximum(np.abs(wish), 1e-4), 0.0)
        self._ask(wish / self.group.scale[self.group.block])

    def _single(self, below: Truths, above: Truths) -> None:
        """Ask for one open end of each block: the blocks do not touch, so each answer is that block's own end."""
        candidates = np.flatnonzero(below | above)
        _, first = np.unique(self.group.block[candidates], return_index=True)
        places = candidates[first]
        sign = np.where(above[places], 1.0, -1.0)
        wish = np.zeros(len(below))
        wish[places] = sign
        point = self._ask(wish / self.group.scale[self.group.block])
        free = self.group.free[places]
        if self.group.whole:
            self._whole(places, sign, point)
            return
        for up in (True, False):
            mine = sign > 0 if up else sign < 0
            closed = self.ends.closed_above if up else self.ends.closed_below
            closed[free[mine]] = True
            if point is None:
                continue
            value = point[places[mine]]
            self._meet(free[mine], value, up=up)

    def _meet(self, free: NDArray[np.int64], value: Numbers, *, up: bool) -> None:
        """Take the solver's end as the limit of what is possible; beyond the cap there is no limit."""
        cap = np.full(len(self.reach.start), np.inf)
        cap[self.group.free] = self.group.endless[self.group.block] / 4
        if up:
            self.ends.highest[free] = np.where(
                value >= cap[free], np.inf, np.minimum(self.ends.highest[free], np.maximum(value, self.ends.most[free]))
            )
            self.ends.most[free] = np.where(value >= cap[free], np.inf, self.ends.most[free])
        else:
            self.ends.lowest[free] = np.where(
                value <= -cap[free],
                -np.inf,
                np.maximum(self.ends.lowest[free], np.minimum(value, self.ends.least[free])),
            )
            self.ends.least[free] = np.where(value <= -cap[free], -np.inf, self.ends.least[free])

    def _whole(self, places: NDArray[np.int64], sign: Numbers, point: Numbers | None) -> None:
        """Close ends over whole numbers: the solver's end where it is whole, otherwise a search over whole numbers."""
        free, ends = self.group.free, self.ends
        for place, up in zip(places, sign > 0, strict=True):
            at = free[place]
            value = None if point is None else point[place]
            cap = self.group.endless[self.group.block[place]] / 4
            if value is not None and (value >= cap if up else value <= -cap):
                self._meet(np.array([at]), np.array([value]), up=bool(up))
            elif value is not None and up:
                ends.highest[at] = min(ends.highest[at], max(np.floor(value + 1e-6), ends.most[at]))
            elif value is not None:
                ends.lowest[at] = max(ends.lowest[at], min(np.ceil(value - 1e-6), ends.least[at]))
            self._close_reached()
            if ends.closed_above[at] if up else ends.closed_below[at]:
                continue
            work = self.reach.whole
            if work is not None and self.group.whole_work >= work.steps:
                (ends.closed_above if up else ends.closed_below)[at] = ends.unsettled[at] = True
                continue
            proposal, bound, exact = self.group.whole_proposal(
                int(place), 1.0 if up else -1.0, self.reach.seconds, nodes=None if work is None else work.nodes
            )
            self.reach.solved += 1
            if proposal is not None:
                self._learn(proposal)
            if up:
                ends.closed_above[at] = True
                if np.isfinite(bound):
                    ends.highest[at] = max(ends.most[at], min(ends.highest[at], np.floor(bound + 1e-6)))
            else:
                ends.closed_below[at] = True
                if np.isfinite(bound):
                    ends.lowest[at] = min(ends.least[at], max(ends.lowest[at], np.ceil(bound - 1e-6)))
            if not exact:
                ends.unsettled[at] = True

    def _ask(self, wish: Numbers) -> Numbers | None:
        point = self.group.proposal(wish)
        self.reach.solved += 1
        if point is not None:
            self._learn(point)
        return point

    def _learn(self, point: Numbers) -> None:
        """Take what a proposed table proves, and what the table on the other side of the true one does."""
        group = self.group
        checked, slip = group.checked(point)
        self._prove(checked, slip)
        if self.reach.reduction.start is not None:
            start = self.reach.start[group.free]
            step = checked - start
            with np.errstate(divide="ignore", invalid="ignore"):
                room = np.where(step > 0, (start - group.lowest) / step, (start - group.highest) / step)
            room = np.where((step == 0) | np.isnan(room), np.inf, np.maximum(room, 0.0))
            most = np.full(group.count, np.inf)
            np.minimum.at(most, group.block, room)
            most = np.where(np.isfinite(most), np.floor(most) if group.whole else most, 0.0)
            self._prove(*group.checked(start - most[group.block] * np.where(np.isnan(step), 0.0, step)))
        self._close_reached()

    def _prove(self, numbers: Numbers, slip: Numbers) -> None:
        free, ends = self.group.free, self.ends
        away = 10 * slip[self.group.block]
        if len(self.pool) < KEPT:
            self.pool.append(np.where(np.isfinite(away), numbers, np.nan))
        good = np.isfinite(away) & np.isfinite(numbers)
        ends.most[free[good]] = np.maximum(ends.most[free[good]], numbers[good] - away[good])
        ends.least[free[good]] = np.minimum(ends.least[free[good]], numbers[good] + away[good])

    def _close_reached(self) -> None:
        free, ends = self.group.free, self.ends
        near = NEAR * self.reach.sizes[free]
        ends.closed_above[free] |= ends.most[free] >= ends.highest[free] - near
        ends.closed_below[free] |= ends.least[free] <= ends.lowest[free] + near
