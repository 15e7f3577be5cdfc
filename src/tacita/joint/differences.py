"""Published sets one of which holds the other: what is left is published, too.

"This output and that one of March differ by two people in this cell." The difference of two nested sets is a sum that
everybody can compute. It must not be about a few persons, nor about one who dominates it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacita.joint.evidence import Ints, Mask, Numbers
from tacita.joint.system import SumSystem

P_PERCENT = 10.0
"""The largest contribution to a sum must not be estimable closer than this by the second largest contributor."""
_MOST = 10_000
"""Differences that are looked at."""
MOST_PERSONS = 200
"""Differences with more persons are not looked at for one who dominates."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class NestedSets:
    """A published set within another one, by rows of the system, and the unknowns that are left."""

    outer: int
    inner: int
    unknowns: tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class PersonContributions:
    """What each person adds to the sums of one measure, in the groups of a system."""

    group: Ints
    person: Ints
    value: Numbers

    def is_dominated(self, groups: Ints, p_percent: float = P_PERCENT) -> bool:
        """Return whether the second largest contributor can estimate the largest one too closely (p % rule)."""
        inside = np.isin(self.group, groups)
        _, person = np.unique(self.person[inside], return_inverse=True)
        sizes = np.sort(np.abs(np.bincount(person.reshape(-1), weights=self.value[inside])))[::-1]
        return bool(len(sizes)) and bool(sizes[2:].sum() < p_percent / 100 * sizes[0])


def nested_differences(system: SumSystem, is_new: Mask, heard: Mask, most: int) -> Iterator[NestedSets]:
    """Yield pairs of published sets, one of the new release and one of an earlier one, one of which holds the other.

    They leave at least one person and at most so many; those that leave the fewest come first, then the smallest sets.
    """
    from tacita.joint.loops import nested_pairs

    exact = np.flatnonzero(system.exact & heard & (np.diff(system.rows.starts) > 0))
    rows = system.rows.taken(exact)
    starts, rows_of, _ = rows.by_column()
    sums = np.concatenate([[0], np.cumsum(system.persons[rows.columns])])
    persons = sums[rows.starts[1:]] - sums[rows.starts[:-1]]
    pairs = nested_pairs(rows.starts, rows.columns, starts, rows_of, is_new[exact], persons, most)
    order = np.lexsort((persons[pairs[:, 0]], persons[pairs[:, 0]] - persons[pairs[:, 1]]))[:_MOST]
    for outer, inner in pairs[order].tolist():
        left = np.setdiff1d(rows.row(outer)[0], rows.row(inner)[0])
        yield NestedSets(int(exact[outer]), int(exact[inner]), tuple(left.tolist()))
