"""The tables that an attacker holds possible: what is published, what must add up, what was known before."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, listed
from tacita.model.table import Knowledge, Table

if TYPE_CHECKING:
    from scipy.sparse import csr_array

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]


class Span(NamedTuple):
    """The least and the largest of each of some numbers."""

    low: Numbers
    high: Numbers


EXACT = 1e-9
"""Sums of floating numbers may miss their total by this share of the numbers added."""


@dataclass(frozen=True, slots=True)
class PossibleTables:
    """All y with ``matrix @ y = sums`` and ``lower <= y <= upper``: the unknown cells as an attacker sees them.

    `cells` are the numbers, in the table, of the cells that the attacker does not know; everything known has gone to
    the right-hand side. `equations` says which equation of the table each row is. `truth` holds the true values of the
    unknown cells, or None where somebody else protected the table and they are not at hand. `whole` says that only
    tables of whole numbers are possible. `roundings` is how far the worst sum of the table misses its total.
    """

    cells: Places
    matrix: csr_array[Any]
    sums: Numbers
    lower: Numbers
    upper: Numbers
    equations: Places
    truth: Numbers | None
    whole: bool
    roundings: float


def possible_tables(
    table: Table, suppressed: NDArray[np.bool_], knowledge: Knowledge, *, accuracy: float = 0.0
) -> PossibleTables:
    """Return what is possible for somebody who sees a table without its suppressed cells.

    The right-hand side is what the unknown cells truly add up to; where they are not at hand, what the published cells
    leave. In a magnitude table whose cells were rounded each on its own the two differ by the roundings. With
    `accuracy` every cell that can be seen is only known to within that much, which such a table may need to fit at all.
    """
    from dataclasses import replace

    from scipy.sparse import csr_array

    _fitting(table, suppressed, knowledge)
    if accuracy > 0:
        seen = ~suppressed | knowledge.known
        knowledge = replace(
            knowledge,
            lower=np.where(seen, np.maximum(knowledge.lower, table.values - accuracy), knowledge.lower),
            upper=np.where(seen, np.minimum(knowledge.upper, table.values + accuracy), knowledge.upper),
            known=np.zeros(len(table), bool),
        )
        suppressed = np.ones(len(table), bool)
    unknown = suppressed & ~knowledge.known
    roundings = _added_up(table, unknown)
    cells = np.flatnonzero(unknown)
    equations = table.equations
    whole = csr_array((equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table)))
    published = np.where(unknown, 0.0, table.values)
    matrix = csr_array(whole[:, cells])
    matrix.sum_duplicates()
    matrix.eliminate_zeros()
    rows = np.flatnonzero(np.diff(matrix.indptr))
    matrix = csr_array(matrix[rows])
    truth = table.values[cells]
    at_hand = accuracy == 0 and bool(np.isfinite(truth).all())
    sums = matrix @ truth if at_hand else -(whole[rows] @ published)
    lower, upper = knowledge.lower[cells].astype(np.float64), knowledge.upper[cells].astype(np.float64)
    if knowledge.integer:
        lower, upper = np.ceil(lower - EXACT), np.floor(upper + EXACT)
    return PossibleTables(
        cells, matrix, sums, lower, upper, rows, truth if at_hand else None, knowledge.integer, roundings
    )


def _fitting(table: Table, suppressed: NDArray[np.bool_], knowledge: Knowledge) -> None:
    """Refuse a pattern or knowledge of another table, cells without a value, and bounds that cannot be true."""
    where = f"table '{table.name}'"
    for what, given in (
        ("pattern of suppressions", suppressed),
        ("lower bounds", knowledge.lower),
        ("upper bounds", knowledge.upper),
        ("known cells", knowledge.known),
        ("owners", knowledge.owners),
    ):
        if given.shape != (len(table),):
            raise InputError(
                f"the {what} covers {counted(given.size, 'cell')}, the table has {len(table):,}",
                where=where,
                do="give one entry for each cell of the table, in its order",
            )
    if suppressed.dtype != np.bool_:
        raise InputError(
            "the pattern of suppressions is not true or false for each cell",
            where=where,
            do="give an array of booleans: true where the cell is not published",
        )
    hidden = suppressed & ~knowledge.known
    _refuse(table, ~np.isfinite(table.values) & ~hidden, "published or known cells have no value", "give their values")
    if knowledge.integer:
        _refuse(
            table,
            np.isfinite(table.values) & (np.abs(table.values - np.rint(table.values)) > 1e-6),
            "cells of a table of whole numbers are not whole",
            "say that the table is no table of counts, or mend the cells",
        )
    reach = EXACT * np.maximum(1.0, np.abs(np.nan_to_num(table.values)))
    outside = (table.values < knowledge.lower - reach) | (table.values > knowledge.upper + reach)
    crossed = knowledge.lower > knowledge.upper
    _refuse(
        table,
        hidden & (outside | crossed),
        "external bounds exclude the true value",
        "widen the bounds of these cells: an attacker who believes them is wrong, and no audit can be",
    )


def _refuse(table: Table, which: NDArray[np.bool_], fault: str, do: str) -> None:
    if which.any():
        names = [f"({table.cell_name(int(cell))})" for cell in np.flatnonzero(which)]
        raise InputError(f"{fault}: {listed(names)}", where=f"table '{table.name}'", do=do)


def _added_up(table: Table, unknown: NDArray[np.bool_]) -> float:
    """Refuse a table that does not add up; return by how much the worst sum misses its total.

    A magnitude table whose cells were each rounded to the same place may miss by half a unit for each cell added.
    """
    equations = table.equations
    judged = np.isfinite(np.where(unknown, table.values, 0.0))
    whole = np.bincount(equations.row_of, weights=~judged[equations.cells], minlength=len(equations)) == 0
    values = np.nan_to_num(table.values)
    misses = np.where(whole, np.abs(equations.residuals(values)), 0.0)
    sizes = np.bincount(
        equations.row_of, weights=np.abs(equations.coefficients * values[equations.cells]), minlength=len(equations)
    )
    allowed = EXACT * np.maximum(sizes, 1e-6)
    if not table.is_count:
        allowed = allowed + unit_of(values) * np.diff(equations.starts) / 2
    wrong = np.flatnonzero(misses > allowed)
    if wrong.size:
        names = [_sum_name(table, int(row)) for row in wrong]
        raise InputError(
            f"{counted(wrong.size, 'sum')} of the table do not add up: {listed(names, 5)}",
            where=f"table '{table.name}'",
            do="mend the totals or leave out the sums that do not hold; nothing can be concluded from false sums",
        )
    return float(misses.max(initial=0.0))


def unit_of(values: Numbers) -> float:
    """Return the place that all values are rounded to: 1, 0.1, ... down to a millionth, or 0 where there is none."""
    for places in range(7):
        scaled = values * 10.0**places
        if np.all(np.abs(scaled - np.rint(scaled)) <= 1e-9 * np.maximum(1.0, np.abs(scaled))):
            return float(10.0**-places)
    return 0.0


def _sum_name(table: Table, row: int) -> str:
    cells, coefficients = table.equations.row(row)
    totals = cells[coefficients < 0]
    return f"({table.cell_name(int((totals if totals.size else cells)[0]))})"
