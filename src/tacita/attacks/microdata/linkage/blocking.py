"""Which pairs of records are compared at all: blocking rules, chosen so that there are not too many pairs.

A rule takes a few attributes, and pairs the records that agree in all of them: in the label (at the lowest level at
which labels of both files can agree), or in a band of the number. Bands hold equally many records; the fewest bands are
taken with which the rule stays within its budget, because a masked value stays in a wide band more often. Each rule
comes twice, with bands shifted by half: what is near an edge of the one is in the middle of the other. Rules take the
attributes three at a time, in turn, so that a record of which one attribute was changed altogether is found by a rule
without it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.space import Axis, Floats, share_that_differs

Keys = tuple[NDArray[np.int64], NDArray[np.int64]]
_BANDS = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 256, 512, 1024, 4096)
_TOGETHER = 3
_MOST_RULES = 8


@dataclass(frozen=True, slots=True, eq=False)
class BlockingRule:
    """Keys that have to agree, by the place of their attribute; none if all pairs are compared."""

    keys: dict[int, Keys]
    pairs: int


def rules_for(axes: Sequence[Axis], sides: tuple[int, int], budget: int) -> list[BlockingRule]:
    """Return rules under which together about `budget` pairs are compared at most."""
    if sides[0] * sides[1] <= budget:
        return [BlockingRule({}, sides[0] * sides[1])]
    count = len(axes)
    turns = range(count if count > _TOGETHER else 1)
    wanted = [(turn, shift) for shift in (0.0, 0.5) for turn in turns][:_MOST_RULES]
    rules = []
    for turn, shift in wanted:
        for together in range(min(_TOGETHER, count), count + 1):
            places = [(turn + step) % count for step in range(together)]
            rule = rule_on(axes, places, budget // len(wanted), shift)
            if rule is not None:
                rules.append(rule)
                break
    return [rule for rule in rules if rule.pairs]


def rule_on(axes: Sequence[Axis], places: Sequence[int], budget: int, shift: float = 0.0) -> BlockingRule | None:
    """Return the rule on some attributes that has as wide bands as the budget allows; None if it allows none."""
    # with more bands there are fewer pairs: half of the numbers of bands are ruled out each time
    low, high, widest = 0, len(_BANDS) if any(axes[place].numbers is not None for place in places) else 1, None
    while low < high:
        middle = (low + high) // 2
        keys = {place: _keys(axes[place], _BANDS[middle], shift) for place in places}
        pairs = _pairs(list(keys.values()))
        if pairs <= budget:
            widest, high = BlockingRule(keys, pairs), middle
        else:
            low = middle + 1
    return widest


def _keys(axis: Axis, bands: int, shift: float) -> Keys:
    if axis.numbers is None:
        usable = [level for level in axis.levels if share_that_differs(level) < 1]
        return usable[0][0].astype(np.int64), usable[0][1].astype(np.int64)
    known = np.concatenate([side[~np.isnan(side)] for side in axis.numbers])
    edges = np.unique(np.quantile(known, (np.arange(bands) + shift)[1 if not shift else 0 :] / bands))
    return _banded(axis.numbers[0], edges), _banded(axis.numbers[1], edges)


def _banded(values: Floats, edges: Floats) -> NDArray[np.int64]:
    return np.where(np.isnan(values), -1, np.searchsorted(edges, values, "right")).astype(np.int64)


def _pairs(keys: list[Keys]) -> int:
    """Return how many pairs agree in all keys."""
    lengths = len(keys[0][0]), len(keys[0][1])
    codes = np.zeros(sum(lengths), dtype=np.int64)
    known = np.ones(sum(lengths), dtype=bool)
    for key in keys:
        both = np.concatenate(key)
        known &= both >= 0
        codes = np.unique(codes * (int(both.max(initial=0)) + 2) + both + 1, return_inverse=True)[1].astype(np.int64)
    one, two = codes[: lengths[0]][known[: lengths[0]]], codes[lengths[0] :][known[lengths[0] :]]
    size = int(codes.max(initial=0)) + 1
    counts = np.bincount(one, minlength=size).astype(np.float64), np.bincount(two, minlength=size).astype(np.float64)
    return int(counts[0] @ counts[1])
