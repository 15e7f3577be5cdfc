"""The judge of exact inference: what follows from all answers by additions and subtractions alone.

Cells that no answered question tells apart are one class, and its sum is an unknown. Answers of a measure are known
sums of classes; so are sums of squares, and counts where they are a secret. If one more request were answered, the
judge looks at

- every class whose sum would become known,
- unions of small classes whose sum would (`unions` says which),
- what is left between the records of a new answer and those of an earlier one that hold them or are among them,
- of data that had earlier versions, what is in only one of a new set and an earlier one of another version, and unions
  of small classes whose sum changed by an amount that would become known.

Each is judged by the rules like a question. Whatever follows already is nothing new. Values decide nothing but what
these rules look at, so that with rules that look at contributors only a refusal tells nothing of values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.arithmetic.modular.incremental import IncrementalKernel, KernelTrial
from tacita.errors import counted
from tacita.queries.audit.contributors import ClassContributors
from tacita.queries.audit.explanation import SumFollows, described, formula_of, multipliers
from tacita.queries.audit.inferred import ExactKnowledge, InferredSums, inferred_sums
from tacita.queries.audit.judge import AuditRequest, Objection
from tacita.queries.audit.partition import CellClasses
from tacita.queries.audit.published import PublishedSets
from tacita.queries.audit.sensitivity import is_judged
from tacita.queries.audit.set_rules import KnownSet, SetRules
from tacita.queries.audit.unions import known_unions, unions_of_few_people
from tacita.queries.cube.cube import COUNT, Cube
from tacita.queries.policy.policy import QueryPolicy
from tacita.queries.question import Mask, Statistic

Ints = NDArray[np.int64]
_STEPS = 500_000
"""Multiplications of an audit for each millisecond of its deadline."""
_MOST = 50
"""Objections that are listed."""
_EXPLAINED = 5
"""Objections with multipliers."""
Unknown = tuple[str, int]
"""A measure and a power."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _NewlyKnown:
    """A set of cells whose sum would become known, and by which facts of the request."""

    known: KnownSet
    classes: Ints | None
    """Of each class by which factor it counts; None: it is the difference of two sets, one of them new."""
    place: int = -1
    multipliers: tuple[tuple[int, str], ...] = ()


