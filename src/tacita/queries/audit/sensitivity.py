"""The judge of a question by itself: how many contributors it has on both sides, who dominates it, what overlaps it."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from tacita.queries.audit.judge import AuditRequest, Objection, ToldSum
from tacita.queries.audit.published import PublishedSets
from tacita.queries.audit.set_rules import KnownSet, SetRules
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Mask


class SensitivityJudge:
    """Applies the rules to the records in question, and the minimum to those that are left out.

    A set without any contributor has too few; that nobody is left out is no reason to refuse. The rules hold for
    extremes as well: what must not be summed has no largest value to show either.
    """

    name: ClassVar[str] = "sensitivity"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        self._rules = SetRules(cube, policy)
        self._policy = policy

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return what the rules say of each fact."""
        judged = [(place, fact) for place, fact in enumerate(request.facts) if is_judged(fact, self._policy)]
        different: dict[tuple[bytes, str, int], KnownSet] = {}
        keys = []
        for _, fact in judged:
            key = (fact.cells.tobytes(), fact.measure, fact.power)
            different.setdefault(key, KnownSet(fact.cells, fact.measure, fact.power))
            keys.append(key)
        inside = dict(zip(different, self._rules.objections(tuple(different.values())), strict=True))
        outside = {one: self._of_the_others(different[one]) for one in different}
        return tuple(
            replace(objection, places=(place,))
            for (place, _), key in zip(judged, keys, strict=True)
            for objection in (*inside[key], *outside[key])
        )

    def learn(self, request: AuditRequest) -> None:
        """Do nothing: each question is judged by itself."""

    def _of_the_others(self, one: KnownSet) -> tuple[Objection, ...]:
        least, cube = self._policy.rules.minimum, self._rules.cube
        others = cube.same_values(one.measure, cube.present) & ~one.cells
        if not others.any() or self._rules.has_enough(others, least):
            return ()
        return (Objection("minimum", f"all but fewer than {least:,} contributors are in it"),)


class OverlapJudge:
    """Refuses what has too many records in common with an earlier question, unless it is about the same records."""

    name: ClassVar[str] = "overlap"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        self._cube, self._policy = cube, policy
        self._sets = PublishedSets(len(cube), most_bytes=policy.limits.memory << 18)

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return which facts overlap an earlier one, or one of the same request, too much."""
        most = self._policy.rules.overlap
        if most is None:
            return ()
        result, before = [], list[Mask]()
        for place, fact in enumerate(request.facts):
            if not is_judged(fact, self._policy):
                continue
            if not self._sets.has_room(len(before) + 1):
                return (Objection("memory", "what was answered takes more memory than the policy allows"),)
            cells = self._records(fact)
            earlier = self._sets.overlaps(cells, self._cube.n)
            own = [int(self._cube.n[cells & one].sum()) for one in before if not np.array_equal(one, cells)]
            worst = max([int(earlier.max(initial=0)), *own])
            if worst > most:
                number = (
                    self._sets.numbers[int(earlier.argmax())] if worst == earlier.max(initial=0) else request.number
                )
                sentence = f"{worst:,} of its records are in answer {number}, too, and {most:,} are allowed"
                result.append(Objection("overlap", sentence, (place,)))
            before.append(cells)
        return tuple(result)

    def learn(self, request: AuditRequest) -> None:
        """Remember the records of each fact."""
        if self._policy.rules.overlap is None:
            return
        for fact in request.facts:
            if is_judged(fact, self._policy):
                self._sets.add(self._records(fact), request.number)

    def _records(self, fact: ToldSum) -> Mask:
        """Return the records of a fact, the same whichever values they have."""
        return self._cube.same_values(COUNT, fact.cells)


def is_judged(fact: ToldSum, policy: QueryPolicy) -> bool:
    """Return whether a fact has to be judged: counts that are no secret are not."""
    return policy.rules.counts_are_confidential or fact.measure != COUNT
