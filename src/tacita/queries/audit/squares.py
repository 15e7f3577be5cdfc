"""The judge of variances: whether sums of squares leave somebody alone with too few other data sets that agree.

A sum and a sum of squares over a few records fix a sphere, and only few whole numbers lie on one. What protects is
exchange: two records that no question tells apart may swap their values, and every sum, square and extreme stays as it
is. So a class whose records are about one person, or have one value, is not protected by itself. If a variance was
answered over it, there have to be many other data sets with the same sums and squares: their number is estimated by the
room that records have in the classes that the variance is over, and at least a million of them are needed. That is an
estimate, not a proof; sets of few records fail it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.queries.audit.contributors import ClassContributors
from tacita.queries.audit.judge import AuditRequest, Objection
from tacita.queries.audit.partition import CellClasses
from tacita.queries.audit.sensitivity import is_judged
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Mask

Numbers = NDArray[np.float64]
_BITS = 20.0
"""The logarithm of how many other data sets there have to be."""
_STEPS = 10_000_000
"""Multiplications for each millisecond of the deadline."""
_SENTENCE = "a variance and the sums within it leave too few data sets that agree, and somebody is alone in one of them"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class SquaresState:
    """What was answered of one measure: classes, and the sets of cells whose sums of squares are known."""

    classes: CellClasses
    sets: tuple[Mask, ...] = field(default=())


class SquaresJudge:
    """Refuses what leaves somebody alone within a variance. Mutable: `learn` changes it."""

    name: ClassVar[str] = "squares"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        self._cube, self._policy = cube, policy
        self._contributors = ClassContributors(cube)
        self._states: dict[str, SquaresState] = {}

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return the measures of which a variance would tell too much."""
        result = []
        for measure, places in self._places(request).items():
            before, state = self._state(measure), self._with(measure, request, places)
            if not state.sets:
                continue
            if len(state.sets) * len(self._cube) > (self._policy.limits.memory << 20) // 8:
                return (Objection("memory", "what was answered takes more memory than the policy allows"),)
            if state.classes.count == before.classes.count and len(state.sets) == len(before.sets):
                continue
            is_alone = self._is_alone(measure, state)
            if is_alone is None:
                return (Objection("deadline", "the audit of so many variances would take too long"),)
            if is_alone.any():
                blamed = tuple(places) if len(places) == 1 else ()
                result.append(Objection(self.name, _SENTENCE, blamed, looks_at_values=True))
        return tuple(result)

    def learn(self, request: AuditRequest) -> None:
        """Add what was published."""
        for measure, places in self._places(request).items():
            self._states[measure] = self._with(measure, request, places)

    def _places(self, request: AuditRequest) -> dict[str, list[int]]:
        result: dict[str, list[int]] = {}
        for place, fact in enumerate(request.facts):
            if fact.measure != COUNT and fact.cells.any() and is_judged(fact, self._policy):
                result.setdefault(fact.measure, []).append(place)
        return result

    def _state(self, measure: str) -> SquaresState:
        return self._states.get(measure) or SquaresState(CellClasses.of(len(self._cube)))

    def _with(self, measure: str, request: AuditRequest, places: list[int]) -> SquaresState:
        before = self._state(measure)
        classes = before.classes.cut([request.facts[place].cells for place in places])
        known = {one.tobytes() for one in before.sets}
        new = {
            request.facts[place].cells.tobytes(): request.facts[place].cells
            for place in places
            if request.facts[place].power == 2
        }
        sets = (*before.sets, *(cells for key, cells in new.items() if key not in known))
        return SquaresState(CellClasses(classes.of_cell, classes.count, classes.parents[:0]), sets)

    def _is_alone(self, measure: str, state: SquaresState) -> Mask | None:
        """Return the classes within a variance that neither exchange nor other data sets protect; None: too many."""
        cube, classes = self._cube, state.classes
        values, starts = cube.values[measure], cube.starts[:-1]
        least, most = np.full(classes.count, np.inf), np.full(classes.count, -np.inf)
        np.minimum.at(least, classes.of_cell, np.minimum.reduceat(values, starts))
        np.maximum.at(most, classes.of_cell, np.maximum.reduceat(values, starts))
        open_ = (least == most) | (self._contributors.by_class(classes, 2) < 2)
        n = np.bincount(classes.of_cell, cube.n, classes.count)
        total = np.bincount(classes.of_cell, cube.sums[measure].astype(np.float64), classes.count)
        low, high = self._policy.measure(measure).bounds
        room = np.minimum(total - n * low, n * high - total) / n
        bits = (n - 1) * np.log2(1 + np.maximum(room, 0))
        rows = classes.rows(state.sets)
        tried = rows[(rows & open_).any(axis=1)]
        if len(tried) * rows.size > self._policy.limits.deadline * _STEPS:
            return None
        overlapping = (tried.astype(np.float32) @ rows.T.astype(np.float32) > 0).sum(axis=1)
        result = np.zeros(classes.count, np.bool_)
        for row, sets in zip(tried, overlapping.tolist(), strict=True):
            needed = _BITS + sets * np.log2(n[row].sum() * float(high - low) ** 2)
            result |= row & open_ & (bits[row].sum() - bits < needed)
        return result