class ExactJudge:
    """Keeps what is known exactly, and says what would be. Mutable: `learn` changes it."""

    name: ClassVar[str] = "exact"

    def __init__(self, cube: Cube, policy: QueryPolicy) -> None:
        self._cube, self._policy = cube, policy
        self._rules = SetRules(cube, policy)
        self._contributors = ClassContributors(cube)
        self._classes = CellClasses.of(len(cube))
        # The memory is shared out beforehand, so that what fits does not depend on the order of answers.
        self._share = (policy.limits.memory << 20) // max(1, len(_unknowns(policy)))
        self._kernels: dict[Unknown, IncrementalKernel] = {}
        self._sets: dict[Unknown, PublishedSets] = {}

    def objections(self, request: AuditRequest) -> tuple[Objection, ...]:
        """Return what would become known and must not be."""
        places = self._places(request)
        if not places:
            return ()
        classes = self._classes.cut([request.facts[place].cells for some in places.values() for place in some])
        steps = sum(self._kernel(key).steps(len(some)) for key, some in places.items())
        if steps > self._policy.limits.deadline * _STEPS:
            return (Objection("deadline", "the audit of so many figures at once would take too long"),)
        if not self._has_room(places, classes):
            return (Objection("memory", "what was answered takes more memory than the policy allows"),)
        listed = [one for key, some in places.items() for one in self._newly_known(request, key, some, classes)]
        # A difference may be a class, too: the first of both says more.
        same = {(one.known.cells.tobytes(), one.known.measure, one.known.power): one for one in reversed(listed)}
        known = list(reversed(same.values()))
        judged = zip(known, self._rules.objections([one.known for one in known]), strict=True)
        refused = [(one, broken) for one, broken in judged if broken][:_MOST]
        return tuple(
            self._objection(request, one, broken, classes, is_explained=at < _EXPLAINED)
            for at, (one, broken) in enumerate(refused)
        )

    def learn(self, request: AuditRequest) -> None:
        """Add what was published. Raises `LimitError` if it takes more memory than the policy allows."""
        places = self._places(request)
        if not places:
            return
        classes = self._classes.cut([request.facts[place].cells for some in places.values() for place in some])
        for key in places:
            self._kernel(key)
        nothing = np.zeros((0, classes.count), np.bool_)
        for key, kernel in self._kernels.items():
            facts = [request.facts[place] for place in places.get(key, ())]
            kernel.add(classes.parents, classes.rows([one.cells for one in facts]) if facts else nothing)
            for one in facts:
                self._published(key).add(one.cells, request.number, request.version, one.value)
        self._classes = CellClasses(classes.of_cell, classes.count, classes.parents[:0])

    def inferred(self) -> dict[Unknown, InferredSums]:
        """Return what follows by now though nobody asked for it, by measure and power."""
        no_parents, nothing = np.zeros(0, np.int64), np.zeros((0, self._classes.count), np.bool_)
        result = {}
        for key, kernel in self._kernels.items():
            is_known = np.asarray(kernel.trial(no_parents, nothing).before == 0)
            known = ExactKnowledge(*key, self._classes, is_known, self._published(key))
            result[key] = inferred_sums(self._cube, self._rules, known)
        return result

    def rank(self, measure: str = COUNT, power: int = 1) -> int:
        """Return how many independent sums of a measure are known."""
        kernel = self._kernels.get((measure, power))
        return 0 if kernel is None else kernel.rank

    def _places(self, request: AuditRequest) -> dict[Unknown, list[int]]:
        """Return the facts that are sums, by measure and power."""
        result: dict[Unknown, list[int]] = defaultdict(list)
        for place, fact in enumerate(request.facts):
            if not fact.extreme and is_judged(fact, self._policy):
                result[fact.measure, fact.power].append(place)
        return result

    def _kernel(self, key: Unknown) -> IncrementalKernel:
        if key not in self._kernels:
            most = self._share - self._share // 8
            self._kernels[key] = IncrementalKernel(self._classes.count, most_bytes=most)
        return self._kernels[key]

    def _published(self, key: Unknown) -> PublishedSets:
        if key not in self._sets:
            self._sets[key] = PublishedSets(len(self._cube), most_bytes=self._share // 8)
        return self._sets[key]

    def _has_room(self, places: dict[Unknown, list[int]], classes: CellClasses) -> bool:
        more = {key: len(places.get(key, ())) for key in self._kernels}
        return all(
            kernel.has_room(classes.parents, more[key]) and self._published(key).has_room(more[key])
            for key, kernel in self._kernels.items()
        )

    def _newly_known(
        self, request: AuditRequest, key: Unknown, places: Sequence[int], classes: CellClasses
    ) -> Iterator[_NewlyKnown]:
        masks = [request.facts[place].cells for place in places]
        trial = self._kernels[key].trial(classes.parents, classes.rows(masks))
        for union in self._unions(trial, key, classes):
            row = np.zeros(classes.count, np.int64)
            row[union] = 1
            yield _NewlyKnown(KnownSet(classes.cells(union), *key), row)
        new = [place for place, is_new in zip(places, trial.is_new.tolist(), strict=True) if is_new]
        yield from self._differences(request, key, new)
        if self._cube.version > 1:
            for row in self._changes(trial, key, classes):
                cells, minus = (classes.cells(np.flatnonzero(some)) for some in (row, row < 0))
                yield _NewlyKnown(KnownSet(cells, *key, minus=minus), row)

    def _unions(self, trial: KernelTrial, key: Unknown, classes: CellClasses) -> Iterator[Ints]:
        """Yield classes and unions of small ones that would become known."""
        yield from np.flatnonzero((trial.after == 0) & (trial.before != 0))[:, None]
        yield from self._small_unions(trial, np.ones(classes.count, np.int64), key, classes)

    def _changes(self, trial: KernelTrial, key: Unknown, classes: CellClasses) -> Iterator[Ints]:
        """Yield factors of small classes of which the change since an earlier version would become known.

        Classes that this version does not have any more count as taken away.
        """
        assert self._cube.history is not None
        present = self._cube.same_values(key[0], self._cube.present)
        for seen in self._cube.history.versions[: self._cube.version - 1]:
            was = self._cube.same_values(key[0], seen.present)
            is_gone = np.bincount(classes.of_cell[present], minlength=classes.count) == 0
            is_gone &= np.bincount(classes.of_cell[was], minlength=classes.count) > 0
            if not (is_gone & (trial.after != 0)).any():
                continue
            signs = np.where(is_gone, -1, 1)
            for union in self._small_unions(trial, signs, key, classes):
                if is_gone[union].any():
                    row = np.zeros(classes.count, np.int64)
                    row[union] = signs[union]
                    yield row

    def _small_unions(self, trial: KernelTrial, signs: Ints, key: Unknown, classes: CellClasses) -> Iterator[Ints]:
        """Yield unions of small classes of which a sum with signs would become known."""
        least = self._rules.least(key[1])
        counts = self._contributors.by_class(classes, least)
        small = np.flatnonzero((counts < least) & (trial.after != 0))
        after = np.where(signs[small] > 0, trial.after[small], trial.prime - trial.after[small])
        # Somebody with records in several classes is counted once in their union: a union may be any of so many.
        persons = counts[small] if self._cube.units is None else np.ones(len(small), np.int64)
        for union in known_unions(after, persons, least, trial.prime):
            if not _follows(trial.before, small[union], signs, trial.prime):
                yield small[union]
        if self._cube.units is not None and len(small) > 1:
            owners = self._contributors.owners(classes, small)
            for union in unions_of_few_people(after.tolist(), owners, least, trial.prime):
                if not _follows(trial.before, small[union], signs, trial.prime):
                    yield small[union]

    def _differences(self, request: AuditRequest, key: Unknown, places: Sequence[int]) -> Iterator[_NewlyKnown]:
        """Yield what is left between a new set and an earlier one within it, or the other way."""
        sets = self._published(key)
        own = PublishedSets(len(self._cube), most_bytes=1 << 62)
        for place in places:
            cells = request.facts[place].cells
            for earlier in (sets, own):
                nested = earlier.nested(cells)
                if not nested:
                    continue
                is_suspect = self._suspect(np.stack([left for *_, left in nested]), key)
                for at in np.flatnonzero(is_suspect).tolist():
                    outer, inner, left = nested[at]
                    other = outer if inner is None else inner
                    number = earlier.numbers[other] if other is not None else 0
                    signs = ("1", "-1") if outer is not None else ("-1", "1")
                    yield _NewlyKnown(KnownSet(left, *key), None, place, ((number, signs[0]), (0, signs[1])))
            own.add(cells, 0)
            if self._cube.version > 1:
                yield from self._set_changes(request, key, place)

    def _set_changes(self, request: AuditRequest, key: Unknown, place: int) -> Iterator[_NewlyKnown]:
        """Yield by how much a new set differs from those of other versions, if a rule could object to it."""
        fact, sets, least = request.facts[place], self._published(key), self._rules.least(key[1])
        suspects = np.zeros(len(sets), np.bool_)
        if key[0] != COUNT and self._rules.looks_at_values:
            # Absolute changes add up to the change at least.
            nets = np.array([abs(float(fact.value - value)) for value in sets.values])
            suspects = self._rules.could_break(*key, nets)
        large = self._contributors.of_cell >= least
        for at, different in sets.changes(fact.cells, request.version, large, suspects):
            if suspects[at] or not self._rules.has_enough(different, least):
                change = KnownSet(different, *key, minus=different & ~fact.cells)
                yield _NewlyKnown(change, None, place, ((sets.numbers[at], "-1"), (0, "1")))

    def _suspect(self, left: Mask, key: Unknown) -> Mask:
        """Return which sets a rule could object to at all."""
        measure, power = key
        if self._cube.units is None:
            few = left @ self._cube.n < self._rules.least(power)
        else:
            few = np.array([not self._rules.has_enough(one, self._rules.least(power)) for one in left], np.bool_)
        if measure == COUNT:
            return np.asarray(few)
        totals = left.astype(np.float64) @ self._rules.absolutes(measure, power)
        return np.asarray(few | self._rules.could_break(measure, power, totals))

    def _objection(
        self,
        request: AuditRequest,
        one: _NewlyKnown,
        broken: Sequence[Objection],
        classes: CellClasses,
        *,
        is_explained: bool,
    ) -> Objection:
        """Return an objection that says how a sum would follow, and which fact of the request completes it."""
        key = (one.known.measure, one.known.power)
        place, factors = one.place, one.multipliers
        if one.classes is not None:
            places = self._places(request)[key]
            place = places[self._completing(request, key, one.classes, classes) - 1]
            upto = [request.facts[at].cells for at in places if at <= place]
            if is_explained and one.known.minus is None:
                factors = multipliers(SumFollows(self._published(key), upto, one.known.cells, classes))
        records = int(self._cube.n[one.known.cells].sum())
        what = {COUNT: "the number"}.get(key[0], "the total" if key[1] == 1 else "the sum of squares")
        what = what if one.known.minus is None else f"the change of {what}"
        which = described(self._cube, one.known.cells)
        which = f" ({which})" if which else ""
        sentence = f"{formula_of(factors)} gives {what} of {counted(records, 'record')}{which}: {broken[0].sentence}"
        return Objection("exact", sentence, (place,), factors, any(item.looks_at_values for item in broken))

    def _completing(self, request: AuditRequest, key: Unknown, factors: Ints, classes: CellClasses) -> int:
        """Return how many of the facts are needed, in their order, until a sum of classes with factors follows."""
        rows = classes.rows([request.facts[place].cells for place in self._places(request)[key]])
        low, high = 1, len(rows)
        while low < high:
            middle = (low + high) // 2
            trial = self._kernels[key].trial(classes.parents, rows[:middle])
            follows = _follows(trial.after, np.flatnonzero(factors), factors, trial.prime)
            low, high = (low, middle) if follows else (middle + 1, high)
        return low


def _follows(entries: Ints, union: Ints, signs: Ints, prime: int) -> bool:
    """Return whether a sum of classes with signs is known, by the entries of a vector of the kernel."""
    pairs = zip(entries[union].tolist(), signs[union].tolist(), strict=True)
    return int(sum(entry * sign for entry, sign in pairs)) % prime == 0


def _unknowns(policy: QueryPolicy) -> list[Unknown]:
    """Return what may be asked for exactly: measures with their powers."""
    result = [(COUNT, 1)] if policy.rules.counts_are_confidential else []
    for measure in policy.measures:
        result.append((measure.name, 1))
        if Statistic.VARIANCE in measure.statistics:
            result.append((measure.name, 2))
    return result
