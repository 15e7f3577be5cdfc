"""The judge of intervals: how closely a contributor can be estimated by all answers and the declared bounds.

The sums of classes are unknowns, each between n times the lower bound and n times the upper one, and answers are their
sums. A class that could be dangerous (`needs`) has two witnesses: data sets that agree with every answer, one in which
its sum is as large as it has to be able to be, and one in which it is as small. A new answer leaves a witness alone, or
breaks it. A broken one is mended by mixing it with one that errs on the other side, and only if that is not enough a
linear programme looks for another. If there is none, the multipliers of the answers prove it.

Sums are whole numbers of the last decimal, so that ends of intervals are rounded inwards; the same for counts, of which
a class with too few records must have two possible values. Accuracy is that of the programmes: one part in ten million.
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted
from tacita.queries.audit.contributors import ClassContributors
from tacita.queries.audit.explanation import described, formula_of
from tacita.queries.audit.judge import AuditRequest, Objection, ToldSum
from tacita.queries.audit.needs import NEVER, CellExtents, ClassNeed, RecordBounds, need_of
from tacita.queries.audit.partition import CellClasses
from tacita.queries.audit.programme import ClassProgramme, NoDataSet, Optimum, TooLate, as_fraction
from tacita.queries.audit.sensitivity import is_judged
from tacita.queries.audit.witnesses import AnsweredSums, Witnesses
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Mask

Numbers = NDArray[np.float64]
TOLERANCE = 1e-7
"""Of the widest range of a class."""
MOST_BOUNDS = 20
"""Classes whose bounds an auditor sees."""
_OTHER_HOLDERS = 16
"""Other records that are tried as those that have an extreme."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class HeldExtreme:
    """A largest or least value that was answered, and a cell of which a record has it in every witness."""

    cells: Mask
    is_max: bool
    holder: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class IntervalState:
    """What is known of one measure: classes, answers, bounds of records by cells, needs and witnesses of classes."""

    classes: CellClasses
    answers: AnsweredSums
    bounds: RecordBounds
    extremes: tuple[HeldExtreme, ...] = ()
    needs: dict[int, ClassNeed] = field(default_factory=dict)
    witnesses: Witnesses = field(default_factory=Witnesses)


@dataclass(frozen=True, slots=True)
class BoundedClass:
    """A class of records whose sum is bounded by answers and declared bounds, in units of the last decimal."""

    records: int
    contributors: int
    lower: int
    upper: int
    share: float
    """The width, as a share of that without any sum."""


@dataclass(frozen=True, slots=True)
class InferredBounds:
    """Bounds of classes of the fewest contributors, where answers bound the sum at all and do not give it."""

    classes: tuple[BoundedClass, ...]
    count: int
    """All classes; those of more contributors are not looked at."""
    is_late: bool = False
    """Whether there was no time for all that are to be looked at."""


