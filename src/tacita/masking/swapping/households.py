"""Households as sets of records, and what is said of a household by its records."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.records import Records

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Households:
    """Which household each record belongs to, and where its records stand in an order by household."""

    of_record: Places
    order: Places
    starts: Places

    @classmethod
    def of(cls, records: Records, name: str | None) -> Households:
        """Return the households of records; each record is one if there is no attribute for them."""
        if name is None:
            every = np.arange(len(records))
            return cls(every, every, every)
        if absent := int(records[name].missing.sum()):
            raise InputError(
                f"{absent} records have no '{name}', and nobody knows who moves with them", do="give each record one"
            )
        _, household = np.unique(records.categories(name).codes, return_inverse=True)
        order = np.argsort(household, kind="stable")
        return cls(household.astype(np.int64), order, np.flatnonzero(np.diff(household[order], prepend=-1)))

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def first(self) -> Places:
        """A record of each household."""
        return self.order[self.starts]

    @property
    def sizes(self) -> Places:
        """How many records each household has."""
        return np.diff(self.starts, append=len(self.order))

    def least(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the least of its records' values for each household."""
        smallest: NDArray[np.float64] = np.minimum.reduceat(values[self.order], self.starts) if len(self) else values
        return smallest

    def any(self, values: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Return whether one of its records is marked, for each household."""
        any_member: NDArray[np.bool_] = np.logical_or.reduceat(values[self.order], self.starts) if len(self) else values
        return any_member

    def codes(self, of_record: Places) -> Places:
        """Return a code for each household: the same where size and the codes of members, in any order, are the same.

        >>> from tacita.model.records import Categories
        >>> homes = Households.of(Records({"home": Categories.of([1, 1, 2, 3, 3])}), "home")
        >>> homes.codes(np.array([7, 8, 7, 8, 7])).tolist()
        [1, 0, 1]
        """
        members = of_record[np.lexsort((of_record, self.of_record))]
        profile = np.zeros(len(self), dtype=np.int64)
        used = 0
        for size in np.unique(self.sizes):
            alike = np.flatnonzero(self.sizes == size)
            rows: NDArray[Any] = members[self.starts[alike][:, None] + np.arange(size)]
            _, own = np.unique(rows, axis=0, return_inverse=True)
            profile[alike] = own + used
            used += int(own.max()) + 1
        return profile

    def check_together(self, records: Records, names: Sequence[str]) -> None:
        """Raise if a household has two values of an attribute that says where it is."""
        for name in names:
            values = joint(records, (name,))
            if apart := int((values != values[self.first][self.of_record]).sum()):
                raise InputError(
                    f"{apart} records have another '{name}' than others of their household",
                    do="correct the areas, or name another attribute as the household",
                )


def joint(records: Records, names: Sequence[str]) -> Places:
    """Return a code for each record: the same where the attributes are; missing is a value."""
    codes = np.zeros(len(records), dtype=np.int64)
    for name in names:
        codes = both(codes, records.categories(name).codes.astype(np.int64) + 1)
    return codes


def both(some: Places, others: Places) -> Places:
    """Return codes from 0 that tell apart what two codes tell apart.

    >>> both(np.array([0, 1, 0]), np.array([4, 4, 4])).tolist()
    [0, 1, 0]
    """
    return np.unique(some * (others.max(initial=0) + 1) + others, return_inverse=True)[1].astype(np.int64)
