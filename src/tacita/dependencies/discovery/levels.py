"""All minimal dependencies with a tolerance: level by level, from the empty left-hand side to larger ones.

The error of X -> A never grows with X. A left-hand side is looked at for those right-hand sides for which all its parts
fail, and what holds there is minimal (H. Mannila and K.-J. Räihä, "Levelwise search", 1997; TANE, 1999).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacita.dependencies.discovery.masks import Masks, Places, expanded
from tacita.dependencies.discovery.search import SLICE, Effort, Minimal
from tacita.errors import counted

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """For each pair of a left-hand and a right-hand side: how many records or pairs violate it, and what follows."""

    low: Counts
    high: Counts
    holds: NDArray[np.bool_]
    """Whether it holds or may hold."""
    is_undecided: NDArray[np.bool_]


class PairJudge(Protocol):
    """Says of pairs of a left-hand and a right-hand side whether they hold."""

    def __call__(self, lefts: Masks, rights: Places) -> Verdicts | None:
        """Return the verdicts, or None if that is more work than may be done."""


def level_wise(attributes: int, judge: PairJudge, largest: int | None, effort: Effort) -> Minimal:
    """Return the minimal dependencies that a judge accepts, with at most `largest` attributes on the left.

    The search ends before a level that has more candidates, or takes more work, than the effort allows.
    """
    everything = np.uint64((1 << attributes) - 1)
    lefts = np.zeros(1, np.uint64)
    is_open = np.full(1, everything, np.uint64)
    accepted: list[tuple[Masks, Places, Verdicts, NDArray[np.bool_]]] = []
    size, bound = 0, None
    while len(lefts) and attributes:
        if largest is not None and size > largest:
            bound = largest
            break
        effort.doing = f"looking at left-hand sides of {counted(size, 'attribute')}"
        some, rights = expanded(lefts, is_open, attributes)
        verdicts = judge(some, rights)
        if verdicts is None:
            bound = size - 1
            break
        accepted.append((some, rights, verdicts, verdicts.holds))
        fails = _failing(lefts, some[~verdicts.holds], rights[~verdicts.holds])
        is_failing = fails != 0
        extended = _extended(lefts[is_failing], fails[is_failing], attributes, effort)
        if extended is None:
            bound = size
            break
        lefts, is_open = extended
        size += 1
    return _minimal(accepted, bound)


def _failing(lefts: Masks, failed: Masks, rights: Places) -> Masks:
    """Return for each left-hand side, which are in ascending order, the right-hand sides that fail."""
    fails = np.zeros(len(lefts), np.uint64)
    np.bitwise_or.at(fails, np.searchsorted(lefts, failed), np.uint64(1) << rights.astype(np.uint64))
    return fails


def _extended(lefts: Masks, fails: Masks, attributes: int, effort: Effort) -> tuple[Masks, Masks] | None:
    """Return the sets of the next level in ascending order, with the right-hand sides to look at; None: too many."""
    from tacita.dependencies.discovery.kernels.levels import extend

    room = effort.candidates + attributes + 1
    new, is_open, size, begin = np.zeros(room, np.uint64), np.zeros(room, np.uint64), 0, 0
    while begin < len(lefts):
        size, begin = extend(lefts, fails, attributes, begin, SLICE, new, is_open, size)
        if size > effort.candidates:
            return None
    order = np.argsort(new[:size], kind="stable")
    return new[:size][order], is_open[:size][order]


def _minimal(accepted: list[tuple[Masks, Places, Verdicts, NDArray[np.bool_]]], bound: int | None) -> Minimal:
    none = np.empty(0, np.int64)
    return Minimal(
        np.concatenate([none.astype(np.uint64), *(lefts[holds] for lefts, _, _, holds in accepted)]),
        np.concatenate([none, *(rights[holds] for _, rights, _, holds in accepted)]),
        bound,
        np.concatenate([none, *(verdicts.low[holds] for _, _, verdicts, holds in accepted)]),
        np.concatenate([none, *(verdicts.high[holds] for _, _, verdicts, holds in accepted)]),
        np.concatenate([none.astype(np.bool_), *(verdicts.is_undecided[holds] for _, _, verdicts, holds in accepted)]),
    )


def most_allowed(tolerance: float, whole: int) -> int:
    """Return how many of a whole number of records or pairs are at most a share.

    >>> most_allowed(0.29, 100), most_allowed(0.1, 9), most_allowed(0.1, 0)
    (29, 0, 0)
    """
    most = min(whole, int(tolerance * whole) + 1)
    while most > 0 and most / whole > tolerance:
        most -= 1
    return most
