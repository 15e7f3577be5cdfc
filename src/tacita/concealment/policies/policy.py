"""Policies: for each record the attributes that its person wants confidential, equal ones put together."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, did_you_mean, faults_text, listed

Codes = NDArray[np.int64]
EVERYTHING = "*"
"""What stands for all attributes in a policy."""
CORRECT_NAMES = "correct the names; write several with semicolons between"


@dataclass(frozen=True, slots=True, eq=False)
class Policies:
    """The different policies of a file, and the one of each record.

    >>> both = Policies.of(3, {0: {"job"}, 2: {"job"}}).with_more(Policies.of(3, {0: {"age"}}))
    >>> [sorted(one) for one in both.sets], both.of_record.tolist()
    ([[], ['age', 'job'], ['job']], [1, 0, 2])
    """

    sets: tuple[frozenset[str], ...]
    """The policies, the empty one first, then by their names."""
    of_record: Codes = field(repr=False)
    """The place of each record's policy."""

    @classmethod
    def of(cls, records: int, confidential: Mapping[int, Collection[str]]) -> Policies:
        """Return the policies of records, which are given by their places from 0; those left out want nothing."""
        wanted = [frozenset[str]()] * records
        for place, names in confidential.items():
            wanted[place] = frozenset(names)
        return cls._from(wanted)

    @classmethod
    def _from(cls, wanted: Sequence[frozenset[str]]) -> Policies:
        sets = sorted({frozenset(), *wanted}, key=lambda one: (bool(one), sorted(one)))
        place = {one: i for i, one in enumerate(sets)}
        return cls(tuple(sets), np.array([place[one] for one in wanted], dtype=np.int64))

    def with_more(self, others: Policies) -> Policies:
        """Return the policies of both together: a record keeps confidential what either says."""
        width = len(others.sets)
        pairs, inverse = np.unique(self.of_record * width + others.of_record, return_inverse=True)
        joined = [self.sets[pair // width] | others.sets[pair % width] for pair in pairs.tolist()]
        return Policies._renumbered(joined, inverse.reshape(-1))

    def mapped(self, change: Mapping[int, frozenset[str]]) -> Policies:
        """Return the policies with some of them, by their places, replaced."""
        return Policies._renumbered([change.get(i, one) for i, one in enumerate(self.sets)], self.of_record)

    @classmethod
    def _renumbered(cls, sets: Sequence[frozenset[str]], of_record: Codes) -> Policies:
        ordered = sorted({frozenset(), *sets}, key=lambda one: (bool(one), sorted(one)))
        place = {one: i for i, one in enumerate(ordered)}
        numbers = np.array([place[one] for one in sets], dtype=np.int64)
        return cls(tuple(ordered), numbers[of_record] if len(of_record) else of_record)

    @property
    def used(self) -> tuple[int, ...]:
        """The places of the policies that some record has and that want something."""
        return tuple(int(i) for i in np.unique(self.of_record) if self.sets[i])

    def mask(self, attribute: str) -> NDArray[np.bool_]:
        """Return which records want an attribute confidential."""
        wants = np.array([attribute in one for one in self.sets], dtype=bool)
        return wants[self.of_record]


def policy_names(text: str) -> list[str]:
    """Return the attributes that a policy lists, with semicolons between.

    >>> policy_names("Occupation; Age;")
    ['Occupation', 'Age']
    """
    return [name for part in text.split(";") if (name := part.strip())]


@dataclass(frozen=True, slots=True)
class KnownNames:
    """The attributes that a policy may name."""

    released: tuple[str, ...]
    kept_back: tuple[str, ...] = ()
    """Attributes of the data that are not released: nothing has to be hidden there."""


def resolved(lists: Sequence[tuple[int, Sequence[str]]], names: KnownNames, where: str) -> list[frozenset[str]]:
    """Return lists of names as sets of released attributes; all names that are unknown are reported together, by line.

    Each list comes with the number of its line. `*` stands for all attributes.
    """
    if faults := faults_of_names(lists, names):
        raise InputError(faults_text(faults), where=where, do=CORRECT_NAMES)
    released = frozenset(names.released)
    sets: dict[tuple[str, ...], frozenset[str]] = {}
    for _, one in lists:
        if (key := tuple(one)) not in sets:
            sets[key] = released if EVERYTHING in one else frozenset(one) & released
    return [sets[tuple(one)] for _, one in lists]


def faults_of_names(lists: Sequence[tuple[int, Sequence[str]]], names: KnownNames) -> list[str]:
    """Return what is wrong with the names in lists, by line.

    An unknown name is not told: whoever names the wrong column must not see values of it.
    """
    known = frozenset((*names.released, *names.kept_back, EVERYTHING))
    unknown: dict[str, list[int]] = {}
    for line, one in lists:
        for name in sorted(frozenset(one) - known):
            unknown.setdefault(did_you_mean(name, names.released), []).append(line)
    return [
        f"{counted(len(lines), 'name')} in a policy that no attribute has{hint} (line {listed(sorted(set(lines)))})"
        for hint, lines in sorted(unknown.items())
    ]
