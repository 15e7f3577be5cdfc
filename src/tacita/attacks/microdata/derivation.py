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
has no list of codes: it is looked at in classes, or if it is a code itself. In large files, attributes with very many
values are tried in a part of the records first (`windows`).

What several attributes determine together is looked for in `relations`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.lessons import (
    CODE,
    CODE_SUPPORT,
    Clue,
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
from tacita.attacks.microdata.windows import FEW_IN_WINDOWS, clue_in, lesson_in, rows_in_windows

DerivationRule = Literal[
    "same value",
    "neighbours",
    "code",
    "set",
    "near points",
    "sum",
    "product",
    "rounded copy",
    "birth date",
    "group total",
    "group factor",
    "hash",
]

PRECISION, HIDDEN_PRECISION, CHANCE = 0.95, 0.9, 1e-5
SHARE, COARSE_SHARE, ALWAYS = 0.05, 0.2, 100
_TOGETHER = ("set", "near points", "sum", "product", "group total", "group factor", "hash")
EXAMPLES = 5
"""Records of the release that a transcript names."""
_SUPPORTS = np.array([1, 2, 3, 5, 10, 20, 50])


Dependency = tuple[frozenset[str], str, bool]
"""Attributes, the target that they determine, and whether its hidden cells are suppressed."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """How hidden cells were read: the rule, what it was learnt from and how it fared. Holds no value."""

    rule: str
    learnt_from: int
    """Records that show the target."""
    tried: int
    """How many of them the rule names when they are left out."""
    right: int
    """How many of those correctly."""
    rows: tuple[int, ...]
    """Some records of the release, counted from 1, whose hidden cell is named correctly."""

    def to_dict(self) -> dict[str, Any]:
        """Return it in words of JSON."""
        return {
            "rule": self.rule,
            "learnt_from": self.learnt_from,
            "left_out": self.tried,
            "left_out_right": self.right,
            "rows": list(self.rows),
        }


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
    """The attributes that it was counted or calculated from, if it is not one attribute."""
    transcript: Transcript | None = None

    @property
    def dependency(self) -> Dependency:
        """What determines what."""
        return frozenset(self.attributes), self.target, self.suppressed

    @property
    def attributes(self) -> tuple[str, ...]:
        """The released attributes that tell."""
        return self.of or (self.clue,)

    def __str__(self) -> str:
        what = "suppressed" if self.suppressed else "changed"
        is_plural = len(self.of) > 1 or (self.by == "hash" and (self.clue,) != self.attributes)
        verb = "determine" if is_plural and self.by in _TOGETHER else "determines"
        return f"{self.clue} {verb} {self.right:,} of {self.hidden:,} {what} cells of {self.target}"

    def to_dict(self) -> dict[str, Any]:
        """Return it in words of JSON."""
        return {
            "attribute": self.target,
            "from": self.clue,
            "attributes": list(self.attributes),
            "cells": "suppressed" if self.suppressed else "changed",
            "hidden": self.hidden,
            "named": self.named,
            "right": self.right,
            "rule": self.by,
            "needs_public_knowledge": self.public,
            "transcript": None if self.transcript is None else self.transcript.to_dict(),
        }


def derivations(
    clues: Sequence[Clue],
    targets: Sequence[Target],
    clusters: Codes | None = None,
    *,
    known: Collection[Dependency] = (),
) -> tuple[DerivableValues, ...]:
    """Return every clue that determines hidden cells of a target, at most once for a pair, in the given order.

    `clusters` has the household of each record as a number from 0, if the records have households. What is `known` to
    determine a target is not looked at again, nor is a clue that was counted from it.

    >>> region = np.array([0, 1, 2, 0, 1, 2] * 5)
    >>> hidden = np.arange(30) < 2
    >>> code = Clue("region_code", region[::-1][::-1] * 7 % 5)
    >>> print(*derivations([code], [Target("region", region, hidden, ~hidden)]))
    region_code determines 2 of 2 suppressed cells of region
    """
    determined: dict[tuple[str, str, bool], DerivableValues] = {}
    windows = {clue.name: (clue_in(clue, rows), rows) for clue in clues if (rows := rows_in_windows(clue)) is not None}
    for target in targets:
        before = [one for one, *where in known if where == [target.name, target.is_suppressed]]
        if not target.hidden.any():
            continue
        lessons = lessons_of(target, clusters)
        silent = silent_clues(clues, lessons)
        for place, clue in enumerate(clues):
            if silent[place] or clue.name == target.name or target.name in clue.of:
                continue
            if any((name, target.name, target.is_suppressed) in determined for name in clue.of):
                continue  # what it was counted from tells as much
            if any(one <= {clue.name, *clue.of} for one in before):
                continue
            if clue.name in windows and not _may_tell(*windows[clue.name], lessons):
                continue
            best = _best(clue, lessons)
            pair = clue.name, target.name, target.is_suppressed
            if best is not None and (pair not in determined or best.right > determined[pair].right):
                determined[pair] = best
    return tuple(determined.values())


@dataclass(frozen=True, slots=True)
class RuleReading:
    """How many hidden cells a rule names at a level of support and confidence, and how it fares in shown ones."""

    by: DerivationRule
    named: int
    right: int
    tried: int
    tried_right: int
    rows: Codes
    """The hidden cells that are named correctly."""

    def derivation(self, clue: str, of: tuple[str, ...], lesson: Lesson) -> DerivableValues:
        """Return the reading as what it determines, with its transcript."""
        target = lesson.target
        rows = tuple(int(row) + 1 for row in self.rows[:EXAMPLES])
        sentence = _SENTENCES[self.by].format(clue=clue, target=target.name)
        transcript = Transcript(sentence, len(lesson.rows), self.tried, self.tried_right, rows)
        return DerivableValues(
            clue,
            target.name,
            target.is_suppressed,
            len(lesson.secret),
            self.named,
            self.right,
            self.by,
            lesson.is_public,
            of,
            transcript,
        )


_SENTENCES = {
    "same value": "The most frequent {target} among the records with the same value of {clue} is taken.",
    "set": "The most frequent {target} among the records with the same values of {clue} is taken.",
    "near points": "The {target} that the five records nearest to it by {clue} have in common is taken.",
    "neighbours": "The {target} that the records next to it in the order of {clue} have in common is taken.",
    "code": "Each value of {clue} belongs to one {target}: a list of codes gives it.",
}


def _best(clue: Clue, lessons: Sequence[Lesson]) -> DerivableValues | None:
    """Return how the clue determines the target: from the release alone if it can."""
    largest = int(np.bincount(clue.groups + 1).max(initial=0))
    for lesson in lessons:
        if lesson.is_public and clue.is_drawn:
            continue
        rules = _rules(clue, lesson, largest)
        readings = [reading for by, make in rules for reading in passed_readings(by, make, lesson)]
        if lesson.is_public and (read := _by_code(clue.groups, lesson)) is not None:
            readings.append(read)
        if readings:
            best = max(readings, key=lambda reading: reading.right)
            return best.derivation(clue.name, clue.of, lesson)
    return None


def _may_tell(clue: Clue, rows: Codes, lessons: Sequence[Lesson]) -> bool:
    """Return whether a clue names some hidden cells in the windows, and at least half of these rightly, at a level."""
    for lesson in lessons:
        if lesson.is_public and clue.is_drawn:
            continue
        part = lesson_in(lesson, rows)
        if part is None or (lesson.is_public and clue.groups.max() < 2 * lesson.values):  # it may be a code
            return True
        largest = int(np.bincount(clue.groups + 1).max(initial=0))
        for _, make in _rules(clue, part, largest):
            answers = _Answers(make(True), part, part.secret)
            hits = answers.sums(answers.right)
            enough = max(1, FEW_IN_WINDOWS * len(part.secret))
            if ((hits >= enough) & (2 * hits >= answers.sums(None))).any():
                return True
    return False


_RuleMaker = Callable[[bool], Guesser]
"""Makes a rule; if True is given, one that can be asked about hidden cells only."""


def _rules(clue: Clue, lesson: Lesson, largest: int) -> Iterator[tuple[DerivationRule, _RuleMaker]]:
    """Yield the rules that may name a cell; `largest` is how many records have the most frequent value of the clue."""
    needed = CODE_SUPPORT if lesson.is_public and lesson.target.is_suppressed else 1
    if not (lesson.is_public and lesson.target.is_continuous) and largest > needed:
        yield "same value", lambda for_hidden: same_value_rule(clue.groups, lesson, for_hidden=for_hidden)
    ranks = clue.ranks
    if ranks is not None and (lesson.target.is_coarse or not (lesson.is_public and lesson.target.is_suppressed)):
        rule = neighbours_rule(ranks, lesson)
        yield "neighbours", lambda for_hidden: rule


def passed_readings(by: DerivationRule, make: _RuleMaker, lesson: Lesson) -> Iterator[RuleReading]:
    """Yield what a rule reads at each level at which it meets all conditions."""
    target = lesson.target
    of_hidden = make(True)
    reading = _Answers(of_hidden, lesson, lesson.secret)
    named, hits = reading.sums(None), reading.sums(reading.right)
    many = hits >= (COARSE_SHARE if target.is_coarse else SHARE) * len(lesson.secret)
    never_wrong = (hits == named) & (not target.is_coarse)
    passes = (hits >= HIDDEN_PRECISION * named) & (hits >= 1) & (many | never_wrong)
    if not passes.any():
        return  # so are nearly all: what costs time comes after it
    passes &= reading.sums(reading.right & ~reading.is_usual) >= 1
    if not passes.any():
        return
    trial = _Answers(make(False), lesson, lesson.rows)
    shown, right, by_mode = trial.sums(None), trial.sums(trial.right), trial.sums(trial.is_usual)
    by_chance = trial.sums(lesson.share(trial.rows, trial.value))
    passes &= (shown > 0) & (right >= PRECISION * shown) & (2 * (shown - right) <= shown - by_mode)
    passes &= many | ((right == shown) & (shown >= ALWAYS))
    for level in np.flatnonzero(passes):
        if beyond_chance(right[level], shown[level], max(by_mode[level], by_chance[level])):
            rows = _named_rightly(of_hidden, lesson, int(level))
            yield RuleReading(by, int(named[level]), int(hits[level]), int(shown[level]), int(right[level]), rows)


def _named_rightly(rule: Guesser, lesson: Lesson, level: int) -> Codes:
    """Return the hidden cells that a rule names correctly at a level: one of `_Answers`."""
    guess = rule(lesson.secret)
    named = (guess.support >= _SUPPORTS[level % len(_SUPPORTS)]) & (guess.certain | (level < len(_SUPPORTS)))
    rows: Codes = lesson.secret[named & (guess.value >= 0) & (guess.value == lesson.target.truth[lesson.secret])]
    return rows


class _Answers:
    """What a rule says of some records, by level: at least a support, first of any confidence, then of full one."""

    def __init__(self, rule: Guesser, lesson: Lesson, rows: Codes) -> None:
        guess = rule(rows)
        tried = (guess.value >= 0) & (guess.support > 0)
        self.rows, self.value, self._lesson = rows[tried], guess.value[tried], lesson
        self.right = self.value == lesson.target.truth[self.rows]
        levels = len(_SUPPORTS)
        self._at = np.searchsorted(_SUPPORTS, guess.support[tried], side="right") - 1 + levels * guess.certain[tried]

    @property
    def is_usual(self) -> Mask:
        """Whether the truth is what somebody says who has no clue: the most frequent value of the class."""
        usual: Mask = self._lesson.usual(self.rows) == self._lesson.target.truth[self.rows]
        return usual

    def sums(self, weights: Mask | NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return a sum over the records of each level."""
        levels = len(_SUPPORTS)
        table = np.bincount(self._at, weights, minlength=2 * levels).astype(np.float64).reshape(2, levels)
        table[0] += table[1]
        return table[:, ::-1].cumsum(axis=1)[:, ::-1].ravel()


def _by_code(clue: Codes, lesson: Lesson) -> RuleReading | None:
    """Return which hidden cells are read if the clue is a code of the target.

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
    if not few or not beyond_chance(matched, records, usual):
        return None
    rows = lesson.secret[clue[lesson.secret] >= 0]
    hidden = lesson.target.truth[rows]
    right = np.isin(clue[rows] * values + hidden, pairs[belong])
    beyond = right & (lesson.usual(rows) != hidden)
    enough = right.sum() >= max(HIDDEN_PRECISION * len(rows), SHARE * len(lesson.secret))
    if not enough or not beyond.any():
        return None
    return RuleReading("code", len(rows), int(right.sum()), records, matched, rows[right])


def beyond_chance(right: float, tried: float, by_chance: float, rules: int = 1) -> bool:
    """Return whether so many correct names are more than chance explains, if so many rules were tried."""
    from scipy.special import bdtrc

    return by_chance < tried and float(bdtrc(int(right) - 1, int(tried), by_chance / tried)) * rules <= CHANCE
