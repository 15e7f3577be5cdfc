"""The records of a search: codes of attributes, and for each attribute which of its values are alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.catalogue import SIMILARITIES
from tacita.dependencies.comparison.neighbours import Neighbours
from tacita.dependencies.discovery.coding import CodedAttribute
from tacita.dependencies.discovery.options import DiscoveryOptions
from tacita.errors import InputError, UsageError, did_you_mean, faults_text
from tacita.model.figures import share
from tacita.progress import Progress, Step, silent

_TOO_ALIKE = 0.5
"""A threshold under which more than so large a share of the pairs are alike says next to nothing."""

Codes = NDArray[np.int32]
Numbers = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ComparedTable:
    """Records as codes, and which codes of an attribute are alike. It prints no value."""

    names: tuple[str, ...]
    codes: Codes
    """A line for each attribute, a place for each record."""
    counts: Numbers
    """How many codes each attribute has."""
    neighbours: tuple[Neighbours | None, ...]
    """By attribute, which codes are alike; None where only equal ones are."""
    numbers: Numbers
    """The number of each record in the file, from 1."""

    @property
    def records(self) -> int:
        """The number of records."""
        return int(self.codes.shape[1])

    @property
    def is_by_equality(self) -> bool:
        """Whether every attribute is compared by equality."""
        return all(one is None for one in self.neighbours)

    def taken(self, records: Numbers) -> ComparedTable:
        """Return some of the records, by their places."""
        return replace(self, codes=np.ascontiguousarray(self.codes[:, records]), numbers=self.numbers[records])

    def only(self, attributes: Sequence[int]) -> ComparedTable:
        """Return some of the attributes, by their places, in that order."""
        chosen = list(attributes)
        return replace(
            self,
            names=tuple(self.names[place] for place in chosen),
            codes=np.ascontiguousarray(self.codes[chosen]),
            counts=self.counts[chosen],
            neighbours=tuple(self.neighbours[place] for place in chosen),
        )

    def distinct(self) -> ComparedTable:
        """Return the records without those that are equal to an earlier one on all attributes."""
        if not len(self.names):
            return self.taken(np.arange(min(1, self.records)))
        groups = np.zeros(self.records, np.int64)
        for line, count in zip(self.codes, self.counts, strict=True):
            groups = np.unique(groups * int(count) + line, return_inverse=True)[1].astype(np.int64)
        return self.taken(np.sort(np.unique(groups, return_index=True)[1]))

    def pairs(self) -> int:
        """Return the number of pairs of records."""
        return self.records * (self.records - 1) // 2

    def __repr__(self) -> str:
        return f"<ComparedTable: {self.records} of {len(self.names)} attributes>"


@dataclass(frozen=True, slots=True)
class _Chosen:
    """How an attribute is compared."""

    similarity: str
    threshold: float
    words: str


def thresholds(coded: Sequence[CodedAttribute], options: DiscoveryOptions) -> dict[str, float]:
    """Return the threshold of each attribute that is not compared by equality."""
    given: dict[str, float] = {}
    for one in coded:
        chosen = options.within.get(one.name)
        if chosen is None and options.within_all is not None and not one.is_nominal and one.compared_as is not None:
            chosen = options.within_all if one.count > 1 else 0
        if chosen:
            given[one.name] = chosen
    return given


def compared_table(
    coded: Sequence[CodedAttribute], options: DiscoveryOptions, progress: Progress = silent
) -> tuple[ComparedTable, tuple[tuple[str, str], ...], tuple[str, ...]]:
    """Return the table of a search, in words what is alike by attribute, and notes.

    Raise with all faults of thresholds and similarities together, and for thresholds under which nearly everything is
    alike, unless that is forced.
    """
    chosen = _chosen(coded, options)
    neighbours: list[Neighbours | None] = []
    too_alike = {}
    for place, one in enumerate(coded):
        if one.name not in chosen:
            neighbours.append(None)
            continue
        progress(Step(f"comparing the values of {one.name}", place, len(coded)))
        alike = _neighbours(one, chosen[one.name])
        neighbours.append(alike)
        counts = np.bincount(one.codes, minlength=one.count)
        records = len(one.codes)
        pairs = records * (records - 1)
        part = (int(np.dot(counts, alike.sums(counts))) - records) / pairs if pairs else 0.0
        if part > _TOO_ALIKE:
            too_alike[one.name] = f"'{one.name}': {share(part)} of all pairs are alike"
    notes = [f"A threshold says next to nothing: {text}." for text in too_alike.values()]
    if too_alike and not options.force:
        raise UsageError(
            faults_text([f"a threshold says next to nothing: {text}" for text in too_alike.values()]),
            do=f"compare by equality ({' '.join(f'--within {name}=0' for name in too_alike)}), give a smaller "
            "threshold, or add --force",
        )
    records = len(coded[0].codes) if coded else 0
    table = ComparedTable(
        tuple(one.name for one in coded),
        np.stack([one.codes for one in coded]) if coded else np.empty((0, 0), np.int32),
        np.array([one.count for one in coded], np.int64),
        tuple(neighbours),
        np.arange(1, records + 1),
    )
    words = tuple((name, one.words) for name, one in chosen.items())
    return table, words, tuple(notes)


def _chosen(coded: Sequence[CodedAttribute], options: DiscoveryOptions) -> dict[str, _Chosen]:
    """Return how attributes are compared, in their order; raise with all faults."""
    known = {one.name: one for one in coded}
    limits = thresholds(coded, options)
    faults, chosen = [], {}
    for flag, names in (("--within", options.within), ("--similarity", options.similarity)):
        faults += [
            f"{flag} names '{name}', which is not looked at{did_you_mean(name, known)}"
            for name in names
            if name not in known
        ]
    faults += [
        f"--similarity names '{name}', which is compared by equality"
        for name in options.similarity
        if name in known and name not in limits
    ]
    for name, threshold in limits.items():
        one, similarity = known[name], options.similarity.get(name)
        if one.compared_as is None:
            faults.append(f"'{name}' is true or false, and can only be compared by equality")
            continue
        if one.count < 2 and not options.force:
            faults.append(f"'{name}' has a single value, so its threshold has no effect")
            continue
        similarity = similarity or _default_for(one.compared_as)
        fact = partial(SIMILARITIES.fact, SIMILARITIES.named(similarity))
        if one.compared_as not in fact("treats"):
            faults.append(f"'{name}' has {one.compared_as}, and '{similarity}' compares {' and '.join(fact('treats'))}")
        elif fact("below") is not None and threshold >= fact("below"):
            faults.append(f"the threshold of '{name}' is not below {fact('below'):g}, as '{similarity}' needs it")
        else:
            in_words = fact("in_words") or f"have a distance of at most {{}} by {similarity}"
            chosen[name] = _Chosen(similarity, threshold, in_words.format(f"{threshold:g}"))
    if faults:
        raise UsageError(
            faults_text(faults), do="correct these options; 'tacita depends discover --help' describes them"
        )
    return chosen


def _default_for(kind: str) -> str:
    return next(name for name in SIMILARITIES.names() if kind in SIMILARITIES.fact(name, "is_default_for"))


def _neighbours(one: CodedAttribute, chosen: _Chosen) -> Neighbours:
    """Return which codes of an attribute are alike; the missing value is alike with itself."""
    try:
        alike = SIMILARITIES.make(chosen.similarity).neighbours(one.compared_values(), chosen.threshold)
    except InputError as error:
        error.where = error.where or f"'{one.name}'"
        raise
    if not isinstance(alike, Neighbours) or len(alike) != len(one.values):
        raise UsageError(
            f"the similarity '{chosen.similarity}' does not return neighbours of the values that it is given",
            do="let it return Neighbours.up_to(...) or Neighbours.of_pairs(len(values), ...)",
        )
    if not one.has_missing:
        return alike
    own = len(one.values)
    first, last = np.append(alike.first, own), np.append(alike.last, own)
    if alike.begins is None or alike.links is None:
        return Neighbours(first, last)
    return Neighbours(first, last, np.append(alike.begins, len(alike.links) + 1), np.append(alike.links, own))


def mode_of(counts: Numbers, alike: Neighbours | None) -> tuple[int, int]:
    """Return the code that tells most records, the smallest of several, and how many these are.

    With a distance a code tells the records whose value is alike with it.

    >>> mode_of(np.array([2, 3, 3]), None)
    (1, 3)
    >>> mode_of(np.array([2, 3, 3]), Neighbours.up_to([1, 1, 2]))
    (0, 5)
    """
    if not len(counts):
        return 0, 0
    tells = counts if alike is None else alike.sums(counts)
    best = int(np.argmax(tells))
    return best, int(tells[best])


def modes_of(table: ComparedTable) -> Numbers:
    """Return the mode of each attribute."""
    lines = zip(table.codes, table.counts, table.neighbours, strict=True)
    modes = [mode_of(np.bincount(line, minlength=int(count)), alike) for line, count, alike in lines]
    return np.array([mode for mode, _ in modes], np.int64)
