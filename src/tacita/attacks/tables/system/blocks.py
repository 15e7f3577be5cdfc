"""Blocks of possible tables that are searched together, and the plain check of what the solver proposes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tacita.attacks.tables.system.polytope import Polytope
from tacita.attacks.tables.system.possible_tables import Numbers, Places, PossibleTables, Span
from tacita.attacks.tables.system.reduction import Reduction

if TYPE_CHECKING:
    from scipy.sparse import csr_array

SLIP = 1e-7
"""A proposed table that misses a sum or a bound by more than this share of the block's largest number is no proof."""

TOGETHER = 400
"""Blocks of fewer numbers than this are searched side by side in one problem: they do not touch, so one answer to a sum
of wishes answers each of them."""


class Blocks:
    """Some blocks of a reduction: their numbers (`free`), their solver, and the check of its answers.

    Everything here is numbered within the group; `free` leads back to the reduction. Values in the solver are scaled
    by block, so that a table in millions and one in units are solved to the same relative accuracy.
    """

    def __init__(self, possible: PossibleTables, reduction: Reduction, free: Places, outer: Span) -> None:
        self.free = free
        self.whole = possible.whole
        _, block = np.unique(reduction.block[free], return_inverse=True)
        self.block = block.astype(np.int64)
        self.count = int(self.block.max(initial=-1)) + 1
        inside = np.zeros(reduction.matrix.shape[1], bool)
        inside[free] = True
        self.matrix, rows = _part(reduction.matrix, inside)
        self.sums = reduction.sums[rows]
        self.lower, self.upper = reduction.lower[free], reduction.upper[free]
        self._cap(outer, None if reduction.start is None else reduction.start[free])
        self._solver: Polytope | None = None
        self._whole_solvers: dict[int, tuple[Polytope, Places]] = {}
        self.whole_work = 0
        self._check(possible, reduction, inside)

    def _cap(self, outer: Span, start: Numbers | None) -> None:
        """Give every number finite bounds, far beyond anything that a bounded cell can reach."""
        row_block = self.block[self.matrix.indices[self.matrix.indptr[:-1]]] if self.matrix.shape[0] else self.block[:0]
        largest = np.zeros(self.count)
        total = np.bincount(row_block, weights=np.abs(self.sums), minlength=self.count)
        np.maximum.at(largest, row_block, np.abs(self.sums))
        low, high = (array[self.free] for array in outer)
        for array in (low, high) if start is None else (start,):
            np.maximum.at(largest, self.block, np.where(np.isfinite(array), np.abs(array), 0.0))
        self.size = np.maximum(largest, 1e-300)
        finite = np.zeros(self.count)
        for array in (low, high):
            np.maximum.at(finite, self.block, np.where(np.isfinite(array), np.abs(array), 0.0))
        self.endless = 4 * (total + finite + largest) + 1
        cap = self.endless[self.block]
        self.lowest = np.where(np.isfinite(self.lower), self.lower, np.where(np.isfinite(low), low, -cap))
        self.highest = np.where(np.isfinite(self.upper), self.upper, np.where(np.isfinite(high), high, cap))
        scale = np.where(largest > 1e6, largest / 1e6, np.where((largest < 1) & (largest > 0), largest / 1e3, 1.0))
        self.scale = np.ones(self.count) if self.whole else scale
        self._row_scale = self.scale[row_block]

    def _check(self, possible: PossibleTables, reduction: Reduction, inside: np.ndarray[Any, Any]) -> None:
        """Keep the sums of the table itself, before any pencil work, for the check."""
        number = np.cumsum(inside) - 1
        mine = (reduction.place >= 0) & inside[np.maximum(reduction.place, 0)]
        part, rows = _part(possible.matrix, mine)
        rest = np.zeros(reduction.matrix.shape[1]) if reduction.start is None else reduction.start
        others = np.where(mine, 0.0, reduction.cells(rest))
        self._cell_matrix = part
        self._cell_sums = possible.sums[rows] - possible.matrix[rows] @ others
        self._place = number[reduction.place[mine]]
        self._factor, self._shift = reduction.factor[mine], reduction.shift[mine]
        self._cell_lower, self._cell_upper = possible.lower[mine], possible.upper[mine]
        self._cell_block = self.block[self._place]
        first = part.indices[part.indptr[:-1]]
        self._check_block = self._cell_block[first]

    @property
    def solver(self) -> Polytope:
        """The solver with these blocks, made when first asked for."""
        if self._solver is None:
            by = self.scale[self.block]
            self._solver = Polytope(self.matrix, self.sums / self._row_scale, self.lowest / by, self.highest / by)
        return self._solver

    def proposal(self, wish: Numbers) -> Numbers | None:
        """Return the solver's point with the largest ``wish @ x``, unscaled and unchecked."""
        point, _, _ = self.solver.largest(wish * self.scale[self.block])
        return None if point is None else point * self.scale[self.block]

    def whole_proposal(
        self, place: int, sign: float, seconds: float, within: Span | None = None, nodes: int | None = None
    ) -> tuple[Numbers | None, float, bool]:
        """Return a point of whole numbers, in one block, with the largest (sign 1) or least (-1) number at `place`.

        Also the bound that the search proved, and whether the point attains it. Numbers of other blocks are nan.
        `within` are narrower bounds, for all numbers, of somebody who knows more.
        """
        mine = int(self.block[place])
        if mine not in self._whole_solvers:
            inside = self.block == mine
            part, rows = _part(self.matrix, inside)
            solver = Polytope(part, self.sums[rows], self.lowest[inside], self.highest[inside], whole=True)
            solver.limit(seconds, nodes)
            self._whole_solvers[mine] = solver, np.flatnonzero(inside)
        solver, members = self._whole_solvers[mine]
        before = solver.walked
        wish = np.zeros(len(members))
        wish[np.searchsorted(members, place)] = sign
        low, high = self.lowest[members], self.highest[members]
        if within is not None:
            solver.bound(
                np.arange(len(members)), np.maximum(low, within.low[members]), np.minimum(high, within.high[members])
            )
        point, bound, exact = solver.largest(wish)
        self.whole_work += solver.walked - before + len(members)
        if within is not None:
            solver.bound(np.arange(len(members)), low, high)
        if point is None:
            return None, sign * bound, False
        proposal = np.full(len(self.free), np.nan)
        proposal[members] = point
        return proposal, sign * bound, exact

    def checked(self, point: Numbers) -> tuple[Numbers, Numbers]:
        """Return a point within its bounds and, for each block, by how much it misses (infinite: it proves nothing).

        Plain arithmetic on the table's own sums and bounds; the solver's word counts for nothing here.
        """
        clipped = np.clip(point, self.lowest, self.highest)
        broken = np.zeros(self.count)
        if self.whole:
            nearest = np.rint(clipped)
            off = np.abs(clipped - nearest)
            np.maximum.at(broken, self.block, np.where(off > 1e-5, np.inf, 0.0))
            clipped = np.where(np.isfinite(nearest), nearest, clipped)
        cells = self._factor * clipped[self._place] + self._shift
        misses = np.abs(self._cell_matrix @ cells - self._cell_sums)
        beyond = np.maximum(np.maximum(self._cell_lower - cells, cells - self._cell_upper), 0.0)
        if self.whole:
            np.maximum.at(broken, self._cell_block, np.where(np.abs(cells - np.rint(cells)) > 1e-5, np.inf, 0.0))
        slip = np.zeros(self.count)
        np.maximum.at(slip, self._check_block, np.where(np.isnan(misses), np.inf, misses))
        np.maximum.at(slip, self._cell_block, np.where(np.isnan(beyond), np.inf, beyond))
        slip[slip > SLIP * self.size] = np.inf
        return clipped, slip + broken


