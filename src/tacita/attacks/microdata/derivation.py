"""Reading hidden cells from single attributes that stay: copies, codes, weights of strata, bands of a number.

An intruder who sees an attribute A in every record and an attribute B in most of them learns a rule from the records
that show both, and applies it to the cells of B that were suppressed. Two rules are tried (`lessons`):

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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.lessons import (
    CODE,
    Clue,
    Codes,
    Guesser,
    Lesson,
    Target,
    counted_numbers,
    lessons_of,
    neighbours_rule,
    pair_numbers,
    same_value_rule,
)
from tacita.attacks.microdata.silent_clues import silent_clues

DerivationRule = Literal["same value", "neighbours", "code"]

PRECISION, HIDDEN_PRECISION, CHANCE = 0.95, 0.9, 1e-5
SHARE, COARSE_SHARE, ALWAYS = 0.05, 0.2, 100
_SUPPORTS = np.array([1, 2, 3, 5, 10, 20, 50])


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
    by: DerivationRule
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
    determined: dict[tuple[str, str, bool], DerivableValues] = {}
    for target in targets:
        if not target.hidden.any():
            continue
        lessons = lessons_of(target, clusters)
        silent = silent_clues(clues, lessons)
        for place, clue in enumerate(clues):
            if silent[place] or clue.name == target.name or target.name in clue.of:
                continue
            if any((name, target.name, target.is_suppressed) in determined for name in clue.of):
                continue  # what it was counted from tells as much
            best = _best(clue, lessons)
            pair = clue.name, target.name, target.is_suppressed
            if best is not None and (pair not in determined or best.right > determined[pair].right):
                determined[pair] = best
    return tuple(determined.values())


def _best(clue: Clue, lessons: Sequence[Lesson]) -> DerivableValues | None:
    """Return how the clue determines the target: from the release alone if it can."""
    for lesson in lessons:
        if lesson.is_public and clue.is_drawn:
            continue
        target = lesson.target
        hidden = len(lesson.secret)
        readings = [(named, right, by) for by, rule in _rules(clue, lesson) for named, right in _passed(rule, lesson)]
        if lesson.is_public and (read := _by_code(clue.groups, lesson)) is not None:
            readings.append((*read, "code"))
        if readings:
            named, right, by = max(readings, key=lambda reading: reading[1])
            return DerivableValues(
                clue.name, target.name, target.is_suppressed, hidden, named, right, by, lesson.is_public, clue.of
            )
    return None


def _rules(clue: Clue, lesson: Lesson) -> Iterator[tuple[DerivationRule, Guesser]]:
    if not (lesson.is_public and lesson.target.is_continuous):
        yield "same value", same_value_rule(clue.groups, lesson)
    if clue.ranks is not None and (lesson.target.is_coarse or not (lesson.is_public and lesson.target.is_suppressed)):
        yield "neighbours", neighbours_rule(clue.ranks, lesson)


def _passed(rule: Guesser, lesson: Lesson) -> Iterator[tuple[int, int]]:
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
    for level in np.flatnonzero(passes):
        if _beyond(right[level], shown[level], max(by_mode[level], by_chance[level])):
            yield int(named[level]), int(hits[level])


def _sums(rule: Guesser, lesson: Lesson, rows: Codes) -> list[NDArray[np.float64]]:
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
    sums = []
    for weights in (None, right, usual == truth, right & (usual != truth), lesson.share(rows, value)):
        table = np.bincount(at, weights, minlength=2 * levels).astype(np.float64).reshape(2, levels)
        table[0] += table[1]
        sums.append(table[:, ::-1].cumsum(axis=1)[:, ::-1].ravel())
    return sums


def _by_code(clue: Codes, lesson: Lesson) -> tuple[int, int] | None:
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
        first = np.unique(pair_numbers(lesson.clusters[lesson.rows][there], cells), return_index=True)[1]
    pairs, counts = counted_numbers(cells[first], different * values)
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
