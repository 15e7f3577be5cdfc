"""Responses that are multiples of others in each stratum: turnover, and turnover times a weight of the sector.

The factor is the same for all records of a code of a dimension. Whoever sees one cell of the code in both responses
knows it, and has all other cells of the code of which one of the two is published. Where the same cells are withheld
in both, the sums of the two tables are different equations for them: two cells of a row have one solution.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.related_responses import RelatedResponse, same_records
from tacita.model.table import Table

Numbers = NDArray[np.float64]
_EXAMPLES, _SHARE = 20, 0.5
"""Records, and their share, from which the factor of their code can be told: not the only value of the code."""
_COARSE = 0.01
"""The largest rounding, as a share of a usual value, that counts as a multiple."""
_MOST_UNKNOWN = 3_000
"""Withheld cells for which the equations of both tables are solved; of more, all count as told."""


class WithheldCells(Protocol):
    """The tables of a response, and what is withheld in them."""

    @property
    def table(self) -> Table:
        """The cells and their sums."""

    @property
    def withheld(self) -> NDArray[np.bool_]:
        """Which cells are not published."""

    @property
    def marks(self) -> Numbers:
        """The sums of the marks of each cell's records."""


def solved_cells(relation: RelatedResponse, own: WithheldCells, other: WithheldCells) -> NDArray[np.bool_]:
    """Return the withheld cells of a response that the sums of both responses determine."""
    if relation.ranges is None:
        return np.zeros(len(own.table), dtype=bool)
    factors = np.where(relation.ranges[0] == relation.ranges[1], relation.ranges[0], np.nan)
    at = same_records(own.marks, other.marks)
    tied = np.isfinite(factors) & (factors > 0) & (at < len(other.table))
    unknown = own.withheld & ~(tied & ~np.append(other.withheld, False)[at])
    number = int(unknown.sum()) + int(other.withheld.sum())
    if number > _MOST_UNKNOWN:
        return own.withheld
    column = np.full(len(own.table), -1)
    column[unknown] = np.arange(int(unknown.sum()))
    columns, scales = np.full(len(other.table), -1), np.ones(len(other.table))
    columns[other.withheld] = np.arange(int(unknown.sum()), number)
    for cell in np.flatnonzero(tied).tolist():  # the other cell is this one, divided by the factor
        columns[at[cell]], scales[at[cell]] = column[cell], 1 / factors[cell]
    rows = [*_rows(own.table, column, np.ones(len(own.table)), number), *_rows(other.table, columns, scales, number)]
    free = np.eye(number)
    if rows and number:
        _, sizes, directions = np.linalg.svd(np.array(rows), full_matrices=True)
        free = directions[int((sizes > 1e-9 * sizes[0]).sum()) :]
    is_free = np.zeros(len(own.table), dtype=bool)
    is_free[unknown] = (np.abs(free[:, : int(unknown.sum())]) > 1e-7).any(axis=0)
    return own.withheld & ~is_free


def _rows(table: Table, columns: NDArray[np.int64], scales: Numbers, number: int) -> Iterator[Numbers]:
    """Yield the sums of a table in the unknown cells alone."""
    sums = table.equations
    for start, end in zip(sums.starts[:-1].tolist(), sums.starts[1:].tolist(), strict=True):
        cells = sums.cells[start:end]
        is_unknown = columns[cells] >= 0
        if is_unknown.any():
            row = np.zeros(number)
            np.add.at(row, columns[cells[is_unknown]], (sums.coefficients[start:end] * scales[cells])[is_unknown])
            yield row


def stratum_responses(
    response: str, table: Table, leaves: NDArray[np.int64], values: Mapping[str, Numbers]
) -> Iterator[RelatedResponse]:
    """Yield the responses of which a response is a multiple in each code of a dimension, but not in all records.

    `leaves` has the place of each record's code in each dimension, `values` all responses of the same records.
    """
    own = values[response]
    for other, numbers in values.items():
        if other == response:
            continue
        for at, dimension in enumerate(table.dimensions):
            factors, slack = _factors(own, numbers, leaves[:, at], len(dimension.codes))
            if factors is None:
                continue
            under = dimension.leaves_under()
            ranges = np.array(
                [_range(factors[[dimension.position(c) for c in under[code]]]) for code in dimension.codes]
            )
            cells = ranges[table.codes[:, at].astype(np.int64)]
            sentence = f"{response} = {other} times a factor of each '{dimension.name}'"
            yield RelatedResponse(response, {other: 1.0}, slack, sentence, (cells[:, 0], cells[:, 1]))


def _factors(own: Numbers, other: Numbers, codes: NDArray[np.int64], number: int) -> tuple[Numbers | None, float]:
    """Return the factor of each code, nan where it cannot be told, and by how much a record may miss it.

    >>> turnover, sector = np.arange(1, 61) * 37.0, np.arange(60) % 3
    >>> _factors(turnover * np.array([1, 2, 5.0])[sector], turnover, sector, 3)
    (array([1., 2., 5.]), 0.0)
    >>> _factors(turnover[::-1].copy(), turnover, sector, 3)[0] is None
    True
    """
    there = np.isfinite(own) & np.isfinite(other)
    own, other, codes = own[there], other[there], codes[there]
    totals = np.bincount(codes, weights=np.abs(other), minlength=number)
    least, largest = np.full(number, np.inf), np.full(number, -np.inf)
    np.minimum.at(least, codes, other)
    np.maximum.at(largest, codes, other)
    is_told = (totals > 0) & (largest > least)
    examples = int(is_told[codes].sum())
    if (own < 0).any() or (other < 0).any() or examples < max(_EXAMPLES, _SHARE * len(codes)):
        return None, 0.0
    sums = np.bincount(codes, weights=own, minlength=number)
    factors = np.where(is_told, sums / np.where(totals > 0, totals, 1), np.nan)
    known = factors[np.isfinite(factors)]
    missed = np.abs(own - factors[codes] * other)[is_told[codes]]
    rounding = _rounding(own)
    allowed = rounding / 2 * 1.000001 + 1e-9 * own[is_told[codes]]
    is_fine = rounding / 2 <= _COARSE * float(np.median(own))
    if not is_fine or (missed > allowed).any() or np.ptp(known) <= 1e-6 * known.max():
        return None, 0.0
    worst = float(missed.max())
    return factors, worst if worst > 1e-9 * float(own.max()) else 0.0


def _rounding(values: Numbers) -> float:
    """Return the smallest step of values, down to a millionth; 0 if they have no such step."""
    for decimals in range(7):
        if np.allclose(values, values.round(decimals), rtol=0, atol=1e-9):
            return float(10.0**-decimals)
    return 0.0


def _range(factors: Numbers) -> tuple[float, float]:
    """Return the smallest and the largest of factors; no bound where one cannot be told."""
    if not len(factors) or not np.isfinite(factors).all():
        return 0.0, float("inf")
    return float(factors.min()), float(factors.max())
