"""Hidden numbers that are products, quotients or powers of released ones: bmi = weight / height^2, value = price n.

In logarithms such a formula is a sum with small whole factors, and few attributes are in it. So all formulas of one to
three attributes with small exponents are tried on a few records: the target divided by the formula is the same in all
of them, up to the rounding of the target. What is left of thousands is checked on all records (`numbers`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, product

import numpy as np

from tacita.attacks.microdata.in_clusters import Codes
from tacita.attacks.microdata.relations.numbers import (
    Numbers,
    NumericLesson,
    ReleasedFormula,
    ReleasedNumbers,
    attributes_of,
)

MOST_ATTRIBUTES = 12
"""Attributes that are multiplied: those that go along best with the target."""
_RECORDS, _LEAST = 64, 24
_KEEP = 0.85
"""Share of the few records that must keep a formula."""
_EXPONENTS = {1: (1, -1, 2, -2, 0.5), 2: (1, -1, 2, -2), 3: (1, -1)}
_CAREFUL = 1.000001


def number_of_products(attributes: int) -> int:
    """Return how many formulas are tried.

    >>> number_of_products(2)
    26
    """
    count = min(attributes, MOST_ATTRIBUTES)
    return sum(len(exponents) ** size * _choices(count, size) for size, exponents in _EXPONENTS.items())


def _choices(count: int, size: int) -> int:
    return sum(1 for _ in combinations(range(count), size))


def products(lesson: NumericLesson, columns: Sequence[ReleasedNumbers]) -> Iterator[ReleasedFormula]:
    """Yield formulas that give the target in a few records, those of fewer attributes first.

    >>> from tacita.attacks.microdata.relations.numbers import NumericTarget
    >>> random = np.random.default_rng(3)
    >>> weight, height = random.uniform(45, 120, 400).round(1), random.uniform(1.5, 2, 400).round(2)
    >>> hidden = np.arange(400) % 9 == 0
    >>> lesson = NumericLesson(NumericTarget("bmi", (weight / height**2).round(1), hidden, ~hidden, True))
    >>> columns = [ReleasedNumbers("weight", weight), ReleasedNumbers("height", height)]
    >>> [formula.sentence for formula in products(lesson, columns)]
    ['bmi = weight / height^2']
    """
    rows = lesson.sample[lesson.target.truth[lesson.sample] > 0]
    usable = [column for column in columns if _is_positive(column.values[rows])]
    if len(rows) < _LEAST or not usable:
        return
    usable = _most_alike(lesson, usable, rows)
    whole = np.logical_and.reduce([column.values[rows] > 0 for column in usable])
    rows = rows[whole][:_RECORDS]
    if len(rows) < _LEAST:
        return
    truth = lesson.target.truth[rows]
    logs = np.log(np.stack([column.values[rows] for column in usable]))
    near = np.maximum(lesson.unit / 2 / truth * _CAREFUL, 1e-9)
    yielded: set[int] = set()
    for size, exponents in _EXPONENTS.items():
        terms = [
            (places, powers)
            for places in combinations(range(len(usable)), size)
            for powers in product(exponents, repeat=size)
        ]
        if not terms:
            return
        of_terms = np.array([powers for _, powers in terms])
        at = np.array([places for places, _ in terms])
        ratios = np.log(truth) - np.einsum("ts,tsr->tr", of_terms, logs[at])
        middle = np.median(ratios, axis=1, keepdims=True)
        kept = (np.abs(ratios - middle) <= 2 * near).mean(axis=1)
        for place in np.flatnonzero(kept >= _KEEP):
            places, powers = terms[int(place)]
            if yielded & set(places):
                continue
            formula = _formula(lesson, [usable[i] for i in places], powers, float(np.exp(middle[place, 0])))
            if formula is not None:
                yielded |= set(places)
                yield formula


def _is_positive(values: Numbers) -> bool:
    there = values[np.isfinite(values)]
    return len(there) >= _LEAST and float((there > 0).mean()) >= _KEEP and bool(np.ptp(there) > 0)


def _most_alike(lesson: NumericLesson, columns: Sequence[ReleasedNumbers], rows: Codes) -> list[ReleasedNumbers]:
    """Return the attributes whose logarithm goes along best with that of the target."""
    if len(columns) <= MOST_ATTRIBUTES:
        return list(columns)
    target = np.log(lesson.target.truth[rows])

    def alike(column: ReleasedNumbers) -> float:
        there = column.values[rows] > 0
        one, two = np.log(column.values[rows][there]), target[there]
        return float(abs(np.corrcoef(one, two)[0, 1])) if np.ptp(one) > 0 and np.ptp(two) > 0 else 0.0

    best = sorted(range(len(columns)), key=lambda place: (-round(alike(columns[place]), 6), place))
    return [columns[place] for place in sorted(best[:MOST_ATTRIBUTES])]


def _formula(
    lesson: NumericLesson, columns: Sequence[ReleasedNumbers], powers: Sequence[float], factor: float
) -> ReleasedFormula | None:
    """Return a formula with the factor that fits most records of the sample, in as few digits as possible."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        values = np.prod([column.values**power for column, power in zip(columns, powers, strict=True)], axis=0)
    values = np.where(np.isfinite(values), values, np.nan)
    one, truth = values[lesson.sample], lesson.target.truth[lesson.sample]
    one, truth = one[np.isfinite(one)], truth[np.isfinite(one)]

    def kept(candidate: float) -> float:
        missed = np.abs(truth - candidate * one)
        return float((missed <= lesson.unit / 2 * _CAREFUL + 1e-9 * np.abs(truth)).mean())

    inside = np.abs(truth - factor * one) <= lesson.unit * 2
    if inside.any():
        factor = float((truth[inside] * one[inside]).sum() / np.square(one[inside]).sum())
    best = kept(factor)
    short = [float(f"{factor:.{digits}g}") for digits in range(1, 9)]
    factor = next((candidate for candidate in short if kept(candidate) >= best), factor)
    if kept(factor) < _KEEP:
        return None
    names = tuple(column.name for column in columns)
    sentence = f"{lesson.target.name} = {_in_words(names, powers, factor)}"
    return ReleasedFormula(attributes_of(columns), sentence, values * factor, lesson.unit / 2, "product")


def _in_words(names: Sequence[str], powers: Sequence[float], factor: float) -> str:
    """Return a product as people write it.

    >>> _in_words(("weight", "height"), (1, -2), 10000.0)
    '10000 weight / height^2'
    """
    above = [_power(name, power) for name, power in zip(names, powers, strict=True) if power > 0]
    below = [_power(name, -power) for name, power in zip(names, powers, strict=True) if power < 0]
    if factor != 1 or not above:
        above.insert(0, f"{factor:.10g}")
    return " ".join(above) + "".join(f" / {term}" for term in below)


def _power(name: str, power: float) -> str:
    return name if power == 1 else f"{name}^{power:g}"
