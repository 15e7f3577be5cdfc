"""Dependencies that hold in a group of records with one value of an attribute, and not for all records.

X -> A that holds where C has the value c says no more than {C, X} -> A where that holds for all records. So whatever a
dependency of all records says already, with or without C on its left, is left out. The condition counts as an attribute
of the left-hand side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.comparing import ComparedTable
from tacita.dependencies.discovery.masks import Masks
from tacita.dependencies.discovery.search import Minimal


@dataclass(frozen=True, slots=True, eq=False)
class RecordGroup:
    """The records with one value of an attribute."""

    attribute: int
    code: int
    table: ComparedTable
    """Its records, without the attribute."""


@dataclass(frozen=True, slots=True)
class GroupCount:
    """How many groups an attribute has, and those that are too small."""

    groups: int
    skipped: int
    records_skipped: int


def group_count(table: ComparedTable, attribute: int, least: int) -> GroupCount:
    """Return how many groups of at least so many records there are."""
    sizes = np.bincount(table.codes[attribute])
    small = sizes[(sizes > 0) & (sizes < least)]
    return GroupCount(int(np.count_nonzero(sizes >= least)), len(small), int(small.sum()))


def record_groups(table: ComparedTable, attribute: int, least: int) -> Iterator[RecordGroup]:
    """Yield the groups of at least so many records, by value."""
    others = [place for place in range(len(table.names)) if place != attribute]
    order = np.argsort(table.codes[attribute], kind="stable")
    ordered = table.codes[attribute][order]
    for part in np.split(order, np.flatnonzero(np.diff(ordered)) + 1):
        if len(part) >= max(least, 1):
            yield RecordGroup(attribute, int(table.codes[attribute, part[0]]), table.taken(part).only(others))


def in_the_whole(group: RecordGroup, lefts: Masks) -> Masks:
    """Return sets of attributes of a group as sets of all attributes."""
    low = np.uint64((1 << group.attribute) - 1)
    return (lefts & low) | ((lefts & ~low) << np.uint64(1))


def right_in_the_whole(group: RecordGroup, rights: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return attributes of a group as attributes of the whole."""
    return rights + (rights >= group.attribute)


def says_more_than(whole: Minimal) -> Callable[[int, int, int], bool]:
    """Return a question: does X -> A, in a group by C, say more than the dependencies of all records?"""
    known = {int(right): whole.lefts[whole.rights == right] for right in np.unique(whole.rights)}

    def says_more(left: int, right: int, condition: int) -> bool:
        beyond = ~np.uint64(left | 1 << condition)
        return right not in known or not np.any(known[right] & beyond == 0)

    return says_more
