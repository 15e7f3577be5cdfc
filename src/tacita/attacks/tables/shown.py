"""Tables that somebody says are possible, checked by plain arithmetic before they count as proofs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables
from tacita.attacks.tables.system.reduction import Reduction
from tacita.model.table import Knowledge, Movement, Table

_DUST = 1e-7  # of the largest move: what a sum may miss by
_CAUTION = 10.0
_REST = 0.01  # of a move: the least that is left of it
_ENTRIES = 60  # tables that are looked at for one demand
_LEARNT, _NUMBERS = 2_000, 20_000_000  # tables, and numbers in them, that are kept


def shown(
    table: Table, suppressed: NDArray[np.bool_], knowledge: Knowledge, movements: Sequence[Movement]
) -> tuple[Numbers, Numbers]:
    """Return how low and how high each cell is in tables that fit: the true one, and those moved from it.

    A movement counts, and so does its mirror image, if it moves cells only that are suppressed and not known, keeps
    every sum, stays within the external bounds, and is by whole numbers where all know the values to be. Nothing is
    taken on trust from whoever found it; what a sum or a bound is missed by is taken off ten times.
    """
    from scipy.sparse import csc_array, csr_array

    low, high = table.values.copy(), table.values.copy()
    movements = [movement for movement in movements if _is_in_order(movement)]
    if not movements:
        return low, high
    cells = np.concatenate([movement.cells for movement in movements])
    delta = np.concatenate([movement.delta for movement in movements])
    which = np.repeat(np.arange(len(movements)), [len(movement.cells) for movement in movements])
    moved = csc_array((delta, (cells, which)), shape=(len(table), len(movements)))
    equations = table.equations
    sums = csr_array((equations.coefficients, equations.cells, equations.starts), shape=(len(equations), len(table)))
    missed = abs(sums @ moved).max(axis=0).toarray().ravel() if len(equations) else np.zeros(len(movements))
    largest = np.zeros(len(movements))
    np.maximum.at(largest, which, np.abs(delta))
    hidden = suppressed & ~knowledge.known
    fits = hidden[cells]
    if knowledge.integer:
        fits &= delta == np.rint(delta)
    good = _all(fits, which, len(movements))
    for sign in (1.0, -1.0):
        values = table.values[cells] + sign * delta
        slip = missed.copy()
        np.maximum.at(slip, which, np.maximum(knowledge.lower[cells] - values, values - knowledge.upper[cells]))
        proves = (good & (slip <= _DUST * largest))[which]
        less = _CAUTION * slip[which]
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


def changes_of(
    possible: PossibleTables, reduction: Reduction, start: Numbers, movements: Sequence[Movement]
) -> Iterator[tuple[Places, Numbers]]:
    """Yield which free numbers movements change and by how much, and their mirror images, where these are possible.

    A change counts if it keeps all sums and bounds, by plain arithmetic; what one is missed by is taken off ten times.
    """
    columns = reduction.matrix.tocsc()
    for movement in movements:
        if not _is_in_order(movement):
            continue
        at = np.minimum(np.searchsorted(possible.cells, movement.cells), len(possible.cells) - 1)
        place = reduction.place[at]
        if np.any((possible.cells[at] != movement.cells) | (place < 0)):
            continue
        free, first = np.unique(place, return_index=True)
        moved = (movement.delta / reduction.factor[at])[first]
        starts, sizes = columns.indptr[free], np.diff(columns.indptr)[free]
        entries = np.repeat(starts, sizes) + np.arange(int(sizes.sum())) - np.repeat(np.cumsum(sizes) - sizes, sizes)
        rows, row = np.unique(columns.indices[entries], return_inverse=True)
        missed = np.bincount(row, columns.data[entries] * np.repeat(moved, sizes), len(rows))
        if possible.whole and np.any(moved != np.rint(moved)):
            continue
        size = np.abs(moved)
        for sign in (1.0, -1.0):
            after = start[free] + sign * moved
            beyond = np.maximum(reduction.lower[free] - after, after - reduction.upper[free])
            slip = max(float(np.abs(missed).max(initial=0.0)), float(beyond.max(initial=0.0)))
            if slip <= _DUST * float(size.max(initial=0.0)):
                # Something of every move is left: who knows a number that moves is not shown this table.
                left = np.maximum(size - _CAUTION * slip, _REST * size)
                yield free, sign * np.copysign(left, moved)


def _is_in_order(movement: Movement) -> bool:
    """Return whether a movement is numbers, one for a cell: otherwise no arithmetic on it is worth anything."""
    return bool(np.isfinite(movement.delta).all()) and len(np.unique(movement.cells)) == len(movement.cells)


def _all(marks: NDArray[np.bool_], which: NDArray[np.int64], count: int) -> NDArray[np.bool_]:
    """Return for which movements every mark is set."""
    return np.asarray(np.bincount(which, weights=~marks, minlength=count) == 0)


class ShownTables:
    """Tables that are known to be possible: what they move of the cells with demands, and who knows them to be false.

    Those that somebody else gave touch few cells, and are kept cell by cell; those that were learnt touch many.
    """

    def __init__(self, demands: int, numbers: int) -> None:
        self.given: list[list[tuple[int, float]]] = [[] for _ in range(demands)]
        self.using: dict[int, set[int]] = {}
        self.touched: list[Places] = []
        self.knowers: list[frozenset[int]] = []
        self.learnt_knowers: list[frozenset[int]] = []
        most = max(1, min(_LEARNT, _NUMBERS // max(1, demands + numbers)))
        self._moved, self._free = np.zeros((most, demands)), np.zeros((most, numbers), bool)

    def give(self, free: Places, knowers: frozenset[int], demands: Places, moved: Numbers) -> None:
        """Keep a table that somebody else found, as a proof of some demands: those that it meets."""
        number = len(self.touched)
        self.touched.append(demands)
        self.knowers.append(knowers)
        for demand, change in zip(demands.tolist(), moved.tolist(), strict=True):
            if len(self.given[demand]) < _ENTRIES:
                self.given[demand].append((number, change))
        for one in free.tolist():
            self.using.setdefault(one, set()).add(number)

    def learn(self, free: Places, knowers: frozenset[int], demands: Places, moved: Numbers) -> None:
        """Keep a table that was an answer, as long as there is room."""
        number = len(self.learnt_knowers)
        if number < len(self._moved):
            self.learnt_knowers.append(knowers)
            self._moved[number, demands] = moved
            self._free[number, free] = True

    def usable(self, free: int) -> Places:
        """Return the tables learnt that show one number as it is."""
        return np.flatnonzero(~self._free[: len(self.learnt_knowers), free])

    def entries(self, demand: int, free: int, usable: Places) -> list[tuple[float, frozenset[int]]]:
        """Return by how much tables that show a number as it is move a cell, and who knows them to be false."""
        left_out = self.using.get(free, set())
        entries = [(moved, self.knowers[number]) for number, moved in self.given[demand] if number not in left_out]
        moved = self._moved[usable, demand]
        at = np.flatnonzero(moved)
        if len(at) > _ENTRIES:  # the furthest of them, either way
            order = at[np.argsort(moved[at], kind="stable")]
            at = np.concatenate([order[: _ENTRIES // 2], order[-_ENTRIES // 2 :]])
        return entries + [
            (change, self.learnt_knowers[number])
            for change, number in zip(moved[at].tolist(), usable[at].tolist(), strict=True)
        ]
