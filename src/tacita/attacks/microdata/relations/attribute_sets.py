"""Sets of attributes that determine hidden cells together, although none of them does alone.

A street and an age group may give the district, a stratum and a weight the region. The intruder takes the most frequent
value of the target among the records that are like the hidden one in all attributes of a set. Many sets can be tried,
and in small groups everything looks determined; so a set counts only for what it adds. It determines a target if, at
some level of support and confidence,

1. the rule is right for at least 95 % of the shown records that it names, each left out in turn,
2. its errors are at most half of those that the most frequent value in any smaller set makes in the same records,
3. chance does not explain it: the binomial probability of so many correct names, at the rate of the best smaller set,
   is below 1e-5 divided by the number of sets that were tried (Bonferroni),
4. at least 90 % of the hidden cells that it names are right,
5. at least 5 % of the hidden cells are named correctly that the best smaller set gets wrong; fewer (but one) are enough
   if the rule has no exception at all, in 100 shown records and more and in the hidden cells.

Supersets of a set that determines the target are not reported. Candidates come from `set_screen`. The rules are learnt
as in `derivation`: from the shown cells and, where values are hardly shown at all, from the original ones as public
knowledge. Classes of numbers are not looked at here, nor are counts in households. `ATTRIBUTES` and `SETS` bound the
work, and what that leaves out is told.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.derivation import (
    ALWAYS,
    HIDDEN_PRECISION,
    PRECISION,
    SHARE,
    Dependency,
    DerivableValues,
    RuleReading,
    beyond_chance,
)
from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.lessons import (
    CODE_SUPPORT,
    Clue,
    Guess,
    Guesser,
    Lesson,
    Target,
    lessons_of,
    pair_numbers,
    same_value_rule,
)
from tacita.attacks.microdata.relations.set_screen import (
    ClueIndex,
    PromisingSet,
    has_few_values,
    largest_size,
    number_of_sets,
    promising_sets,
)

ATTRIBUTES = 39
"""Attributes that are combined for one target."""
SETS = {2: 10_000, 3: 10_000, 4: 1_500}
"""How many sets there may be, by the number of attributes that the largest of them have."""
MOST_TRIED = 40
"""Promising sets of one target that are tried on all records."""
_RANKED = 1_000
"""Records by which attributes are ranked where there are too many."""
_SUPPORTS = (1, 2, 3, 5, 10, 20)


@dataclass(frozen=True, slots=True)
class SetSearch:
    """What sets determine, and what was not looked at."""

    derivations: tuple[DerivableValues, ...]
    sets: int
    """How many sets were looked at, of all targets."""
    notes: tuple[str, ...]


def set_derivations(
    clues: Sequence[Clue],
    targets: Sequence[Target],
    clusters: Codes | None = None,
    *,
    known: Collection[Dependency] = (),
) -> SetSearch:
    """Return every smallest set of attributes that determines hidden cells of a target.

    Sets that hold one that is `known` to determine the target are left out.

    >>> random = np.random.default_rng(1)
    >>> street, group, hidden = random.integers(0, 6, 900), random.integers(0, 5, 900), np.arange(900) % 20 == 0
    >>> clues = [Clue("street", street), Clue("age_group", group), Clue("sex", random.integers(0, 2, 900))]
    >>> print(*set_derivations(clues, [Target("district", street * group % 7, hidden, ~hidden)]).derivations)
    street and age_group determine 45 of 45 suppressed cells of district
    """
    usable = [clue for clue in clues if not clue.of and clue.groups.max(initial=-1) > 0]
    targets = [t for t in targets if t.hidden.any() and not t.is_coarse and t.truth.max(initial=-1) > 0]
    if len(usable) < 2 or not targets:
        return SetSearch((), 0, ())
    indices: dict[str, ClueIndex] = {}
    derivations: list[DerivableValues] = []
    notes: dict[str, None] = {}
    sets = 0
    for target in targets:
        search = _TargetSearch(target, usable, clusters, known, indices)
        derivations += search.derivations()
        sets += search.sets
        notes |= dict.fromkeys(search.notes)
    return SetSearch(tuple(derivations), sets, tuple(notes))


class _TargetSearch:
    """The search for sets that determine one target."""

    def __init__(
        self,
        target: Target,
        clues: Sequence[Clue],
        clusters: Codes | None,
        known: Collection[Dependency],
        indices: dict[str, ClueIndex],
    ) -> None:
        self.target, self.notes, self.sets = target, list[str](), 0
        self._lessons = [lesson for lesson in lessons_of(target, clusters) if _is_needed(lesson)]
        self._known = [names for names, *where in known if where == [target.name, target.is_suppressed]]
        free = [clue for clue in clues if clue.name != target.name and frozenset({clue.name}) not in self._known]
        self._indices = indices
        self._clues = self._chosen([clue for clue in free if self._has_twins(clue)])

    def derivations(self) -> Iterator[DerivableValues]:
        """Yield what sets determine, from the release alone where that is enough."""
        determined = list(self._known)
        for lesson in self._lessons:
            clues = [clue for clue in self._clues if not (lesson.is_public and clue.is_drawn)]
            size = largest_size(len(clues), SETS)
            if size < min(SETS) or (lesson.is_public and len(determined) > len(self._known)):
                continue
            number = number_of_sets(len(clues), size)
            self.sets += number
            promising = promising_sets(clues, self._index, lesson, size)
            if len(promising) > MOST_TRIED:
                self.notes.append(
                    f"{len(promising) - MOST_TRIED:,} sets of attributes that look as if they told {self.target.name} "
                    "were not tried on all records"
                )
            for candidate in _smallest_first(promising):
                members = [clues[place] for place in candidate.places]
                names = frozenset(clue.name for clue in members)
                if any(smaller <= names for smaller in determined):
                    continue
                reading = _reading(members, lesson, number)
                if reading is not None:
                    determined.append(names)
                    in_order = tuple(clue.name for clue in members)
                    yield reading.derivation(_listed(in_order), in_order, lesson)

    def _index(self, clue: Clue, rows: Codes) -> ClueIndex:
        if not has_few_values(clue.groups):
            return ClueIndex.of(clue.groups, rows)
        if clue.name not in self._indices:
            self._indices[clue.name] = ClueIndex.of(clue.groups)
        return self._indices[clue.name]

    def _has_twins(self, clue: Clue) -> bool:
        """Return whether enough hidden records share their value of a clue with another record."""
        counts = np.bincount(clue.groups + 1)
        counts[0] = 0
        return bool((counts[clue.groups[self.target.hidden] + 1] > 1).mean() >= SHARE / 2)

    def _chosen(self, clues: list[Clue]) -> list[Clue]:
        """Return as many clues as can be combined: those that tell most of the target by themselves."""
        if len(clues) <= ATTRIBUTES:
            return clues
        self.notes.append(
            f"sets of attributes were looked at among {ATTRIBUTES} of {len(clues):,} attributes only: those that tell "
            f"most of {self.target.name} by themselves"
        )
        rows = self._lessons[0].rows if self._lessons else np.empty(0, dtype=np.int64)
        rows = rows[:: max(1, len(rows) // _RANKED)]
        values = int(self.target.truth.max()) + 1
        truth = self.target.truth[rows]

        def share_named(clue: Clue) -> float:
            groups = clue.groups[rows] + 1
            pairs, counts = np.unique(groups * values + truth, return_counts=True)
            top = np.zeros(int(groups.max(initial=0)) + 1, dtype=np.int64)
            np.maximum.at(top, pairs // values, counts)
            return float(top.sum() - (top > 0).sum())  # a group of one record tells nothing

        best = sorted(range(len(clues)), key=lambda place: (-share_named(clues[place]), place))[:ATTRIBUTES]
        return [clues[place] for place in sorted(best)]


def _is_needed(lesson: Lesson) -> bool:
    """Return whether a lesson can teach what the release does not: values of which hardly an example is shown."""
    target = lesson.target
    if not lesson.is_public or not target.is_suppressed:
        return not (lesson.is_public and target.is_continuous)
    hidden = np.bincount(target.truth[lesson.secret], minlength=lesson.values)
    shown = np.bincount(lesson.truth, minlength=lesson.values) - hidden
    unseen = int(hidden[(shown <= hidden) & (hidden > CODE_SUPPORT)].sum())
    return not target.is_continuous and unseen >= SHARE * len(lesson.secret)


def _smallest_first(promising: Sequence[PromisingSet]) -> list[PromisingSet]:
    return sorted(promising[:MOST_TRIED], key=lambda one: len(one.places))


def _listed(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _reading(members: Sequence[Clue], lesson: Lesson, tried: int) -> RuleReading | None:
    """Return what a set reads at the best level at which it meets all conditions; None if there is no such level."""
    whole = _joint([clue.groups for clue in members])
    rule = same_value_rule(whole, lesson)
    smaller = [
        same_value_rule(_joint([clue.groups for clue in some]), lesson, confidence=0.0)
        for size in range(1, len(members))
        for some in combinations(members, size)
    ]
    hidden = _Named.of(rule, smaller, lesson, lesson.secret, whole)
    shown: _Named | None = None
    best: RuleReading | None = None
    for support in _SUPPORTS:
        for only_certain in (False, True):
            at = hidden.level(support, only_certain)
            named, right, new = int(at.sum()), int(hidden.right[at].sum()), hidden.new(at)
            many = new >= SHARE * len(lesson.secret)
            if not new or right < HIDDEN_PRECISION * named or not (many or right == named):
                continue
            shown = shown or _Named.of(rule, smaller, lesson, lesson.rows, whole)
            there = shown.level(support, only_certain)
            tried_, hits = int(there.sum()), int(shown.right[there].sum())
            by_others = max(float(others[there].sum()) for others in (*shown.by_others, shown.share))
            if hits < PRECISION * tried_ or 2 * (tried_ - hits) > tried_ - by_others:
                continue
            if not many and (only_certain or hits < tried_ or tried_ < ALWAYS):
                continue
            if beyond_chance(hits, tried_, by_others, tried) and (best is None or right > best.right):
                rows = lesson.secret[at & hidden.right]
                best = RuleReading("set", named, right, tried_, hits, rows)
    return best


@dataclass(frozen=True, slots=True, eq=False)
class _Named:
    """What a set and all smaller ones say of some records."""

    guess: Guess
    right: Mask
    by_others: tuple[Mask, ...]
    """For each smaller set, the empty one among them, whether its most frequent value is right."""
    share: NDArray[np.float64]
    """How frequent the guessed value is."""

    @classmethod
    def of(cls, rule: Guesser, smaller: Sequence[Guesser], lesson: Lesson, rows: Codes, whole: Codes) -> _Named:
        guess = rule(rows)
        guess = Guess(np.where(whole[rows] >= 0, guess.value, -1), guess.support, guess.certain)
        truth = lesson.target.truth[rows]
        by_others = (lesson.usual(rows) == truth, *(other(rows).value == truth for other in smaller))
        right = (guess.value >= 0) & (guess.value == truth)
        share = lesson.share(rows, np.maximum(guess.value, 0))
        return cls(guess, right, by_others, share)

    def new(self, at: Mask) -> int:
        """Return how many records are named correctly that the best smaller set gets wrong."""
        right = at & self.right
        return min(int((right & ~others).sum()) for others in self.by_others)

    def level(self, support: int, only_certain: bool) -> Mask:
        """Return which records are named at a level."""
        named = (self.guess.value >= 0) & (self.guess.support >= support)
        return named & self.guess.certain if only_certain else named


def _joint(groups: Sequence[Codes]) -> Codes:
    """Return one number from 0 for each combination of values, -1 where one of them is empty."""
    joint = groups[0]
    for other in groups[1:]:
        both = (joint >= 0) & (other >= 0)
        joint = np.where(both, pair_numbers(np.maximum(joint, 0), np.maximum(other, 0)), -1)
    return joint
