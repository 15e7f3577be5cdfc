"""Rounded tables, and random rounding: each cell by itself."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacita.errors import UsageError
from tacita.model.table import Table
from tacita.tables.chance import uniform_by_cell
from tacita.tables.usable import require_usable


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

    @classmethod
    def of(
        cls,
        table: Table,
        values: NDArray[np.float64],
        base: float,
        *,
        bound: float = np.nan,
        additive: bool,
        reach: float | None,
        notes: tuple[str, ...],
    ) -> Rounded:
        """Return rounded values with their distances from the truth."""
        distances = np.abs(values - table.values)
        largest, total = float(distances.max(initial=0)), float(distances.sum())
        return cls(values, base, largest, total, bound, additive, reach, notes)

    @property
    def gap(self) -> float:
        """How much of the total distance could be saved at most, as a share of it; not a number: nobody knows."""
        if np.isnan(self.bound):
            return np.nan
        return 0.0 if not self.total > self.bound else float((self.total - self.bound) / self.total)


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


def round_randomly(table: Table, base: float, *, seed: int, per_cell: bool = True) -> Rounded:
    """Return each value rounded to one of its two multiples at random, so that its expectation is the value.

    A value ``q b + r`` becomes ``(q + 1) b`` with probability ``r / b``, otherwise ``q b`` (Nargundkar and Saveland
    1972); multiples stay. With `per_cell` the draw is a keyed hash of what the cell is (its response and the codes that
    are no totals): the same cell is then rounded the same way in every table that shows it, and asking twice tells
    nothing new. Otherwise each call draws afresh. The seed is a secret.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("people", (sex,), codes, np.array([9.0, 4, 5]), Equations.of([(0, (1, 2))]), is_count=True)
    >>> bool(np.isin(round_randomly(table, 5, seed=3).values, (0, 5, 10)).all())
    True
    """
    require_base(table, base)
    require_usable(table, whole=table.is_count, nonnegative=table.is_count)
    whole, left = multiples(table.values, base)
    draws = uniform_by_cell(table, seed) if per_cell else np.random.default_rng(seed).random(len(table))
    values = (whole + (draws < left)) * base
    notes = ["sums of rounded values need not add up: every cell is rounded on its own"]
    if not per_cell:
        notes.append("the same cell may be rounded otherwise in another table: publish each cell once")
    reach = base - 1 if table.is_count else base  # less than one base
    return Rounded.of(table, values, base, additive=False, reach=reach, notes=tuple(notes))
