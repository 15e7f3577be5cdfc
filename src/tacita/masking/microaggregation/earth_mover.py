"""How far the confidential values of a group are from those of the file, for the groups that a method forms.

The earth mover's distance of Li, Li and Venkatasubramanian (ICDE 2007). Numbers and ordered categories: the *ordered*
distance, 1/(m - 1) times the sum of the differences between the cumulative shares at the m values. Other categories:
the *equal* distance, the sum of the shares that the group has more than the file. A missing value is at distance 1 from
every other; with the ordered distance |p_0 - q_0| + min(1 - p_0, 1 - q_0) times the distance of the rest is told, p_0
and q_0 being the missing shares, which is never too small.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.records import Numbers, Records


@dataclass(frozen=True, slots=True, eq=False)
class Spread:
    """The confidential values of a file."""

    places: NDArray[np.int64]
    """The place of each record's value among all values; that of a missing one is behind them if they have no order."""
    counts: NDArray[np.int64]
    """How many records have each value."""
    is_ordered: bool

    @classmethod
    def of(cls, records: Records, name: str) -> Spread:
        """Return the values of an attribute."""
        column = records[name]
        coded = records.categories(name)
        ordered = isinstance(column, Numbers) or coded.is_ordered
        places = coded.codes.astype(np.int64)
        if not ordered:
            places = np.where(places < 0, len(coded.values), places)
        present = places[places >= 0]
        return cls(places, np.bincount(present, minlength=len(coded.values)).astype(np.int64), ordered)

    def distance(self, rows: NDArray[np.int64]) -> float:
        """Return the distance between some records and the file."""
        from tacita.masking.microaggregation.kernels.t_close import ordered_distance

        own, everyone = self.places[rows], len(self.places)
        if not self.is_ordered:
            share = np.bincount(own, minlength=len(self.counts)) / len(own)
            return float(np.maximum(share - self.counts / everyone, 0.0).sum())
        known = own[own >= 0]
        lacking, lacking_of_file = 1 - len(known) / len(own), 1 - self.counts.sum() / everyone
        rest = ordered_distance(known, self.counts)
        return float(abs(lacking - lacking_of_file) + min(1 - lacking, 1 - lacking_of_file) * rest)
