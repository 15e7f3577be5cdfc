"""What it costs to withhold each cell."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.table import Table

KINDS = ("value", "count", "unity")


def costs_of(table: Table, kind: str) -> NDArray[np.float64]:
    """Return the cost of each cell: its value, its contributors, or one.

    >>> from tacita.model.table import Dimension, Equations
    >>> size = Dimension.flat("size", ["small", "large"])
    >>> firms = Table("firms", (size,), np.array([[0], [1], [2]], np.int32), np.array([9.0, 9, 0]),
    ...     Equations.of([(0, (1, 2))]), is_count=True)
    >>> costs_of(firms, "unity").tolist()
    [1.0, 1.0, 1.0]
    """
    if kind == "unity":
        return np.ones(len(table))
    if kind == "value":
        return np.abs(table.values)
    if table.counts is None:
        raise InputError(
            "the cost is the number of contributors, and the table does not tell it",
            where=f"table '{table.name}'",
            do='name the column of counts with \'count\' in [data], or choose cost = "value" or "unity"',
        )
    return table.counts.astype(np.float64)
