"""Whether a table adds up, and if not, which margin by how much."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Table

_DIGITS = 1e-9
"""What floating point may lose, as a share of the largest number in a sum."""

MOST_DECIMALS = 9


@dataclass(frozen=True, slots=True)
class Gap:
    """A sum that fails: its equation, the cell of the total, and by how much the parts exceed the total."""

    equation: int
    total: int
    difference: float
    relative: float
    published: bool
    """Whether the difference may be told: no cell of the sum is suppressed, and none is left out or zero, whose true
    value the difference might be."""

    def sentence(self, table: Table) -> str:
        """Return the gap in words; of a sum with unpublished cells only its relative size."""
        parts = "exceed" if self.difference > 0 else "fall short of"
        by = f"{abs(self.difference):.6g}" if self.published else f"{100 * self.relative:.2g} %"
        return f"the parts of {table.cell_name(self.total)} {parts} it by {by}{self._over(table)}"

    def _over(self, table: Table) -> str:
        cells, _ = table.equations.row(self.equation)
        places = table.codes[cells]
        moving = np.flatnonzero((places != places[0]).any(axis=0))
        return f" (over {table.dimensions[int(moving[0])].name})" if len(moving) == 1 else ""


def decimals_of(values: NDArray[np.float64]) -> int:
    """Return how many decimals the known values have.

    >>> decimals_of(np.array([1.0, 2.25, np.nan])), decimals_of(np.array([3.0, 4.0]))
    (2, 0)
    """
    known = values[np.isfinite(values)]
    for places in range(MOST_DECIMALS):
        if np.allclose(known, np.round(known, places), rtol=1e-12, atol=0):
            return places
    return MOST_DECIMALS


def gaps(
    table: Table,
    *,
    decimals: int | None = None,
    exact: bool = False,
    suppressed: NDArray[np.bool_] | None = None,
) -> tuple[Gap, ...]:
    """Return the sums over known values that fail by more than rounding explains, the largest failure first.

    Values rounded to d decimals miss their own sum by up to half a unit of the last decimal for each part and for the
    total: a table of rounded values that adds up to within that is in order. With `exact` (counts) nothing is allowed
    but what floating point loses.
    """
    equations = table.equations
    values = table.values
    known = np.isfinite(values)
    rows = equations.row_of
    complete = np.bincount(rows, weights=~known[equations.cells], minlength=len(equations)) == 0
    residuals = equations.residuals(np.where(known, values, 0.0))
    sizes = np.abs(np.where(known, values, 0.0))[equations.cells]
    largest = np.zeros(len(equations))
    np.maximum.at(largest, rows, sizes)
    places = decimals_of(values) if decimals is None else decimals
    terms = np.diff(equations.starts)
    rounding = 0.0 if exact or places >= MOST_DECIMALS else 0.5 * 10.0**-places
    allowed = terms * (rounding + _DIGITS * largest)
    hidden = np.zeros(len(table), bool) if suppressed is None else suppressed
    wrong = []
    for row in np.flatnonzero(complete & (np.abs(residuals) > allowed)):
        cells, coefficients = equations.row(int(row))
        total = int(cells[coefficients < 0][0]) if (coefficients < 0).any() else int(cells[0])
        size = max(abs(float(values[total])), float(np.abs(values[cells]).sum()) / 2, 1e-300)
        relative = abs(float(residuals[row])) / size
        open_ = not hidden[cells].any() and bool((values[cells] != 0).all()) and _is_whole(table, total, cells)
        wrong.append(Gap(int(row), total, float(residuals[row]), relative, open_))
    return tuple(sorted(wrong, key=lambda gap: -gap.relative))


def _is_whole(table: Table, total: int, cells: NDArray[np.int64]) -> bool:
    """Return whether a sum has all the parts that its dimension gives to the total."""
    places = table.codes[cells]
    moving = np.flatnonzero((places != places[0]).any(axis=0))
    if len(moving) != 1:
        return False
    at = int(moving[0])
    dimension = table.dimensions[at]
    code = dimension.codes[table.codes[total, at]]
    parts = {dimension.codes[place] for place in places[:, at]} - {code}
    return any(sum_.total == code and set(sum_.parts) == parts for sum_ in dimension.sums)
