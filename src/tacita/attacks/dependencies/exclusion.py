"""Exclusion: values that a hidden cell cannot have, and the one that is left.

Four sources, combined with the chase until nothing new follows:

* *Exceptions* (the borderline case of L. Caruccio et al., IEEE Access 2020, section V.C). If X -> A is minimal, X
  without one attribute does not determine A, so some two records are alike there and differ on A. If no two records are
  seen to do so, and every two that still could include one record, that record is the exception: its A is not that of
  its group, and its hidden attributes of X are those of a record in the group. The empty set is one of these left-hand
  sides.
* *Contradictions*. If X -> A holds, and a record is known on A and on X but for B, its B is not that of any record with
  the same rest of X and another A: both together would violate the dependency.
* *Domains*. A value that does not occur is not the hidden one.
* *Totals*. The known distribution minus what is seen are the hidden values. If these are all the same, everybody who
  hides the attribute is known; a value that is left over as often as there are cells that can have it is theirs.

Whatever is derived holds in every file that fits the intruder's knowledge. The converse is not true: two hidden values
that must be equal, or pairs of cells of which one must be the exception, are not followed up. Dependencies with
exceptions are not used; those with thresholds only in the chase, and to rule out values that are out of bounds.
"""

from __future__ import annotations

import numpy as np

from tacita.attacks.dependencies.candidates import Candidates
from tacita.attacks.dependencies.chase import DerivationLimits, RowChase
from tacita.attacks.dependencies.concealed_file import ConcealedFile, KnownDependency
from tacita.attacks.dependencies.derivations import Derivations, derivations_of
from tacita.attacks.dependencies.exceptions import Exceptions
from tacita.attacks.dependencies.knowledge import IntruderKnowledge
from tacita.errors import listed
from tacita.progress import Progress, Step, silent


def exclude(
    file: ConcealedFile,
    *,
    with_conditions: bool = True,
    limits: DerivationLimits | None = None,
    progress: Progress = silent,
) -> Derivations:
    """Return every confidential cell that follows by exclusion and by the chase together, with its transcript.

    >>> from tacita.model.records import Categories, Records
    >>> truth = Records({"Ill": Categories.of([True, False, False])})
    >>> mask = {"Ill": np.array([True, False, False])}
    >>> derived = exclude(ConcealedFile(truth, mask, mask))
    >>> [(cell.row, cell.attribute, cell.steps[0].way) for cell in derived.cells()]
    [(1, 'Ill', 'totals')]
    """
    limits = limits or DerivationLimits()
    knowledge = IntruderKnowledge(file)
    rules = RowChase(knowledge, limits, with_conditions=with_conditions, progress=progress)
    exceptions = Exceptions(knowledge, limits.exceptions)
    candidates = Candidates(knowledge, limits.candidates, exceptions_from=len(file.dependencies))
    contradictions = _Contradictions(knowledge, candidates, with_conditions=with_conditions)
    is_cut = True
    for round_ in range(limits.rounds):
        progress(Step("excluding values of hidden cells", round_))
        before = int(knowledge.versions.sum()), candidates.version
        rules.run()
        contradictions.apply()
        exceptions.apply(candidates)
        candidates.conclude()
        if (int(knowledge.versions.sum()), candidates.version) == before:
            is_cut = False
            break
    notes = [*rules.notes, *exceptions.notes, *_notes(file, candidates, is_cut)]
    return derivations_of(knowledge, (*file.dependencies, *exceptions.rules), notes)


def _notes(file: ConcealedFile, candidates: Candidates, is_cut: bool) -> list[str]:
    notes = []
    if is_cut:
        notes.append("Exclusion was cut after the given number of rounds: more may follow.")
    if candidates.left_out:
        notes.append(f"Too many hidden cells and values for exclusion: {listed(candidates.left_out)}.")
    if candidates.contradictions:
        names = listed(candidates.contradictions)
        notes.append(f"What the intruder is said to know contradicts itself, and was not used further: {names}.")
    if any(rule.error for rule in file.dependencies):
        notes.append("Dependencies with exceptions were not used for exclusion.")
    if any(rule.thresholds for rule in file.dependencies):
        notes.append("Dependencies with thresholds were used in the chase only: no exceptions, no contradictions.")
    return notes


class _Contradictions:
    """Excludes values with which two records would violate a dependency."""

    def __init__(self, knowledge: IntruderKnowledge, candidates: Candidates, *, with_conditions: bool) -> None:
        self._knowledge = knowledge
        self._candidates = candidates
        rules = [
            (number, rule)
            for number, rule in enumerate(knowledge.file.dependencies)
            if rule.is_exact and (with_conditions or rule.condition is None)
        ]
        lefts: dict[str, list[set[str]]] = {}
        for _, rule in rules:
            if rule.condition is None:
                lefts.setdefault(rule.right, []).append(set(rule.left))
        # one with more attributes on the left than another excludes nothing that the other does not exclude
        self._rules = [
            (number, rule)
            for number, rule in rules
            if not any(one < set(rule.left) for one in lefts.get(rule.right, ()))
        ]
        self._stamps: dict[tuple[int, int], int] = {}

    def apply(self) -> None:
        """Exclude what contradicts a dependency now."""
        for number, rule in self._rules:
            for place in self._knowledge.places(rule.left):
                stamp = int(self._knowledge.versions[self._knowledge.places(rule.attributes)].sum())
                if place in self._candidates and self._stamps.get((number, place)) != stamp:
                    self._stamps[number, place] = stamp
                    self._exclude(number, rule, place)

    def _exclude(self, number: int, rule: KnownDependency, place: int) -> None:
        from tacita.attacks.dependencies.kernels import group_targets

        knowledge, right = self._knowledge, self._knowledge.codes[self._knowledge.place[rule.right]]
        keys, known = knowledge.keys([other for other in knowledge.places(rule.left) if other != place])
        known &= knowledge.meets(rule) & (right >= 0)
        targets = known & (knowledge.codes[place] < 0)
        sources = known & (knowledge.codes[place] >= 0)
        if not targets.any() or not sources.any():
            return
        groups, _ = group_targets(keys, targets, sources)
        givers = np.flatnonzero(sources & (groups >= 0))
        givers = givers[self._candidates.has_columns(place, knowledge.codes[place, givers])]
        size = int(knowledge.sizes[place])
        pairs, first = np.unique(groups[givers] * size + knowledge.codes[place, givers], return_index=True)
        rows = np.flatnonzero(targets)
        starts, ends = np.searchsorted(pairs, groups[rows] * size), np.searchsorted(pairs, (groups[rows] + 1) * size)
        lengths = ends - starts
        targets_of = np.repeat(rows, lengths)
        at = np.arange(len(targets_of)) - np.repeat(np.cumsum(lengths) - lengths, lengths) + np.repeat(starts, lengths)
        twins = givers[first[at]]
        differ = right[targets_of] != right[twins]
        twins = twins[differ]
        self._candidates.exclude(place, targets_of[differ], knowledge.codes[place, twins], number, twins)
