"""Hidden numbers that are a multiple of a released one, with a factor for each group: amounts in several currencies.

An amount in euro follows from the amount in local currency and the currency, though no attribute has the rate: it is
learnt from the records of the currency that show both. So does a price that is a fixed amount higher in each region.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.lessons import Clue
from tacita.attacks.microdata.relations.numbers import Numbers, NumericLesson, ReleasedFormula, ReleasedNumbers

MOST_GROUPINGS, MOST_NUMBERS = 24, 24
_FEWEST, _MOST = 2, 200
"""Groups of a grouping."""
_LEAST = 3
_KEPT, _GROUPED = 0.9, 0.5
"""Shares of the records of a sample that must be near to the rule of their group, and that must have one."""
_TWINS, _ALIKE = 60, 0.7
"""Pairs of records of one group that are compared first, and the share of them that must be near to each other."""
_NEARER = 4
"""By how much nearer the rule of the group must be than one rule for all."""


def group_factors(
    lesson: NumericLesson, columns: Sequence[ReleasedNumbers], clues: Sequence[Clue]
) -> Iterator[ReleasedFormula]:
    """Yield attributes of which the target is a multiple, or from which it differs by a constant, in each group.

    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> random = np.random.default_rng(3)
    >>> euro, currency = random.lognormal(8, 1, 600).round(2), random.integers(0, 4, 600)
    >>> hidden = np.arange(600) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("euro", euro, hidden, ~hidden, True))
    >>> local = ReleasedNumbers("local", (euro * np.array([1, 1.1, 160.3, 0.84])[currency]).round(2))
    >>> [formula.sentence for formula in group_factors(lesson, [local], [Clue("currency", currency)])]
    ['euro is local times a factor of each currency']
    """
    rows, truth = lesson.sample, lesson.target.truth[lesson.sample]
    usable = [clue for clue in clues if _is_grouping(clue.groups) and clue.name != lesson.target.name]
    groupings = [(clue, _twins(clue.groups[rows])) for clue in usable[:MOST_GROUPINGS]]
    for column in columns[:MOST_NUMBERS]:
        values = column.values[rows]
        for is_factor in (True, False):
            apart, near = _apart(values, truth, lesson.unit, is_factor=is_factor)
            for clue, (some, others) in groupings:
                if clue.name == column.name or not len(some):
                    continue
                is_near = np.abs(apart[some] - apart[others]) <= near[some] + near[others]
                if is_near.mean() >= _ALIKE and _may_hold(apart, near, clue.groups[rows]):
                    yield _formula(lesson, column, clue, is_factor=is_factor)


def _twins(groups: Codes) -> tuple[Codes, Codes]:
    """Return places of two records of the same group each, for some records."""
    order = np.argsort(groups, kind="stable")
    same = (groups[order[1:]] == groups[order[:-1]]) & (groups[order[1:]] >= 0)
    pairs = np.flatnonzero(same)
    pairs = pairs[:: max(1, len(pairs) // _TWINS)]
    return order[pairs], order[pairs + 1]


def _apart(values: Numbers, truth: Numbers, unit: float, *, is_factor: bool) -> tuple[Numbers, Numbers]:
    """Return the factor, as a logarithm, or the difference of each record, and how exactly it is known."""
    if not is_factor:
        return truth - values, np.full(len(values), 1.5 * unit)
    usable = (values > 0) & (truth > 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.where(usable, np.log(truth) - np.log(values), np.nan)
        return apart, unit / np.abs(truth) + unit / np.abs(values)


def _is_grouping(groups: Codes) -> bool:
    return _FEWEST <= int(groups.max(initial=-1)) + 1 <= _MOST


def _may_hold(apart: Numbers, near: Numbers, groups: Codes) -> bool:
    """Return whether one factor, or one difference, for each group gives the sample, and one for all does not."""
    there = np.isfinite(apart) & (groups >= 0)
    if there.mean() < _GROUPED:
        return False
    apart, near, group = apart[there], near[there], groups[there]
    number = int(group.max()) + 1
    counts = np.bincount(group, minlength=number)
    order = np.lexsort((apart, group))
    starts = np.concatenate([[0], np.cumsum(counts)])[:-1]
    middle = np.full(number, np.nan)
    some = counts >= _LEAST
    middle[some] = apart[order[(starts + counts // 2)[some]]]
    judged = some[group]
    if judged.mean() < _GROUPED:
        return False
    fits = np.abs(apart - middle[group]) <= near
    by_one = np.abs(apart - np.median(apart)) <= near
    return bool(fits[judged].mean() >= _KEPT) and bool((~by_one[judged]).mean() > _NEARER * (~fits[judged]).mean())


def _formula(lesson: NumericLesson, column: ReleasedNumbers, clue: Clue, *, is_factor: bool) -> ReleasedFormula:
    """Return the numbers that the factor or difference of each group gives, learnt from all records of the lesson."""
    number = int(clue.groups.max()) + 1
    rows = lesson.rows[(clue.groups[lesson.rows] >= 0) & np.isfinite(column.values[lesson.rows])]
    values, truth, group = column.values[rows], lesson.target.truth[rows], clue.groups[rows]
    kept = np.ones(len(rows), dtype=bool)
    rule = np.full(number, np.nan)
    for _ in range(2):  # once more without the records that miss it
        if is_factor:
            above = np.bincount(group[kept], (values * truth)[kept], minlength=number)
            below = np.bincount(group[kept], (values * values)[kept], minlength=number)
            rule = np.divide(above, below, out=np.full(number, np.nan), where=below > 0)
            missed = np.abs(truth - rule[group] * values)
        else:
            counts = np.bincount(group[kept], minlength=number)
            total = np.bincount(group[kept], (truth - values)[kept], minlength=number)
            rule = np.divide(total, counts, out=np.full(number, np.nan), where=counts > 0)
            missed = np.abs(truth - values - rule[group])
        known = missed[~np.isnan(missed)]
        if not len(known):
            break
        kept = missed <= np.quantile(known, 0.95)
    of_all = np.append(rule, np.nan)[clue.groups]
    given = of_all * column.values if is_factor else of_all + column.values
    what = f"{column.name} times a factor of each" if is_factor else f"{column.name} and a number for each"
    sentence = f"{lesson.target.name} is {what} {clue.name}"
    names = tuple(dict.fromkeys((column.attribute, clue.name)))
    return ReleasedFormula(names, sentence, given, lesson.unit, "group factor")
