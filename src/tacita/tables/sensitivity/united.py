"""Several cells as one: the largest contributions to their sum, as far as the contributions to each tell them.

Where contributors have numbers, theirs are added up. Cells that were given have none: the largest contributors to two
of them may be one firm or two. Rules look at sums of the n largest contributions, so that it is enough to know how
large these can be: at most the sum of those of the cells, and at most that of every total which contains all the cells.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Contributions, Equations, Table
from tacita.tables.sensitivity.contributors import has_more

Number = TypeVar("Number", bound=np.generic)
Cells = NDArray[np.int64]


class UnitedCells:
    """Makes one cell of several cells of a table, for rules that look at `needed` contributions at most."""

    def __init__(self, table: Table, contributions: Contributions, needed: int) -> None:
        self._table, self._contributions = table, contributions
        self._unnamed = ((contributions.largest != 0) & (contributions.holders < 0)).any(axis=1)
        self._columns = max(needed, contributions.largest.shape[1])
        equations = table.equations
        totals = np.full(len(equations), -1, np.int64)
        is_total = equations.coefficients < 0
        totals[equations.row_of[is_total]] = equations.cells[is_total]
        self._over: dict[int, list[int]] = {}
        if self._unnamed.any():
            parts, rows = equations.cells[~is_total], equations.row_of[~is_total]
            for part, total in zip(parts.tolist(), totals[rows].tolist(), strict=True):
                if total >= 0:
                    self._over.setdefault(part, []).append(total)

    def table(self, cells: Cells) -> Table:
        """Return a table whose only cell is the sum of some cells."""
        together = (self._bounded if self._unnamed[cells].any() else self._named)(cells)
        table = self._table
        return Table(
            table.name,
            table.dimensions,
            table.codes[cells[:1]],
            table.values[cells].sum(keepdims=True),
            Equations.of(()),
            table.is_count,
            table.response,
            together.counts,
            together,
        )

    def _named(self, cells: Cells) -> Contributions:
        """Return the contributions of contributors with numbers; one who is never kept counts with the rest."""
        contributions = self._contributions
        there = contributions.holders[cells] >= 0
        holders, at = np.unique(contributions.holders[cells][there], return_inverse=True)
        amounts = np.bincount(at, contributions.largest[cells][there], len(holders)).astype(np.float64)
        weighted = np.bincount(at, (contributions.largest * contributions.weights)[cells][there], len(holders))
        weights = np.divide(weighted, amounts, out=np.ones_like(amounts), where=amounts > 0)
        order = np.lexsort((holders, -amounts))
        hidden = int(np.maximum(contributions.counts[cells] - there.sum(axis=1), 0).max(initial=0))

        def row(values: NDArray[Number]) -> NDArray[Number]:
            return values[order][None, :]

        return Contributions(
            row(amounts),
            row(holders),
            row(weights),
            np.array([len(holders) + hidden]),
            contributions.totals[cells].sum(keepdims=True),
            None if contributions.absolutes is None else contributions.absolutes[cells].sum(keepdims=True),
            None
            if contributions.requested is None
            else row(np.bincount(at, contributions.requested[cells][there], len(holders)) > 0),
            None
            if contributions.waived is None
            else row(np.bincount(at, ~contributions.waived[cells][there], len(holders)) == 0),
        )

    def _bounded(self, cells: Cells) -> Contributions:
        """Return contributions whose n largest are at least as much as those to the sum can be, for every n."""
        is_unnamed = self._unnamed[cells]
        sums = self._sums_of_largest(self._contributions.of_cells(cells[is_unnamed])).sum(axis=0)
        if not is_unnamed.all():
            sums = sums + self._sums_of_largest(self._named(cells[~is_unnamed]))[0]
        if len(over := self._containing(cells.tolist())):
            sums = np.minimum(sums, self._sums_of_largest(self._contributions.of_cells(over)).min(axis=0))
        contributions = self._contributions
        absolutes = contributions.totals if contributions.absolutes is None else contributions.absolutes
        total = np.abs(absolutes[cells]).sum()
        largest = np.diff(_concave(np.minimum(sums, total)), prepend=0.0)[None, :]
        return replace(
            contributions.of_cells(cells[:1]),
            largest=largest,
            holders=np.full(largest.shape, -1, np.int64),
            weights=np.ones(largest.shape),
            counts=contributions.counts[cells].sum(keepdims=True),
            totals=contributions.totals[cells].sum(keepdims=True),
            absolutes=None if contributions.absolutes is None else np.array([total]),
            requested=None,
            waived=None,
        )

    def _sums_of_largest(self, contributions: Contributions) -> NDArray[np.float64]:
        """Return the most that the 1, 2, 3 ... largest contributions to each cell can be together."""
        size = np.sort(np.abs(contributions.largest) * contributions.weights, axis=1)[:, ::-1]
        total = np.abs(contributions.totals if contributions.absolutes is None else contributions.absolutes)
        if (more := self._columns - size.shape[1]) > 0:
            smallest = size[:, -1:] if size.shape[1] else total[:, None]
            size = np.hstack((size, np.repeat(np.where(has_more(contributions)[:, None], smallest, 0.0), more, axis=1)))
        return np.minimum(np.cumsum(size[:, : self._columns], axis=1), total[:, None])

    def _containing(self, cells: Iterable[int]) -> Cells:
        """Return the totals that contain all of some cells."""
        common: set[int] | None = None
        for cell in cells:
            above, left = {cell}, [cell]
            while left:
                new = [total for total in self._over.get(left.pop(), ()) if total not in above]
                above.update(new)
                left += new
            common = above if common is None else common & above
        return np.array(sorted(common or ()), np.int64)


def _concave(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the least sums of contributions in descending order that are nowhere below some sums.

    >>> _concave(np.array([100.0, 110, 165])).tolist()
    [100.0, 132.5, 165.0]
    """
    points = np.concatenate(([0.0], np.maximum.accumulate(sums)))
    above, at = points.copy(), 0
    while at < len(points) - 1:
        slopes = (points[at + 1 :] - points[at]) / np.arange(1, len(points) - at)
        step = len(slopes) - int(np.argmax(slopes[::-1]))
        above[at : at + step + 1] = points[at] + slopes.max() * np.arange(step + 1)
        at += step
    return above[1:]
