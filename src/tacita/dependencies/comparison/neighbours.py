"""Which values of an attribute are alike: each with itself, and two always with each other."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacita.errors import UsageError

Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Neighbours:
    """The values that are alike, by their places in the order of the values that a similarity was given.

    >>> near = Neighbours.up_to([1, 2, 2])  # the first two are alike, and so are the last two
    >>> near.are_alike(0, 1), near.are_alike(0, 2)
    (True, False)
    >>> linked = Neighbours.of_pairs(4, [0, 3], [2, 0])
    >>> [linked.of(place).tolist() for place in range(4)]
    [[0, 2, 3], [1], [0, 2], [0, 3]]
    """

    first: Places
    """The first value that each value is alike with, if those are all values of a range; otherwise its own place."""
    last: Places
    """The last of them, likewise."""
    begins: Places | None = None
    """Where the neighbours of each value begin in `links`; None if they are ranges."""
    links: Places | None = None
    """The neighbours of all values, one after the other, each value among its own, in their order."""

    @classmethod
    def up_to(cls, last: ArrayLike) -> Neighbours:
        """Return neighbours that are ranges: each value is alike with all values behind it up to the one given.

        Values stand in an order in which a value behind another one reaches at least as far.
        """
        reach = np.asarray(last, dtype=np.int64)
        places = np.arange(len(reach), dtype=np.int64)
        is_outside = np.any(reach < places) or np.any(reach >= max(len(reach), 1))
        if reach.ndim != 1 or is_outside or np.any(np.diff(reach) < 0):
            raise UsageError(
                "neighbours are not ranges", do="give for each value the last one that it is alike with, in order"
            )
        return cls(np.searchsorted(reach, places).astype(np.int64), reach)

    @classmethod
    def of_pairs(cls, values: int, one: ArrayLike, other: ArrayLike) -> Neighbours:
        """Return neighbours by pairs of places, each in either order; a value is always alike with itself."""
        some, others = np.asarray(one, dtype=np.int64), np.asarray(other, dtype=np.int64)
        if some.shape != others.shape or (
            len(some) and not (min(some.min(), others.min()) >= 0 and max(some.max(), others.max()) < values)
        ):
            raise UsageError(
                "a pair of neighbours has no value", do=f"give places from 0 to {values - 1}, two for each pair"
            )
        own = np.arange(values, dtype=np.int64)
        keys = np.unique(np.concatenate([own * values + own, some * values + others, others * values + some]))
        begins = np.searchsorted(keys, np.arange(values + 1, dtype=np.int64) * values).astype(np.int64)
        return cls(own, own, begins, keys % max(values, 1))

    @property
    def is_ranges(self) -> bool:
        """Whether the neighbours of each value are the values of a range."""
        return self.begins is None

    def of(self, place: int) -> Places:
        """Return the places of the values that a value is alike with, its own among them."""
        if self.begins is None or self.links is None:
            return np.arange(self.first[place], self.last[place] + 1)
        return self.links[self.begins[place] : self.begins[place + 1]]

    def are_alike(self, one: int, other: int) -> bool:
        """Return whether two values are alike."""
        return bool(self.pairs_alike(np.array([one]), np.array([other]))[0])

    def pairs_alike(self, some: Places, others: Places) -> NDArray[np.bool_]:
        """Return whether values are alike, two and two.

        >>> Neighbours.of_pairs(3, [0], [2]).pairs_alike(np.array([0, 0, 1]), np.array([2, 1, 1])).tolist()
        [True, False, True]
        """
        if self.begins is None or self.links is None:
            return (self.first[some] <= others) & (others <= self.last[some])
        keys = np.repeat(np.arange(len(self)) * len(self), np.diff(self.begins)) + self.links
        wanted = some * len(self) + others
        spots = np.searchsorted(keys, wanted)
        return keys[np.minimum(spots, len(keys) - 1)] == wanted if len(keys) else np.zeros(len(some), np.bool_)

    def sums(self, counts: Places) -> Places:
        """Return for each value how many records have a value that it is alike with, of how many have each."""
        total = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        if self.begins is None or self.links is None:
            return total[self.last + 1] - total[self.first]
        along = np.concatenate([[0], np.cumsum(counts[self.links])]).astype(np.int64)
        return along[self.begins[1:]] - along[self.begins[:-1]]

    def __len__(self) -> int:
        return len(self.first)

    def __repr__(self) -> str:
        return f"<Neighbours: {len(self)}>"
