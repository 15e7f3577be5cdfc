"""Reading hidden cells from single attributes that stay: copies, codes, weights of strata, bands of a number.

An intruder who sees an attribute A in every record and an attribute B in most of them learns a rule from the records
that show both, and applies it to the cells of B that were suppressed. Two rules are tried:

* *same value*: the most frequent B among the other records with the same A;
* *neighbours*: in the order of A, the records next to the cell on both sides all have the same B. It reaches an A
  without repeated values, such as an income beside its band or a year of birth beside an age.

How far a rule can be trusted the intruder finds out by leaving out each record that shows B and naming it from the
others. A hidden cell counts as *named* if the rule finds enough support for it; the protector knows the truth, and so
how many of the named cells are right. A determines B if, at some level of support and confidence,

1. the rule is right for at least 95 % of the shown records that it names,
2. its errors are at most half of those of the most frequent B,
3. chance does not explain it: the binomial probability of so many correct names, if A told nothing, is below 1e-5,
4. at least 90 % of the hidden cells that it names are right, and at least one of them is not the most frequent B,
5. these are at least 5 % of the hidden cells (20 % for a number that is named within a tenth of its values only), or
   the rule has no exception among 100 shown records and more. Below that most attributes tell a little of each other.

The relation between A and B may be public, as that of a region and its code, though the release shows no example. So
the rules are also learnt from the original cells; a value of A must then occur in five other records, since no list
explains the numbers of households. The neighbours then tell the class of a number only, as a date of birth tells a
suppressed age. For cells that were changed and not suppressed (recoded, cut,
blurred) that is the only way, and the guess to compare with is the most frequent original value behind the released
one. If each value of A belongs to one B and each B to one A in 99 % of the original records, A is a *code* of B, and
whoever has the list of codes reads every hidden cell.

Members of one household are not independent examples of a public relation: where clusters are known, such a rule
leaves out the whole cluster of a record and counts other clusters, not records. A number whose values hardly repeat
has no list of codes: it is looked at in classes, or if it is a code itself.

Only single attributes are looked at; what combinations of attributes determine is not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Codes = NDArray[np.int64]
Mask = NDArray[np.bool_]

Rule = Literal["same value", "neighbours", "code"]

PRECISION, HIDDEN_PRECISION, CONFIDENCE, CODE, CHANCE = 0.95, 0.9, 0.9, 0.99, 1e-5
SHARE, COARSE_SHARE, ALWAYS, CODE_SUPPORT = 0.05, 0.2, 100, 5
_SUPPORTS = np.array([1, 2, 3, 5, 10, 20, 50])
_DENSE = 8
"""Counts are kept in a full table while it has at most so many cells for each record."""


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


@dataclass(frozen=True, slots=True)
class DerivableValues:
    """That a clue determines hidden cells of an attribute. Holds counts only, no value."""

    clue: str
    target: str
    suppressed: bool
    """Whether the hidden cells are empty; otherwise they were changed."""
    hidden: int
    named: int
    right: int
    """How many of the named cells are named correctly."""
    by: Rule
    public: bool
    """Whether the rule needs knowledge from outside of the release, such as a list of codes."""
    of: tuple[str, ...] = ()

    def __str__(self) -> str:
        what = "suppressed" if self.suppressed else "changed"
        return f"{self.clue} determines {self.right:,} of {self.hidden:,} {what} cells of {self.target}"

    def to_dict(self) -> dict[str, Any]:
        """Return it in words of JSON."""
        return {
            "attribute": self.target,
            "from": self.clue,
            "cells": "suppressed" if self.suppressed else "changed",
            "hidden": self.hidden,
            "named": self.named,
            "right": self.right,
            "rule": self.by,
            "needs_public_knowledge": self.public,
        }


def derivations(
    clues: Sequence[Clue], targets: Sequence[Target], clusters: Codes | None = None
) -> tuple[DerivableValues, ...]:
    """Return every clue that determines hidden cells of a target, at most once for a pair, in the given order.

    `clusters` has the household of each record as a number from 0, if the records have households.

    >>> region = np.array([0, 1, 2, 0, 1, 2] * 5)
    >>> hidden = np.arange(30) < 2
    >>> code = Clue("region_code", region[::-1][::-1] * 7 % 5)
    >>> print(*derivations([code], [Target("region", region, hidden, ~hidden)]))
    region_code determines 2 of 2 suppressed cells of region
    """
    found: dict[tuple[str, str, bool], DerivableValues] = {}
    for target in targets:
        if not target.hidden.any():
            continue
        lessons = _lessons(target, clusters)
        for clue in clues:
            if clue.name == target.name or target.name in clue.of:
                continue
            if any((name, target.name, target.is_suppressed) in found for name in clue.of):
                continue  # what it was counted from tells as much
            best = _best(clue, lessons)
            pair = clue.name, target.name, target.is_suppressed
            if best is not None and (pair not in found or best.right > found[pair].right):
                found[pair] = best
    return tuple(found.values())


class _Lesson:
    """The records from which rules about a target are learnt, and what somebody guesses who has no clue."""

    def __init__(self, target: Target, training: Mask, clusters: Codes | None = None, *, is_public: bool) -> None:
        self.target, self.training, self.is_public, self.clusters = target, training, is_public, clusters
        self.rows, self.secret = np.flatnonzero(training), np.flatnonzero(target.hidden)
        self.truth, self.values = target.truth[self.rows], int(target.truth.max()) + 1
        self.classes = target.classes if target.classes is not None else np.zeros(len(training), dtype=np.int64)
        self._cells, self._counts = np.unique(self.classes[self.rows] * self.values + self.truth, return_counts=True)
        of_class, number = self._cells // self.values, int(self.classes.max(initial=0)) + 1
        self._total = np.bincount(of_class, self._counts, minlength=number)
        by_size = np.lexsort((-self._cells, self._counts))
        self._usual = np.full(number, -1, dtype=np.int64)
        # The last one that is written stays: that of the largest count, and of those the smallest value.
        self._usual[of_class[by_size]] = self._cells[by_size] % self.values

    def usual(self, rows: Codes) -> Codes:
        """Return the most frequent value in the class of each record."""
        return self._usual[self.classes[rows]]

    def share(self, rows: Codes, values: Codes) -> NDArray[np.float64]:
        """Return how frequent a value is in the class of each record."""
        wanted = self.classes[rows] * self.values + values
        place = np.minimum(np.searchsorted(self._cells, wanted), len(self._cells) - 1)
        count = np.where(self._cells[place] == wanted, self._counts[place], 0)
        found: NDArray[np.float64] = count / np.maximum(self._total[self.classes[rows]], 1)
        return found


def _lessons(target: Target, clusters: Codes | None) -> list[_Lesson]:
    """Return what can be learnt from the release, and what from knowledge of the original cells.

    In the release a member that shows a value does tell it of the others: there each record is an example.
    """
    everything = (target.shown | target.hidden) & (target.truth >= 0)
    if not target.is_suppressed:
        return [_Lesson(target, target.hidden & everything, clusters, is_public=True)]
    return [
        *([_Lesson(target, target.shown, is_public=False)] if target.shown.any() else []),
        _Lesson(target, everything, clusters, is_public=True),
    ]


def _best(clue: Clue, lessons: Sequence[_Lesson]) -> DerivableValues | None:
    """Return how the clue determines the target: from the release alone if it can."""
    for lesson in lessons:
        if lesson.is_public and clue.is_drawn:
            continue
        target = lesson.target
        hidden = len(lesson.secret)
        found = [(named, right, by) for by, rule in _rules(clue, lesson) for named, right in _passed(rule, lesson)]
        if lesson.is_public and (read := _by_code(clue.groups, lesson)) is not None:
            found.append((*read, "code"))
        if found:
            named, right, by = max(found, key=lambda each: each[1])
            return DerivableValues(
                clue.name, target.name, target.is_suppressed, hidden, named, right, by, lesson.is_public, clue.of
            )
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Guess:
    """What a rule says of some records, each left out itself."""

    value: Codes
    """The guessed value, -1 where the rule says nothing."""
    support: Codes
    certain: Mask
    """Whether all supporting records agree."""


_Guesser = Callable[[Codes], _Guess]


def _rules(clue: Clue, lesson: _Lesson) -> Iterator[tuple[Rule, _Guesser]]:
    if not (lesson.is_public and lesson.target.is_continuous):
        yield "same value", _by_same_value(clue.groups, lesson)
    if clue.ranks is not None and (lesson.target.is_coarse or not (lesson.is_public and lesson.target.is_suppressed)):
        yield "neighbours", _by_neighbours(clue.ranks, lesson)


def _by_same_value(clue: Codes, lesson: _Lesson) -> _Guesser:
    """Guess the most frequent value among the other records of training with the same clue and the same class.

    Where the clue is empty an example in the release may tell something, but no list of codes does.
    """
    groups = clue + 1 if lesson.target.classes is None else _paired(clue + 1, lesson.classes)
    values, number = lesson.values, int(groups.max()) + 1
    cells = groups[lesson.rows] * values + lesson.truth
    inside = None if lesson.clusters is None else _InClusters(lesson.clusters, lesson.rows, cells, values)
    filled, counts = _counted(cells if inside is None else inside.cells, number * values)
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

    def guess(rows: Codes) -> _Guess:
        group = groups[rows]
        if inside is None:
            own = lesson.training[rows] & (lesson.target.truth[rows] == top_value[group])
            own_second, own_total = np.zeros(len(rows), dtype=bool), lesson.training[rows].astype(np.int64)
        else:
            own, own_second = (inside.has(rows, group * values + each[group]) for each in (top_value, second_value))
            own_total = inside.number(rows, group)
        support = total[group] - own_total
        other = own & (second[group] - own_second > top[group] - 1)
        count = np.where(other, second[group] - own_second, top[group] - own)
        sure = (support > 0) & (count >= CONFIDENCE * support)
        if lesson.is_public:
            sure &= clue[rows] >= 0
            if lesson.target.is_suppressed:
                sure &= support >= CODE_SUPPORT
        found = np.where(other, second_value[group], top_value[group])
        return _Guess(np.where(sure, found, -1), support, count == support)

    return guess


class _InClusters:
    """Cells (pairs of a group and a value), each counted once for a cluster, and what one cluster adds to them."""

    def __init__(self, clusters: Codes, rows: Codes, cells: Codes, values: int) -> None:
        self._clusters, self._values = clusters, values
        self._of, owner = np.unique(cells, return_inverse=True)  # few cells, so that the pairs stay small numbers
        self._width = len(self._of)
        self._pairs = np.unique(clusters[rows] * self._width + owner.reshape(-1))
        self.cells: Codes = self._of[self._pairs % self._width]
        self._groups, of_group = np.unique(self.cells // values, return_inverse=True)
        in_groups = self._pairs // self._width * len(self._groups) + of_group.reshape(-1)
        self._in_groups, self._numbers = np.unique(in_groups, return_counts=True)

    def has(self, rows: Codes, cells: Codes) -> Mask:
        """Return whether the cluster of each record has a cell."""
        place = np.minimum(np.searchsorted(self._of, cells), self._width - 1)
        found: Mask = np.isin(self._clusters[rows] * self._width + place, self._pairs) & (self._of[place] == cells)
        return found

    def number(self, rows: Codes, groups: Codes) -> Codes:
        """Return how many cells the cluster of each record adds to a group."""
        place = np.minimum(np.searchsorted(self._groups, groups), len(self._groups) - 1)
        wanted = self._clusters[rows] * len(self._groups) + place
        at = np.minimum(np.searchsorted(self._in_groups, wanted), len(self._in_groups) - 1)
        there = (self._groups[place] == groups) & (self._in_groups[at] == wanted)
        found: Codes = np.where(there, self._numbers[at], 0)
        return found


def _counted(numbers: Codes, limit: int) -> tuple[Codes, Codes]:
    """Return the different numbers in their order, and how often each occurs."""
    if limit > _DENSE * len(numbers):
        return np.unique(numbers, return_counts=True)
    table = np.bincount(numbers)
    filled = np.flatnonzero(table)
    return filled, table[filled]


def _by_neighbours(ranks: Codes, lesson: _Lesson) -> _Guesser:
    """Guess the value that all records have which are next in the order of the clue, on both sides.

    Records with the same value of the clue are not neighbours, and all those of one value count together: otherwise
    the order of the file would decide which of them come first.
    """
    width = int(ranks.max()) + 2
    place = lesson.classes * width + ranks + 1
    if lesson.target.classes is not None:
        place = _paired(lesson.classes, ranks + 1)
    known = ranks[lesson.rows] >= 0
    at, truth = place[lesson.rows][known], lesson.truth[known]
    limit = int(place.max()) + 1
    counts = np.bincount(at, minlength=limit)
    value, of_class = np.full(limit, -1, dtype=np.int64), np.full(limit, -1, dtype=np.int64)
    value[at], of_class[at] = truth, lesson.classes[lesson.rows][known]
    value[at[value[at] != truth]] = -1  # several values: such a place tells nothing
    only = np.full(limit, -1, dtype=np.int64)  # the cluster of a place, -1 if there are several
    if lesson.clusters is not None:
        members = lesson.clusters[lesson.rows][known]
        only[at] = members
        only[at[only[at] != members]] = -1
    filled = np.flatnonzero(counts)
    only = only[filled]
    number_below = np.concatenate([[0], np.cumsum(counts > 0)])
    value, of_class, counts = value[filled], of_class[filled], counts[filled]
    goes_on = (value[1:] == value[:-1]) & (value[1:] >= 0) & (of_class[1:] == of_class[:-1])
    first = np.concatenate([[0], np.flatnonzero(~goes_on) + 1])
    run = np.concatenate([[0], np.cumsum(~goes_on)])
    records = np.concatenate([[0], np.cumsum(counts)])
    starts, ends = records[first], records[np.append(first[1:], len(filled))]

    def guess(rows: Codes) -> _Guess:
        below, above = number_below[place[rows]] - 1, number_below[place[rows] + 1]
        inside = (below >= 0) & (above < len(filled)) & (ranks[rows] >= 0)
        below, above = np.where(inside, below, 0), np.where(inside, above, 0)
        own = lesson.classes[rows]
        agree = inside & (value[below] == value[above]) & (of_class[below] == own) & (of_class[above] == own)
        if lesson.clusters is not None:
            agree &= (only[below] != lesson.clusters[rows]) & (only[above] != lesson.clusters[rows])
        support = np.minimum(records[below + 1] - starts[run[below]], ends[run[above]] - records[above])
        return _Guess(np.where(agree, value[below], -1), support, np.ones(len(rows), dtype=bool))

    return guess if len(filled) > 1 else lambda rows: _Guess(np.full(len(rows), -1), rows, rows >= 0)


def _passed(rule: _Guesser, lesson: _Lesson) -> Iterator[tuple[int, int]]:
    """Yield named and correctly named hidden cells for each level at which the rule meets all conditions."""
    target = lesson.target
    named, hits, _, beyond, _ = _sums(rule, lesson, lesson.secret)
    passes = (hits >= HIDDEN_PRECISION * named) & (beyond >= 1)
    many = hits >= (COARSE_SHARE if target.is_coarse else SHARE) * len(lesson.secret)
    never_wrong = (hits == named) & (not target.is_coarse)
    if not (passes & (many | never_wrong)).any():
        return
    shown, right, by_mode, _, by_chance = _sums(rule, lesson, lesson.rows)
    passes &= (shown > 0) & (right >= PRECISION * shown) & (2 * (shown - right) <= shown - by_mode)
    passes &= many | (never_wrong & (right == shown) & (shown >= ALWAYS))
    for each in np.flatnonzero(passes):
        if _beyond(right[each], shown[each], max(by_mode[each], by_chance[each])):
            yield int(named[each]), int(hits[each])


def _sums(rule: _Guesser, lesson: _Lesson, rows: Codes) -> list[NDArray[np.float64]]:
    """Return how many of some records are named, rightly, by their mode, rightly beyond the mode, and by chance.

    One sum for each level: records of at least a support, first of any confidence, then of full confidence.
    """
    guess = rule(rows)
    tried = (guess.value >= 0) & (guess.support > 0)
    rows, value = rows[tried], guess.value[tried]
    truth, usual = lesson.target.truth[rows], lesson.usual(rows)
    levels = len(_SUPPORTS)
    at = np.searchsorted(_SUPPORTS, guess.support[tried], side="right") - 1 + levels * guess.certain[tried]
    right = value == truth
    found = []
    for weights in (None, right, usual == truth, right & (usual != truth), lesson.share(rows, value)):
        table = np.bincount(at, weights, minlength=2 * levels).astype(np.float64).reshape(2, levels)
        table[0] += table[1]
        found.append(table[:, ::-1].cumsum(axis=1)[:, ::-1].ravel())
    return found


def _by_code(clue: Codes, lesson: _Lesson) -> tuple[int, int] | None:
    """Return how many hidden cells are read, and how many rightly, if the clue is a code of the target.

    That is so if their values belong to each other one by one, with few exceptions. A pair that occurs once is one.
    """
    different, values = int(clue.max()) + 1, lesson.values
    if not different or different > 2 * values or values > 2 * different:
        return None
    there = clue[lesson.rows] >= 0
    group, truth = clue[lesson.rows][there], lesson.truth[there]
    cells = group * values + truth
    first = np.arange(len(cells))
    if lesson.clusters is not None:
        first = np.unique(_paired(lesson.clusters[lesson.rows][there], cells), return_index=True)[1]
    pairs, counts = _counted(cells[first], different * values)
    records = len(first)
    if records < 2 * len(pairs):
        return None
    one, two = pairs // values, pairs % values
    most_of_one, most_of_two = np.zeros(different), np.zeros(values)
    np.maximum.at(most_of_one, one, counts)
    np.maximum.at(most_of_two, two, counts)
    belong = (counts == most_of_one[one]) & (counts == most_of_two[two])
    matched, usual = int(counts[belong].sum()), int((lesson.usual(lesson.rows[there]) == truth)[first].sum())
    few = matched >= CODE * records and 2 * (records - matched) <= records - usual
    if not few or not _beyond(matched, records, usual):
        return None
    rows = lesson.secret[clue[lesson.secret] >= 0]
    hidden = lesson.target.truth[rows]
    right = np.isin(clue[rows] * values + hidden, pairs[belong])
    beyond = right & (lesson.usual(rows) != hidden)
    enough = right.sum() >= max(HIDDEN_PRECISION * len(rows), SHARE * len(lesson.secret))
    return (len(rows), int(right.sum())) if enough and beyond.any() else None


def _beyond(right: float, tried: float, by_chance: float) -> bool:
    """Return whether so many correct names are more than chance explains."""
    from scipy.special import bdtrc

    return by_chance < tried and float(bdtrc(int(right) - 1, int(tried), by_chance / tried)) <= CHANCE


def _paired(one: Codes, two: Codes) -> Codes:
    """Return one number from 0 for each pair of numbers."""
    found: Codes = np.unique(one * (int(two.max()) + 1) + two, return_inverse=True)[1].astype(np.int64).reshape(-1)
    return found
