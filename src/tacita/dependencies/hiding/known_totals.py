"""Hidden values that are told by a total: what is known of all less what is shown is what is hidden.

The intruder may know how often each value of an attribute occurs in the whole file. Then the hidden cells hold,
together, a known collection of values. If they all hold the same value, or if one person hides alone, the secret is out
whatever else is hidden. So each attribute that somebody hides needs several people who hide it, and two different
hidden values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

LEAST_VALUES = 2
_LOOK = 20


@dataclass(frozen=True, slots=True)
class HiderShortfall:
    """An attribute whose hidden values are told by its total."""

    attribute: str
    hiders: int
    values: int
    """How many different values are hidden, 2 and more counting as 2."""
    exist: bool
    """Whether the attribute has two different values at all."""

    @property
    def in_words(self) -> str:
        """What is wrong, as a clause."""
        if not self.exist:
            return f"all records have the same value of '{self.attribute}'"
        people = "1 person hides" if self.hiders == 1 else f"{self.hiders:,} people hide"
        alike = ", all with the same value" if self.values < LEAST_VALUES and self.hiders > 1 else ""
        return f"only {people} '{self.attribute}'{alike}"


def shortfalls(
    codes: Mapping[str, Codes], hidden: Mapping[str, Mask], persons: Codes, least: Mapping[str, int]
) -> tuple[HiderShortfall, ...]:
    """Return the attributes that are hidden by somebody, but by fewer than `least` people or with one value only.

    >>> values, who = {"D": np.array([0, 1, 0])}, np.arange(3)
    >>> shortfalls(values, {"D": np.array([True, False, False])}, who, {"D": 2})[0].in_words
    "only 1 person hides 'D'"
    """
    short = []
    for name, mask in hidden.items():
        rows = np.flatnonzero(mask)
        if not len(rows):
            continue
        hiders = _different(persons[rows], least[name])
        values = _different(codes[name][rows], LEAST_VALUES)
        if hiders < least[name] or values < LEAST_VALUES:
            exist = _different(codes[name], LEAST_VALUES) >= LEAST_VALUES
            short.append(HiderShortfall(name, len(np.unique(persons[rows])), values, exist))
    return tuple(short)


def _different(values: Codes, enough: int) -> int:
    """Return how many different values there are; not more than `enough` are counted."""
    first = len(np.unique(values[: _LOOK * enough]))  # nearly always enough, and much faster than all of them
    return min(enough, first if first >= enough else len(np.unique(values)))
