"""Granularity: how much of a table is grains, cells of a single record, and how they lie.

Defined, after Horn and Morton, in "Statistical data protection techniques" (EUSTAT, 1999), section Granularity.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table
from tacita.tables.sensitivity.contributors import counts_of, require_between

PROPORTIONAL, ODD, DISPERSED = "proportional", "odd", "dispersed"


@dataclass(frozen=True, slots=True)
class HyperRow:
    """The cells along one dimension, all other codes fixed. `odd` and `dispersed` are the numbers of unit cells."""

    dimension: str
    fixed: tuple[tuple[str, str], ...]
    """The other dimensions, with their codes."""
    units: int
    occupied: int
    odd: tuple[int, ...]
    dispersed: tuple[int, ...]
    critical: float

    @property
    def index(self) -> float:
        """Unit cells, in per cent of the cells with a value."""
        return 100 * self.units / self.occupied

    @property
    def patterns(self) -> tuple[str, ...]:
        """Which of the critical patterns the row shows."""
        signs = (PROPORTIONAL, self.index >= self.critical), (ODD, bool(self.odd)), (DISPERSED, bool(self.dispersed))
        return tuple(name for name, holds in signs if holds)


@dataclass(frozen=True, slots=True)
class TableGranularity:
    """All hyper-rows of a table that have a record."""

    rows: tuple[HyperRow, ...]

    @property
    def critical(self) -> tuple[HyperRow, ...]:
        """The rows whose index reaches the critical level: with one of them the table counts as unsafe."""
        return tuple(row for row in self.rows if PROPORTIONAL in row.patterns)

    @property
    def conspicuous(self) -> tuple[HyperRow, ...]:
        """The rows that show any pattern."""
        return tuple(row for row in self.rows if row.patterns)


def granularity(table: Table, *, critical: float = 50.0, unexpected: float = 0.025, high: int = 5) -> TableGranularity:
    """Return the granularity of each hyper-row: all categories of one dimension, the other codes fixed.

    Categories are the leaves of the dimension; the others are fixed at any code, totals included, since a hyper-row may
    fix fewer dimensions than all. A row is

    - proportional, if its index, unit cells by cells with a value, is at least `critical` per cent;
    - odd, if a unit cell is unexpected: with e the count that the row's total and the margin of the category let
      expect under independence, a Poisson count would be 1 or less, or 1 or more, with a probability of at most
      `unexpected` (2.5 %: e is above 5.57 or below 0.025);
    - dispersed, if a unit cell lies between two cells of at least `high` records, in the order of the codes.

    The source shows the last two by examples only; the measures are chosen so that each example shows its pattern, and
    the ungranulated one none. Neighbours mean something only where the codes are ordered.
    """
    require_between("the critical index", "granularity", critical, above=0, below=100.0001)
    require_between("the unexpected probability", "granularity", unexpected, above=0, below=1)
    require_between("the high frequency", "granularity", high, above=1, below=np.inf, whole=True)
    counts = counts_of(table, "granularity")
    rows: list[HyperRow] = []
    for along in range(len(table.dimensions)):
        rows.extend(_rows_along(table, counts, along, critical, unexpected, high))
    return TableGranularity(tuple(rows))


def _rows_along(
    table: Table, counts: NDArray[np.int64], along: int, critical: float, unexpected: float, high: int
) -> list[HyperRow]:
    dimension = table.dimensions[along]
    leaves = set(dimension.leaves)
    is_leaf = np.array([code in leaves for code in dimension.codes])
    cells = np.flatnonzero(is_leaf[table.codes[:, along]])
    others = np.delete(table.codes[cells], along, axis=1)
    fixed, group = np.unique(others, axis=0, return_inverse=True)
    group = group.reshape(-1)
    order = np.lexsort((table.codes[cells, along], group))
    cells, group, frequencies = cells[order], group[order], counts[cells[order]]

    margin = _margin(table, counts, along)[table.codes[cells, along]]
    total = np.bincount(group, weights=frequencies, minlength=len(fixed))
    grand = np.bincount(group, weights=margin, minlength=len(fixed))
    expected = total[group] * margin / np.maximum(grand[group], 1)
    unit = frequencies == 1
    at_most, at_least = np.exp(-expected) * (1 + expected), -np.expm1(-expected)
    odd = unit & (np.minimum(at_most, at_least) <= unexpected)

    rank = np.cumsum(is_leaf)[table.codes[cells, along]]
    follows = (np.diff(group) == 0) & (np.diff(rank) == 1)  # a missing cell between two is an empty one
    before = np.concatenate(([0], np.where(follows, frequencies[:-1], 0))) if len(frequencies) else frequencies
    after = np.concatenate((np.where(follows, frequencies[1:], 0), [0])) if len(frequencies) else frequencies
    dispersed = unit & (before >= high) & (after >= high)

    units = np.bincount(group, weights=unit, minlength=len(fixed)).astype(int)
    occupied = np.bincount(group, weights=frequencies > 0, minlength=len(fixed)).astype(int)
    starts = np.searchsorted(group, np.arange(len(fixed) + 1))
    elsewhere = [one for at, one in enumerate(table.dimensions) if at != along]
    rows = []
    for at in np.flatnonzero(occupied):
        part = slice(starts[at], starts[at + 1])
        rows.append(
            HyperRow(
                dimension.name,
                tuple((one.name, one.codes[code]) for one, code in zip(elsewhere, fixed[at], strict=True)),
                int(units[at]),
                int(occupied[at]),
                tuple(cells[part][odd[part]].tolist()),
                tuple(cells[part][dispersed[part]].tolist()),
                critical,
            )
        )
    return rows


def _margin(table: Table, counts: NDArray[np.int64], along: int) -> NDArray[np.float64]:
    """Return the count of each code of a dimension: others at their totals, or summed up where these are missing."""
    size = len(table.dimensions[along].codes)
    codes = table.codes[:, along]
    at_totals = (np.delete(table.codes, along, axis=1) == 0).all(axis=1)
    margin = np.bincount(codes[at_totals], weights=counts[at_totals], minlength=size)
    inner = np.ones(len(table), bool)
    for at, dimension in enumerate(table.dimensions):
        leaves = set(dimension.leaves)
        inner &= (at == along) | np.array([code in leaves for code in dimension.codes])[table.codes[:, at]]
    summed = np.bincount(codes[inner], weights=counts[inner], minlength=size)
    is_shown = np.bincount(codes[at_totals], minlength=size) > 0
    return np.where(is_shown, margin, summed)
