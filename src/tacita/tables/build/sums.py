"""The sums among the cells of linked tables, each once, as one sparse system."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Equations, Sum
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
            for each in system.sums[table][at]:
                name = (each.total, frozenset(each.parts))
                mask = same[name][1] | shown if name in same else shown
                same[name] = (each, mask)
        order = np.argsort(place, kind="stable")
        sorted_place = place[order]
        for each, mask in same.values():
            here = dimension.position(each.total)
            first, last = np.searchsorted(sorted_place, [here, here + 1])
            totals = order[first:last]
            totals = totals[mask[totals]]
            if len(totals):
                steps = np.array([dimension.position(part) - here for part in each.parts], np.int64) * radix
                rows.append(_row_block(keys, totals, steps))
    return _assembled(rows)


def _row_block(
    keys: NDArray[np.int64], totals: NDArray[np.int64], steps: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the totals that have parts, how many parts each has, and the parts of all one after the other."""
    wanted = keys[totals][:, None] + steps[None, :]
    found = np.searchsorted(keys, wanted)
    there = keys[np.minimum(found, len(keys) - 1)] == wanted
    lengths = there.sum(axis=1)
    return totals[lengths > 0], lengths[lengths > 0].astype(np.int64), found[there].astype(np.int64)


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
