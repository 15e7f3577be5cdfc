"""How two records are compared attribute by attribute, and how often records of different people agree.

An attribute is compared by levels of agreement: for numbers bands of the standardised difference, for labels the level
of the taxonomy at which they agree, for long texts a few letters that differ. Level by level u is the chance that two
records of different people agree so. Nothing needs to be drawn at random to estimate it: of all pairs of records the
share in each band follows from the sorted values, and the share that agrees from counts. Only for texts that nearly
agree pairs of values are drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.space import Axis, Floats, share_that_differs

WIDTHS = (1e-9, 0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0)
"""Bands of the difference of two numbers, in standard deviations."""
_LETTERS = 2
_SHORTEST, _FEWEST = 6, 30
"""Texts of this mean length and number may have been misspelt; shorter ones are codes."""
_SAMPLE = 700


@dataclass(frozen=True, slots=True)
class Level:
    """One level of agreement, the closest first."""

    condition: str
    """SQL with {l} and {r} for the two records."""
    chance: float
    """u: how often records of different people agree so, and not more closely."""


@dataclass(frozen=True, slots=True, eq=False)
class AttributeComparison:
    """The comparison of one attribute, on columns named by its place."""

    columns: dict[str, tuple[NDArray[np.generic], NDArray[np.generic]]]
    levels: tuple[Level, ...]
    value: str
    """The column whose missing value means that nothing is known."""


def comparison_of(axis: Axis, place: int, random: np.random.Generator) -> AttributeComparison:
    """Return how an attribute is compared."""
    if axis.numbers is not None:
        value = f"x{place}"
        within = [_share_within(*axis.numbers, width) for width in WIDTHS]
        conditions = [f"abs({value}_l - {value}_r) <= {width:g}" for width in WIDTHS]
        return AttributeComparison({value: axis.numbers}, _levels(conditions, within), value)
    columns: dict[str, tuple[NDArray[np.generic], NDArray[np.generic]]] = {
        f"c{place}_{level}": codes for level, codes in enumerate(axis.levels)
    }
    agree = [1 - share_that_differs(codes) for codes in axis.levels]
    conditions = [f"{name}_l = {name}_r" for name in columns]
    if _may_be_misspelt(axis.texts):
        texts = np.array([*axis.texts, None], dtype=object)
        columns[f"t{place}"] = (texts[axis.levels[0][0]], texts[axis.levels[0][1]])
        conditions.append(f"levenshtein(t{place}_l, t{place}_r) <= {_LETTERS}")
        agree.append(max(agree[-1], _share_alike(axis, random)))
    return AttributeComparison(columns, _levels(conditions, agree), f"c{place}_0")


def _levels(conditions: list[str], within: list[float]) -> tuple[Level, ...]:
    """Return levels whose chances are what each adds to the closer ones."""
    least = 1e-9
    chances = np.maximum(np.diff([0.0, *within, 1.0]), least)
    chances /= chances.sum()
    return tuple(Level(c, float(u)) for c, u in zip([*conditions, "ELSE"], chances, strict=True))


def _share_within(one: Floats, two: Floats, width: float) -> float:
    """Return in which share of all pairs two numbers differ by no more than a width."""
    some, line = one[~np.isnan(one)], np.sort(two[~np.isnan(two)])
    if not len(some) or not len(line):
        return 0.0
    near = np.searchsorted(line, some + width, "right") - np.searchsorted(line, some - width, "left")
    return float(near.sum()) / (len(some) * len(line))


def _may_be_misspelt(texts: tuple[str, ...]) -> bool:
    return len(texts) >= _FEWEST and sum(map(len, texts)) >= _SHORTEST * len(texts)


def _share_alike(axis: Axis, random: np.random.Generator) -> float:
    """Return in which share of drawn pairs of texts no more than a few letters differ."""
    from rapidfuzz import process
    from rapidfuzz.distance import Levenshtein

    drawn = []
    for codes in axis.levels[0]:
        known = codes[codes >= 0]
        picked = known if len(known) <= _SAMPLE else random.choice(known, _SAMPLE, replace=False)
        drawn.append([axis.texts[code] for code in picked])
    if not all(drawn):
        return 0.0
    distances = process.cdist(*drawn, scorer=Levenshtein.distance, score_cutoff=_LETTERS, workers=1)
    return float((distances <= _LETTERS).mean())
