"""The judge of largest and least values: whether some answer that is possible would say whose value it is.

An answered maximum is somebody's value: of one of its witnesses, the records of the question that no smaller maximum
bounds. The judge does not look at the answer. It goes through all answers that are possible, by the answers before and
nothing else: each earlier one, and one between any two neighbours, above all and below all. If one of them left a
witness set of a single contributor, or fixed a record from both sides, the question is refused, whatever the answer is.

Values are taken as distinct: two questions with the same maximum have the same record as their witness. Data often have
equal values all the same. An answer that contradicts the assumption ends it for the measure. As long as it stands, an
answer that would tell something just because values are equal is refused by looking at it; with `simulatable` possible
answers are gone through a second time without the assumption instead.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.queries.audit.judge import AuditRequest, Objection, ToldSum
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Mask

Numbers = NDArray[np.float64]
_REASON = "an answer that is possible{} would leave a single contributor who may have it"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class AnsweredExtremes:
    """What was answered of one measure: sets of cells, their extremes, and the bounds of records by cell.

    Least values are kept with their sign turned in a second row of bounds, so that one formula serves both.
    """

    sets: Mask
    values: Numbers
    is_max: Mask
    upper: Numbers
    lower: Numbers
    is_distinct: bool = True

    @classmethod
    def none(cls, cells: int) -> AnsweredExtremes:
        """Return no answers."""
        no_sets = np.zeros((0, cells), np.bool_)
        ends = np.full(cells, np.inf), np.full(cells, -np.inf)
        return cls(no_sets, np.zeros(0), np.zeros(0, np.bool_), *ends)

    def has(self, cells: Mask, *, is_max: bool) -> bool:
        """Return whether a question was answered before."""
        return bool(((self.sets == cells).all(axis=1) & (self.is_max == is_max)).any())

    def turned(self) -> AnsweredExtremes:
        """Return the same answers of the negative values: least ones are largest ones there."""
        return replace(self, values=-self.values, is_max=~self.is_max, upper=-self.lower, lower=-self.upper)

    def with_max(self, cells: Mask, value: float) -> AnsweredExtremes:
        """Return these answers and one more maximum."""
        if self.has(cells, is_max=True):
            return self
        after = replace(
            self,
            sets=np.concatenate([self.sets, cells[None]]),
            values=np.append(self.values, value),
            is_max=np.append(self.is_max, True),
            upper=np.where(cells, np.minimum(self.upper, value), self.upper),
        )
        distinct = self.is_distinct and after._is_possible()
        return replace(after, is_distinct=distinct)

    def _is_possible(self) -> bool:
        """Return whether each value has a witness, if values are distinct."""
        levels = np.unique(self.values)
        return bool(all(self.witnesses(level).any() for level in levels)) and bool((self.lower <= self.upper).all())

    def witnesses(self, value: float) -> Mask:
        """Return the cells whose records may have an answered value, if values are distinct."""
        inside = self.sets[self.values == value].all(axis=0)
        return np.asarray(inside & (self.upper >= value) & (self.lower <= value))

    def of_question(self, at: int) -> Mask:
        """Return the cells whose records may be the extreme of one question, if values may be equal."""
        value = self.values[at]
        bound = self.upper if self.is_max[at] else self.lower
        return np.asarray(self.sets[at] & (bound == value))


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WitnessesLeft:
    """Of earlier answers how many contributors may have each: 0, 1, or 2 for more."""

    values: Numbers
    many: NDArray[np.int64]

    def above(self, answer: float) -> NDArray[np.int64]:
        """Return the numbers for larger answers than one."""
        return self.many[self.values > answer]


_NO_WITNESSES = WitnessesLeft(np.zeros(0), np.zeros(0, np.int64))


class ExtremesJudge:
    """Keeps bounds and witnesses of extremes. Mutable: `learn` changes it. It looks at no value that is not known."""

    name: ClassVar[str] = "extreme"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        self._cube, self._policy = cube, policy
        whose = np.arange(cube.all_records) if cube.units is None else cube.units
        # Two people are in a union of cells if the smallest number in it is not the largest.
        self._first = np.minimum.reduceat(whose, cube.starts[:-1]) if len(cube) else np.zeros(0, np.int64)
        self._last = np.maximum.reduceat(whose, cube.starts[:-1]) if len(cube) else np.zeros(0, np.int64)
        self._states: dict[str, AnsweredExtremes] = {}

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return which extremes could say whose value they are."""
        states, result = dict(self._states), list[Objection]()
        is_simulatable, seen = self._policy.rules.simulatable, set[str]()
        for place, fact in enumerate(request.facts):
            if not fact.extreme:
                continue
            state = self._state(states, fact)
            if state.has(fact.cells, is_max=fact.extreme == "max"):
                continue
            if not self._has_room(state):
                return (Objection("memory", "what was answered takes more memory than the policy allows"),)
            if is_simulatable and fact.measure in seen:
                # The verdict on this one would hang on the value of the one before, which may not be published.
                result.append(Objection("extreme", "several extremes of a measure are in one request", (place,)))
                continue
            seen.add(fact.measure)
            sentence = self._reason(state if fact.extreme == "max" else state.turned(), fact.cells)
            if sentence:
                result.append(Objection("extreme", sentence, (place,)))
                continue
            # The next fact of the request is judged with this one known; its value is published together with it.
            states[fact.measure] = self._after(state, fact)
            if not is_simulatable and self._tells(states[fact.measure]):
                reason = "equal values leave a single record that may have an extreme"
                result.append(Objection("extreme", reason, (place,), looks_at_values=True))
        return tuple(result)

    def learn(self, request: AuditRequest) -> None:
        """Add the extremes that were published."""
        for fact in request.facts:
            if fact.extreme:
                self._states[fact.measure] = self._after(self._state(self._states, fact), fact)

    def _state(self, states: dict[str, AnsweredExtremes], fact: ToldSum) -> AnsweredExtremes:
        return states.get(fact.measure) or AnsweredExtremes.none(len(self._cube))

    def _after(self, state: AnsweredExtremes, fact: ToldSum) -> AnsweredExtremes:
        if fact.extreme == "max":
            return state.with_max(fact.cells, float(fact.value))
        return state.turned().with_max(fact.cells, -float(fact.value)).turned()

    def _has_room(self, state: AnsweredExtremes) -> bool:
        return (len(state.values) + 1) * len(self._cube) <= (self._policy.limits.memory << 20) // 8

    def _reason(self, state: AnsweredExtremes, cells: Mask) -> str:
        """Return why a maximum must not be told; nothing if no answer that is possible tells whose it is."""
        if not cells.any():
            return "it is about nobody"
        looks_twice = self._policy.rules.simulatable or not state.is_distinct
        distinct = self._outside_of_levels(state, cells) if state.is_distinct else _NO_WITNESSES
        equal = self._outside_of_questions(state, cells) if looks_twice else _NO_WITNESSES
        for answer, is_old in _candidates(state):
            if state.is_distinct and self._with_distinct(state, cells, answer, distinct, is_old=is_old):
                return _REASON.format("")
            if looks_twice and self._with_equal(state, cells, answer, equal):
                return _REASON.format(", with equal values,")
        return ""

    def _outside_of_levels(self, state: AnsweredExtremes, cells: Mask) -> WitnessesLeft:
        """Return how many may have each earlier answer if records in question do not, with distinct values."""
        levels = np.unique(state.values)
        many = [self._contributors(state.witnesses(level) & ~cells) for level in levels.tolist()]
        return WitnessesLeft(levels, np.array(many, np.int64))

    def _outside_of_questions(self, state: AnsweredExtremes, cells: Mask) -> WitnessesLeft:
        """Return how many may have each earlier maximum if records in question do not, with equal values."""
        places = np.flatnonzero(state.is_max)
        many = [self._contributors(state.of_question(at) & ~cells) for at in places.tolist()]
        return WitnessesLeft(state.values[places], np.array(many, np.int64))

    def _with_distinct(
        self, state: AnsweredExtremes, cells: Mask, answer: float, left: WitnessesLeft, *, is_old: bool
    ) -> bool:
        """Return whether an answer is possible and tells whose it is, if no two values are equal."""
        upper = np.minimum(state.upper, answer)
        many = left.above(answer)
        if (cells & (state.lower > upper)).any() or (many == 0).any():
            return False
        new = cells & (state.upper >= answer) & (state.lower <= answer)
        if is_old:
            new &= state.sets[state.values == answer].all(axis=0)
        if not new.any():
            return False
        fixed = cells & (state.lower == upper)
        if fixed.any():
            # Two records cannot both have the one value that is left.
            return int(self._cube.n[fixed].sum()) == 1
        return bool((many == 1).any()) or self._contributors(new) == 1

    def _with_equal(self, state: AnsweredExtremes, cells: Mask, answer: float, left: WitnessesLeft) -> bool:
        """Return whether an answer is possible and tells whose it is, if values may be equal."""
        upper = np.minimum(state.upper, answer)
        many, new = left.above(answer), cells & (state.upper >= answer)
        if (cells & (state.lower > upper)).any() or (many == 0).any() or not new.any():
            return False
        return bool((cells & (state.lower == upper)).any() or (many == 1).any()) or self._contributors(new) == 1

    def _tells(self, state: AnsweredExtremes) -> bool:
        """Return whether what is known, with values that may be equal, tells whose an extreme is."""
        sets = [state.of_question(at) for at in range(len(state.values))]
        return bool((state.lower == state.upper).any()) or any(self._contributors(one) == 1 for one in sets)

    def _contributors(self, cells: Mask) -> int:
        """Return how many contributors records of some cells have: 0, 1, or 2 for more."""
        if not cells.any():
            return 0
        return 1 if self._first[cells].min() == self._last[cells].max() else 2


def _candidates(state: AnsweredExtremes) -> Iterator[tuple[float, bool]]:
    """Yield answers of which one stands for each that could be, and whether it was an answer before.

    Gaps are those between all answers, not only of questions that overlap: one that hit another answer by chance would
    be taken for impossible.
    """
    known = np.unique(state.values)
    if not len(known):
        yield 0.0, False
        return
    yield float(known[0]) - 1, False
    for at, value in enumerate(known.tolist()):
        yield value, True
        yield (value + known[at + 1]) / 2 if at + 1 < len(known) else value + 1, False
