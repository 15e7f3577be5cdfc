"""The judge of extremes beside sums: together they tell more than either, and not all of that is judged elsewhere.

If the mean of some records is their largest value, all of them have it; a mean, a variance and a largest value may
leave one list of values, and a smaller maximum of a part then says who has which. The judge of intervals sees extremes
and sums together, but no squares; where it is missing, nobody sees either. So of some records either an extreme is told
or what nobody would judge together with it, whichever is asked first. Values decide nothing.
"""

from __future__ import annotations

from collections import defaultdict
from typing import ClassVar

import numpy as np

from tacita.queries.audit.judge import AuditRequest, Objection, ToldSum
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Mask


class BesideExtremesJudge:
    """Keeps which records have a known extreme, and which a sum. Mutable: `learn` changes it."""

    name: ClassVar[str] = "beside_extremes"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        rules = policy.rules
        self._least_power = 2 if rules.knows_bounds and not rules.simulatable else 1
        self._extremes = _no_cells(cube)
        self._sums = _no_cells(cube)

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return which facts are about records of which the other kind is told."""
        extremes, sums = self._extremes.copy(), self._sums.copy()
        result = []
        for place, fact in enumerate(request.facts):
            own, others = (extremes, sums) if fact.extreme else (sums, extremes)
            if not self._is_judged(fact):
                continue
            if (fact.cells & others[fact.measure]).any():
                what = "an extreme" if fact.extreme else "a sum"
                other = "a sum or a variance" if fact.extreme else "an extreme"
                sentence = f"{what} is not told of records of which {other} is: nothing judges both together"
                result.append(Objection(self.name, sentence, (place,)))
                continue
            own[fact.measure] = fact.cells | own[fact.measure]
        return tuple(result)

    def learn(self, request: AuditRequest) -> None:
        """Remember of which records each kind was told."""
        for fact in request.facts:
            if self._is_judged(fact):
                kind = self._extremes if fact.extreme else self._sums
                kind[fact.measure] |= fact.cells

    def _is_judged(self, fact: ToldSum) -> bool:
        return bool(fact.extreme) or (fact.measure != COUNT and fact.power >= self._least_power)


def _no_cells(cube: Cube) -> defaultdict[str, Mask]:
    return defaultdict(lambda: np.zeros(len(cube), np.bool_))
