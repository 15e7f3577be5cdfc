"""A table as facts, for rules that say which cells are sensitive. They hold contributions: internal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from tacita.model.table import Table
from tacita.tables.sensitivity.contributors import counts_of

if TYPE_CHECKING:
    import pyarrow as pa


def facts_of(table: Table) -> dict[str, pa.Table]:
    """Return the facts by predicate; cells are numbered from 1.

    - ``Cell(cell, value, count)``: the value, and how many contributors there are, never weighted;
    - ``Code(cell, dimension, code)``: where the cell stands, one fact for each dimension;
    - ``Size(cell, size)``: the sum of the absolute contributions, which is the value if none is negative;
    - ``Contribution(cell, rank, contribution, weight, holder)``: the largest contributions by size, from rank 1;
    - ``Part(total, part)``: which cell is a part of the sum for which.
    """
    import pyarrow as pa

    from tacita.risk.arrays import as_arrow

    cells = np.arange(1, len(table) + 1, dtype=np.int64)
    counts = counts_of(table, "a program of rules").astype(np.int64)
    held = table.contributions
    size = np.abs(table.values)
    if held is not None:
        size = np.abs(held.totals) if held.absolutes is None else held.absolutes
    names = [each.name for each in table.dimensions]
    sums = table.equations
    totals = np.zeros(len(sums), np.int64)
    is_total = sums.coefficients < 0
    totals[sums.row_of[is_total]] = sums.cells[is_total] + 1
    facts = {
        "Cell": pa.table({"cell": as_arrow(cells), "value": as_arrow(table.values), "count": as_arrow(counts)}),
        "Code": pa.table(
            {
                "cell": as_arrow(np.repeat(cells, len(names))),
                "dimension": pa.array(names * len(table), pa.string()),
                "code": pa.array([code for at in range(len(table)) for code in table.cell_codes(at)], pa.string()),
            }
        ),
        "Size": pa.table({"cell": as_arrow(cells), "size": as_arrow(np.ascontiguousarray(size, np.float64))}),
        "Part": pa.table(
            {"total": as_arrow(totals[sums.row_of[~is_total]]), "part": as_arrow(sums.cells[~is_total] + 1)}
        ),
    }
    kept = held.largest.shape[1] if held is not None else 0
    there = np.zeros((len(table), 0), bool)
    largest, weights, holders = there.astype(np.float64), there.astype(np.float64), there.astype(np.int64)
    if held is not None:
        largest, weights, holders = np.abs(held.largest), held.weights, held.holders
        there = (largest > 0) | (holders >= 0)
    rank = np.broadcast_to(np.arange(1, kept + 1, dtype=np.int64), there.shape)
    facts["Contribution"] = pa.table(
        {
            "cell": as_arrow(np.broadcast_to(cells[:, None], there.shape)[there]),
            "rank": as_arrow(rank[there]),
            "contribution": as_arrow(largest[there]),
            "weight": as_arrow(weights[there]),
            "holder": as_arrow(holders[there]),
        }
    )
    return facts
