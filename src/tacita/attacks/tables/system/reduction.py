"""The attacker's pencil work before any solver: what follows at once is written in, the rest falls into blocks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables, Span
from tacita.errors import InputError

if TYPE_CHECKING:
    from scipy.sparse import csr_array


CLOSE = 1e-9
_ROUNDING = 1e-13  # of the largest sum: what arithmetic may take away


@dataclass(frozen=True, slots=True)
class Reduction:
    """A smaller system with the same answers: cell = factor * free[place] + shift, in blocks that do not touch.

    `place` is -1 for cells that are determined; their value is `shift`. The free numbers obey ``matrix @ free = sums``
    between `lower` and `upper`; `block` is the connected part that each free number is in. `start` is the true table in
    these numbers, where it is at hand.
    """

    matrix: csr_array[Any]
    sums: Numbers
    lower: Numbers
    upper: Numbers
    place: Places
    factor: Numbers
    shift: Numbers
    block: Places
    blocks: int
    start: Numbers | None

    def cells(self, free: Numbers) -> Numbers:
        """Return all unknown cells from the free numbers."""
        if not free.size:
            return self.shift
        return np.where(self.place >= 0, self.factor * free[self.place] + self.shift, self.shift)


def reduced(possible: PossibleTables) -> Reduction:
    """Return the system after substitution: sums of one cell fix it, sums of two tie them, sums at their limit fix all.

    Repeats until nothing follows any more; equal sums are kept once.
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import connected_components

    n = len(possible.cells)
    state = _State(
        possible.matrix.copy(),
        possible.sums.copy(),
        possible.lower.copy(),
        possible.upper.copy(),
        np.arange(n, dtype=np.int64),
        np.ones(n),
        np.zeros(n),
    )
    size = float(np.abs(possible.sums).max(initial=0.0))
    while state.fix(size) or state.tie() or state.once():
        pass
    rows, columns = state.matrix.shape
    entries = state.matrix.tocoo()
    graph = csr_array((np.ones(entries.nnz), (entries.row, entries.col + rows)), shape=(rows + columns, rows + columns))
    _, labels = connected_components(graph, directed=False)
    _, block = np.unique(labels[rows:], return_inverse=True)
    start = None
    if possible.truth is not None:
        start = np.zeros(columns)
        free = np.flatnonzero(state.place >= 0)[::-1]
        start[state.place[free]] = (possible.truth[free] - state.shift[free]) / state.factor[free]
    return Reduction(
        state.matrix,
        state.sums,
        state.lower,
        state.upper,
        state.place,
        state.factor,
        state.shift,
        block.astype(np.int64),
        int(block.max(initial=-1)) + 1,
        start,
    )


