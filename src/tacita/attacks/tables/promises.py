"""Whether a published table is what its method promises: multiples, near the truth, adding up, zeros, consistency.

Each check compares what is published with the true values, and returns faults in words without any figure. What an
attacker concludes from the promise is another question: see `rounded_table` and `adjusted_table`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.adjusted_table import Check, cells_named, checked_length, sums_that_fail
from tacita.attacks.tables.system.possible_tables import Numbers
from tacita.model.table import Table

_CLOSE = 1e-9


def check_rounded(table: Table, published: Numbers, base: float, *, additive: bool, most: float = 1) -> Check:
    """Return whether a table is rounded to a base, each value by at most so many bases.

    With `most` of 1 each value is one of the two multiples beside the true one, and a multiple stays as it is
    (zero-restricted). Figures: `farthest` is how many bases the truth is away at most, `far` how many cells are not
    zero-restricted.
    """
    checked_length(table, published)
    bases = published / base
    near = _CLOSE * np.maximum(1.0, np.abs(bases))
    moved = np.abs(published - table.values) / base
    multiple = np.abs(table.values / base - np.rint(table.values / base)) <= near
    restricted = np.where(multiple, moved <= near, moved < 1 - near)
    faults = cells_named(table, np.abs(bases - np.rint(bases)) > near, f"no multiples of {base:g}")
    if most <= 1:
        faults += cells_named(table, ~restricted, "not one of the two multiples beside the true value")
    else:
        faults += cells_named(table, moved > most + near, f"further than {most:g} bases from the true value")
    faults += sums_that_fail(table, published) if additive else []
    return Check(tuple(faults), {"farthest": float(moved.max(initial=0.0)), "far": int((~restricted).sum())})


def check_large_counts(table: Table, published: Numbers, base: float, inner: NDArray[np.bool_]) -> Check:
    """Return whether small-count rounding changed small inner counts only."""
    checked_length(table, published)
    small = (table.values > 0) & (table.values < base)
    changed = inner & ~small & (np.abs(published - table.values) > _CLOSE * np.maximum(1.0, table.values))
    return Check(tuple(cells_named(table, changed, f"inner counts of 0, or of {base:g} and more, were changed")))


def check_perturbed(table: Table, published: Numbers, maximum: float, smallest: int) -> Check:
    """Return whether counts with noise are whole, near the truth, zero where nobody is, and alike where records are.

    Where a sum has one part that is not zero, total and part count the same records, so that the cell key method gives
    both the same noise. No count from 1 to `smallest` may be published.
    """
    checked_length(table, published)
    faults = cells_named(table, np.abs(published - np.rint(published)) > 1e-6, "counts are not whole")
    faults += cells_named(table, published < 0, "counts are negative")
    faults += cells_named(table, np.abs(published - table.values) > maximum + _CLOSE, f"moved by more than {maximum:g}")
    faults += cells_named(table, (table.values == 0) & (published != 0), "zeros that were changed")
    small = (published > 0) & (published <= smallest)
    faults += cells_named(table, small, f"counts from 1 to {smallest} are published")
    faults += cells_named(table, _unlike(table, published), "other noise than in a cell with the same records")
    return Check(tuple(faults))


def check_same(table: Table, published: Numbers, expected: Numbers, fault: str) -> Check:
    """Return whether a table shows what its method makes again of the same data and keys."""
    checked_length(table, published)
    return Check(tuple(cells_named(table, np.abs(published - expected) > 1e-6, fault)))


def _unlike(table: Table, published: Numbers) -> NDArray[np.bool_]:
    """Return the totals that differ from the only part of them that anybody is in."""
    equations, row = table.equations, table.equations.row_of
    counts = (table.values[equations.cells] != 0).astype(np.int64)
    alone = np.bincount(row, counts, len(equations)) == 2
    entry = alone[row] & (counts > 0)
    gap = np.bincount(row[entry], (equations.coefficients * published[equations.cells])[entry], len(equations))
    unlike = np.zeros(len(table), bool)
    unlike[equations.cells[entry & (equations.coefficients < 0) & (np.abs(gap) > 1e-6)[row]]] = True
    return unlike
