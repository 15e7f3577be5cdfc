"""A question as the audit sees it: statistics over the records that a predicate selects, by groups.

The words of the analyst are gone: attributes and measures are those of the policy, and every comparison is a set of
codes of a declared attribute. Two spellings of one question are one value.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacita.errors import LimitError

Mask = NDArray[np.bool_]
_MOST_PRODUCTS = 20_000


class Statistic(StrEnum):
    """What can be asked for."""

    COUNT = "count"
    CONTRIBUTORS = "contributors"
    """How many people the records are about, where the policy names one attribute as its unit."""
    SUM = "sum"
    AVERAGE = "avg"
    VARIANCE = "variance"
    """Of a population: the mean of squares less the square of the mean."""
    MINIMUM = "min"
    MAXIMUM = "max"
    QUANTILE = "quantile"
    RATIO = "ratio"
    """A sum of one measure over the sum of another."""
    SLOPE = "slope"
    """Of a measure on a public regressor, with its intercept as a statistic of its own."""
    INTERCEPT = "intercept"


@dataclass(frozen=True, slots=True, order=True)
class AskedStatistic:
    """One statistic of a question."""

    statistic: Statistic
    measure: str = ""
    """The measure that is asked about; empty for a count."""
    other: str = ""
    """The measure below a ratio, or the public regressor of a slope."""
    share: Fraction = Fraction(0)
    """Of a quantile: 1/2 is the median."""

    @property
    def name(self) -> str:
        """How the figure is called in an answer, unless the analyst names it.

        >>> AskedStatistic(Statistic.RATIO, "debt", "income").name, AskedStatistic(Statistic.COUNT).name
        ('ratio(debt, income)', 'count')
        """
        if self.statistic is Statistic.QUANTILE:
            return f"quantile({self.measure}, {self.share})"
        inside = ", ".join(filter(None, (self.measure, self.other)))
        return f"{self.statistic}({inside})" if inside else str(self.statistic)


@dataclass(frozen=True, slots=True)
class Selection:
    """The records whose code of an attribute is among some: the only comparison there is."""

    attribute: str
    codes: frozenset[int]
    """Places of the codes in the order of the cube."""

    def cells(self, codes: Mapping[str, NDArray[np.int32]], cells: int) -> Mask:
        """Return which cells are selected."""
        wanted = np.fromiter(self.codes, np.int32, len(self.codes))
        return np.isin(codes[self.attribute], wanted)


@dataclass(frozen=True, slots=True)
class Both:
    """What all of some predicates select; without any, everything."""

    parts: tuple[Predicate, ...]

    def cells(self, codes: Mapping[str, NDArray[np.int32]], cells: int) -> Mask:
        """Return which cells are selected."""
        selected = np.ones(cells, np.bool_)
        for part in self.parts:
            selected &= part.cells(codes, cells)
        return selected


@dataclass(frozen=True, slots=True)
class Either:
    """What at least one of some predicates selects; without any, nothing."""

    parts: tuple[Predicate, ...]

    def cells(self, codes: Mapping[str, NDArray[np.int32]], cells: int) -> Mask:
        """Return which cells are selected."""
        selected = np.zeros(cells, np.bool_)
        for part in self.parts:
            selected |= part.cells(codes, cells)
        return selected


@dataclass(frozen=True, slots=True)
class Except:
    """What a predicate does not select."""

    part: Predicate

    def cells(self, codes: Mapping[str, NDArray[np.int32]], cells: int) -> Mask:
        """Return which cells are selected."""
        return ~self.part.cells(codes, cells)


Predicate = Selection | Both | Either | Except
EVERYTHING = Both(())
ALL = -1
"""In the codes of a group: the attribute is not in its grouping set, so all codes are together."""


@dataclass(frozen=True, slots=True)
class DataQuestion:
    """What is asked, in the terms of a policy."""

    aggregates: tuple[AskedStatistic, ...]
    predicate: Predicate = EVERYTHING
    groups: tuple[str, ...] = ()
    """Attributes to group by: one answer for each combination of their codes that has a cell in the cube."""
    labels: tuple[str, ...] = ()
    """How the analyst calls each figure."""
    levels: tuple[tuple[str, ...], ...] = ()
    """Grouping sets, each some of `groups`: the finest first. Without any, there is one with all of them."""

    @property
    def names(self) -> tuple[str, ...]:
        """What each figure is called in the answer."""
        return self.labels or tuple(aggregate.name for aggregate in self.aggregates)

    def selecting(self, codes: Sequence[int]) -> Predicate:
        """Return the predicate of the group with some codes."""
        pairs = zip(self.groups, codes, strict=True)
        return Both((self.predicate, *(Selection(name, frozenset((code,))) for name, code in pairs if code != ALL)))


def products_of(predicate: Predicate, sizes: Mapping[str, int]) -> tuple[dict[str, frozenset[int]], ...]:
    """Return a predicate as a union of products of code sets; `sizes` are the numbers of codes of attributes.

    Codes of an attribute that the predicate does not tell apart stay together. Raises `LimitError` if there are too
    many products.

    >>> products_of(Except(Selection("sex", frozenset((0,)))), {"sex": 3, "age": 9})
    ({'sex': frozenset({1, 2})},)
    """
    classes = {name: _classes(sets, sizes[name]) for name, sets in _selected(predicate).items()}
    if math.prod(map(len, classes.values())) > _MOST_PRODUCTS:
        raise LimitError("the condition has too many parts", do="ask for fewer combinations at a time")
    combined = list(itertools.product(*classes.values()))
    heads = np.array([[min(codes) for codes in one] for one in combined], np.int32).reshape(len(combined), len(classes))
    holds = predicate.cells({name: heads[:, at] for at, name in enumerate(classes)}, len(combined))
    return tuple(dict(zip(classes, one, strict=True)) for one, does in zip(combined, holds, strict=True) if does)


def codes_told_apart(predicates: Iterable[Predicate], sizes: Mapping[str, int]) -> dict[str, NDArray[np.int32]]:
    """Return, of each attribute that some predicates select by, which of its codes they do not tell apart.

    >>> codes_told_apart([Selection("age", frozenset((0, 1)))], {"age": 4, "sex": 2})
    {'age': array([0, 0, 1, 1], dtype=int32)}
    """
    selected: dict[str, list[frozenset[int]]] = {}
    for predicate in predicates:
        for name, sets in _selected(predicate).items():
            selected.setdefault(name, []).extend(sets)
    result = {}
    for name, sets in selected.items():
        result[name] = np.zeros(sizes[name], np.int32)
        for number, codes in enumerate(_classes(list(dict.fromkeys(sets)), sizes[name])):
            result[name][list(codes)] = number
    return result


def _selected(predicate: Predicate) -> dict[str, list[frozenset[int]]]:
    """Return, by attribute, the sets of codes that a predicate compares with."""
    if isinstance(predicate, Selection):
        return {predicate.attribute: [predicate.codes]}
    selected: dict[str, list[frozenset[int]]] = {}
    for part in (predicate.part,) if isinstance(predicate, Except) else predicate.parts:
        for name, sets in _selected(part).items():
            selected.setdefault(name, []).extend(sets)
    return selected


def _classes(sets: Sequence[frozenset[int]], size: int) -> list[frozenset[int]]:
    """Return the codes of an attribute by the sets that they are in."""
    classes: dict[tuple[bool, ...], set[int]] = {}
    for code in range(size):
        classes.setdefault(tuple(code in some for some in sets), set()).add(code)
    return [frozenset(some) for some in classes.values()]