@dataclass(slots=True)
class _State:
    """The system while it shrinks."""

    matrix: csr_array[Any]
    sums: Numbers
    lower: Numbers
    upper: Numbers
    place: Places
    factor: Numbers
    shift: Numbers

    def fix(self, size: float) -> bool:
        """Write in the numbers that a single sum determines; return whether there were any."""
        lengths = np.diff(self.matrix.indptr)
        reach = CLOSE * max(size, 1e-6)
        if np.any((lengths == 0) & (np.abs(self.sums) > 1e3 * reach)):
            raise InputError(
                "no table fits what is published: some sums contradict each other",
                do="check that the table adds up, and that known cells and bounds are true",
            )
        value = np.full(self.matrix.shape[1], np.nan)
        low, high = activity(self.matrix, self.lower, self.upper)
        entry_row = np.repeat(np.arange(len(self.sums)), lengths)
        columns, coefficients = self.matrix.indices, self.matrix.data
        # A sum of small cells is not near its bound because others are large: its own size counts.
        near = CLOSE * np.abs(self.sums) + _ROUNDING * max(size, 1e-6)
        at_low = (self.sums - low <= near) & (low - self.sums <= reach)
        at_high = (high - self.sums <= near) & (self.sums - high <= reach)
        for rows, first, second in ((at_low, self.lower, self.upper), (at_high, self.upper, self.lower)):
            chosen = rows[entry_row]
            fixed = columns[chosen]
            value[fixed] = np.where(coefficients[chosen] > 0, first[fixed], second[fixed])
        single = (lengths == 1)[entry_row]
        value[columns[single]] = self.sums[entry_row[single]] / coefficients[single]
        narrow = np.isfinite(self.lower) & (self.upper - self.lower <= 1e-12 * np.maximum(1.0, np.abs(self.lower)))
        value[narrow] = np.where(np.isnan(value[narrow]), self.lower[narrow], value[narrow])
        fixed = ~np.isnan(value)
        if not fixed.any():
            kept = lengths > 0
            if kept.all():
                return False
            self.matrix, self.sums = self.matrix[kept], self.sums[kept]
            return True
        self._substitute(
            np.where(fixed, -1, np.cumsum(~fixed) - 1), np.ones(len(value)), np.where(fixed, value, 0.0), ~fixed
        )
        return True

    def tie(self) -> bool:
        """Express one number of each sum of two by the other; return whether there was such a sum."""
        rows = np.flatnonzero(np.diff(self.matrix.indptr) == 2)
        if not rows.size:
            return False
        at = self.matrix.indptr[rows]
        first, second = self.matrix.indices[at].astype(np.int64), self.matrix.indices[at + 1].astype(np.int64)
        a, b = self.matrix.data[at], self.matrix.data[at + 1]
        swap = first > second
        first, second = np.where(swap, second, first), np.where(swap, first, second)
        a, b = np.where(swap, b, a), np.where(swap, a, b)
        order = np.lexsort((first, second))
        child, pick = np.unique(second[order], return_index=True)
        pick = order[pick]
        n = self.matrix.shape[1]
        parent, factor, shift = np.arange(n), np.ones(n), np.zeros(n)
        parent[child] = first[pick]
        factor[child] = -a[pick] / b[pick]
        shift[child] = self.sums[rows[pick]] / b[pick]
        while True:
            above = parent[parent]
            if np.array_equal(above, parent):
                break
            shift = factor * shift[parent] + shift
            factor = factor * factor[parent]
            parent = above
        root = parent == np.arange(n)
        renumbered = np.cumsum(root) - 1
        lows = np.where(factor > 0, self.lower, self.upper)
        highs = np.where(factor > 0, self.upper, self.lower)
        np.maximum.at(self.lower, parent, (lows - shift) / factor)
        np.minimum.at(self.upper, parent, (highs - shift) / factor)
        self._substitute(renumbered[parent], factor, shift, root)
        return True

    def once(self) -> bool:
        """Keep one of several sums that say the same; return whether there were such sums."""
        lengths = np.diff(self.matrix.indptr)
        if not self.matrix.shape[0]:
            return False
        self.matrix.sort_indices()
        lead = self.matrix.data[self.matrix.indptr[:-1]]
        draw = np.random.default_rng(0)
        marks = self.matrix @ draw.random((self.matrix.shape[1], 2)) / lead[:, None]
        order = np.lexsort((np.round(marks[:, 1], 9), np.round(marks[:, 0], 9), lengths))
        same = (np.abs(np.diff(marks[order], axis=0)) <= 1e-12 * (1 + lengths[order][1:, None])).all(axis=1) & (
            np.diff(lengths[order]) == 0
        )
        kept = np.ones(len(lengths), bool)
        kept[order[1:][same]] = False
        if kept.all():
            return False
        self.matrix, self.sums = self.matrix[kept], self.sums[kept]
        return True

    def _substitute(self, target: NDArray[np.int64], factor: Numbers, shift: Numbers, kept: NDArray[np.bool_]) -> None:
        """Replace each number by factor * its target + shift (target -1: by shift alone)."""
        from scipy.sparse import csr_array

        n, left = len(target), int(kept.sum())
        free = target >= 0
        change = csr_array((factor[free], (np.flatnonzero(free), target[free])), shape=(n, left))
        self.sums = self.sums - self.matrix @ shift
        self.matrix = csr_array(self.matrix @ change)
        self.matrix.sum_duplicates()
        self.matrix.data[np.abs(self.matrix.data) < 1e-11] = 0.0
        self.matrix.eliminate_zeros()
        self.lower, self.upper = self.lower[kept], self.upper[kept]
        is_free = self.place >= 0
        through = self.place[is_free]
        self.shift[is_free] += self.factor[is_free] * shift[through]
        self.factor[is_free] *= factor[through]
        self.place[is_free] = target[through]


