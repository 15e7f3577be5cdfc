"""Hidden numbers that follow from a total of their group: the income of one member of a household from its total.

The members of a group are those with the same household key, or with the same total: a total of several numbers is
hardly ever the same in two households. If the released attribute is the sum (or the mean, the largest, the smallest) of
the numbers of its group, the one number that is hidden in a group follows from the others. A number that is shown is
calculated in the same way from the others, so that it is seen how often that is right. If a number is hidden in nearly
every group, nobody can see that; but what a total means is public, and so it is taken from the original numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue
from tacita.attacks.microdata.relations.numbers import Numbers, NumericLesson, ReleasedFormula, ReleasedNumbers

MOST_KEYS, MOST_TOTALS = 8, 40
_GROUPS, _LARGEST = 20, 60
_SAME = 1e-9
_KEPT = 0.9
"""Share of the groups without a hidden number that must keep the rule."""
_FIRST = 200
"""Records of a sample by which it is seen at once that an attribute differs within groups."""
_PROMISING, _SAMPLE = 0.8, 400
"""Share of the groups of a sample that must keep it, and the groups of that sample."""
_SMALLEST = 1.05
"""Records that a group of a key has on average."""


@dataclass(frozen=True, slots=True, eq=False)
class _Groups:
    """The records of a lesson in groups: for each record what is known of the others of its group."""

    number: Codes
    """The group of each record, -1 if it has none."""
    size: Codes
    """By group: its records."""
    unknown: Codes
    """By group: its records whose number is not known."""
    total: Numbers
    """By group: the sum of the known numbers."""

    @property
    def complete(self) -> Codes:
        """The groups of several records of which all numbers are known."""
        return np.flatnonzero((self.unknown == 0) & (self.size > 1))


def group_totals(
    lesson: NumericLesson, columns: Sequence[ReleasedNumbers], clues: Sequence[Clue]
) -> Iterator[ReleasedFormula]:
    """Yield attributes that are totals of groups, with the number of each record as the others leave it.

    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> income, home = np.random.default_rng(3).integers(1, 9000, 300).astype(float), np.arange(300) // 3
    >>> hidden = np.arange(300) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("income", income, hidden, ~hidden, True))
    >>> total = ReleasedNumbers("of_household", np.bincount(home, income)[home])
    >>> [formula.sentence for formula in group_totals(lesson, [total], [Clue("home", home)])]
    ['of_household is the sum of income in the records with the same home']
    """
    target = lesson.target
    seen = np.where(target.shown | ~target.hidden, target.truth, np.nan)
    by_name = {clue.name: clue for clue in clues}
    keys = [clue for clue in clues if _is_key(clue.groups) and clue.name != target.name][:MOST_KEYS]
    samples: dict[str, Codes] = {}
    for column in columns[:MOST_TOTALS]:
        own = by_name.get(column.name)
        wanted = [clue for clue in keys if clue.name != column.attribute]
        wanted += [own] if own is not None and _is_key(own.groups) else []
        for clue in wanted:
            if clue.name not in samples:
                samples[clue.name] = _some_groups(clue.groups)
            formula = None
            if _is_promising(lesson, column, clue, samples[clue.name]):
                formula = _formula(lesson, column, clue, seen)
            if formula is not None:
                yield formula
                break


def _some_groups(groups: Codes) -> Codes:
    """Return the records of some groups, spread over all."""
    number = int(groups.max()) + 1
    is_chosen = np.zeros(number + 1, dtype=bool)
    is_chosen[: number : max(1, number // _SAMPLE)] = True
    return np.flatnonzero(is_chosen[groups])


def _is_promising(lesson: NumericLesson, column: ReleasedNumbers, clue: Clue, rows: Codes) -> bool:
    """Return whether an attribute is the total of most of some groups, by what the numbers are or were."""
    values = column.values[rows]
    if clue.name != column.name and not _is_constant(values[:_FIRST], clue.groups[rows[:_FIRST]]):
        return False
    truth = lesson.target.truth[rows]
    groups = np.unique(clue.groups[rows], return_inverse=True)[1].reshape(-1)
    part = _grouped(groups, truth)
    released = np.full(len(part.size), np.nan)
    released[groups] = values
    if len(part.complete) < _GROUPS // 2 or np.mean(released[groups] == values) < _KEPT:
        return False
    near = lesson.unit + _SAME * np.abs(released[part.complete])
    return any(
        np.mean(np.abs(whole(part, truth) - released)[part.complete] <= near) >= _PROMISING for _, whole, _ in _RULES
    )


def _is_constant(values: Numbers, groups: Codes) -> bool:
    """Return whether some records of the same group nearly always have the same value."""
    order = np.argsort(groups, kind="stable")
    same = groups[order[1:]] == groups[order[:-1]]
    equal = values[order[1:]] == values[order[:-1]]
    return bool(same.any()) and bool(equal[same].mean() >= _PROMISING)


def _is_key(groups: Codes) -> bool:
    """Return whether values are shared by few records."""
    number, there = int(groups.max(initial=-1)) + 1, int((groups >= 0).sum())
    return number >= _GROUPS and _SMALLEST * number <= there <= _LARGEST * number


def _grouped(groups: Codes, known: Numbers) -> _Groups:
    number, there = int(groups.max()) + 1, groups >= 0
    shown = there & np.isfinite(known)
    size = np.bincount(groups[there], minlength=number)
    return _Groups(
        groups,
        size,
        size - np.bincount(groups[shown], minlength=number),
        np.bincount(groups[shown], known[shown], minlength=number).astype(np.float64),
    )


def _formula(lesson: NumericLesson, column: ReleasedNumbers, clue: Clue, seen: Numbers) -> ReleasedFormula | None:
    """Return the rule that gives the numbers of groups without a hidden one, with what it says of each record."""
    groups = _grouped(clue.groups, seen)
    teaches, is_public = groups, len(groups.complete) < _GROUPS
    known = seen
    if is_public:
        known = lesson.target.truth
        teaches = _grouped(clue.groups, known)
    complete = teaches.complete
    if len(complete) < _GROUPS:
        return None
    there = (groups.number >= 0) & np.isfinite(column.values)
    released = np.full(len(groups.size), np.nan)
    released[groups.number[there]] = column.values[there]
    for word, whole, rest in _RULES:
        missed = np.abs(whole(teaches, known)[complete] - released[complete])
        if np.mean(missed <= lesson.unit + _SAME * np.abs(released[complete])) < _KEPT:
            continue
        group = np.maximum(groups.number, 0)
        values = np.full(len(seen), np.nan)
        for part, numbers, rows in ((groups, seen, lesson.target.hidden), (teaches, known, ~lesson.target.hidden)):
            # One number may be unknown: that of the record itself.
            is_alone = (part.unknown[group] - ~np.isfinite(numbers) == 0) & (groups.number >= 0) & rows
            with np.errstate(invalid="ignore"):
                given = rest(released[group], groups.size[group], _others(part, numbers))
            values = np.where(is_alone, given, values)
        sentence = f"{column.name} is the {word} of {lesson.target.name} in the records with the same {clue.name}"
        names = tuple(dict.fromkeys((column.attribute, clue.name)))
        return ReleasedFormula(names, sentence, values, lesson.unit / 2, "group total", is_public=is_public)
    return None


@dataclass(frozen=True, slots=True, eq=False)
class _Others:
    """By record: what the known numbers of the other records of its group come to."""

    total: Numbers
    largest: Numbers
    smallest: Numbers


def _others(groups: _Groups, known: Numbers) -> _Others:
    group = np.maximum(groups.number, 0)
    total = groups.total[group] - np.nan_to_num(known)
    return _Others(total, _extreme(groups, known, np.inf), -_extreme(groups, -known, np.inf))


def _extreme(groups: _Groups, known: Numbers, none: float) -> Numbers:
    """Return the largest known number among the others of the group of each record."""
    there = np.flatnonzero((groups.number >= 0) & np.isfinite(known))
    order = there[np.lexsort((known[there], groups.number[there]))]
    number = len(groups.size)
    first, second = np.full(number, -none), np.full(number, -none)
    place = np.full(number, -1, dtype=np.int64)
    own = groups.number[order]
    ends = np.flatnonzero(np.concatenate([own[1:] != own[:-1], np.ones(min(1, len(own)), dtype=bool)]))
    first[own[ends]], place[own[ends]] = known[order[ends]], order[ends]
    before = ends[(ends > 0)]
    before = before[own[before - 1] == own[before]]
    second[own[before]] = known[order[before - 1]]
    group = np.maximum(groups.number, 0)
    return np.where(place[group] == np.arange(len(known)), second[group], first[group])


def _largest(groups: _Groups, known: Numbers) -> Numbers:
    largest = np.full(len(groups.size), -np.inf)
    there = (groups.number >= 0) & np.isfinite(known)
    np.maximum.at(largest, groups.number[there], known[there])
    return largest


_Whole = Callable[[_Groups, Numbers], Numbers]
_Rest = Callable[[Numbers, Codes, _Others], Numbers]

_RULES: tuple[tuple[str, _Whole, _Rest], ...] = (
    ("sum", lambda groups, known: groups.total, lambda value, size, others: value - others.total),
    ("mean", lambda groups, known: groups.total / groups.size, lambda value, size, others: value * size - others.total),
    ("largest", _largest, lambda value, size, others: np.where(value > others.largest, value, np.nan)),
    (
        "smallest",
        lambda groups, known: -_largest(groups, -known),
        lambda value, size, others: np.where(value < others.smallest, value, np.nan),
    ),
)
