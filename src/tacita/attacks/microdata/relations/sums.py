"""Hidden numbers that are sums, differences or multiples of released ones: total = a + b, net = 0.8 gross.

If a number is such a sum of a few attributes, least squares over *all* numeric attributes leave no residual; if they
leave one, no such sum exists, and one small system of equations has answered for all of them. Records that break the
rule (a typing error, a code for a missing value) would spoil one fit: so several small samples of records are tried,
each just large enough to leave eight equations to spare, and one without such a record is enough (RANSAC, M. Fischler
and R. Bolles 1981). Attributes are then taken out of the sum one by one while it stays exact, coefficients are rounded
as far as nothing is lost, and the sum is checked on all records (`numbers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.in_clusters import Codes, Mask
from tacita.attacks.microdata.relations.numbers import (
    Numbers,
    NumericLesson,
    ReleasedFormula,
    ReleasedNumbers,
    attributes_of,
)

MOST_ATTRIBUTES = 120
"""Numeric attributes that are looked at together."""
MOST_TERMS = 40
_SPARE, _DRAWS = 8, 16
_FILLED = 0.8
"""An attribute that is filled in fewer records is taken to be zero where it is empty."""
_SHARP, _EXACT, _WITHIN = 0.01, 0.5, 1.0
"""Units of the last decimal by which a sum may miss; a sharp one has nothing that was rounded in it."""
_RARE, _OF_RARE = 0.05, 4
"""An attribute that differs from its most frequent value in fewer records says nothing in most draws; so many records
in which it differs are added to the sample, and half of them to every other draw."""
_KEPT, _SURE = 0.9, 0.995
"""Shares of the sample that must keep a sum, and with which no better one is looked for."""
_ROUNDING = 0.35
"""Units by which numbers that were rounded miss on average at most: a quarter, and some more."""


def sums(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> Iterator[ReleasedFormula]:
    """Yield sums of released attributes that give the target in a sample, each attribute in one of them at most.

    >>> random = np.random.default_rng(3)
    >>> wage, bonus = random.integers(900, 9000, 400).astype(float), random.integers(0, 999, 400).astype(float)
    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> hidden = np.arange(400) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("wage", wage, hidden, ~hidden, True))
    >>> columns = [ReleasedNumbers("total", wage + bonus), ReleasedNumbers("bonus", bonus)]
    >>> [formula.sentence for formula in sums(lesson, columns)]
    ['wage = total - bonus']
    """
    usable = _usable(lesson, columns)
    while usable:
        exact = _exact_sum(lesson, usable)
        if exact is None:
            return
        yield exact.formula(lesson, usable)
        usable = [column for place, column in enumerate(usable) if place not in exact.places]


def _usable(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> list[ReleasedNumbers]:
    """Return the attributes that differ between records."""
    usable = []
    for column in columns:
        there = np.isfinite(column.values)
        if there[lesson.sample].mean() < _FILLED:  # an income that a person does not have is often left empty
            filled = replace(column, values=np.where(there, column.values, 0.0))
        else:
            filled = column
        values = filled.values[lesson.sample]
        if np.ptp(values[np.isfinite(values)]) > 0:
            usable.append(filled)
    return usable[:MOST_ATTRIBUTES]


@dataclass(frozen=True, slots=True, eq=False)
class _Sum:
    places: tuple[int, ...]
    factors: Numbers
    constant: float
    tolerance: float
    is_exact: bool
    """Whether it gives the number itself when it is rounded."""
    kept: float
    """The share of the records of the sample that keep it."""

    def formula(self, lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> ReleasedFormula:
        members = [columns[place] for place in self.places]
        names = tuple(column.name for column in members)
        values = self.constant + sum(
            factor * columns[place].values for place, factor in zip(self.places, self.factors, strict=True)
        )
        near = "" if self.is_exact else f", to within {self.tolerance:g}"
        sentence = f"{lesson.target.name} = {in_words(names, self.factors, self.constant)}{near}"
        factors = tuple(float(factor) for factor in self.factors)
        return ReleasedFormula(attributes_of(members), sentence, values, self.tolerance, "sum", factors, self.constant)


def _exact_sum(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> _Sum | None:
    """Return a sum of as few attributes as possible that is exact in most records of the sample, if there is one."""
    sample = np.union1d(lesson.sample, _rare_rows(lesson, columns))
    matrix = np.stack([column.values[sample] for column in columns], axis=1)
    truth = lesson.target.truth[sample]
    whole = np.isfinite(matrix).all(axis=1)
    matrix, truth = matrix[whole], truth[whole]
    count = matrix.shape[1] + 1 + _SPARE
    if len(truth) < count + _SPARE:
        return None
    draw = np.random.Generator(np.random.PCG64(len(truth)))  # any draw does; the same one for the same data
    rare = _first_rare(matrix)
    best: _Sum | None = None
    for number in range(_DRAWS if matrix.shape[1] <= 40 else _DRAWS // 4):
        rows = draw.choice(len(truth), count, replace=False)
        if number % 2 == 0:  # not always: what is rare may be a typing error
            rows = np.union1d(rows, rare)
        places = _fewest(matrix[rows], truth[rows], lesson.unit, draw)
        if places is None:
            continue
        fit = _fitted(matrix, truth, rows, places, lesson.unit)
        if fit is not None and (best is None or fit.kept > best.kept):
            best = fit
        if best is not None and best.kept >= _SURE:
            break
    return best


def _is_other(values: Numbers) -> Mask:
    """Return which numbers differ from the most frequent one; none if that is not most of them."""
    middle = np.nanmedian(values)
    other: Mask = np.isfinite(values) & (values != middle)
    return other if other.mean() < _RARE else np.zeros_like(other)


def _rare_rows(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> Codes:
    """Return some records in which attributes differ that are the same in nearly all records of the sample."""
    rows = [np.empty(0, dtype=np.int64)]
    for column in columns:
        values = column.values[lesson.sample]
        values = values[np.isfinite(values)]
        if len(values) and np.mean(values != np.median(values)) < _RARE:
            rows.append(lesson.rows[_is_other(column.values[lesson.rows])][:_OF_RARE])
    return np.concatenate(rows)


def _first_rare(matrix: Numbers) -> Codes:
    """Return for each column that is nearly always the same some rows in which it differs."""
    return np.concatenate([np.flatnonzero(_is_other(column))[: _OF_RARE // 2] for column in matrix.T])


def _fewest(matrix: Numbers, truth: Numbers, unit: float, draw: np.random.Generator) -> list[int] | None:
    """Return the columns of a sum that misses by no more than a unit anywhere; None if there is none.

    Attributes that are equal in these records are taken out in any order: other records decide between them.
    """
    factors = _solved(matrix, truth)
    near = next((near for near in (_SHARP, _WITHIN) if _is_exact(matrix, truth, factors, near * unit)), None)
    if near is None:
        return None
    reach = np.abs(factors[:-1]) * np.ptp(matrix, axis=0)
    places = [int(place) for place in np.flatnonzero(reach > unit / 4)]
    for place in draw.permutation(places).tolist():
        fewer = [other for other in places if other != place]
        if fewer and _is_exact(matrix[:, fewer], truth, _solved(matrix[:, fewer], truth), near * unit):
            places = fewer
    return places if 0 < len(places) <= MOST_TERMS else None


def _fitted(matrix: Numbers, truth: Numbers, rows: NDArray[np.int64], places: list[int], unit: float) -> _Sum | None:
    """Return the sum of some columns fitted to all records that keep it."""
    chosen = matrix[:, places]
    factors = _solved(chosen[rows], truth[rows])
    for _ in range(2):
        keeps = np.abs(truth - chosen @ factors[:-1] - factors[-1]) <= _WITHIN * unit * 1.5
        if keeps.mean() < 0.75:
            return None
        factors = _solved(chosen[keeps], truth[keeps])
    for tolerance in (_EXACT * unit, _WITHIN * unit):
        short = _rounded(chosen[keeps], truth[keeps], factors, tolerance)
        missed = np.abs(truth - chosen @ short[:-1] - short[-1])
        kept = float((missed <= tolerance * 1.000001 + 1e-9 * np.abs(truth)).mean())
        if kept >= _KEPT:
            is_exact = bool(np.mean(missed[missed <= tolerance * 1.000001]) <= _ROUNDING * unit)
            return _Sum(tuple(places), short[:-1], float(short[-1]), tolerance, is_exact, kept)
    return None


def _rounded(matrix: Numbers, truth: Numbers, factors: Numbers, tolerance: float) -> Numbers:
    """Return factors and constant with as few digits as possible: a sum that people wrote has short ones."""

    def kept(candidate: Numbers) -> int:
        missed = np.abs(truth - matrix @ candidate[:-1] - candidate[-1])
        return int((missed <= tolerance * 1.000001 + 1e-9 * np.abs(truth)).sum())

    best = kept(factors)
    for digits in range(1, 9):
        short = np.array([float(f"{factor:.{digits}g}") for factor in factors])
        left = truth - matrix @ short[:-1]
        middle = (left.min() + left.max()) / 2
        for constant in (0.0, float(np.round(middle / tolerance) * tolerance)):
            candidate = np.append(short[:-1], constant)
            if kept(candidate) >= best:
                return candidate
    return factors


def _solved(matrix: Numbers, truth: Numbers) -> Numbers:
    """Return the factors of the columns by least squares, and last the constant."""
    scale = np.maximum(np.abs(matrix).max(axis=0), 1e-300)
    scaled = np.column_stack([matrix / scale, np.ones(len(truth))])
    factors = np.linalg.lstsq(scaled, truth, rcond=1e-12)[0]
    solved: Numbers = factors / np.append(scale, 1.0)
    return solved


def _is_exact(matrix: Numbers, truth: Numbers, factors: Numbers, near: float) -> bool:
    missed = np.abs(truth - matrix @ factors[:-1] - factors[-1])
    return bool((missed <= near + 1e-9 * np.abs(truth)).all())


def in_words(names: Sequence[str], factors: Numbers, constant: float) -> str:
    """Return a sum as people write it.

    >>> in_words(("total", "bonus"), np.array([1.0, -0.5]), 3.0)
    'total - 0.5 bonus + 3'
    """
    terms = [
        (factor < 0, f"{'' if abs(factor) == 1 else f'{abs(factor):.10g} '}{name}")
        for name, factor in zip(names, factors, strict=True)
    ]
    terms.sort(key=lambda term: term[0])
    if constant:
        terms.insert(0 if terms[0][0] else len(terms), (constant < 0, f"{abs(constant):.10g}"))
    words = "".join(f"{' - ' if minus else ' + '}{term}" for minus, term in terms)
    return words.removeprefix(" + ").replace(" - ", "-", 1) if words.startswith(" - ") else words.removeprefix(" + ")