def activity(matrix: csr_array[Any], lower: Numbers, upper: Numbers) -> tuple[Numbers, Numbers]:
    """Return the least and the largest value that each row can take between the bounds of its numbers."""
    rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    positive = matrix.data > 0
    low = np.where(positive, matrix.data * lower[matrix.indices], matrix.data * upper[matrix.indices])
    high = np.where(positive, matrix.data * upper[matrix.indices], matrix.data * lower[matrix.indices])
    return (
        np.bincount(rows, weights=low, minlength=matrix.shape[0]).astype(np.float64),
        np.bincount(rows, weights=high, minlength=matrix.shape[0]).astype(np.float64),
    )


def propagated(
    matrix: csr_array[Any], sums: Numbers, lower: Numbers, upper: Numbers, *, whole: bool = False, rounds: int = 12
) -> Span:
    """Return tighter bounds: a part is at most its total less the least of the other parts, and so on.

    One round is exact for a single sum. The bounds are always valid, after any number of rounds; they are the
    attacker's interval only where a possible table attains them.
    """
    low, high = lower.copy(), upper.copy()
    count, (columns, data) = matrix.shape[0], (matrix.indices, matrix.data)
    if not count or not len(columns):
        return Span(low, high)
    rows = np.repeat(np.arange(count), np.diff(matrix.indptr))
    positive = data > 0
    for _ in range(rounds):
        least = np.where(positive, data * low[columns], data * high[columns])
        most = np.where(positive, data * high[columns], data * low[columns])
        least_rest, most_rest = _others(least, rows, count), _others(most, rows, count)
        one, other = (sums[rows] - most_rest) / data, (sums[rows] - least_rest) / data
        implied_low, implied_high = np.minimum(one, other), np.maximum(one, other)
        if whole:
            implied_low, implied_high = np.ceil(implied_low - 1e-6), np.floor(implied_high + 1e-6)
        new_low, new_high = low.copy(), high.copy()
        np.maximum.at(new_low, columns, implied_low)
        np.minimum.at(new_high, columns, implied_high)
        size = np.maximum(1.0, np.abs(np.where(np.isfinite(new_high), new_high, 1.0)))
        gained = np.any(new_low > low + 1e-9 * size) or np.any(new_high < high - 1e-9 * size)
        low, high = new_low, np.maximum(new_low, new_high)
        if not gained:
            break
    return Span(low, high)


def _others(terms: Numbers, rows: np.ndarray[Any, np.dtype[np.int64]], count: int) -> Numbers:
    """Return, for each term, the sum of the other terms of its row; infinite terms are counted, not subtracted."""
    endless = np.isinf(terms)
    finite = np.where(endless, 0.0, terms)
    total = np.bincount(rows, weights=finite, minlength=count)[rows] - finite
    # Bounds of one sense are infinite with one sign only, so that the sign of any of them is the sign of the sum.
    signs = np.bincount(rows, weights=np.where(endless, np.sign(terms), 0.0), minlength=count)[rows]
    signs = signs - np.where(endless, np.sign(terms), 0.0)
    return np.where(signs == 0, total, np.where(signs > 0, np.inf, -np.inf))
