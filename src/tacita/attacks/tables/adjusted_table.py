"""Checks of tables that were changed openly: whether the published one keeps what its method promises."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.system.possible_tables import Numbers, unit_of
from tacita.errors import InputError, counted, listed
from tacita.model.table import Knowledge, Levels, Table


@dataclass(frozen=True, slots=True)
class Check:
    """Whether a published table keeps what its method promises; `faults` say what is broken, and where."""

    faults: tuple[str, ...]
    figures: dict[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """Whether nothing is broken."""
        return not self.faults


def check_adjusted(table: Table, published: Numbers, levels: Levels, knowledge: Knowledge) -> Check:
    """Return whether an adjusted table (controlled tabular adjustment) keeps its promises.

    It must add up, stay within the bounds, and show every sensitive cell at ``value - lower`` or less, or at
    ``value + upper`` or more.
    """
    checked_length(table, published)
    faults = sums_that_fail(table, published)
    size = np.maximum(1.0, np.abs(published))
    out = (published < knowledge.lower - 1e-9 * size) | (published > knowledge.upper + 1e-9 * size)
    faults += cells_named(table, out, "cells leave their bounds")
    moved = published - table.values
    near = 1e-9 * size
    # A level to one side only says how far to go on that side; a cell that does not move at all is not safe.
    down, up = moved <= -levels.lower + near, moved >= levels.upper - near
    kept = ((down & (levels.lower > 0)) | (up & (levels.upper > 0)) | (down & up)) & (np.abs(moved) > near)
    faults += cells_named(table, levels.sensitive & ~kept, "sensitive cells are still inside their protection interval")
    faults += cells_named(table, _finer(table, published), "figures have more decimals than the data")
    if knowledge.integer:
        faults += cells_named(table, np.abs(published - np.rint(published)) > 1e-6, "counts are not whole")
    return Check(tuple(faults), {"moved": int((np.abs(moved) > near).sum())})


def check_small_counts(table: Table, published: Numbers, base: float, inner: NDArray[np.bool_]) -> Check:
    """Return whether small-count rounding left no inner count between zero and its base, and adds up."""
    checked_length(table, published)
    faults = sums_that_fail(table, published)
    faults += cells_named(
        table, inner & (published > 0) & (published < base), "inner counts are between zero and the base"
    )
    faults += cells_named(table, published < 0, "counts are negative")
    faults += cells_named(table, np.abs(published - np.rint(published)) > 1e-6, "counts are not whole")
    return Check(tuple(faults))


def _finer(table: Table, published: Numbers) -> NDArray[np.bool_]:
    """Return which figures are no multiples of the unit that all true values are multiples of."""
    unit = unit_of(table.values)
    if not unit:
        return np.zeros(len(table), bool)
    scaled = published / unit
    return np.asarray(np.abs(scaled - np.rint(scaled)) > 1e-7 * np.maximum(1.0, np.abs(scaled)))


def sums_that_fail(table: Table, published: Numbers) -> list[str]:
    """Return which sums a published table does not keep, as one sentence or none."""
    equations = table.equations
    sizes = np.bincount(equations.row_of, weights=np.abs(published[equations.cells]), minlength=len(equations))
    wrong = np.flatnonzero(np.abs(equations.residuals(published)) > 1e-9 * np.maximum(1.0, sizes))
    if not wrong.size:
        return []
    totals = [equations.row(int(row))[0][np.argmin(equations.row(int(row))[1])] for row in wrong[:5]]
    names = [f"({table.cell_name(int(cell))})" for cell in totals]
    return [f"{counted(wrong.size, 'sum')} do not add up, such as those of {listed(names)}"]


def cells_named(table: Table, which: NDArray[np.bool_], what: str) -> list[str]:
    """Return what is wrong with some cells, as one sentence or none."""
    cells = np.flatnonzero(which)
    return [f"{what}: {listed([f'({table.cell_name(int(cell))})' for cell in cells], 5)}"] if cells.size else []


def checked_length(table: Table, published: Numbers) -> None:
    """Refuse a published table that is not one number for each cell."""
    if published.shape != (len(table),) or not np.isfinite(published).all():
        raise InputError(
            f"the published table does not give one number for each of {counted(len(table), 'cell')}",
            where=f"table '{table.name}'",
            do="give the published value of every cell, in the table's order",
        )
