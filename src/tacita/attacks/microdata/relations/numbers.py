"""Hidden numbers, the released numbers from which they may follow, and when a formula counts as one.

A formula gives a number for each record from released attributes. It counts as right where it comes within a tolerance
of the truth: half a unit of the last decimal (or of the last power of ten that all values are multiples of), a whole
unit, or the width of a rounding. As in `derivation` it determines hidden numbers if

1. it is right for at least 95 % of the shown records from which it was not learnt,
2. its errors are at most half of those of the best constant with the same tolerance,
3. chance does not explain it (binomial probability below 1e-5, divided by the number of formulas that were tried),
4. at least 90 % of the hidden numbers that it names are right, at least 5 % of all hidden ones, and at least one that
   the best constant gets wrong,
5. within its tolerance lies at most a tenth of the numbers of the attribute, on average.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.derivation import (
    EXAMPLES,
    HIDDEN_PRECISION,
    PRECISION,
    SHARE,
    DerivableValues,
    DerivationRule,
    Transcript,
    beyond_chance,
)
from tacita.attacks.microdata.in_clusters import Codes, Mask

Numbers = NDArray[np.float64]

SAMPLE = 500
"""Records from which a formula is learnt."""
_CHECKED = 20_000
"""Records by which a formula is checked at most; among the hidden cells it is checked in all."""
_NEAR = 0.1
"""The largest share of all numbers that may lie within the tolerance of a formula."""
_LEAST = 20
"""Fewer records to check a formula with prove nothing."""
_DIFFERENT = round(1 / _NEAR)
"""Of fewer different numbers more than a tenth are equal to a number on average."""
_DIGITS, _MOST_POWER = 9, 12
_FLOATING = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedNumbers:
    """A released attribute whose values are numbers, nan where a cell is empty."""

    name: str
    values: Numbers = field(repr=False)
    of: str = ""
    """The attribute that the numbers were read from, if it is not itself one of numbers."""

    @property
    def attribute(self) -> str:
        """The released attribute."""
        return self.of or self.name


@dataclass(frozen=True, slots=True, eq=False)
class NumericTarget:
    """An attribute with hidden numbers, and their truth."""

    name: str
    truth: Numbers = field(repr=False)
    """The original number of each record, nan where there was none."""
    hidden: Mask = field(repr=False)
    shown: Mask = field(repr=False)
    """The cells that the release shows as they were."""
    is_suppressed: bool
    """Whether hidden cells are empty; otherwise they show another number than they had."""
    only_exact: bool = False
    """Whether a number that is known nearly is no secret."""


@dataclass(frozen=True, slots=True, eq=False)
class ReleasedFormula:
    """A number for each record, nan where it cannot be calculated, and how near it comes."""

    attributes: tuple[str, ...]
    sentence: str
    values: Numbers = field(repr=False)
    tolerance: float
    by: DerivationRule
    factors: tuple[float, ...] = ()
    """Of a sum: the factor of each attribute."""
    constant: float = 0.0
    clue: str = ""
    """What determines the target, if that is not the list of the attributes."""
    is_public: bool = False
    """Whether it cannot be learnt from the release, but is known from what the attributes mean."""


class NumericLesson:
    """The records from which formulas for a target are learnt: those that show it, or else the original ones."""

    def __init__(self, target: NumericTarget) -> None:
        self.target = target
        there = np.isfinite(target.truth)
        self.secret = np.flatnonzero(target.hidden & there)
        shown = np.flatnonzero(target.shown & there)
        self.is_public = not target.is_suppressed or len(shown) < 2 * _LEAST
        self.rows: Codes = np.flatnonzero((target.shown | target.hidden) & there) if self.is_public else shown
        self.sample = _spread(self.rows, SAMPLE)
        self.truth = target.truth[self.rows]
        self.different = len(np.unique(self.truth))
        self.unit = unit_of(self.truth)

    @property
    def is_usable(self) -> bool:
        """Whether there is something to learn: enough records with enough different numbers."""
        return len(self.rows) >= 2 * _LEAST and self.different >= _DIFFERENT and len(self.secret) > 0

    def derivation(self, formula: ReleasedFormula, tried: int) -> DerivableValues | None:
        """Return what a formula determines; None if it does not meet the conditions. So many were tried."""
        if self.target.only_exact and formula.tolerance > self.unit / 2:
            return None
        truth, near = self.target.truth, formula.tolerance * (1 + _FLOATING)
        fits = np.abs(truth - formula.values) <= near + _FLOATING * np.abs(truth)
        rows = self.rows[np.isfinite(formula.values[self.rows])]
        fresh = np.setdiff1d(rows, self.sample, assume_unique=True)
        rows = _spread(fresh, _CHECKED) if len(fresh) >= len(self.sample) else rows
        if len(rows) < _LEAST:
            return None
        right = int(fits[rows].sum())
        by_constant, middle, near_share = _by_constant(truth[rows], near)
        enough = right >= PRECISION * len(rows) and 2 * (len(rows) - right) <= len(rows) - by_constant
        if not enough or near_share > _NEAR or not beyond_chance(right, len(rows), by_constant, tried):
            return None
        named = self.secret[np.isfinite(formula.values[self.secret])]
        hits = named[fits[named]]
        beyond = bool((np.abs(truth[hits] - middle) > near).any())
        if len(hits) < max(HIDDEN_PRECISION * len(named), SHARE * len(self.secret)) or not beyond:
            return None
        return DerivableValues(
            formula.clue or _listed(formula.attributes),
            self.target.name,
            self.target.is_suppressed,
            len(self.secret),
            len(named),
            len(hits),
            formula.by,
            self.is_public or formula.is_public,
            formula.attributes if len(formula.attributes) > 1 or formula.clue else (),
            Transcript(
                formula.sentence,
                len(self.rows),
                len(rows),
                right,
                tuple(int(row) + 1 for row in hits[:EXAMPLES]),
            ),
        )


def unit_of(values: Numbers) -> float:
    """Return the largest power of ten of which (nearly) all numbers are multiples.

    >>> unit_of(np.array([1.25, 3.5])), unit_of(np.array([1200.0, 500.0])), unit_of(np.array([3.0, 40.0]))
    (0.01, 100.0, 1.0)
    """
    values = values[values != 0]
    if not len(values):
        return 1.0
    for power in range(_MOST_POWER, -_DIGITS, -1):
        unit = 10.0**power
        scaled = np.abs(values) / unit
        if np.mean(np.abs(scaled - np.rint(scaled)) <= _FLOATING * scaled) >= PRECISION:
            return float(f"1e{power}")
    return float(f"1e-{_DIGITS}")


def attributes_of(columns: Sequence[ReleasedNumbers]) -> tuple[str, ...]:
    """Return the released attributes of some numbers, each once."""
    return tuple(dict.fromkeys(column.attribute for column in columns))


def _by_constant(values: Numbers, tolerance: float) -> tuple[int, float, float]:
    """Return how many numbers the best constant comes near to, that constant, and the mean share near to a number."""
    values = np.sort(values)
    upper = np.searchsorted(values, values + 2 * tolerance, side="right")
    counts = upper - np.arange(len(values))
    best = int(np.argmax(counts))
    near = np.searchsorted(values, values + tolerance, side="right") - np.searchsorted(values, values - tolerance)
    return int(counts[best]), float(values[best] + tolerance), float(near.mean() / len(values))


def _spread(rows: Codes, most: int) -> Codes:
    return rows if len(rows) <= most else rows[np.arange(most) * len(rows) // most]


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
