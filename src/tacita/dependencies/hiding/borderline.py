"""Hidden values that are told by what they break (Caruccio et al. 2020, section V.C).

An intruder who knows that Z does not determine A, and sees that it does in all records that show A, concludes that a
hidden A breaks it. If exactly one group of records alike on Z disagrees on A, and all but one record of it agree, that
record is a *borderline case*: where its A is hidden, it is not the value of the others, and of two possible values it
is the other one. All records are looked at once for each pair (Z, A), whoever hides what.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
_LARGEST = 2**62
"""Numbers of combinations stay below, so that they fit into 64 bits."""


class BorderlineCases:
    """Which records are borderline cases, asked pair by pair and remembered.

    >>> table = {"B": np.array([2, 2, 2, 4]), "D": np.array([1, 0, 0, 0])}
    >>> BorderlineCases(table).of(frozenset("B"), "D").tolist(), BorderlineCases(table).of(frozenset(), "D").tolist()
    ([0], [0])
    """

    def __init__(self, codes: Mapping[str, Codes]) -> None:
        self._codes = codes
        self._cases: dict[tuple[frozenset[str], str], Codes] = {}

    def of(self, left: frozenset[str], right: str) -> Codes:
        """Return the places, from 0, of the records whose value alone breaks that some attributes determine another.

        One record at most, or both of a group of two.
        """
        key = (left, right)
        if key not in self._cases:
            self._cases[key] = self._search(left, right)
        return self._cases[key]

    def _search(self, left: frozenset[str], right: str) -> Codes:
        from tacita.dependencies.hiding.kernels import disagreeing

        value = self._codes[right]
        group = joined_codes([self._codes[name] for name in sorted(left)], len(value))
        number, first = disagreeing(group, value)
        if number != 1:
            return np.empty(0, dtype=np.int64)
        rows = np.flatnonzero(group == group[first])
        values, counts = np.unique(value[rows], return_counts=True)
        lone = values[counts == 1] if len(values) == 2 else values[:0]
        cases: Codes = rows[np.isin(value[rows], lone)]
        return cases


def joined_codes(columns: Sequence[Codes], records: int) -> Codes:
    """Return a number for each different combination of values; the same one for all records if there is no column.

    >>> joined_codes([np.array([5, 5, 7]), np.array([0, 1, 1])], 3).tolist()
    [10, 11, 15]
    """
    joined = np.zeros(records, dtype=np.int64)
    combinations = 1
    for column in columns:
        width = int(column.max(initial=-1)) + 1
        if combinations > _LARGEST // max(width, 1):
            joined = np.unique(joined, return_inverse=True)[1].reshape(-1).astype(np.int64)
            combinations = int(joined.max(initial=0)) + 1
        joined = joined * max(width, 1) + column
        combinations *= max(width, 1)
    return joined
