"""Small tables to show: two and three dimensions, a hierarchy, withheld cells."""

from __future__ import annotations

import itertools

import numpy as np

from tacita.model.table import Dimension, Equations, Status, Table
from tacita.tables.output.part import ShownCells, TablePart, parts_of

SECTOR = Dimension.tree("sector", {"Total": {"A": ["A1", "A2"], "B": []}})
SIZE = Dimension("size", ("all", "<s>", "l"), Dimension.flat("size", ["<s>", "l"], "all").sums, {"l": "large & old"})
YEAR = Dimension.flat("year", ["2024", "2025"])
SECRET = 777_777.25


def table(*dimensions: Dimension) -> Table:
    """A table that need not add up: what is written is what is given."""
    codes = np.array(list(itertools.product(*(range(len(each.codes)) for each in dimensions))), np.int32)
    values = np.arange(1, len(codes) + 1) * 1000.0
    values[5] = values[7] = SECRET
    return Table("firms", dimensions, codes, values, Equations.of([]), is_count=False, response="turnover")


def external(given: Table) -> tuple[TablePart, ...]:
    return parts_of(given, ShownCells(np.where(given.values == SECRET, np.nan, given.values)))


def internal(given: Table) -> tuple[TablePart, ...]:
    hidden = np.flatnonzero(given.values == SECRET)
    statuses = np.zeros(len(given), np.int8)
    statuses[hidden] = (Status.PRIMARY, Status.SECONDARY)
    reasons = ["" for _ in range(len(given))]
    reasons[hidden[0]], reasons[hidden[1]] = "sensitive by 'dominance' & <b>", "withheld to protect another"
    counts = np.arange(len(given), dtype=np.int64)
    return parts_of(given, ShownCells(given.values, statuses=statuses, reasons=reasons, columns={"count": counts}))
