"""The program of controlled tabular adjustment: which sensitive cells go up, which go down.

Columns: for each cell its increase p and its decrease n beyond what its sign asks, for each sensitive cell a sign s in
{0, 1}. The change of a sensitive cell is ``upper s - lower (1 - s) + p - n`` with p only when s = 1 and n only when
s = 0; that of another cell is ``p - n``. All changes meet every sum, and the weighted ``|change|`` is least.

Row cuts. In one equation the signs of its k sensitive cells leave a rest ``|sum of coefficient * (+upper or -lower)|``
that the other cells and what goes beyond the levels must make up. As a function of the signs this rest is known at all
2^k corners, and its convex envelope bounds it from below: the relaxation, which would take every sign as a half and
pay nothing, has to pay. The facet at a point comes from a linear program with one column per corner.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Equations
from tacita.tables.linear_program import ConstraintRows, LinearProgram, Reals, solve

_MOST_SIGNS = 9


@dataclass(frozen=True, slots=True)
class Signs:
    """An adjustment as a program, in the table's own units divided by a scale."""

    equations: Equations
    cells: NDArray[np.int64]
    lower_levels: Reals
    upper_levels: Reals
    weights: Reals
    room_below: Reals
    room_above: Reals
    whole: bool
    beyond: Reals
    tolls: Reals
    """What going up costs each sensitive cell besides; below zero, going down is what costs."""

    def within(self, distance: float) -> Signs:
        """Return the same program for adjustments no worse than a known one.

        Every sensitive cell costs its smaller level at least; what goes beyond a level costs more, and no more than is
        left of the known distance.
        """
        weights = self.weights[self.cells]
        least = np.minimum(weights * self.lower_levels, weights * self.upper_levels + self.tolls)
        left = distance - self.offset - float(least.sum())
        return replace(self, beyond=np.minimum(self.beyond, max(left, 0.0) * (1 + 1e-9) / weights + 1e-9))

    @property
    def offset(self) -> float:
        """What is added to the tolls so that no direction costs less than nothing."""
        return -float(np.minimum(self.tolls, 0.0).sum())

    @property
    def count(self) -> int:
        """The number of cells of the table."""
        return len(self.weights)

    def program(self) -> LinearProgram:
        """Return the program without row cuts, signs as continuous columns."""
        count, signs = self.count, len(self.cells)
        span = self.upper_levels + self.lower_levels
        above, below = self.room_above.copy(), self.room_below.copy()
        above[self.cells] = np.maximum(above[self.cells] - self.upper_levels, 0.0)
        below[self.cells] = np.maximum(below[self.cells] - self.lower_levels, 0.0)
        # What goes beyond a level needs a bound, the tighter the better, because it is switched by the sign.
        above[self.cells] = np.minimum(above[self.cells], self.beyond)
        below[self.cells] = np.minimum(below[self.cells], self.beyond)
        least = np.where(self.room_below[self.cells] < self.lower_levels - 1e-9, 1.0, 0.0)
        most = np.where(self.room_above[self.cells] < self.upper_levels - 1e-9, 0.0, 1.0)
        weights = self.weights[self.cells]
        return LinearProgram(
            np.concatenate(
                (self.weights, self.weights, weights * (self.upper_levels - self.lower_levels) + self.tolls)
            ),
            np.concatenate((np.zeros(2 * count), least)),
            np.concatenate((above, below, most)),
            self._sums(span).followed_by(self._only_with_their_sign(above, below, signs)),
            offset=float((weights * self.lower_levels).sum()) + self.offset,
        )

    def _sums(self, span: Reals) -> ConstraintRows:
        equations, count = self.equations, self.count
        number = np.full(count, -1, np.int64)
        number[self.cells] = np.arange(len(self.cells))
        here = number[equations.cells] >= 0
        which = number[equations.cells[here]]
        rows = np.concatenate((equations.row_of, equations.row_of, equations.row_of[here]))
        columns = np.concatenate((equations.cells, equations.cells + count, which + 2 * count))
        values = np.concatenate(
            (equations.coefficients, -equations.coefficients, equations.coefficients[here] * span[which])
        )
        order = np.argsort(rows, kind="stable")
        starts = np.concatenate(((0,), np.cumsum(np.bincount(rows, minlength=len(equations))))).astype(np.int64)
        down = np.zeros(count)
        down[self.cells] = self.lower_levels
        sums = equations.residuals(down)
        return ConstraintRows(starts, columns[order], values[order], sums, sums)

    def _only_with_their_sign(self, above: Reals, below: Reals, signs: int) -> ConstraintRows:
        """Return p <= room * s and n <= room * (1 - s) for the sensitive cells."""
        count = self.count
        sign = np.arange(signs, dtype=np.int64) + 2 * count
        up, down = above[self.cells], below[self.cells]
        ones = np.ones(signs)
        columns = np.column_stack((self.cells, sign, self.cells + count, sign)).ravel()
        values = np.column_stack((ones, -up, ones, down)).ravel()
        most = np.column_stack((np.zeros(signs), down)).ravel()
        return ConstraintRows(
            np.arange(0, 4 * signs + 1, 2, dtype=np.int64), columns, values, np.full(2 * signs, -np.inf), most
        )

    def row_cuts(self, point: Reals) -> ConstraintRows | None:
        """Return the cuts that a solution of the relaxation breaks, one for each equation at most."""
        count = self.count
        number = np.full(count, -1, np.int64)
        number[self.cells] = np.arange(len(self.cells))
        starts, columns, values, least = [0], list[int](), list[float](), list[float]()
        beyond = point[:count] + point[count : 2 * count]
        for row in range(len(self.equations)):
            cells, coefficients = self.equations.row(row)
            which = number[cells]
            signed = np.flatnonzero(which >= 0)
            if not 1 <= len(signed) <= _MOST_SIGNS:
                continue
            signs = which[signed]
            here = point[2 * count + signs]
            paid = float((np.abs(coefficients) * beyond[cells]).sum())
            slopes, constant = self._facet(coefficients[signed], signs, here)
            if paid >= slopes @ here + constant - 1e-6 * max(1.0, abs(constant)):
                continue
            columns += [*cells.tolist(), *(cells + count).tolist(), *(signs + 2 * count).tolist()]
            values += [*np.abs(coefficients).tolist() * 2, *(-slopes).tolist()]
            starts.append(len(columns))
            least.append(constant)
        if not least:
            return None
        return ConstraintRows(
            np.array(starts, np.int64), np.array(columns, np.int64), np.array(values), np.array(least),
            np.full(len(least), np.inf),
        )  # fmt: skip

    def _facet(self, coefficients: Reals, signs: NDArray[np.int64], here: Reals) -> tuple[Reals, float]:
        """Return slopes and constant of the envelope of the rest at a point: the dual of mixing corners to make it."""
        k = len(signs)
        corners = ((np.arange(2**k)[:, None] >> np.arange(k)) & 1).astype(np.float64)
        up, down = coefficients * self.upper_levels[signs], coefficients * self.lower_levels[signs]
        rests = np.abs(corners @ up - (1 - corners) @ down)
        # Largest affine function below the rest at every corner: maximise its value here.
        free = np.full(k + 1, np.inf)
        rows = ConstraintRows(
            np.arange(0, (k + 1) * 2**k + 1, k + 1, dtype=np.int64),
            np.tile(np.arange(k + 1, dtype=np.int64), 2**k),
            np.column_stack((corners, np.ones(2**k))).ravel(),
            np.full(2**k, -np.inf),
            rests,
        )
        point = solve(LinearProgram(-np.append(here, 1.0), -free, free, rows)).values
        if point is None:
            return np.zeros(k), float(rests.min())
        # Errors of arithmetic must not cut off a corner.
        excess = float((corners @ point[:k] + point[k] - rests).max())
        return point[:k], float(point[k] - max(excess, 0.0))

    def changes(self, columns: Reals) -> Reals:
        """Return the change of each cell for a solution with whole signs."""
        count = self.count
        changes = columns[:count] - columns[count : 2 * count]
        up = np.rint(columns[2 * count :])
        changes[self.cells] += np.where(up > 0.5, self.upper_levels, -self.lower_levels)
        return np.asarray(changes)

    def with_signs(self, program: LinearProgram, up: NDArray[np.bool_]) -> LinearProgram:
        """Return the program with all signs fixed."""
        lower, upper = program.lower.copy(), program.upper.copy()
        lower[2 * self.count :] = upper[2 * self.count :] = up.astype(np.float64)
        return replace(program, lower=lower, upper=upper)
