"""From the inner cells of a table to its totals, whatever the hierarchies and links."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError
from tacita.model.table import Table

Number = TypeVar("Number", np.float64, np.uint64, np.int64)


@dataclass(frozen=True, slots=True)
class Summation:
    """The order in which totals are summed: `inner` says which cells are no total, `order` one equation per total.

    Every total appears once, after all of its parts.
    """

    inner: NDArray[np.bool_]
    order: tuple[tuple[int, NDArray[np.int64]], ...]

    def totals(self, values: NDArray[Number]) -> NDArray[Number]:
        """Return values whose totals are the sums of their parts; sums of whole numbers wrap as numpy's do.

        >>> from tacita.model.table import Dimension, Equations
        >>> sex = Dimension.flat("sex", ["f", "m"])
        >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
        >>> table = Table("people", (sex,), codes, np.array([9.0, 4, 5]), Equations.of([(0, (1, 2))]), is_count=True)
        >>> summation_of(table).totals(np.array([0.0, 2, 3])).tolist()
        [5.0, 2.0, 3.0]
        """
        summed = values.copy()
        for total, parts in self.order:
            summed[total] = summed[parts].sum()
        return summed


def summation_of(table: Table) -> Summation:
    """Return how the totals of a table follow from its inner cells, or refuse a system that has no such order."""
    equations = table.equations
    if len(equations.coefficients) and not np.isin(equations.coefficients, (-1.0, 1.0)).all():
        raise _no_order(table)
    inner = np.ones(len(table), bool)
    totals = equations.cells[equations.coefficients < 0]
    inner[totals] = False
    if len(totals) != len(equations) or (np.bincount(equations.row_of[equations.coefficients < 0]) > 1).any():
        raise _no_order(table)
    known = inner.copy()
    waiting = [(int(total), equations.row(row)) for row, total in enumerate(totals)]
    order: list[tuple[int, NDArray[np.int64]]] = []
    while waiting:
        later = []
        for total, (cells, coefficients) in waiting:
            if known[total]:
                continue
            parts = cells[coefficients > 0]
            if known[parts].all():
                order.append((total, parts))
                known[total] = True
            else:
                later.append((total, (cells, coefficients)))
        if len(later) == len(waiting):
            raise _no_order(table)
        waiting = later
    return Summation(inner, tuple(order))


def _no_order(table: Table) -> InputError:
    return InputError(
        "its sums cannot be put in an order from inner cells to totals",
        where=f"table '{table.name}'",
        do="give each sum as one total and its parts",
    )
