"""Cubes made by hand for tests of audits, and exact arithmetic to hold them against."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tacita.queries.audit.judge import AuditRequest, ToldSum
from tacita.queries.cube.cube import Cube, CubeAttribute
from tacita.queries.policy.policy import FilterAttribute, QueryLimits, QueryMeasure, QueryPolicy, QueryRules
from tacita.queries.question import Mask, Statistic

ALL = (Statistic.SUM, Statistic.AVERAGE, Statistic.VARIANCE, Statistic.MINIMUM, Statistic.MAXIMUM)
HOUR = 3_600_000
"""A deadline that no test reaches."""


def policy_of(limits: QueryLimits | None = None, bounds: tuple[int, int] = (0, 1000), **rules: Any) -> QueryPolicy:
    """Return a policy for cells of one attribute and the measure ``salary``."""
    measure = QueryMeasure("salary", Decimal(bounds[0]), Decimal(bounds[1]), statistics=ALL)
    limits = limits or QueryLimits(deadline=HOUR)
    return QueryPolicy("emp", (FilterAttribute("cell"),), (measure,), rules=QueryRules(**rules), limits=limits)


def cube_of(cells: Sequence[Sequence[int]], policy: QueryPolicy, units: Sequence[int] | None = None) -> Cube:
    """Return a cube with the salaries of each cell, and of whom each record is."""
    n = np.array([len(cell) for cell in cells], np.int64)
    starts = np.concatenate([[0], np.cumsum(n)]).astype(np.int64)
    values = np.array([value for cell in cells for value in (cell if units else sorted(cell, reverse=True))], np.int64)
    attribute = CubeAttribute("cell", tuple(str(at) for at in range(len(cells))))
    codes = {"cell": np.arange(len(cells), dtype=np.int32)}
    whose = None if units is None else np.array(units, np.int64)
    return Cube(policy, (attribute,), codes, n, starts, {"salary": values}, whose)


def mask(cube: Cube, *cells: int) -> Mask:
    """Return some cells."""
    chosen = np.zeros(len(cube), np.bool_)
    chosen[list(cells)] = True
    return chosen


def sum_of(cube: Cube, cells: Mask, power: int = 1) -> ToldSum:
    """Return the sum of salaries over some cells."""
    values = cube.values["salary"][cube.records_of(cells)]
    return ToldSum("salary", cells, int((values**power).sum()), power)


def count_of(cube: Cube, cells: Mask) -> ToldSum:
    """Return the number of records in some cells."""
    return ToldSum("", cells, int(cube.n[cells].sum()))


def extreme_of(cube: Cube, cells: Mask, extreme: str) -> ToldSum:
    """Return the largest or least salary in some cells."""
    values = cube.values["salary"][cube.records_of(cells)]
    return ToldSum("salary", cells, int(values.max() if extreme == "max" else values.min()), extreme=extreme)


def request(*facts: ToldSum, number: int = 1) -> AuditRequest:
    """Return a request of some facts."""
    return AuditRequest(facts, number)


class Span:
    """The sums that follow from some rows, by fractions."""

    def __init__(self) -> None:
        self._rows: dict[int, list[Fraction]] = {}

    def copy(self) -> Span:
        """Return a span that can grow by itself."""
        other = Span()
        other._rows = dict(self._rows)
        return other

    def reduced(self, row: Sequence[int]) -> list[Fraction]:
        """Return what is left of a row."""
        left = [Fraction(int(entry)) for entry in row]
        for pivot, own in self._rows.items():
            if left[pivot]:
                factor = left[pivot]
                left = [a - factor * b for a, b in zip(left, own, strict=True)]
        return left

    def add(self, row: Sequence[int]) -> None:
        """Let a row be known."""
        left = self.reduced(row)
        pivot = next((at for at, entry in enumerate(left) if entry), None)
        if pivot is None:
            return
        left = [entry / left[pivot] for entry in left]
        for at, own in self._rows.items():
            if own[pivot]:
                self._rows[at] = [a - own[pivot] * b for a, b in zip(own, left, strict=True)]
        self._rows[pivot] = left

    def has(self, row: Sequence[int]) -> bool:
        """Return whether a row follows."""
        return not any(self.reduced(row))
