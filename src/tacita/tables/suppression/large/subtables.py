"""Subtables: one sum of each dimension, crossed; the largest parts of a table without hierarchy."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension, Table
from tacita.tables.suppression.presolve import Reduced


@dataclass(frozen=True, slots=True)
class Subtable:
    """The places that a subtable shows, and the equations that hold among them alone."""

    places: NDArray[np.int64]
    rows: NDArray[np.int64]


def subtables_of(table: Table, reduced: Reduced) -> list[Subtable]:
    """Return the subtables that have an equation left after reduction, in a fixed order."""
    keys = _keys(table)
    key, place = keys.ravel(), np.repeat(reduced.place[: len(table)], keys.shape[1])
    shown = (key >= 0) & (place >= 0)
    pairs = np.unique(np.stack([key[shown], place[shown]], axis=1), axis=0)
    if not len(pairs):
        return []
    starts = np.flatnonzero(np.diff(pairs[:, 0], prepend=-1))
    sums = reduced.problem.sums
    columns, sizes = sums.tocsc(), np.diff(sums.indptr)
    subtables = []
    for places in np.split(pairs[:, 1], starts[1:]):
        entries = [columns.indices[columns.indptr[one] : columns.indptr[one + 1]] for one in places.tolist()]
        rows, count = np.unique(np.concatenate(entries), return_counts=True)
        rows = rows[count == sizes[rows]]
        if len(rows):
            subtables.append(Subtable(places, rows.astype(np.int64)))
    return subtables


def _keys(table: Table) -> NDArray[np.int64]:
    """Return for each cell the numbers of its subtables; -1 fills up."""
    keys = [np.zeros(len(table), np.int64)]
    for at, dimension in enumerate(table.dimensions):
        sums = _sums_of_codes(dimension)[table.codes[:, at]]
        size = max(1, len(dimension.sums))
        keys = [
            np.where((key >= 0) & (sums[:, which] >= 0), key * size + sums[:, which], -1)
            for key in keys
            for which in range(sums.shape[1])
        ]
    return np.stack(keys, axis=1)


def _sums_of_codes(dimension: Dimension) -> NDArray[np.int64]:
    """Return for each code the sums that it is in; -1 fills up."""
    if not dimension.sums:
        return np.zeros((len(dimension.codes), 1), np.int64)
    within: list[list[int]] = [[] for _ in dimension.codes]
    for number, sum_ in enumerate(dimension.sums):
        for code in (sum_.total, *sum_.parts):
            within[dimension.position(code)].append(number)
    most = max(map(len, within))
    return np.array([numbers + [-1] * (most - len(numbers)) for numbers in within], np.int64)
