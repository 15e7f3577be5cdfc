"""A plan for a batch of records: which can leave, in which order, and what would make the others safe."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

from tacita.errors import UsageError, counted
from tacita.gate.answers import Row
from tacita.gate.cell_codes import Codes, Refused
from tacita.gate.gate import Gate
from tacita.gate.picture.fixed_point import UNIT
from tacita.gate.planning.remedy import remedy_for
from tacita.gate.planning.subset import largest_subset
from tacita.gate.rules.evidence_limits import MartingaleRule, VariationRule
from tacita.gate.rules.judge import ALLOWED, Judge
from tacita.model.result import Result
from tacita.progress import Progress, Step, silent

_MOST_ROUNDS = 12
_MOST_RECORDS = 200_000


@dataclass(frozen=True, slots=True)
class PlannedTarget:
    """What a plan does for one target of a dependency."""

    dependency: str
    target: str
    offered: int
    in_order: int
    """Records that leave if they are offered in the order of the file."""
    planned: int
    """Records that leave in the order of the plan."""
    distance: float
    """Distance to the baseline after the plan, in bits."""


@dataclass(frozen=True, slots=True)
class PlannedHold:
    """Records of a target and a value that do not leave, and what would make the next one safe."""

    dependency: str
    target: str
    value: str
    records: int
    remedy: str | None
    """Which records, released first, would make the next one safe; None if no records of the target would."""


@dataclass(frozen=True, slots=True, repr=False)
class ReleasePlan(Result):
    """A plan. Offer the records in its order; each of them was tried on a copy of the gate."""

    name: str
    records: int
    """Records of the batch."""
    decided: int
    """Records that were decided on before, or are held: no part of the plan."""
    refused: int
    in_order: int
    """Records that leave in the order of the file."""
    order: tuple[int, ...] = field(repr=False)
    """The records that leave, by their number in the batch from 1 on, in the order in which to offer them."""
    is_largest: bool = False
    """Whether no larger subset of any target would be safe, given what is seen of the others."""
    targets: tuple[PlannedTarget, ...] = ()
    holds: tuple[PlannedHold, ...] = ()

    @property
    def planned(self) -> int:
        """Records that leave in the order of the plan."""
        return len(self.order)

    def _in_short(self) -> str:
        return f"'{self.name}': {self.planned:,} of {counted(self.records, 'record')} can leave"


def plan_release(gate: Gate, rows: Sequence[Row], progress: Progress = silent) -> ReleasePlan:
    """Return which records of a batch can leave, and in which order; the gate itself is not changed."""
    if len(rows) > _MOST_RECORDS:
        raise UsageError(
            f"{counted(len(rows), 'record')} are too many to plan", do=f"plan at most {_MOST_RECORDS:,} at a time"
        )
    waiting: dict[Codes, deque[int]] = defaultdict(deque)
    decided = refused = 0
    keys: set[str] = set()
    for number, row in enumerate(rows, 1):
        key, codes = gate.key_of(row), gate.cells.codes(row)
        if not key or isinstance(codes, Refused):
            refused += 1
        elif key in gate.released or key in gate.held_records or key in keys:
            decided += 1
        else:
            waiting[codes].append(number)
            keys.add(key)
    offered = {codes: len(numbers) for codes, numbers in waiting.items()}
    progress(Step("trying the order of the file"))
    trial = gate.copy()
    in_order = _leaving(trial, rows, sorted(number for numbers in waiting.values() for number in numbers))
    order, is_largest = _Planner(gate.copy(), rows, waiting, (), progress).run()
    if len(order) <= len(in_order):  # the file has a good order: what else can leave comes after it
        order, is_largest = _Planner(trial, rows, waiting, in_order, progress).run()
    return ReleasePlan(
        gate.policy.name,
        len(rows),
        decided,
        refused,
        len(in_order),
        tuple(order),
        is_largest,
        *_figures(gate, rows, offered, in_order, order),
    )


def _leaving(gate: Gate, rows: Sequence[Row], numbers: Iterable[int]) -> list[int]:
    """Return which records of a batch leave at once if they are offered in an order."""
    return [number for number in numbers if _offer(gate, rows[number - 1])]


def _offer(gate: Gate, row: Row) -> bool:
    """Offer a record; return whether it leaves. One that does not is forgotten, as if it had not been offered."""
    key = gate.key_of(row)
    gate.offer([row])
    gate.held_records.pop(key, None)
    return key in gate.released


class _Planner:
    """Releases largest safe subsets, target by target, until nothing more can leave."""

    def __init__(
        self,
        gate: Gate,
        rows: Sequence[Row],
        waiting: Mapping[Codes, deque[int]],
        left: Sequence[int],
        progress: Progress,
    ) -> None:
        """Plan for records that wait; `left` are those that have left already."""
        self.gate = gate
        self.judges = gate.judges
        self._rows = rows
        gone = set(left)
        self.waiting = {
            codes: deque(number for number in numbers if number not in gone) for codes, numbers in waiting.items()
        }
        self.order = list(left)
        self._progress = progress

    def run(self) -> tuple[list[int], bool]:
        """Return the order, and whether the last round found that nothing more can leave."""
        is_largest = False
        for number in range(_MOST_ROUNDS):
            self._progress(Step("planning", number, _MOST_ROUNDS))
            before = len(self.order)
            is_largest = True
            # Nearer targets first: as long as distant ones are not released further, they can hide behind these.
            for group in sorted(self._groups(), key=self._distance):
                self._release(group, {codes: len(self.waiting[codes]) for codes in group}, only_free=True)
                chosen = largest_subset(self.judges, {codes: len(self.waiting[codes]) for codes in group})
                is_largest &= chosen.is_best
                self._release(list(chosen.counts), dict(chosen.counts))
                self._release(group, {codes: len(self.waiting[codes]) for codes in group})
            if len(self.order) == before:
                break
        return self.order, is_largest

    def _groups(self) -> list[list[Codes]]:
        """Return cells that share a target, directly or by others: with one dependency the cells of each target."""
        groups: list[tuple[set[tuple[int, int]], list[Codes]]] = []
        for codes in sorted(codes for codes, numbers in self.waiting.items() if numbers):
            targets = {(place, codes[2 * place]) for place in range(len(self.judges))}
            joined = [group for group in groups if group[0] & targets]
            groups = [group for group in groups if not group[0] & targets]
            groups.append((targets.union(*(g[0] for g in joined)), [c for g in joined for c in g[1]] + [codes]))
        return [group for _, group in groups]

    def _distance(self, group: Sequence[Codes]) -> tuple[int, Codes]:
        return self.judges[0].picture.distance_units(group[0][0]), group[0]

    def _release(self, cells: Sequence[Codes], most: dict[Codes, int], *, only_free: bool = False) -> None:
        """Release records of cells, the one that costs least next, as long as the rules allow it.

        `only_free`: only records that leave because control of their targets has not begun.
        """
        queue = [(self._cost(codes), codes) for codes in cells if self.waiting[codes]]
        heapify(queue)
        put_off: list[Codes] = []
        while queue:
            _, codes = heappop(queue)
            if not self.waiting[codes] or not most[codes]:
                continue
            if (only_free and not self._is_free(codes)) or not self._is_allowed(codes):
                put_off.append(codes)
                continue
            number = self.waiting[codes].popleft()
            _offer(self.gate, self._rows[number - 1])
            self.order.append(number)
            most[codes] -= 1
            # what was not allowed may be so now
            for other in (codes, *put_off):
                heappush(queue, (self._cost(other), other))
            put_off.clear()

    def _pairs(self, codes: Codes) -> Iterator[tuple[Judge, int, int]]:
        for place, judge in enumerate(self.judges):
            yield judge, codes[2 * place], codes[2 * place + 1]

    def _is_free(self, codes: Codes) -> bool:
        return all(judge.start.frees(target, value) for judge, target, value in self._pairs(codes))

    def _is_allowed(self, codes: Codes) -> bool:
        return all(judge.verdict(target, value) == ALLOWED for judge, target, value in self._pairs(codes))

    def _cost(self, codes: Codes) -> int:
        """Return by how much a record of a cell adds to what the rules look at, apart from the sizes of its targets."""
        cost = 0
        for judge, target, value in self._pairs(codes):
            picture, rule = judge.picture, judge.rules[0]
            if isinstance(rule, MartingaleRule | VariationRule):
                cost += rule.evidence.with_(target, value) - rule.evidence.levels[target]
            else:
                cost += picture.growth[picture.counts[target][value]] - picture.log_shares[value]
        return cost


def _figures(
    gate: Gate, rows: Sequence[Row], offered: Mapping[Codes, int], in_order: Sequence[int], order: Sequence[int]
) -> tuple[tuple[PlannedTarget, ...], tuple[PlannedHold, ...]]:
    """Return what the plan does for each target, and what stays behind."""
    trial = gate.copy()
    for number in order:
        _offer(trial, rows[number - 1])
    judges = trial.judges
    leaving, early = (
        Counter(gate.cells.codes(rows[number - 1]) for number in numbers) for numbers in (order, in_order)
    )
    targets: list[PlannedTarget] = []
    holds: list[PlannedHold] = []
    for place, (dependency, judge) in enumerate(zip(gate.policy.dependencies, judges, strict=True)):
        names = gate.cells.targets(place)
        for target in sorted({codes[2 * place] for codes in offered}):
            cells = [codes for codes in offered if codes[2 * place] == target]
            targets.append(
                PlannedTarget(
                    dependency.name,
                    names[target],
                    sum(offered[codes] for codes in cells),
                    sum(early[codes] for codes in cells),
                    sum(leaving[codes] for codes in cells),
                    judge.picture.distance_units(target) / UNIT,
                )
            )
            left: dict[int, int] = defaultdict(int)
            for codes in cells:
                left[codes[2 * place + 1]] += offered[codes] - leaving[codes]
            for value, records in sorted(left.items()):
                if not records or judge.verdict(target, value) == ALLOWED:
                    continue
                remedy = remedy_for(dependency, judge, target, value)
                labels = dependency.values.labels
                advice = None if remedy is None else remedy.sentence(labels)
                holds.append(PlannedHold(dependency.name, names[target], labels[value], records, advice))
    return tuple(targets), tuple(holds)
