"""The sums among the cells of linked tables, the cells of one table in another, and who stands alone behind cells."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Equations, Sum, Table
from tacita.tables.build.linked import System


def equations_of(system: System, keys: NDArray[np.int64], parts: list[NDArray[np.bool_]]) -> Equations:
    """Return the equations of cells with these keys (in order), of which each table shows a part.

    A sum of a dimension holds for every combination of codes of the other dimensions. Two tables that share such a
    combination share the equation. A cell that is not there is zero for everybody, so it is left out of its sum.
    """
    rows: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]] = []
    for at, dimension in enumerate(system.dimensions):
        radix = system.radix[at]
        place = (keys // radix % len(dimension.codes)).astype(np.int64)
        # Two tables may spell one sum with its parts in another order.
        same: dict[tuple[str, frozenset[str]], tuple[Sum, NDArray[np.bool_]]] = {}
        for table, shown in enumerate(parts):
            for one in system.sums[table][at]:
                name = (one.total, frozenset(one.parts))
                mask = same[name][1] | shown if name in same else shown
                same[name] = (one, mask)
        order = np.argsort(place, kind="stable")
        sorted_place = place[order]
        for one, mask in same.values():
            here = dimension.position(one.total)
            first, last = np.searchsorted(sorted_place, [here, here + 1])
            totals = order[first:last]
            totals = totals[mask[totals]]
            if len(totals):
                steps = np.array([dimension.position(part) - here for part in one.parts], np.int64) * radix
                rows.append(_row_block(keys, totals, steps))
    return _assembled(rows)


def _row_block(
    keys: NDArray[np.int64], totals: NDArray[np.int64], steps: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the totals that have parts, how many parts each has, and the parts of all one after the other."""
    wanted = keys[totals][:, None] + steps[None, :]
    at = np.searchsorted(keys, wanted)
    there = keys[np.minimum(at, len(keys) - 1)] == wanted
    lengths = there.sum(axis=1)
    return totals[lengths > 0], lengths[lengths > 0].astype(np.int64), at[there].astype(np.int64)


def _assembled(rows: list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]) -> Equations:
    if not rows:
        return Equations.of(())
    totals = np.concatenate([row[0] for row in rows])
    lengths = np.concatenate([row[1] for row in rows])
    parts = np.concatenate([row[2] for row in rows])
    starts = np.concatenate([[0], np.cumsum(lengths + 1)]).astype(np.int64)
    cells = np.empty(int(starts[-1]), np.int64)
    coefficients = np.ones(len(cells))
    coefficients[starts[:-1]] = -1.0
    of_parts = np.ones(len(cells), bool)
    of_parts[starts[:-1]] = False
    cells[starts[:-1]], cells[of_parts] = totals, parts
    return Equations(starts, cells, coefficients)


def same_cells(table: Table, other: Table) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return for each cell of a table the cell of another with the same codes, and whether there is one.

    The two may have other codes and other hierarchies; a dimension that one of them lacks is at its total.
    """
    keys, old_keys = np.zeros(len(table), np.int64), np.zeros(len(other), np.int64)
    old = {one.name: at for at, one in enumerate(other.dimensions)}
    inside = np.ones(len(other), bool)
    size = 1
    for at, dimension in enumerate(table.dimensions):
        keys += table.codes[:, at].astype(np.int64) * size
        if dimension.name in old:
            codes = other.dimensions[old[dimension.name]].codes
            places = np.array([dimension.position(code) if code in dimension else -1 for code in codes], np.int64)
            place = places[other.codes[:, old.pop(dimension.name)]]
            inside &= place >= 0
            old_keys += place * size
        size *= len(dimension.codes)
    for at in old.values():
        inside &= other.codes[:, at] == 0
    number = np.flatnonzero(inside)
    if not len(number):
        return np.zeros(len(table), np.int64), np.zeros(len(table), bool)
    order = number[np.argsort(old_keys[number], kind="stable")]
    match = order[np.minimum(np.searchsorted(old_keys[order], keys), len(order) - 1)]
    return match, old_keys[match] == keys


def owners(table: Table) -> NDArray[np.int64]:
    """Return the sole contributor of each cell, -1 where there are none or several.

    They are those of the contributions where these are known. Otherwise cells with one contributor that are bound by a
    sum (a total of one, and its part of one) have the same; each is numbered by the first of its cells.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> sums = Equations.of([(0, (1, 2))])
    >>> owners(Table("t", (sex,), codes, np.array([1.0, 1, 0]), sums, True, counts=np.array([1, 1, 0]))).tolist()
    [0, 0, -1]
    """
    if table.contributions is not None and (table.contributions.holders >= 0).any():
        return table.contributions.sole_contributors()
    if table.counts is None:
        return np.full(len(table), -1, np.int64)
    single = table.counts == 1
    owner = np.where(single, np.arange(len(table)), -1).astype(np.int64)
    equations = table.equations
    of_total = equations.coefficients < 0
    rows = equations.row_of
    # In a sum whose total has one contributor, exactly one part has, and it is the same one.
    total_of_row = np.full(len(equations), -1, np.int64)
    total_of_row[rows[of_total]] = equations.cells[of_total]
    pairs = np.flatnonzero(~of_total & single[equations.cells])
    totals = total_of_row[rows[pairs]]
    pairs, totals = pairs[single[totals]], totals[single[totals]]
    cells = equations.cells[pairs]
    while True:
        least = np.minimum(owner[cells], owner[totals])
        before = owner.copy()
        np.minimum.at(owner, cells, least)
        np.minimum.at(owner, totals, least)
        if (before == owner).all():
            return owner
