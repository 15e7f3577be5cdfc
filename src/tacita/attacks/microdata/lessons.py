"""What an intruder learns about hidden cells from the records of a release, or from public knowledge.

A *lesson* is a set of records that teach about a target. A rule learnt from it guesses the value of a record from the
others: by those with the same value of a clue, or by those next to it in the order of the clue.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.in_clusters import ClusterOrder, Codes, Mask, cluster_cells

CONFIDENCE, CODE_SUPPORT, CODE = 0.9, 5, 0.99
_DENSE = 8
"""Counts are kept in a full table while it has at most so many cells for each record."""
_FEW_GROUPS = 64
"""Of so few groups nearly all have a hidden cell: nothing is saved by looking which."""


@dataclass(frozen=True, slots=True, eq=False)
class Clue:
    """A released attribute, or something that can be counted from released attributes."""

    name: str
    groups: Codes = field(repr=False)
    """The value of each record as a number from 0 without gaps, -1 where it is empty."""
    ranks: Codes | None = field(default=None, repr=False)
    """The place of the value in the order of the attribute, -1 where it is empty; None if it has no order."""
    of: tuple[str, ...] = ()
    """The attributes that it was counted from, if it is not itself released."""
    is_drawn: bool = False
    """Whether values are drawn for this release, as new numbers of households are: no list of codes explains them."""


@dataclass(frozen=True, slots=True, eq=False)
class Target:
    """An attribute with hidden cells, and their truth."""

    name: str
    truth: Codes = field(repr=False)
    """The original value of each record as a number from 0, -1 where there was none."""
    hidden: Mask = field(repr=False)
    """The cells that the intruder wants to learn."""
    shown: Mask = field(repr=False)
    """The cells that the release shows as they were."""
    classes: Codes | None = field(default=None, repr=False)
    """What the release shows instead of each cell, as a number from 0; None if hidden cells are empty."""
    is_coarse: bool = False
    """Whether the truth is a class of values only: a tenth of the numbers."""
    is_continuous: bool = False
    """Whether it is a number whose values hardly repeat: no list of codes explains single values."""

    @property
    def is_suppressed(self) -> bool:
        """Whether hidden cells are empty; otherwise they show another value than they had."""
        return self.classes is None


class Lesson:
    """The records from which rules about a target are learnt, and what somebody guesses who has no clue."""

    def __init__(self, target: Target, training: Mask, clusters: Codes | None = None, *, is_public: bool) -> None:
        self.target, self.training, self.is_public, self.clusters = target, training, is_public, clusters
        self.rows, self.secret = np.flatnonzero(training), np.flatnonzero(target.hidden)
        self.truth, self.values = target.truth[self.rows], int(target.truth.max()) + 1
        self.classes = target.classes if target.classes is not None else np.zeros(len(training), dtype=np.int64)
        number = int(self.classes.max(initial=0)) + 1
        cells = self.truth if target.classes is None else self.classes[self.rows] * self.values + self.truth
        self._cells, self._counts = counted_numbers(cells, number * self.values)
        of_class = self._cells // self.values
        self._total = np.bincount(of_class, self._counts, minlength=number)
        by_size = np.lexsort((-self._cells, self._counts))
        self._usual = np.full(number, -1, dtype=np.int64)
        # The last one that is written stays: that of the largest count, and of those the smallest value.
        self._usual[of_class[by_size]] = self._cells[by_size] % self.values

    @cached_property
    def order(self) -> ClusterOrder | None:
        """The records in the order of their clusters, if there are clusters."""
        return None if self.clusters is None else ClusterOrder(self.clusters, self.rows)

    def usual(self, rows: Codes) -> Codes:
        """Return the most frequent value in the class of each record."""
        return self._usual[self.classes[rows]]

    def share(self, rows: Codes, values: Codes) -> NDArray[np.float64]:
        """Return how frequent a value is in the class of each record."""
        wanted = self.classes[rows] * self.values + values
        place = np.minimum(np.searchsorted(self._cells, wanted), len(self._cells) - 1)
        count = np.where(self._cells[place] == wanted, self._counts[place], 0)
        shares: NDArray[np.float64] = count / np.maximum(self._total[self.classes[rows]], 1)
        return shares


def lessons_of(target: Target, clusters: Codes | None) -> list[Lesson]:
    """Return what can be learnt from the release, and what from knowledge of the original cells.

    In the release a member that shows a value does tell it of the others: there each record is an example.
    """
    everything = (target.shown | target.hidden) & (target.truth >= 0)
    if not target.is_suppressed:
        return [Lesson(target, target.hidden & everything, clusters, is_public=True)]
    return [
        *([Lesson(target, target.shown, is_public=False)] if target.shown.any() else []),
        Lesson(target, everything, clusters, is_public=True),
    ]


@dataclass(frozen=True, slots=True, eq=False)
class Guess:
    """What a rule says of some records, each left out itself."""

    value: Codes
    """The guessed value, -1 where the rule says nothing."""
    support: Codes
    certain: Mask
    """Whether all supporting records agree."""


Guesser = Callable[[Codes], Guess]


def same_value_rule(
    clue: Codes, lesson: Lesson, *, confidence: float = CONFIDENCE, for_hidden: bool = False
) -> Guesser:
    """Guess the most frequent value among the other records of training with the same clue and the same class.

    Where the clue is empty an example in the release may tell something, but no list of codes does. At least the share
    `confidence` of these records must agree. With `for_hidden` the rule can be asked about hidden cells only: it counts
    no record that is like none of them.
    """
    groups = clue + 1 if lesson.target.classes is None else pair_numbers(clue + 1, lesson.classes)
    values, number = lesson.values, int(groups.max()) + 1
    rows, truth = lesson.rows, lesson.truth
    order = lesson.order
    if for_hidden and number > _FEW_GROUPS:
        is_like = np.zeros(number, dtype=bool)
        is_like[groups[lesson.secret]] = True
        like = is_like[groups]
        order = None if order is None else order.of(like)
        rows, truth = rows[like[rows]], truth[like[rows]]
    if not len(rows):
        return _no_guess
    inside = None if order is None else cluster_cells(order, groups, lesson.target.truth, values)
    cells = groups[rows] * values + truth if inside is None else inside.cells
    filled, counts = counted_numbers(cells, number * values)
    of_group, value = filled // values, filled % values
    total = np.bincount(of_group, counts, minlength=number).astype(np.int64)
    starts = np.flatnonzero(np.concatenate([[True], of_group[1:] != of_group[:-1]]))
    top, top_value = np.zeros(number, dtype=np.int64), np.full(number, -1, dtype=np.int64)
    second, second_value = top.copy(), top_value.copy()
    size = counts * values + (values - 1 - value)  # by count; of equal counts the smallest value
    there = of_group[starts]
    largest = np.maximum.reduceat(size, starts)
    top[there], top_value[there] = largest // values, values - 1 - largest % values
    size[size == np.repeat(largest, np.diff(np.append(starts, len(size))))] = -1
    next_ = np.maximum.reduceat(size, starts)
    second[there] = np.where(next_ >= 0, next_ // values, 0)
    second_value[there] = np.where(next_ >= 0, values - 1 - next_ % values, -1)

    def guess(rows: Codes) -> Guess:
        group = groups[rows]
        if inside is None:
            own = lesson.training[rows] & (lesson.target.truth[rows] == top_value[group])
            own_second, own_total = np.zeros(len(rows), dtype=bool), lesson.training[rows].astype(np.int64)
        else:
            own, own_second = (
                inside.has(rows, group * values + top_or_second[group]) for top_or_second in (top_value, second_value)
            )
            own_total = inside.number(rows, group)
        support = total[group] - own_total
        other = own & (second[group] - own_second > top[group] - 1)
        count = np.where(other, second[group] - own_second, top[group] - own)
        sure = (support > 0) & (count >= confidence * support)
        if lesson.is_public:
            sure &= clue[rows] >= 0
            if lesson.target.is_suppressed:
                sure &= support >= CODE_SUPPORT
        best = np.where(other, second_value[group], top_value[group])
        return Guess(np.where(sure, best, -1), support, count == support)

    return guess


def counted_numbers(numbers: Codes, limit: int) -> tuple[Codes, Codes]:
    """Return the different numbers in their order, and how often each occurs."""
    if limit > _DENSE * len(numbers):
        return np.unique(numbers, return_counts=True)
    table = np.bincount(numbers)
    filled = np.flatnonzero(table)
    return filled, table[filled]


def neighbours_rule(ranks: Codes, lesson: Lesson) -> Guesser:
    """Guess the value that all records have which are next in the order of the clue, on both sides.

    Records with the same value of the clue are not neighbours, and all those of one value count together: otherwise
    the order of the file would decide which of them come first.
    """
    has_classes = lesson.target.classes is not None
    place = pair_numbers(lesson.classes, ranks + 1) if has_classes else ranks + 1
    rows, truth = lesson.rows, lesson.truth
    if ranks.min() < 0:
        known = ranks[rows] >= 0
        rows, truth = rows[known], truth[known]
    at, limit = place[rows], int(place.max()) + 1
    counts = np.bincount(at, minlength=limit)
    is_filled = counts > 0
    filled = np.flatnonzero(is_filled)
    number_below = np.concatenate([[0], np.cumsum(is_filled)])
    value = _common_values(at, truth, limit)[filled]  # -1 where there are several: such a place tells nothing
    counts = counts[filled]
    same_class: Mask | bool = True
    if has_classes:
        of_class = np.zeros(limit, dtype=np.int64)
        of_class[at] = lesson.classes[rows]
        of_class = of_class[filled]
        same_class = of_class[1:] == of_class[:-1]
    if lesson.clusters is not None:
        only = _common_values(at, lesson.clusters[rows], limit)[filled]
    goes_on = (value[1:] == value[:-1]) & (value[1:] >= 0) & same_class
    first = np.concatenate([[0], np.flatnonzero(~goes_on) + 1])  # of each run of places with one value
    records = np.concatenate([[0], np.cumsum(counts)])

    def guess(rows: Codes) -> Guess:
        below, above = number_below[place[rows]] - 1, number_below[place[rows] + 1]
        inside = (below >= 0) & (above < len(filled)) & (ranks[rows] >= 0)
        below, above = np.where(inside, below, 0), np.where(inside, above, 0)
        agree = inside & (value[below] == value[above])
        if has_classes:
            own = lesson.classes[rows]
            agree &= (of_class[below] == own) & (of_class[above] == own)
        if lesson.clusters is not None:
            agree &= (only[below] != lesson.clusters[rows]) & (only[above] != lesson.clusters[rows])
        named = np.flatnonzero(agree)
        below, above = below[named], above[named]
        start = first[np.searchsorted(first, below, side="right") - 1]
        end = np.append(first, len(filled))[np.searchsorted(first, above, side="right")]
        support = np.zeros(len(rows), dtype=np.int64)
        support[named] = np.minimum(records[below + 1] - records[start], records[end] - records[above])
        guessed = np.full(len(rows), -1, dtype=np.int64)
        guessed[named] = value[below]
        return Guess(guessed, support, np.ones(len(rows), dtype=bool))

    return guess if len(filled) > 1 else _no_guess


def _common_values(places: Codes, values: Codes, limit: int) -> Codes:
    """Return for each of so many places the value that all its records have, -1 if there is no such value.

    >>> _common_values(np.array([0, 2, 2, 0]), np.array([7, 5, 6, 7]), 4).tolist()
    [7, -1, -1, -1]
    """
    common = np.full(limit, -1, dtype=np.int64)
    common[places] = values
    common[places[common[places] != values]] = -1
    return common


def _no_guess(rows: Codes) -> Guess:
    return Guess(np.full(len(rows), -1), np.zeros(len(rows), dtype=np.int64), np.zeros(len(rows), dtype=bool))


def pair_numbers(one: Codes, two: Codes) -> Codes:
    """Return one number from 0 for each pair of numbers."""
    numbers: Codes = np.unique(one * (int(two.max()) + 1) + two, return_inverse=True)[1].astype(np.int64).reshape(-1)
    return numbers
