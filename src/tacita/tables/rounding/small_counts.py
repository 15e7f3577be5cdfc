"""Small-count rounding: inner counts below the base become 0 or the base, everything else follows.

Inner cells with a count in 1..b-1 that show in a published count below the base are set to 0 or b; all other inner
cells stay, and the totals are summed from the inner cells, so that every sum holds (Langsrud and Heldal 2018, "An
algorithm for small count rounding of tabular data"). Which go up is chosen so that the published counts change least:
the sum of absolute differences, with the largest difference counting `largest_weight` times. A first choice sends up
cells where the published counts lack most, exchanges improve it, and the mixed integer program takes over for the time
that is left.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted
from tacita.model.table import Table
from tacita.progress import Progress, Step, silent
from tacita.tables.linear_program import ConstraintRows, LinearProgram, Reals, solve
from tacita.tables.rounding.exchange import exchanged
from tacita.tables.rounding.rounded import Rounded, require_base
from tacita.tables.summation import Summation, summation_of
from tacita.tables.usable import require_usable


def round_small_counts(
    table: Table,
    base: int,
    *,
    published: NDArray[np.bool_] | None = None,
    largest_weight: float = 10.0,
    seed: int = 0,
    seconds: float = 10.0,
    progress: Progress = silent,
) -> Rounded:
    """Return a table of counts without any published count in 1..base-1, all sums kept.

    `published` says which cells are shown (all of them unless given): only these are kept near the truth, and only
    inner cells that show in a small published count are rounded. The seed steers the exchanges.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m", "x"])
    >>> codes = np.arange(4, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("people", (sex,), codes, np.array([10.0, 7, 2, 1]), Equations.of([(0, (1, 2, 3))]), is_count=True)
    >>> round_small_counts(table, 3).values.tolist()
    [10.0, 7.0, 3.0, 0.0]
    """
    end = time.monotonic() + max(seconds, 0.0)
    require_base(table, base)
    if not table.is_count:
        raise InputError("small-count rounding is for counts", where=f"table '{table.name}'", do="use another method")
    require_usable(table, whole=True, nonnegative=True)
    shown = np.ones(len(table), bool) if published is None else published
    summation = summation_of(table)
    members = _members(table, summation)
    values = table.values
    chosen = np.zeros(len(table), bool)
    while True:
        small = shown & (values > 0) & (values < base)
        more = summation.inner & (table.values > 0) & (table.values < base) & ~chosen
        more &= np.asarray(members.T @ small.astype(np.float64) > 0)
        if not small.any():
            break
        if not more.any():
            raise InputError(
                f"{counted(int(small.sum()), 'published count')} below the base whose inner cells cannot be rounded",
                where=f"table '{table.name}'",
                do="publish other cells, or another base",
            )
        chosen |= more
        progress(Step("rounding small counts", int(chosen.sum()), None))
        cells = np.flatnonzero(chosen)
        touched = members[np.flatnonzero(shown)][:, cells]
        touched = touched[np.diff(touched.indptr) > 0]
        target = touched @ table.values[cells]
        up = exchanged(touched, target, table.values[cells], base, largest_weight, seed, end)
        if end - time.monotonic() > 0.2:
            up = _improved(touched, target, base, largest_weight, up, end)
        inner = np.where(summation.inner, table.values, 0.0)
        inner[cells] = np.where(up, float(base), 0.0)
        values = summation.totals(inner)
    notes = (f"{counted(int(chosen.sum()), 'inner cell')} below the base became 0 or {base}; totals are their sums",)
    distances = np.abs(values - table.values)[shown]
    largest, total = float(distances.max(initial=0)), float(distances.sum())
    return Rounded(values, base, largest, total, np.nan, additive=True, reach=None, notes=notes)


def _members(table: Table, summation: Summation) -> Any:
    """Return which inner cells each cell holds, as a sparse matrix of cells by cells."""
    from scipy.sparse import csr_array

    members: dict[int, NDArray[np.int64]] = {int(cell): np.array([cell]) for cell in np.flatnonzero(summation.inner)}
    for total, parts in summation.order:
        members[total] = np.concatenate([members[int(part)] for part in parts])
    order = [members[cell] for cell in range(len(table))]
    starts = np.concatenate(((0,), np.cumsum([len(row) for row in order])))
    columns = np.concatenate(order)
    return csr_array((np.ones(len(columns)), columns, starts), shape=(len(table), len(table)))


def _improved(
    touched: Any, target: Reals, base: int, largest_weight: float, up: NDArray[np.bool_], end: float
) -> NDArray[np.bool_]:
    """Return the best choice of the mixed integer program in the time left, starting from a known one.

    Columns: x per inner cell, over and under per published cell, the largest difference. Rows:
    ``base * sum of x - over + under = target`` and ``over + under <= largest``.
    """
    rows, cells = touched.shape
    per_row = np.diff(touched.indptr)
    at = np.repeat(np.arange(rows), per_row)
    numbers = np.arange(rows)
    row = np.concatenate((at, numbers, numbers))
    column = np.concatenate((touched.indices, cells + numbers, cells + rows + numbers))
    value = np.concatenate((np.full(len(at), float(base)), np.full(rows, -1.0), np.ones(rows)))
    order = np.argsort(row, kind="stable")
    starts = np.concatenate(((0,), np.cumsum(per_row + 2)))
    last = cells + 2 * rows
    sums = ConstraintRows(starts.astype(np.int64), column[order].astype(np.int64), value[order], target, target)
    sizes = ConstraintRows(
        np.arange(0, 3 * rows + 1, 3, dtype=np.int64),
        np.column_stack((cells + numbers, cells + rows + numbers, np.full(rows, last))).ravel().astype(np.int64),
        np.tile(np.array([1.0, 1.0, -1.0]), rows),
        np.full(rows, -np.inf),
        np.zeros(rows),
    )
    integer = np.zeros(last + 1, bool)
    integer[:cells] = True
    program = LinearProgram(
        np.concatenate((np.zeros(cells), np.ones(2 * rows), (largest_weight,))),
        np.zeros(last + 1),
        np.concatenate((np.ones(cells), np.full(2 * rows + 1, np.inf))),
        sums.followed_by(sizes),
        integer,
    )
    off = base * (touched @ up.astype(np.float64)) - target
    start = np.concatenate((up, np.maximum(off, 0), np.maximum(-off, 0), (np.abs(off).max(initial=0),)))
    answer = solve(program, seconds=end - time.monotonic(), start=start.astype(np.float64))
    if answer.values is None or answer.objective > start @ program.costs - 1e-6:
        return up
    return np.asarray(answer.values[:cells] > 0.5)
