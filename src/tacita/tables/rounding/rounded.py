"""A rounded table, and how far it is from the truth."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.model.table import Table


@dataclass(frozen=True, slots=True)
class Rounded:
    """Rounded values: `largest` and `total` are the largest and the summed distance from the true values.

    `bound` is what no rounding of the same kind can undercut in `total` (`total` itself when it is the least, not a
    number when nothing is minimised). `additive` says whether all sums are kept. `reach` is what whoever knows the
    method knows: no value is further than this from what is published (None: only some cells are rounded).
    """

    values: NDArray[np.float64]
    base: float
    largest: float
    total: float
    bound: float
    additive: bool
    reach: float | None
    notes: tuple[str, ...]

    @property
    def gap(self) -> float:
        """How much of the total distance could be saved at most, as a share of it; not a number: nobody knows."""
        if np.isnan(self.bound):
            return np.nan
        return 0.0 if not self.total > self.bound else float((self.total - self.bound) / self.total)


def rounded(
    table: Table,
    values: NDArray[np.float64],
    base: float,
    *,
    bound: float = np.nan,
    additive: bool,
    reach: float | None,
    notes: tuple[str, ...],
    cells: NDArray[np.bool_] | None = None,
) -> Rounded:
    """Return the result for rounded values, with their distances (over some cells only, where given)."""
    distances = np.abs(values - table.values)
    if cells is not None:
        distances = distances[cells]
    return Rounded(values, base, float(distances.max(initial=0)), float(distances.sum()), bound, additive, reach, notes)


def require_base(table: Table, base: float) -> None:
    """Refuse a base that is no positive number, or not whole where the table counts."""
    if not np.isfinite(base) or base <= 0 or (table.is_count and (base != int(base) or base < 2)):
        kind = "a whole number of 2 or more" if table.is_count else "a number above 0"
        raise UsageError(f"the base is {base:g}, not {kind}", where=f"table '{table.name}'", do="choose another base")


def multiples(values: NDArray[np.float64], base: float) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the multiple of the base at or below each value, as a number of bases, and what is left, in bases.

    >>> whole, left = multiples(np.array([7.0, 10.0, -2.0]), 5)
    >>> whole.tolist(), left.round(2).tolist()
    ([1.0, 2.0, -1.0], [0.4, 0.0, 0.6])
    """
    bases = values / base
    whole = np.floor(bases)
    left = bases - whole
    # 0.3 / 0.1 is 2.9999999999999996: what arithmetic alone leaves is nothing left.
    close = 1e-9 * np.maximum(1.0, np.abs(bases))
    whole = np.where(left > 1 - close, whole + 1, whole)
    left = np.where((left > 1 - close) | (left < close), 0.0, left)
    return whole, left
