"""Who alone stands behind a cell, where only counts are known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table


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
