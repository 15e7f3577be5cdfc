"""What every way to change a table needs of it: finite values that add up, whole and not negative where it counts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted, listed
from tacita.model.table import Levels, Table


def require_usable(table: Table, *, whole: bool = False, nonnegative: bool = False) -> None:
    """Refuse a table whose values cannot be used, naming the cells but never a value.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> wrong = Table("people", (sex,), codes, np.array([9.0, 4, 4]), Equations.of([(0, (1, 2))]), is_count=True)
    >>> require_usable(wrong)
    Traceback (most recent call last):
    tacita.errors.InputError: table 'people': 1 sum does not add up: sex=Total...
    """
    where = f"table '{table.name}'"
    if not len(table):
        raise InputError("there is no cell", where=where, do="give a table with cells")
    unknown = np.flatnonzero(~np.isfinite(table.values))
    if len(unknown):
        raise InputError(
            f"{counted(len(unknown), 'cell')} without a finite value: {names(table, unknown)}",
            where=where,
            do="give every cell a value, or leave the cell out",
        )
    if nonnegative:
        below = np.flatnonzero(table.values < 0)
        if len(below):
            raise InputError(
                f"{counted(len(below), 'cell')} below zero: {names(table, below)}",
                where=where,
                do="use suppression or adjustment, which take negative values",
            )
    if whole:
        broken = np.flatnonzero(table.values != np.rint(table.values))
        if len(broken):
            raise InputError(
                f"{counted(len(broken), 'cell')} with no whole number: {names(table, broken)}",
                where=where,
                do="this needs counts of contributors, never weighted",
            )
    off = np.flatnonzero(np.abs(table.equations.residuals(table.values)) > tolerance(table))
    if len(off):
        totals = np.array([total_of(table, int(row)) for row in off], np.int64)
        raise InputError(
            f"{counted(len(off), 'sum')} {'does' if len(off) == 1 else 'do'} not add up: {names(table, totals)}",
            where=where,
            do="mend the table first; rounding errors can be mended by computing the totals from their parts",
        )


def require_levels(table: Table, levels: Levels) -> None:
    """Refuse levels that are not of this table, or that are no distances."""
    if len(levels.sensitive) != len(table):
        raise UsageError(
            f"protection levels for {counted(len(levels.sensitive), 'cell')}, a table of {len(table):,}",
            where=f"table '{table.name}'",
            do="assess this very table",
        )
    for what in (levels.lower, levels.upper, levels.sliding):
        wrong = np.flatnonzero(levels.sensitive & ~(np.isfinite(what) & (what >= 0)))
        if len(wrong):
            raise InputError(
                f"protection levels that are no distances: {names(table, wrong)}",
                where=f"table '{table.name}'",
                do="give levels as finite distances from the value, not below zero",
            )


def tolerance(table: Table) -> float:
    """Return how far a sum may be off for reasons of arithmetic alone."""
    return 1e-9 * max(1.0, float(np.abs(table.values).max(initial=0.0)))


def total_of(table: Table, row: int) -> int:
    """Return the cell that an equation is the sum for: the one with -1, or the first where none has."""
    cells, coefficients = table.equations.row(row)
    return int(cells[int(np.argmin(coefficients))])


def names(table: Table, cells: NDArray[np.int64], limit: int = 5) -> str:
    """Return some cells as people say them."""
    return listed([table.cell_name(int(cell)) for cell in cells[:limit]] + [""] * (len(cells) - limit), limit)
