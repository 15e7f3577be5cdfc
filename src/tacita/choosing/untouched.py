"""What leaves a file as it was collected: known attributes that no step changes, and records that stand alone on them.

Whoever knows such values finds a record that is unique on them, however well all others are masked. Distance linkage
need not see it: noise in other attributes may lead it astray.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted, listed
from tacita.model.records import Records

RARE = 3
"""A record is rare if fewer than so many, itself included, share its values."""


@dataclass(frozen=True, slots=True)
class Untouched:
    """Attributes that an intruder knows and that are released as they are, and who is rare on all of them together."""

    attributes: tuple[str, ...]
    records: int
    """The number of released records."""
    unique: int
    """Released records whose values no other original record has."""
    rare: int
    """Released records whose values fewer than `RARE` original records have, unique ones included."""

    @property
    def share(self) -> float:
        """The share of released records that are unique."""
        return self.unique / self.records if self.records else 0.0

    @property
    def sentence(self) -> str:
        """What a steward has to know, in a sentence; empty if no record is unique.

        >>> Untouched(("village",), 100, 1, 3).sentence
        '1 record is unique on village, which no step changes, and 2 more are shared by fewer than 3'
        """
        if not self.unique:
            return ""
        are = "is" if self.unique == 1 else "are"
        more = f", and {self.rare - self.unique:,} more are shared by fewer than {RARE}" * (self.rare > self.unique)
        names = listed(self.attributes, 12)
        return f"{counted(self.unique, 'record')} {are} unique on {names}, which no step changes{more}"


def untouched(original: Records, origin: NDArray[np.int64] | None, attributes: Sequence[str]) -> Untouched:
    """Return how many released records are unique or rare, in the original, on attributes that are not changed.

    A missing value counts as a value: it is released as it is. Invented records belong to nobody.

    >>> from tacita.model.records import Categories
    >>> people = Records({"job": Categories.of(["cook", "cook", "pilot", None, "cook"])})
    >>> untouched(people, np.arange(5), ["job"]).unique
    2
    """
    if origin is None or not attributes:
        return Untouched(tuple(attributes), 0 if origin is None else len(origin), 0, 0)
    which = np.zeros(len(original), dtype=np.int64)
    for name in attributes:
        codes = original.categories(name).codes.astype(np.int64) + 1
        _, which = np.unique(which * (codes.max(initial=0) + 1) + codes, return_inverse=True)
    shared = np.bincount(which)[which[origin]]
    return Untouched(tuple(attributes), len(origin), int((shared == 1).sum()), int((shared < RARE).sum()))
