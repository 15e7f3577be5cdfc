"""Large tables: movements of many targets at once make a pattern, and are made again where that is cheaper.

One linear programme moves a hundred sensitive cells at once, each up or down at random, at the least price of what has
to be withheld for it. What is connected of the movement is a piece, which proves all cells that it takes to their
levels, both ways. The pattern is what pieces move. It is made cheaper by taking some cells out: what their pieces
protected is moved again, with what nobody else uses at its price, and the outcome is kept wherever it is cheaper,
connected part by connected part. Work is counted in programmes and never in seconds; the clock only ends it early.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.sparse.csgraph import connected_components

from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact.optimal import Best, EarlierPattern
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
from tacita.tables.suppression.large.cover import PatternCover
from tacita.tables.suppression.large.flows import ConnectedMove, Flows, reached
from tacita.tables.suppression.large.guide import Guide, guide_of
from tacita.tables.suppression.large.subtables import Subtable
from tacita.tables.suppression.problem import CLOSE_ENOUGH, SuppressionProblem

_SPREAD = 200  # places for each target that one programme moves, but in small tables
_TOGETHER = 10
_ROUNDS = 4  # programmes for a pattern, for each of so many targets
_AVOIDED = (10**9, 4, 1)  # contributors at most whom one movement avoids for each target, from one try to the next
_STALE = 4  # programmes that protect nothing more before the search gives up
_LIKED = 0.5  # how much of its price the guide takes from a cell that it withholds
_FREE = 0.01  # of a usual price: what a place that is withheld already costs to move
_KNOWN = 0.1  # the same, where a contributor knows it
_LONGEST = 60  # places of a piece; those of longer ones are moved again one by one, within it
_PASSES = 8
_WORTH = 2e-3  # share of the cost that a pass must save for another one
_PARTS = 15  # such a part of the cells is taken out together at most, and such that so many places need another piece
_TOUCHED = 1_000
_CROWD = 40  # places that need a cell: above, it is not taken out
_EFFORT = 30_000_000  # work for exchanges, in columns (see `Flows.work`)


@dataclass(frozen=True, slots=True)
class _Task:
    """A place that must move by a level, while everything stands still that some contributors know."""

    place: int
    level: float
    seers: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Trial:
    """Pieces before and after some were taken out, to be judged."""

    before: list[tuple[ConnectedMove, list[int]]]
    after: list[int]
    base: NDArray[np.bool_]


def large_pattern(
    problem: SuppressionProblem,
    subtables: list[Subtable],
    patterns: SafePatterns,
    clock: Clock,
    report: Callable[[Best], None],
    start: EarlierPattern | None = None,
) -> Best:
    """Return a safe pattern of a large table with a bound; the proofs are in `patterns`.

    Who goes on from a pattern has a bound, and needs no guide.
    """
    guide = Guide(0.0, np.zeros(len(problem))) if start is not None else guide_of(problem, subtables, clock)
    search = LargeSearch(problem, guide.x)
    if start is not None:
        search.go_on_from(start)
    search.protect()
    cover = search.cover
    cover.prove(patterns.proofs)
    # What no movement with a mirror image protects, and a check of everything: the exact way, over the whole table.
    pattern = cover.pattern
    if start is not None:
        left = [target for target in patterns.proofs.targets if not cover.is_covered(target.cell)]
        for number in patterns.proofs.restore(start.movements, left):
            pattern[start.movements[number].cells] = True
    cover.keep(patterns.safe(pattern, guide.x), patterns.proofs)

    def best() -> Best:
        return Best(cover.pattern, cover.cost, min(guide.bound, cover.cost))

    report(best())
    search.improve(clock, lambda: report(best()))
    cover.prove(patterns.proofs)
    report(best())
    return best()


class LargeSearch:
    """A pattern that grows until every target is proved, and is then made cheaper."""

    def __init__(self, problem: SuppressionProblem, guide: NDArray[np.float64], seed: int = 0) -> None:
        self.problem = problem
        self.cover = PatternCover(problem)
        self._flows = Flows(problem)
        self._draw = np.random.default_rng(seed)
        self._cost = problem.cost * (1.0 - _LIKED * np.clip(guide, 0.0, 1.0))
        cover = self.cover
        largest = float(cover.level.max(initial=0.0))
        # More room than the largest level is of no use, and no numbers differ too much.
        self._room = np.minimum(cover.room, 1e3 * max(largest, 1.0))
        places = problem.targets
        self.places = places[cover.room[places] >= cover.level[places]]
        self._together = max(_TOGETHER, len(problem) // _SPREAD)
        self.work = 0

    def go_on_from(self, start: EarlierPattern) -> None:
        """Take movements of an earlier pattern into use where they help, first against everybody."""
        cover = self.cover
        pieces = [
            ConnectedMove(movement.cells, movement.delta)
            for movement in start.movements
            if (np.abs(movement.delta) <= cover.room[movement.cells] * (1 + CLOSE_ENOUGH)).all()
        ]
        for piece in pieces:
            places = [place for place in reached(piece, cover.level).tolist() if cover.is_helped(place, piece)]
            if places:
                cover.add(piece, places)
        for piece in pieces:
            some = cover.level[piece.places] > np.abs(piece.delta)
            for place, moved in zip(piece.places[some].tolist(), np.abs(piece.delta[some]).tolist(), strict=True):
                if seers := cover.seeing(place):
                    cover.add_against(piece, place, moved, seers)

    def protect(self) -> None:
        """Withhold what targets need; what is left no movement with a mirror image protects."""
        left = [place for place in self.places.tolist() if not self.cover.is_covered(place)]
        # Some contributors know so much that a movement can avoid the cells of a few at a time only.
        for most in _AVOIDED:
            left = self._cover_all(left, self._usual_prices, most)[1]

    def _cover_all(
        self,
        places: Sequence[int],
        prices: Callable[[NDArray[np.int64]], NDArray[np.float64]],
        avoided: int,
        *,
        is_trial: bool = False,
    ) -> tuple[list[int], list[int]]:
        """Find pieces for places, as many as can be; return the pieces, and the places that are left."""
        todo, pieces, stale = list(places), list[int](), 0
        most = _ROUNDS * (_ROUNDS + len(todo) // self._together)
        while todo and stale < _STALE and most > 0:
            most -= 1
            tasks, shut = self._group(todo, avoided, is_trial)
            new, is_new = self._moved(tasks, shut, prices, set(todo))
            pieces += new
            stale = 0 if is_new else stale + 1
            todo = [place for place in todo if not self.cover.is_covered(place)]
        return pieces, todo

    def _group(self, todo: list[int], avoided: int, is_trial: bool) -> tuple[list[_Task], NDArray[np.int64]]:
        """Return what can be done together, and the places that must stand still then."""
        tasks: list[_Task] = []
        group, still = set[int](), set[int]()
        for at in self._draw.permutation(len(todo)).tolist():
            place = todo[at]
            task = self._task(place, avoided)
            if is_trial and task.level < self.cover.level[place]:
                continue  # what it withholds would stay
            shut = set(self.cover.known_to(task.seers).tolist())
            if place in still or place in shut or not shut.isdisjoint(group):
                continue
            tasks.append(task)
            group.add(place)
            still |= shut
            if len(tasks) >= self._together:
                break
        return tasks, np.array(sorted(still), np.int64)

    def _task(self, place: int, avoided: int) -> _Task:
        """Return what a place needs next: a movement by its level or, against some contributors, by theirs."""
        cover, level = self.cover, float(self.cover.level[place])
        seen = cover.seeing(place)
        if not seen:
            return _Task(place, level, ())
        in_full = sorted(who for who in seen if cover.level_against(place, who) >= level)
        seers = in_full or sorted(seen)
        if len(seers) > avoided:
            seers = sorted(self._draw.choice(seers, avoided, replace=False).tolist())
        return _Task(place, level if in_full else max(cover.level_against(place, who) for who in seers), tuple(seers))

    def _usual_prices(self, group: NDArray[np.int64]) -> NDArray[np.float64]:
        return self._prices(float(np.median(self.cover.level[group])))

    def _prices(self, level: float) -> NDArray[np.float64]:
        """Return what movement costs by the unit, where so much is usually carried."""
        price = self._cost / np.maximum(np.minimum(self._room, level), 1e-9)
        free = self.cover.pattern
        dear = price[~free & (price > 0)]
        usual = float(np.median(dear)) if len(dear) else 1.0
        return np.where(free, np.where(self.cover.is_known, _KNOWN, _FREE) * usual, price)

    def _moved(
        self,
        tasks: list[_Task],
        shut: NDArray[np.int64],
        prices: Callable[[NDArray[np.int64]], NDArray[np.float64]],
        wanted: set[int],
    ) -> tuple[list[int], bool]:
        """Move some places, and take into use the pieces that are of use for any of those wanted.

        Return these pieces, and whether anything at all came of it.
        """
        if not tasks:
            return [], False
        room = self._room
        if len(shut):
            room = room.copy()
            room[shut] = 0.0
        cover, new, is_new = self.cover, list[int](), False
        group, level = np.array([task.place for task in tasks]), np.array([task.level for task in tasks])
        price = prices(group)
        lesser = {task.place: task for task in tasks if task.level < cover.level[task.place]}
        for piece in self._flows.pieces(group, self._signs(len(group)), level, price, room):
            for part, places in self._in_parts(piece, wanted, price):
                new.append(cover.add(part, places))
            for place, delta in zip(piece.places.tolist(), np.abs(piece.delta).tolist(), strict=True):
                if place in lesser and cover.add_against(piece, place, delta, lesser[place].seers):
                    is_new = True
        return new, is_new or bool(new)

    def _in_parts(
        self, piece: ConnectedMove, wanted: set[int], prices: NDArray[np.float64]
    ) -> list[tuple[ConnectedMove, list[int]]]:
        """Return a piece with the places that it helps; a long one as several, one for each of them."""
        met = [place for place in reached(piece, self.cover.level).tolist() if place in wanted]
        met = [place for place in met if self.cover.is_helped(place, piece)]
        if not met:
            return []
        is_free = self.problem.withheld[piece.places].all() and not self.cover.is_known[piece.places].any()
        if len(piece.places) <= _LONGEST or is_free:
            return [(piece, met)]
        within, room = self._flows.within(piece.places), self._room[piece.places]
        # What the piece does not know of is shut by standing still: seen through are the same contributors, or fewer.
        paid = ~self.cover.pattern[piece.places]
        price = np.where(paid, prices[piece.places], np.minimum(prices[piece.places], prices[piece.places].mean()))
        parts: list[tuple[ConnectedMove, list[int]]] = []
        left, few = met, max(1, len(met) * _LONGEST // (2 * len(piece.places)))
        while left and few:
            waiting, helped = left, set[int]()
            while waiting:
                group, waiting = np.array(waiting[:few]), waiting[few:]
                at = np.searchsorted(piece.places, group)
                for part in within.pieces(at, self._signs(len(group)), self.cover.level[group], price, room):
                    if len(part.places) > _LONGEST and few > 1:
                        continue
                    here = [place for place in reached(part, self.cover.level).tolist() if place in wanted]
                    new = [place for place in here if place not in helped]
                    if new:
                        parts.append((part, new))
                        helped.update(new)
                waiting = [place for place in waiting if place not in helped]
            left = [place for place in left if place not in helped]
            few //= 4
        self.work += within.work
        if left:
            parts.append((piece, left))
        return parts

    def _signs(self, count: int) -> NDArray[np.float64]:
        """Return up or down at random."""
        return np.where(self._draw.random(count) < 0.5, 1.0, -1.0)

    def improve(self, clock: Clock, report: Callable[[], None]) -> None:
        """Take cells out, some at once, in another order in each pass, and keep what is cheaper without them."""
        most = self._worked + _EFFORT
        for _ in range(_PASSES):
            before = self.cover.cost
            for cells in self._batches():
                if clock.is_up or self._worked > most:
                    return
                self._exchange(cells)
            report()
            if before - self.cover.cost < _WORTH * before:
                return

    def _batches(self) -> list[list[int]]:
        """Return the cells to take out together; first those that cost much for the few places that need them."""
        cover = self.cover
        extra = np.flatnonzero((cover.count > 0) & ~self.problem.withheld).tolist()
        needed = {cell: sum(len(cover.covered_by(number)) for number in cover.using(cell)) for cell in extra}
        noise = self._draw.uniform(0.5, 2.0, len(extra)).tolist()
        worth = {
            cell: float(self.problem.cost[cell]) / needed[cell] * chance
            for cell, chance in zip(extra, noise, strict=True)
            if 0 < needed[cell] <= _CROWD
        }
        batches, batch, places = list[list[int]](), list[int](), 0
        for cell in sorted(worth, key=lambda one: (-worth[one], one)):
            batch.append(cell)
            places += needed[cell]
            if len(batch) >= max(1, len(extra) // _PARTS) or places >= _TOUCHED:
                batches.append(batch)
                batch, places = [], 0
        return [*batches, batch] if batch else batches

    @property
    def _worked(self) -> int:
        return self.work + self._flows.work

    def _exchange(self, cells: Sequence[int]) -> None:
        cover = self.cover
        numbers = dict.fromkeys(number for cell in cells for number in cover.using(cell))
        if not numbers:
            return
        before = [cover.drop(number) for number in numbers]
        base = cover.count > 0
        carried = np.zeros(len(self.problem))
        for piece, _ in before:
            np.maximum.at(carried, piece.places, np.abs(piece.delta))
        spread = float(np.exp2(self._draw.uniform(-1.0, 1.0)))
        noise = self._draw.uniform(0.7, 1.4, len(self.problem))

        def prices(group: NDArray[np.int64]) -> NDArray[np.float64]:
            level = spread * float(np.median(cover.level[group]))
            price = self._prices(level)
            used = (carried > 0) & ~cover.pattern
            # What a cell carried before tells its price by the unit.
            price[used] = np.maximum(price[used], self._cost[used] / carried[used])
            return price * noise

        places = sorted({place for _, some in before for place in some})
        places = [place for place in places if not cover.is_covered(place)]
        after, _ = self._cover_all(places, prices, _AVOIDED[0], is_trial=True)
        self._judge(_Trial(before, after, base))

    def _judge(self, trial: _Trial) -> None:
        """Keep what came after where it is cheaper, and what was before elsewhere.

        What is paid for by several pieces, or protects the same place, is kept or not kept together.
        """
        cover, problem = self.cover, self.problem
        size = len(problem)
        is_paid = ~trial.base & ~problem.withheld
        before = [(piece.places[is_paid[piece.places]], places) for piece, places in trial.before]
        after = [(paid[is_paid[paid]], cover.covered_by(n)) for n in trial.after for paid in [cover.withheld_by(n)]]
        rows, columns = list[int](), list[int]()
        for row, (paid, places) in enumerate([*before, *after]):
            columns += [*paid.tolist(), *(size + place for place in places)]
            rows += [row] * (len(paid) + len(places))
        shape = (len(before) + len(after), 2 * size)
        links = sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=shape)
        count, label = connected_components(links @ links.T, directed=False)
        label_before, label_after = label[: len(before)], label[len(before) :]
        gain = self._paid(before, label_before, count) - self._paid(after, label_after, count)
        is_kept = gain > 1e-9 * max(float(problem.cost.max(initial=0.0)), 1e-9)
        for (_, places), number in zip(before, label_before.tolist(), strict=True):
            is_kept[number] &= all(cover.is_covered(place) for place in places)
        for number, at in zip(trial.after, label_after.tolist(), strict=True):
            if not is_kept[at]:
                cover.drop(number)
        for (piece, places), at in zip(trial.before, label_before.tolist(), strict=True):
            if not is_kept[at]:
                cover.add(piece, places)

    def _paid(
        self, pieces: Sequence[tuple[NDArray[np.int64], list[int]]], label: NDArray[np.int64], count: int
    ) -> NDArray[np.float64]:
        """Return what the pieces of each connected part pay for."""
        seen = np.zeros(len(self.problem), bool)
        paid = np.zeros(count)
        for (places, _), number in zip(pieces, label.tolist(), strict=True):
            new = places[~seen[places]]
            seen[new] = True
            paid[number] += float(self.problem.cost[new].sum())
        return paid
