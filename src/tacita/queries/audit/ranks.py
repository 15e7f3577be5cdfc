"""The judge of how much was told: independent sums of each measure, and the most that a policy allows.

Noise that does not grow with the number of answers is taken off by enough of them (Dinur and Nissim 2003): with as many
independent sums as there are records, rounding to 5 is undone nearly everywhere. So their number has a limit, by
default a tenth of the records. Where each set of records has noise of its own, a sum that follows from others counts as
well: the more ways there are to the same sum, the less noise is left in their mean.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Sequence
from fractions import Fraction
from typing import ClassVar

import numpy as np

from tacita.arithmetic.modular.incremental import IncrementalKernel
from tacita.queries.audit.judge import AuditRequest, Objection
from tacita.queries.audit.partition import CellClasses
from tacita.queries.cube.cube import Cube
from tacita.queries.policy.policy import AnswerMode, QueryPolicy
from tacita.queries.question import Mask

USUAL_SHARE = Fraction(1, 10)
_BOUNDED = frozenset({AnswerMode.SAMPLE, AnswerMode.PERTURBED})


def most_answers(cube: Cube, policy: QueryPolicy) -> int | None:
    """Return how many independent sums of a measure may be told; None if there is no limit."""
    limits = policy.limits
    share = limits.share or (USUAL_SHARE if policy.answers in _BOUNDED else None)
    bounds = [limits.answers, None if share is None else int(share * cube.records)]
    return min((bound for bound in bounds if bound is not None), default=None)


class RankJudge:
    """Counts independent sums. Mutable: `learn` changes it."""

    name: ClassVar[str] = "answers"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        self._most = most_answers(cube, policy)
        self._classes = CellClasses.of(len(cube))
        self._memory = policy.limits.memory << 20
        self._kernels: dict[tuple[str, int], IncrementalKernel] = {}
        self._has_own_noise = policy.answers in _BOUNDED
        self._sets: dict[tuple[str, int], set[bytes]] = defaultdict(set)

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return the measures of which too much would be told."""
        if self._most is None:
            return ()
        places = _places(request)
        classes = self._classes.cut([fact.cells for fact in request.facts])
        objections = []
        for key, some in places.items():
            kernel = self._kernels.get(key) or IncrementalKernel(self._classes.count)
            if not kernel.has_room(classes.parents, len(some)):
                return (Objection("memory", "what was answered takes more memory than the policy allows"),)
            if self._has_own_noise:
                before, new, kind = len(self._sets[key]), self._other_sets(request, key, some), "different"
            else:
                trial = kernel.trial(classes.parents, classes.rows([request.facts[place].cells for place in some]))
                before, kind = kernel.rank, "independent"
                new = [place for place, is_new in zip(some, trial.is_new.tolist(), strict=True) if is_new]
            if before + len(new) > self._most:
                what = f"'{key[0]}'" if key[0] else "counts"
                sums = f"{before + len(new):,} {kind} sums of {what}"
                sentence = f"{sums} would be told, and the policy allows {self._most:,}"
                objections.append(Objection(self.name, sentence, tuple(new[max(self._most - before, 0) :])))
        return tuple(objections)

    def _other_sets(self, request: AuditRequest, key: tuple[str, int], places: Sequence[int]) -> list[int]:
        """Return the facts about sets of records of which no sum was told yet, each set once."""
        first: dict[bytes, int] = {}
        for place in places:
            first.setdefault(_digest(request.facts[place].cells), place)
        return [place for cells, place in first.items() if cells not in self._sets[key]]

    def learn(self, request: AuditRequest) -> None:
        """Add what was published. Raises `LimitError` if it takes more memory than the policy allows."""
        places = _places(request)
        if not places:
            return
        classes = self._classes.cut([fact.cells for fact in request.facts])
        for key in places:
            if key not in self._kernels:
                self._kernels[key] = IncrementalKernel(self._classes.count, most_bytes=self._memory)
        for key, kernel in self._kernels.items():
            masks = [request.facts[place].cells for place in places.get(key, ())]
            kernel.add(classes.parents, classes.rows(masks) if masks else np.zeros((0, classes.count), np.bool_))
        self._classes = CellClasses(classes.of_cell, classes.count, classes.parents[:0])
        if self._has_own_noise:
            for key, some in places.items():
                self._sets[key].update(_digest(request.facts[place].cells) for place in some)

    @property
    def ranks(self) -> dict[tuple[str, int], int]:
        """How many independent sums were told of each measure, by measure and power."""
        return {key: kernel.rank for key, kernel in self._kernels.items()}

    @property
    def classes(self) -> int:
        """How many groups of records questions tell apart."""
        return self._classes.count


def _digest(cells: Mask) -> bytes:
    """Return what tells a set of cells from others: sets are large, and there may be many."""
    return hashlib.sha256(np.packbits(cells).tobytes()).digest()


def _places(request: AuditRequest) -> dict[tuple[str, int], list[int]]:
    """Return the facts that are sums, by measure and power."""
    result: dict[tuple[str, int], list[int]] = defaultdict(list)
    for place, fact in enumerate(request.facts):
        if not fact.extreme:
            result[fact.measure, fact.power].append(place)
    return result
