"""Responses that follow from others: turnover in two currencies, a total and its parts.

Tables of several responses are protected one by one. If a response is a sum of others in every record, then so are its
cells, and a cell that is withheld in one table follows from published cells of the others. What they leave of it is an
interval, which becomes knowledge of the attacker.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.microdata.relations.numbers import NumericLesson, NumericTarget, ReleasedNumbers
from tacita.attacks.microdata.relations.sums import sums

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RelatedResponse:
    """That a response is a sum of others in every record, each times a factor."""

    response: str
    factors: Mapping[str, float]
    slack: float
    """By how much a record may miss it, since its numbers are rounded."""
    sentence: str
    ranges: tuple[Numbers, Numbers] | None = field(default=None, repr=False)
    """The smallest and the largest factor in each cell, where it is not the same in all records."""


def related_responses(responses: Mapping[str, Numbers]) -> list[RelatedResponse]:
    """Return which responses are sums of others, given their values for each record.

    >>> euro = np.random.default_rng(1).lognormal(8, 1, 200).round()
    >>> [one.sentence for one in related_responses({"euro": euro, "dollar": (euro * 1.25).round(2)})]
    ['euro = 0.8 dollar', 'dollar = 1.25 euro']
    """
    related = []
    for name, values in responses.items():
        whole = np.ones(len(values), dtype=bool)
        lesson = NumericLesson(NumericTarget(name, values, whole, ~whole, is_suppressed=False))
        others = [ReleasedNumbers(other, one) for other, one in responses.items() if other != name]
        for formula in sums(lesson, others) if lesson.is_usable else ():
            missed = np.abs(values - formula.values)
            fits = missed <= formula.tolerance * 1.000001 + 1e-9 * np.abs(values)
            if formula.constant == 0 and bool(fits.all()):
                factors = dict(zip(formula.attributes, formula.factors, strict=True))
                slack = float(missed.max()) if formula.tolerance else 0.0
                related.append(RelatedResponse(name, factors, slack, formula.sentence))
    return related


@dataclass(frozen=True, slots=True, eq=False)
class PublishedResponse:
    """What everybody knows of the cells of one response: an interval each, of width zero where it is published."""

    lower: Numbers = field(repr=False)
    upper: Numbers = field(repr=False)
    marks: Numbers = field(repr=False)
    """The sums of the marks of each cell's records."""


def bounds_by(
    relation: RelatedResponse, marks: Numbers, sizes: Numbers, known: Mapping[str, PublishedResponse]
) -> tuple[Numbers, Numbers]:
    """Return what related responses leave of each cell: a least and a largest value.

    `marks` and `sizes` (how often a record's slack counts) are those of the cells of the response that is related.
    """
    low, high = np.zeros(len(marks)), np.zeros(len(marks))
    for name, factor in relation.factors.items():
        one = known[name]
        at = same_records(marks, one.marks)
        lower, upper = np.append(one.lower, -np.inf)[at], np.append(one.upper, np.inf)[at]
        ends = (factor * lower, factor * upper) if factor > 0 else (factor * upper, factor * lower)
        if relation.ranges is not None:  # of responses that are never negative
            with np.errstate(invalid="ignore"):  # nothing times no bound
                ends = np.fmax(lower, 0) * relation.ranges[0], np.fmax(upper * relation.ranges[1], 0)
        low, high = low + ends[0], high + ends[1]
    slack = relation.slack * sizes * (1 + 1e-9)
    return low - slack, high + slack


def same_records(marks: Numbers, others: Numbers) -> NDArray[np.int64]:
    """Return the place of a cell with the same records in another response, the last place if there is none."""
    places = {mark: place for place, mark in enumerate(map(tuple, others.tolist()))}
    return np.array([places.get(mark, len(others)) for mark in map(tuple, marks.tolist())], dtype=np.int64)
