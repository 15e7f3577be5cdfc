"""Hidden numbers that follow from products and sums together: growth = (new - old) / old, total = fixed + price n.

A polynomial of the second degree is a sum of the attributes, their squares and their products, so least squares find it
as they find sums (`sums`). A quotient of two sums becomes one if both sides are multiplied by the attribute below: of
margin = (sales - costs) / sales the costs are sales - margin sales, and of share = a / (a + b) the part a satisfies
share a = a - share b. So the target, and then its product with each attribute, is looked for as such a sum. Small
samples of records are tried, terms are taken out one by one, and what is left is checked on all records (`numbers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.relations.numbers import (
    Numbers,
    NumericLesson,
    ReleasedFormula,
    ReleasedNumbers,
    attributes_of,
)
from tacita.attacks.microdata.relations.sums import in_words

MOST_ATTRIBUTES = 10
"""Attributes that are multiplied with each other: half of them go along best with the target, alone or multiplied or
divided, and half have the most different values."""
_RANKED = 40
_SPARE, _DRAWS = 10, 2
_MOST_TERMS = 6
_EXACT, _KEPT = 0.5, 0.9
_FLOATING = 1e-9


def number_of_quadratics(attributes: int) -> int:
    """Return how many formulas are tried."""
    return 1 + min(attributes, MOST_ATTRIBUTES)


def quadratics(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> Iterator[ReleasedFormula]:
    """Yield the polynomial, or else the quotient, that gives the target in a sample, if there is one.

    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> random = np.random.default_rng(3)
    >>> old, new = random.integers(100, 900, 400).astype(float), random.integers(100, 900, 400).astype(float)
    >>> hidden = np.arange(400) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("new", new, hidden, ~hidden, True))
    >>> columns = [ReleasedNumbers("old", old), ReleasedNumbers("growth", (100 * (new - old) / old).round(3))]
    >>> [formula.sentence for formula in quadratics(lesson, columns)]
    ['new = old + 0.01 old growth']
    """
    usable = [column for column in columns if _is_usable(column.values[lesson.sample])]
    if not usable:
        return
    usable = _chosen(lesson, usable)
    terms = _terms(len(usable))
    numbers = np.stack([column.values[lesson.sample] for column in usable], axis=1)
    whole = np.isfinite(numbers).all(axis=1)
    numbers, truth = numbers[whole], lesson.target.truth[lesson.sample][whole]
    if len(truth) < 2 * (len(terms) + 2) + _SPARE:
        return
    matrix = _products(numbers, terms)
    draw = np.random.Generator(np.random.PCG64(len(truth)))  # any draw does; the same one for the same data
    for _ in range(_DRAWS):
        rows = draw.choice(len(truth), len(terms) + 2 + _SPARE, replace=False)
        for below in _exact_ones(numbers[rows], matrix[rows], truth[rows], lesson.unit):
            equation = _equation(numbers, matrix, truth, lesson.unit, below)
            factors = equation.fewest(rows)
            if factors is not None:
                yield _formula(lesson, usable, terms, factors, below)
                return


def _exact_ones(numbers: Numbers, matrix: Numbers, truth: Numbers, unit: float) -> Iterator[int | None]:
    """Yield which equations a draw of records keeps: what the target is multiplied by, None for nothing.

    The products are the same in all equations, so they are taken out of all right-hand sides at once.
    """
    columns = np.column_stack([matrix, np.ones(len(matrix))])
    base = np.linalg.qr(columns / np.maximum(np.abs(columns).max(axis=0), 1e-300))[0]
    wanted = np.column_stack([truth, truth[:, None] * numbers])
    left = wanted - base @ (base.T @ wanted)
    own, size = left[:, 0], float(left[:, 0] @ left[:, 0])
    for place in range(wanted.shape[1]):
        factor = float(own @ left[:, place]) / size if place and size else 0.0
        missed = np.abs(left[:, place] - factor * own) if place else np.abs(own)
        times = np.abs(numbers[:, place - 1] - factor) if place else np.ones(len(own))
        if (missed <= times * _EXACT * unit + _FLOATING * np.abs(wanted[:, place])).all():
            yield place - 1 if place else None


def _equation(numbers: Numbers, matrix: Numbers, truth: Numbers, unit: float, below: int | None) -> _Equation:
    if below is None:
        return _Equation(matrix, truth, None, unit)
    factor = numbers[:, below]
    return _Equation(np.column_stack([matrix, truth]), truth * factor, factor, unit)


def _is_usable(values: Numbers) -> bool:
    there = np.isfinite(values)
    return bool(there.mean() > _KEPT) and bool(np.ptp(values[there]) > 0)


def _chosen(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> list[ReleasedNumbers]:
    """Return the attributes that are multiplied, if there are too many."""
    if len(columns) <= MOST_ATTRIBUTES:
        return list(columns)
    some = columns[:_RANKED]
    values = np.nan_to_num(np.stack([column.values[lesson.sample] for column in some]))
    inverse = np.divide(1.0, values, out=np.zeros_like(values), where=values != 0)
    truth = lesson.target.truth[lesson.sample]
    alike = np.abs(_correlations(values, truth))
    for other in (values, inverse):
        for place in range(len(some)):
            together = np.abs(_correlations(values * other[place], truth))
            together[place] = 0.0
            alike = np.maximum(alike, together)
            alike[place] = max(alike[place], float(together.max()))
    by_likeness = sorted(range(len(some)), key=lambda place: (-round(float(alike[place]), 6), place))
    chosen = by_likeness[: MOST_ATTRIBUTES // 2]
    different = [len(np.unique(line)) for line in values]
    by_values = sorted(set(range(len(some))) - set(chosen), key=lambda place: (-different[place], place))
    return [some[place] for place in sorted([*chosen, *by_values[: MOST_ATTRIBUTES - len(chosen)]])]


def _correlations(lines: Numbers, truth: Numbers) -> Numbers:
    apart = lines - lines.mean(axis=1, keepdims=True)
    own = truth - truth.mean()
    below = np.sqrt((apart**2).sum(axis=1) * float((own**2).sum()))
    correlations: Numbers = np.divide(
        np.einsum("ij,j->i", apart, own), below, out=np.zeros(len(lines)), where=below > 0
    )
    return correlations


def _terms(attributes: int) -> list[tuple[int, ...]]:
    """Return the products that are added up: each attribute, then each two."""
    return [
        *((one,) for one in range(attributes)),
        *combinations_with_replacement(range(attributes), 2),
    ]


@dataclass(frozen=True, slots=True, eq=False)
class _Equation:
    """What a sum of the columns of a matrix has to give in some records: the target, or its product with a number."""

    matrix: Numbers
    wanted: Numbers
    below: Numbers | None
    """The number by which the target is multiplied; the target itself is the last column then."""
    unit: float

    def solved(self, rows: Codes, places: Sequence[int]) -> Numbers:
        """Return the factors of all columns, and the constant, by least squares over some records and columns."""
        factors = np.zeros(self.matrix.shape[1] + 1)
        chosen = np.column_stack([self.matrix[rows][:, list(places)], np.ones(len(rows))])
        scale = np.maximum(np.abs(chosen).max(axis=0), 1e-300)
        factors[[*places, -1]] = np.linalg.lstsq(chosen / scale, self.wanted[rows], rcond=1e-12)[0] / scale
        return factors

    def keeps(self, factors: Numbers) -> Mask:
        """Return in which records the sum gives the target to the last decimal."""
        missed = np.abs(self.wanted - self.matrix @ factors[:-1] - factors[-1])
        times = 1.0 if self.below is None else np.abs(self.below - factors[-2])
        kept: Mask = missed <= times * _EXACT * self.unit + _FLOATING * np.abs(self.wanted)
        return kept

    def fewest(self, rows: Codes) -> Numbers | None:
        """Return the factors of a sum of few columns that is exact in some records and most others, if there is one."""
        places = list(range(self.matrix.shape[1]))
        for place in reversed(places):  # products are taken out first
            fewer = [other for other in places if other != place]
            if fewer and self.keeps(self.solved(rows, fewer))[rows].all():
                places = fewer
        kept = self.keeps(self.solved(rows, places))
        if len(places) > _MOST_TERMS or kept.mean() < _KEPT:
            return None
        return self._rounded(self.solved(np.flatnonzero(kept), places))

    def _rounded(self, factors: Numbers) -> Numbers:
        """Return factors with as few digits as possible: a formula that people wrote has short ones."""
        best = self.keeps(factors).sum()
        constant = abs(float(factors[-1])) > self.unit / 100
        short = (np.array([float(f"{factor:.{digits}g}") for factor in factors]) for digits in range(1, 9))
        candidates = (np.append(one[:-1], one[-1] if constant else 0.0) for one in short)
        return next((one for one in candidates if self.keeps(one).sum() >= best), factors)


def _formula(
    lesson: NumericLesson,
    columns: Sequence[ReleasedNumbers],
    terms: Sequence[tuple[int, ...]],
    factors: Numbers,
    below: int | None,
) -> ReleasedFormula:
    """Return what a sum of products gives for each record, and its words."""
    names = [column.name for column in columns]
    own = [int(term) for term in np.flatnonzero(factors[: len(terms)])]
    members = {place for term in own for place in terms[term]} | ({below} if below is not None else set())
    numbers = np.stack([column.values for column in columns], axis=1)
    given = factors[-1] + _products(numbers, [terms[term] for term in own]) @ factors[own]
    products = [_in_words([names[place] for place in terms[term]]) for term in own]
    words = in_words(products, factors[own], float(factors[-1])) if own else f"{factors[-1]:.10g}"
    if below is not None:
        with np.errstate(divide="ignore", invalid="ignore"):
            given = given / (numbers[:, below] - factors[-2])
        given = np.where(np.isfinite(given), given, np.nan)
        words = f"({words}) / ({in_words([names[below]], np.ones(1), -float(factors[-2]))})"
    attributes = attributes_of([columns[place] for place in sorted(members)])
    return ReleasedFormula(attributes, f"{lesson.target.name} = {words}", given, _EXACT * lesson.unit, "sum")


def _products(numbers: Numbers, terms: Sequence[tuple[int, ...]]) -> Numbers:
    """Return the products of some columns, one column each."""
    products: Numbers = np.stack([numbers[:, list(term)].prod(axis=1) for term in terms], axis=1)
    return products


def _in_words(names: Sequence[str]) -> str:
    return f"{names[0]}^2" if len(names) == 2 and names[0] == names[1] else " ".join(names)