class IntervalJudge:
    """Keeps witnesses that contributors stay uncertain. Mutable: `learn` changes it."""

    name: ClassVar[str] = "interval"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        self._cube, self._policy = cube, policy
        self._states: dict[str, IntervalState] = {}
        self._extents: dict[str, CellExtents] = {}
        self._judged: tuple[AuditRequest, dict[str, IntervalState]] | None = None
        self.programmes = 0
        """Linear programmes that were solved so far."""

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return which contributors could be estimated too closely; no verdict within the deadline is an objection."""
        ends = time.thread_time() + self._policy.limits.deadline / 1000
        states, result = {}, list[Objection]()
        for measure, places in self._places(request).items():
            state = self._with(measure, [request.facts[place] for place in places], request.number)
            if not self._has_room(state):
                return (Objection("memory", "what was answered takes more memory than the policy allows"),)
            try:
                near = self._look(measure, state, ends)
            except TooLate:
                return (Objection("deadline", "the audit of intervals did not come to an end in its time"),)
            new = len(self._state(measure).answers)
            result += [self._objection(measure, state, one, new, places) for one in near]
            states[measure] = state
        self._judged = (request, states)
        return tuple(result)

    def learn(self, request: AuditRequest) -> None:
        """Add what was published; witnesses that it breaks are looked for again when the next question is judged."""
        judged = self._judged
        if judged is not None and judged[0] is request:
            self._states |= judged[1]
        else:
            for measure, places in self._places(request).items():
                self._states[measure] = self._with(measure, [request.facts[at] for at in places], request.number)
        self._judged = None

    def bounds(self) -> dict[str, InferredBounds]:
        """Return how closely sums of classes of few people are bounded by now; as many as there is time for."""
        ends = time.thread_time() + self._policy.limits.deadline / 1000
        return {measure: self._bounds_of(measure, state, ends) for measure, state in self._states.items()}

    def _bounds_of(self, measure: str, state: IntervalState, ends: float) -> InferredBounds:
        contributors = ClassContributors(self._cube).by_class(state.classes, self._cube.records)
        records = np.bincount(state.classes.of_cell, self._cube.n, state.classes.count)
        fewest = np.lexsort((records, contributors))[:MOST_BOUNDS].tolist()
        result: list[BoundedClass] = []
        # Whose an extreme is nobody knows: these bounds leave that out, and hold for all of them.
        low, high = self._room(measure, state.classes, state.bounds, ())
        try:
            programme = self._programme(measure, replace(state, extremes=()), ends)
            for column in fewest:
                most, least = (programme.farthest(column, sign).value for sign in (1, -1))
                tolerance = self._tolerance(measure)
                upper, lower = math.floor(most + tolerance), math.ceil(least - tolerance)
                widest = float(high[column] - low[column]) if measure != COUNT else float(self._cube.records)
                share = (upper - lower) / max(widest, 1.0)
                if lower < upper and share < 1:
                    result.append(BoundedClass(int(records[column]), int(contributors[column]), lower, upper, share))
        except TooLate:
            return InferredBounds(tuple(result), state.classes.count, is_late=True)
        return InferredBounds(tuple(result), state.classes.count)

    def _places(self, request: AuditRequest) -> dict[str, list[int]]:
        """Return the facts that say something of intervals, by measure."""
        result: dict[str, list[int]] = {}
        for place, fact in enumerate(request.facts):
            if fact.power == 1 and fact.cells.any() and is_judged(fact, self._policy):
                result.setdefault(fact.measure, []).append(place)
        return result

    def _state(self, measure: str) -> IntervalState:
        if measure not in self._states:
            bounds = (0, self._cube.all_records) if measure == COUNT else self._policy.measure(measure).bounds
            low, high = (np.full(len(self._cube), float(bound)) for bound in bounds)
            classes = CellClasses.of(len(self._cube))
            declared = float(bounds[0]), float(bounds[1])
            self._states[measure] = IntervalState(classes, AnsweredSums.none(1), RecordBounds(low, high, declared))
        return self._states[measure]

    def _with(self, measure: str, facts: Sequence[ToldSum], number: int) -> IntervalState:
        """Return the state after some facts, with those witnesses that can be mended."""
        before = self._state(measure)
        classes = before.classes.cut([fact.cells for fact in facts])
        low, high, extremes = before.bounds.lower.copy(), before.bounds.upper.copy(), before.extremes
        for fact in facts:
            if fact.extreme == "max":
                high[fact.cells] = np.minimum(high[fact.cells], fact.value)
            elif fact.extreme == "min":
                low[fact.cells] = np.maximum(low[fact.cells], fact.value)
            if fact.extreme:
                extremes = (*extremes, self._attained(fact, extremes))
        bounds = RecordBounds(low, high, before.bounds.declared)
        is_narrower = len(extremes) > len(before.extremes)
        sums = [fact for fact in facts if not fact.extreme]
        rows = classes.rows([fact.cells for fact in sums]).astype(np.float64)
        right = np.array([float(self._cube.sums[measure][fact.cells].sum()) for fact in sums])
        answers = before.answers.divided(classes.parents).extended(rows, right, number)
        # Parts of a class have needs of their own, and bounds that moved change all.
        changed = set(classes.parents.tolist()) | set(range(before.classes.count, classes.count))
        kept = {} if is_narrower else {one: need for one, need in before.needs.items() if one not in changed}
        fresh = range(classes.count) if is_narrower or before.classes.count == 1 else sorted(changed)
        suspects = self._suspects(measure, classes, fresh, bounds)
        needs = kept | {one: need for one in suspects if (need := self._need(measure, classes, one, bounds))}
        witnesses = Witnesses() if is_narrower else before.witnesses
        if len(classes.parents):
            witnesses = witnesses.divided(classes.roots, *self._room(measure, classes, bounds, extremes))
        witnesses = witnesses.mended(answers, len(before.answers), needs, self._tolerance(measure))
        return IntervalState(
            CellClasses(classes.of_cell, classes.count, classes.parents[:0]),
            answers,
            bounds,
            extremes,
            needs,
            witnesses,
        )

    def _attained(self, fact: ToldSum, before: Sequence[HeldExtreme]) -> HeldExtreme:
        """Return an extreme with a cell that has it: one that has an earlier extreme, too, if there is any."""
        values, starts = self._cube.values[fact.measure], self._cube.starts[:-1]
        is_max = fact.extreme == "max"
        ends = (np.maximum if is_max else np.minimum).reduceat(values, starts)
        cells = np.flatnonzero(fact.cells & (ends == fact.value)).tolist()
        known = {one.holder for one in before if one.is_max == is_max}
        return HeldExtreme(fact.cells, is_max, next((cell for cell in cells if cell in known), cells[0]))

    @cached_property
    def _most_records(self) -> int:
        """The most records that are about one person."""
        units = self._cube.units
        return 1 if units is None else int(np.unique(units, return_counts=True)[1].max(initial=1))

    def _suspects(
        self, measure: str, classes: CellClasses, fresh: Sequence[int], bounds: RecordBounds
    ) -> Sequence[int]:
        """Return those of some classes that could need something."""
        n = self._cube.n.astype(np.float64)
        if measure == COUNT:
            few = np.bincount(classes.of_cell, n, classes.count) < self._policy.rules.minimum * self._most_records
        else:
            if measure not in self._extents:
                self._extents[measure] = CellExtents.of(self._cube, measure)
            few = self._extents[measure].suspects(classes, n, bounds, self._policy.rules)
        return [one for one in fresh if few[one]]

    def _need(self, measure: str, classes: CellClasses, one: int, bounds: RecordBounds) -> ClassNeed:
        cells = np.asarray(classes.of_cell == one)
        if measure != COUNT:
            return need_of(self._cube, measure, cells, bounds, self._policy.rules)
        records = int(self._cube.n[cells].sum())
        if self._cube.contributors(cells) >= self._policy.rules.minimum:
            return ClassNeed()
        return ClassNeed(records + 1.0, records - 1.0, either=True)

    def _room(
        self, measure: str, classes: CellClasses, bounds: RecordBounds, extremes: Sequence[HeldExtreme]
    ) -> tuple[Numbers, Numbers]:
        """Return the least and most that each class may be; of counts a part of the most that is in proportion."""
        ends = (np.zeros(len(self._cube)), np.ones(len(self._cube))) if measure == COUNT else None
        lower, upper = ends or (bounds.lower, bounds.upper)
        low, high = (
            np.bincount(classes.of_cell, self._cube.n * one, classes.count).astype(np.float64) for one in (lower, upper)
        )
        # One record of the class is where the extreme is, the others are anywhere.
        for column, is_max in {(int(classes.of_cell[one.holder]), one.is_max) for one in extremes}:
            cell = int(np.argmax(classes.of_cell == column))
            gap = bounds.upper[cell] - bounds.lower[cell]
            low[column] += gap if is_max else 0.0
            high[column] -= 0.0 if is_max else gap
        return low, high

    def _tolerance(self, measure: str) -> float:
        if measure == COUNT:
            return TOLERANCE * max(1, self._cube.all_records)
        lower, upper = self._policy.measure(measure).bounds
        return TOLERANCE * max(1.0, float(upper - lower))

    def _has_room(self, state: IntervalState) -> bool:
        size = 8 * state.classes.count * (len(state.answers) + 2 * len(state.needs))
        return size <= (self._policy.limits.memory << 20) // (2 * (1 + len(self._policy.measures)))

    def _look(self, measure: str, state: IntervalState, ends: float) -> list[tuple[int, int, Optimum]]:
        """Return the classes without a witness, on which side, and why; fill in the witnesses of the others."""
        tolerance, near = self._tolerance(measure), list[tuple[int, int, Optimum]]()
        programme: ClassProgramme | None = None
        for one, need in state.needs.items():
            failed = []
            for sign, level in ((1, need.up), (-1, need.down)):
                if level is None or state.witnesses.has(one, sign) or (need.either and state.witnesses.has(one, -sign)):
                    continue
                if time.thread_time() >= ends:
                    raise TooLate
                programme = programme or self._programme(measure, state, ends)
                best = programme.farthest(one, sign)
                self.programmes += 1
                end = math.floor(best.value + tolerance) if sign > 0 else -math.ceil(best.value - tolerance)
                if end >= sign * level - tolerance:
                    state.witnesses.add(one, sign, best.point)
                elif not self._has_other_holders(measure, state, (one, sign, level), ends):
                    failed.append((one, sign, best))
            sides = (need.up is not None) + (need.down is not None)
            if failed and (not need.either or len(failed) == sides):
                near.append(failed[0])
        return near

    def _has_other_holders(
        self, measure: str, state: IntervalState, wanted: tuple[int, int, float], ends: float
    ) -> bool:
        """Return whether a class is uncertain enough if records of other classes have the extremes that it has.

        Otherwise a refusal would say which class it is. Such a witness is not kept: it cannot be mixed with others.
        """
        column, sign, level = wanted
        of_cell, bounds, tolerance = state.classes.of_cell, state.bounds, self._tolerance(measure)
        own = [one for one in state.extremes if of_cell[one.holder] == column]
        if not own or math.isinf(level):
            return False
        others = []
        for one in own:
            bound = bounds.upper if one.is_max else bounds.lower
            cells = np.flatnonzero(one.cells & (of_cell != column) & (bound == bound[one.holder]))
            _, first = np.unique(of_cell[cells], return_index=True)
            others.append([HeldExtreme(one.cells, one.is_max, int(cell)) for cell in cells[first]])
        rest = tuple(one for one in state.extremes if of_cell[one.holder] != column)
        for chosen in itertools.islice(itertools.product(*others), _OTHER_HOLDERS):
            self.programmes += 1
            try:
                best = self._programme(measure, replace(state, extremes=(*rest, *chosen)), ends).farthest(column, sign)
            except NoDataSet:
                continue
            end = math.floor(best.value + tolerance) if sign > 0 else -math.ceil(best.value - tolerance)
            if end >= sign * level - tolerance:
                return True
        return False

    def _programme(self, measure: str, state: IntervalState, ends: float) -> ClassProgramme:
        classes = state.classes
        low, high = self._room(measure, classes, state.bounds, state.extremes)
        if measure == COUNT:
            high = np.full(classes.count, float(self._cube.all_records))
        return ClassProgramme(state.answers.rows, state.answers.right, low, high, ends)

    def _objection(
        self, measure: str, state: IntervalState, one: tuple[int, int, Optimum], before: int, places: Sequence[int]
    ) -> Objection:
        """Return an objection with the multipliers that prove it."""
        column, sign, optimum = one
        factors = tuple(
            (0 if at >= before else state.answers.numbers[at], as_fraction(float(dual)))
            for at, dual in enumerate(optimum.duals)
            if abs(dual) > 1e-6
        )
        cells = np.asarray(state.classes.of_cell == column)
        records, which = counted(int(self._cube.n[cells].sum()), "record"), described(self._cube, cells)
        which = f"{records} ({which})" if which else records
        if state.needs[column] is NEVER:
            sentence = f"extremes bound the value of a contributor among {which} too closely"
            return Objection("interval", sentence, tuple(places) if len(places) == 1 else (), looks_at_values=True)
        what = "the number" if measure == COUNT else "the total"
        side = "from above" if sign > 0 else "from below"
        how = f"{formula_of(factors)} and the declared bounds limit {what} of {which} {side}"
        sentence = f"{how} so closely that a contributor can be estimated{self._share_of_largest(measure, cells)}"
        return Objection("interval", sentence, tuple(places) if len(places) == 1 else (), factors, looks_at_values=True)

    def _share_of_largest(self, measure: str, cells: Mask) -> str:
        """Return what the largest contributor has of a total, in words, where a rule of dominance is given."""
        if measure == COUNT or self._policy.rules.dominance is None:
            return ""
        sizes = np.abs(self._cube.contributions(cells, measure).astype(np.float64))
        share = int(100 * sizes.max() / max(sizes.sum(), 1.0))
        return f": of {len(sizes):,} contributors one has {share} %"
