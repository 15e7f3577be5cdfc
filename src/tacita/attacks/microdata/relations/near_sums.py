"""Hidden numbers that sums of released ones give nearly: a part of a total that is written in thousands.

`sums` looks for what is exact. Here least squares over all numeric attributes say how near a sum can come: the records
that miss it most are set aside, and the width within which 97 % of the others lie is the tolerance. It is reported if
at most a tenth of all numbers lie within it. Attributes are then left out one by one, those that move the sum least
first, while the tolerance hardly grows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.relations.numbers import (
    Numbers,
    NumericLesson,
    ReleasedFormula,
    ReleasedNumbers,
    attributes_of,
)
from tacita.attacks.microdata.relations.sums import in_words

MOST_ATTRIBUTES = 60
_PER_ATTRIBUTE = 6
"""Records of the sample for each attribute: with fewer, anything fits."""
_INSIDE, _KEPT = 0.97, 0.95
_NEAR = 0.1
"""The largest share of all numbers that may lie within the tolerance."""
_CAREFUL = 1.1
"""How much wider the tolerance is than what was seen in the sample."""
_ROUNDED = 1.2
"""By how much it may grow when factors are rounded."""
_GROWTH = 1.25
"""By how much the tolerance may grow in all when attributes are left out."""


def near_sums(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> Iterator[ReleasedFormula]:
    """Yield the sum of released attributes that comes nearest to the target, if it comes near.

    >>> random = np.random.default_rng(3)
    >>> wage, bonus = random.integers(900, 9000, 800).astype(float), random.integers(0, 9000, 800).astype(float)
    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> hidden = np.arange(800) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("wage", wage, hidden, ~hidden, True))
    >>> columns = [ReleasedNumbers("total", ((wage + bonus) / 100).round()), ReleasedNumbers("bonus", bonus)]
    >>> [formula.sentence for formula in near_sums(lesson, columns)]
    ['wage = 100 total - bonus, to within 55']
    """
    truth = lesson.target.truth[lesson.sample]
    usable = [column for column in columns if _is_usable(column.values[lesson.sample])]
    most = min(MOST_ATTRIBUTES, len(truth) // _PER_ATTRIBUTE - 1)
    if most < 1 or not usable or np.ptp(truth) == 0:
        return
    usable = _most_alike(usable, lesson, most)
    matrix = np.stack([column.values[lesson.sample] for column in usable], axis=1)
    whole = np.isfinite(matrix).all(axis=1)
    matrix, truth = matrix[whole], truth[whole]
    if len(truth) < _PER_ATTRIBUTE * (len(usable) + 1):
        return
    places = list(range(len(usable)))
    fit = _Fit.of(matrix, truth, places)
    if not fit.is_near(truth):
        return
    limit = _GROWTH * fit.width
    moves = np.abs(fit.factors[:-1]) * matrix.std(axis=0)
    for place in np.argsort(moves, kind="stable").tolist():
        fewer = [other for other in fit.places if other != place]
        smaller = _Fit.of(matrix, truth, fewer) if fewer else fit
        if fewer and smaller.width <= limit:
            fit = smaller
    if fit.is_near(truth):
        yield fit.formula(lesson, usable)


def _is_usable(values: Numbers) -> bool:
    there = np.isfinite(values)
    return bool(there.mean() > 0.9) and bool(np.ptp(values[there]) > 0)


def _most_alike(columns: list[ReleasedNumbers], lesson: NumericLesson, most: int) -> list[ReleasedNumbers]:
    """Return the attributes that go along best with the target."""
    if len(columns) <= most:
        return columns
    truth = lesson.target.truth[lesson.sample]

    def alike(column: ReleasedNumbers) -> float:
        values = column.values[lesson.sample]
        there = np.isfinite(values)
        if not np.ptp(values[there]) > 0 or not np.ptp(truth[there]) > 0:
            return 0.0
        return float(abs(np.corrcoef(values[there], truth[there])[0, 1]))

    best = sorted(range(len(columns)), key=lambda place: (-round(alike(columns[place]), 6), place))
    return [columns[place] for place in sorted(best[:most])]


class _Fit:
    """A sum of some columns, fitted to most records, and within what width it gives them."""

    def __init__(self, places: Sequence[int], factors: Numbers, width: float) -> None:
        self.places, self.factors, self.width = list(places), factors, width

    @classmethod
    def of(cls, matrix: Numbers, truth: Numbers, places: Sequence[int]) -> _Fit:
        chosen = np.column_stack([matrix[:, list(places)], np.ones(len(truth))])
        scale = np.maximum(np.abs(chosen).max(axis=0), 1e-300)
        kept: NDArray[np.bool_] = np.ones(len(truth), dtype=bool)
        factors = np.zeros(chosen.shape[1])
        for _ in range(3):
            scaled = chosen[kept] / scale
            gram = scaled.T @ scaled  # a small system; attributes that depend on each other are held apart by little
            gram[np.diag_indices_from(gram)] += 1e-12 * np.trace(gram)
            if not kept.any() or not np.isfinite(gram).all():
                return cls(places, factors, np.inf)  # numbers that are too large to be added up
            factors = np.linalg.solve(gram, scaled.T @ truth[kept]) / scale
            missed = np.abs(truth - chosen @ factors)
            kept = missed <= np.quantile(missed, _KEPT)
        return cls(places, factors, float(np.quantile(np.abs(truth - chosen @ factors), _INSIDE)))

    def is_near(self, truth: Numbers) -> bool:
        """Return whether few numbers lie within the width of a number."""
        ordered = np.sort(truth)
        upper = np.searchsorted(ordered, ordered + self.width, side="right")
        lower = np.searchsorted(ordered, ordered - self.width, side="left")
        return bool((upper - lower).mean() <= _NEAR * len(truth))

    def formula(self, lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> ReleasedFormula:
        members = [columns[place] for place in self.places]
        numbers = np.stack([column.values for column in members])
        truth = lesson.target.truth[lesson.sample]
        factors, constant, width = self.factors[:-1], float(self.factors[-1]), self.width
        for digits in range(1, 6):  # a sum that people wrote has short factors
            short = np.array([float(f"{factor:.{digits}g}") for factor in factors])
            left = truth - short @ numbers[:, lesson.sample]
            left = left[np.isfinite(left)]
            middles = (0.0, float(f"{np.median(left):.3g}"))
            widths = [float(np.quantile(np.abs(left - middle), _INSIDE)) for middle in middles]
            best = next((place for place in range(2) if widths[place] <= _ROUNDED * self.width), None)
            if best is not None:
                factors, constant, width = short, middles[best], widths[best]
                break
        values = factors @ numbers
        width *= _CAREFUL
        step = 10.0 ** np.floor(np.log10(max(width, lesson.unit))) / 2
        width = max(float(f"{np.ceil(width / step * 0.999) * step:.6g}"), lesson.unit)
        words = in_words([column.name for column in members], factors, float(f"{constant:.3g}"))
        sentence = f"{lesson.target.name} = {words}, to within {width:g}"
        return ReleasedFormula(attributes_of(members), sentence, values + constant, width, "sum")
