"""What anybody can count from a released household or group key: sizes, how many members of a kind, who is first.

A household size that was suppressed comes back by counting the members; so do the number of children, the number of
women, the age of the youngest and the number of a person in the household. Each such count is a `Clue` for
`derivations`, as if it stood in the file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue

_FEW = 12
"""Members are counted for each value of an attribute that has at most so many."""
_AGES = (6, 14, 15, 16, 18, 21, 25, 60, 65)
"""Members below these ages are counted, where an attribute may be an age."""
_OLDEST = 130


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """A released attribute from which members are counted."""

    name: str
    codes: Codes = field(repr=False)
    """The place of the value in the order of the attribute, -1 where the cell is empty."""
    numbers: NDArray[np.float64] | None = field(default=None, repr=False)
    """The values, if they are numbers."""


def cluster_clues(key: str, groups: Codes, columns: Sequence[Counted]) -> Iterator[Clue]:
    """Yield what can be counted in the clusters of a key; `groups` holds -1 for a record without a key.

    >>> homes = np.array([0, 0, 1, 1, 1])
    >>> [(clue.name, clue.groups.tolist()) for clue in cluster_clues("hid", homes, [])]
    [('the number of records in hid', [2, 2, 3, 3, 3])]
    """
    there = groups >= 0
    if not there.any():
        return
    safe, number = np.where(there, groups, 0), int(groups.max()) + 1
    yield _clue(f"the number of records in {key}", np.bincount(groups[there], minlength=number)[safe], there, (key,))
    for column in columns:
        if column.name == key or column.codes.max(initial=-1) < 0:
            continue
        known = there & (column.codes >= 0)
        values = int(column.codes.max()) + 1
        name, of = f"the number of records in {key} by {column.name}", (key, column.name)
        if values <= _FEW:
            for value in range(values):
                counts = np.bincount(groups[known & (column.codes == value)], minlength=number)
                yield _clue(name, counts[safe], there, of)
            continue
        if column.numbers is None or not _may_be_ages(column.numbers[known]):
            continue
        lowest, highest = np.full(number, values), np.full(number, -1)
        np.minimum.at(lowest, groups[known], column.codes[known])
        np.maximum.at(highest, groups[known], column.codes[known])
        yield _clue(f"the smallest {column.name} in {key}", lowest[safe], there, of)
        yield _clue(f"the largest {column.name} in {key}", highest[safe], there, of)
        yield _clue(f"the place by {column.name} in {key}", places(groups, column.codes), known, of)
        for age in _AGES:
            counts = np.bincount(groups[known & (column.numbers < age)], minlength=number)
            yield _clue(name, counts[safe], there, of)


def places(groups: Codes, order: Codes) -> Codes:
    """Return the place of each record in its cluster, from 0, by an order; equal records keep that of the file.

    >>> places(np.array([0, 0, 1, 0]), np.array([5, 3, 9, 3])).tolist()
    [2, 0, 0, 1]
    """
    sorted_ = np.lexsort((order, groups))
    own = groups[sorted_]
    starts = np.flatnonzero(np.concatenate([[True], own[1:] != own[:-1]])) if len(own) else np.empty(0, dtype=np.int64)
    numbers = np.empty(len(groups), dtype=np.int64)
    numbers[sorted_] = np.arange(len(groups)) - np.repeat(starts, np.diff(np.append(starts, len(own))))
    return numbers


def _clue(name: str, values: Codes, there: NDArray[np.bool_], of: tuple[str, ...]) -> Clue:
    return Clue(name, np.where(there, values - values.min(initial=0), -1), None, of)


def _may_be_ages(numbers: NDArray[np.float64]) -> bool:
    """Return whether numbers are whole and of the size of ages: others differ between households and tell no more."""
    return bool(len(numbers)) and bool(((numbers >= 0) & (numbers <= _OLDEST) & (numbers == np.floor(numbers))).all())
