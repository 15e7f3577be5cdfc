"""Tables that somebody says are possible, checked by plain arithmetic before they count as proofs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.system.possible_tables import Numbers, PossibleTables
from tacita.attacks.tables.system.reduction import Reduction
from tacita.model.table import Knowledge, Movement, Table

_DUST = 1e-7  # of the largest move: what a sum may miss by
_CAUTION = 10.0


def shown(
    table: Table, suppressed: NDArray[np.bool_], knowledge: Knowledge, movements: Sequence[Movement]
) -> tuple[Numbers, Numbers]:
    """Return how low and how high each cell is in tables that fit: the true one, and those moved from it.

    A movement counts, and so does its mirror image, if it moves cells only that are suppressed and not known, keeps
    every sum, stays within the external bounds, and is by whole numbers where all know the values to be. Nothing is
    taken on trust from whoever found it; what a sum misses by is taken off ten times.
    """
    from scipy.sparse import csc_array, csr_array

    low, high = table.values.copy(), table.values.copy()
    if not movements:
        return low, high
    cells = np.concatenate([movement.cells for movement in movements])
    delta = np.concatenate([movement.delta for movement in movements])
    which = np.repeat(np.arange(len(movements)), [len(movement.cells) for movement in movements])
    moved = csc_array((delta, (cells, which)), shape=(len(table), len(movements)))
    equations = table.equations
    sums = csr_array((equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table)))
    missed = abs(sums @ moved).max(axis=0).toarray().ravel()
    largest = np.zeros(len(movements))
    np.maximum.at(largest, which, np.abs(delta))
    hidden = suppressed & ~knowledge.known
    fits = hidden[cells]
    if knowledge.integer:
        fits &= delta == np.rint(delta)
    good = (missed <= _DUST * largest) & _all(fits, which, len(movements))
    for sign in (1.0, -1.0):
        values = table.values[cells] + sign * delta
        slack = _DUST * largest[which]
        inside = (values >= knowledge.lower[cells] - slack) & (values <= knowledge.upper[cells] + slack)
        proves = (good & _all(inside, which, len(movements)))[which]
        less = _CAUTION * missed[which]
        np.minimum.at(low, cells[proves], np.minimum(values + less, table.values[cells])[proves])
        np.maximum.at(high, cells[proves], np.maximum(values - less, table.values[cells])[proves])
    return low, high


def in_free_numbers(
    possible: PossibleTables, reduction: Reduction, start: Numbers, movements: Sequence[Movement], most: int
) -> Iterator[Numbers]:
    """Yield the tables of some movements, at most so many, and of their mirror images; none of them is checked.

    Those that move the most cells come first, and those that move a cell which cannot be otherwise do not come.
    """
    for movement in sorted(movements, key=lambda one: -len(one.cells))[: most // 2]:
        at = np.minimum(np.searchsorted(possible.cells, movement.cells), len(possible.cells) - 1)
        place = reduction.place[at]
        if np.any((possible.cells[at] != movement.cells) | (place < 0)):
            continue
        for sign in (1.0, -1.0):
            table = start.copy()
            table[place] = start[place] + sign * movement.delta / reduction.factor[at]
            yield table


def _all(marks: NDArray[np.bool_], which: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Return for which movements every mark is set."""
    return np.asarray(np.bincount(which, weights=~marks, minlength=count) == 0)
