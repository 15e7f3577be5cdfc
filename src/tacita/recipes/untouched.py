"""What is released as it was collected: known attributes whose values stay, and records that are unique on them.

Whoever knows such values finds a record that is unique on them, however well all others are masked. Distance linkage
need not see it: noise in other attributes may lead it astray. An attribute of which a step changes hardly anything,
such as its extremes, stays as much as one that no step names.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted, listed
from tacita.model.records import Categories, Numbers, Records, Values

MOST = 0.95
"""From this share of unchanged values on an attribute counts as released as it was."""
RARE = 3
"""A record is rare if fewer than so many, itself included, share its values."""


@dataclass(frozen=True, slots=True)
class Untouched:
    """Attributes that an intruder knows and that are released as they are, and who is rare on all of them together."""

    attributes: tuple[str, ...]
    records: int
    """The number of released records."""
    unique: int
    """Released records with their true values, which no other record has in the original or in the release."""
    rare: int
    """The same of values that fewer than `RARE` records have, unique ones included."""

    @property
    def share(self) -> float:
        """The share of released records that are unique."""
        return self.unique / self.records if self.records else 0.0

    @property
    def sentence(self) -> str:
        """What a steward has to know, in a sentence; empty if no record is unique.

        >>> Untouched(("village",), 100, 1, 3).sentence
        '1 record is unique on village, whose values stay as they were; 2 more are shared by fewer than 3 records'
        """
        if not self.unique:
            return ""
        are = "is" if self.unique == 1 else "are"
        more = f"; {self.rare - self.unique:,} more are shared by fewer than {RARE} records" * (self.rare > self.unique)
        names = listed(self.attributes, 12)
        return f"{counted(self.unique, 'record')} {are} unique on {names}, whose values stay as they were{more}"


def untouched(
    original: Records, released: Records, origin: NDArray[np.int64] | None, attributes: Sequence[str]
) -> Untouched:
    """Return which attributes stay as they were, and how many released records are unique or rare on them together.

    A missing value counts as a value: it is released as it is. Invented records belong to nobody.

    >>> people = Records({"job": Categories.of(["cook", "cook", "pilot", None, "cook"])})
    >>> untouched(people, people, np.arange(5), ["job"]).unique
    2
    """
    if origin is None:
        return Untouched((), len(released), 0, 0)
    true = np.ones(len(released), dtype=bool)
    before, after = np.zeros(len(original), dtype=np.int64), np.zeros(len(released), dtype=np.int64)
    names = []
    for name in attributes:
        own = original[name].taken(origin)
        stays = unchanged(own, released[name])
        if len(stays) and stays.mean() >= MOST:
            names.append(name)
            true &= stays
            before, after = _split(before, original, name), _split(after, released, name)
    if not names:
        return Untouched((), len(released), 0, 0)
    shared = np.maximum(np.bincount(before)[before[origin]], np.bincount(after)[after])
    return Untouched(
        tuple(names), len(released), int((true & (shared == 1)).sum()), int((true & (shared < RARE)).sum())
    )


def unchanged(before: Values, after: Values) -> NDArray[np.bool_]:
    """Return where two columns have the same value, or none.

    >>> unchanged(Categories.of(["a", "b", None]), Categories.of(["a", "c", None])).tolist()
    [True, False, True]
    >>> unchanged(Numbers.of([1.0, 2.0]), Categories.of(["0-5", "0-5"])).tolist()
    [False, False]
    """
    gone = before.missing & after.missing
    if isinstance(before, Numbers) and isinstance(after, Numbers):
        return gone | np.isclose(before.values, after.values, rtol=1e-6, atol=0)
    if isinstance(before, Categories) and isinstance(after, Categories):
        place = {value: code for code, value in enumerate(before.values)}
        codes = np.array([*(place.get(value, -2) for value in after.values), -1])[after.codes]
        return np.asarray(codes == before.codes)
    return gone


def _split(groups: NDArray[np.int64], records: Records, name: str) -> NDArray[np.int64]:
    """Return groups of records that also share the value of one more attribute."""
    codes = records.categories(name).codes.astype(np.int64) + 1
    _, split = np.unique(groups * (codes.max(initial=0) + 1) + codes, return_inverse=True)
    return split.reshape(-1).astype(np.int64)