def grouped(possible: PossibleTables, reduction: Reduction, outer: Span) -> list[Blocks]:
    """Return the blocks that need a search, the small ones together."""
    rows = reduction.matrix.indices[reduction.matrix.indptr[:-1]]
    sums = np.bincount(reduction.block[rows], minlength=reduction.blocks)
    search = sums > 1
    if possible.whole:
        # A single sum is settled by its bounds only where every coefficient is one.
        entry = reduction.block[reduction.matrix.indices]
        search[entry[np.abs(reduction.matrix.data) != 1]] = True
        is_free = reduction.place >= 0
        search[reduction.block[reduction.place[is_free & (np.abs(reduction.factor) != 1)]]] = True
    return gathered(possible, reduction, outer, np.flatnonzero(search))


def gathered(possible: PossibleTables, reduction: Reduction, outer: Span, blocks: Places) -> list[Blocks]:
    """Return some blocks of a reduction, each large one alone and the small ones together."""
    sizes = np.bincount(reduction.block, minlength=reduction.blocks)
    small = np.zeros(reduction.blocks, bool)
    small[blocks[sizes[blocks] < TOGETHER]] = True
    groups = [np.flatnonzero(reduction.block == block) for block in blocks[sizes[blocks] >= TOGETHER]]
    groups.append(np.flatnonzero(small[reduction.block]))
    return [Blocks(possible, reduction, free, outer) for free in groups if len(free)]


def _part(matrix: csr_array[Any], inside: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[csr_array[Any], Places]:
    """Return the columns inside, with the rows that touch them, and which rows these are."""
    from scipy.sparse import csr_array

    part = csr_array(matrix[:, np.flatnonzero(inside)])
    rows = np.flatnonzero(np.diff(part.indptr))
    part = csr_array(part[rows])
    part.sort_indices()
    return part, rows
