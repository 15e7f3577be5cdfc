"""The program of controlled rounding: to which multiple each value goes."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted
from tacita.model.table import Table
from tacita.tables.linear_program import Answer, ConstraintRows, LinearProgram, Reals, is_whole, solve
from tacita.tables.reach import Shortfall

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class RoundingSteps:
    """How far values may go: 0 is zero-restricted, 1 one multiple beyond the adjacent ones, from 2 on multiples too."""

    more: int

    def notes(self, far: int) -> tuple[str, ...]:
        """Return what to tell of a rounding that moved some cells beyond their adjacent multiples."""
        if self.more == 0:
            return ()
        also = ", and multiples of the base may move" if self.more > 1 else ""
        return (
            f"there is no zero-restricted rounding that keeps sums and levels: values may go "
            f"{counted(self.more, 'multiple')} beyond the adjacent ones{also}; {counted(far, 'cell')} did",
        )


@dataclass(slots=True)
class Choices:
    """The multiples that each value may go to, in bases above the one at or below it, and the program over them."""

    table: Table
    base: float
    whole: Reals
    left: Reals
    steps: RoundingSteps
    movable_multiples: Mask
    not_down: Mask = field(init=False)
    not_up: Mask = field(init=False)
    impossible: bool = False

    def __post_init__(self) -> None:
        self.not_down = np.zeros(len(self.table), bool)
        self.not_up = np.zeros(len(self.table), bool)

    def limited(self, not_down: Mask, not_up: Mask) -> Choices:
        """Return the choices without some cells going down, and some going up."""
        self.not_down, self.not_up = not_down, not_up
        return self

    def moved_far(self, bases: Reals) -> Mask:
        """Return which cells went beyond their adjacent multiples."""
        return np.asarray((bases < -0.5) | (bases > 1.5) | ((bases > 0.5) & (self.left == 0)))

    def solved(self, witnesses: tuple[Shortfall, ...], end: float, gap: float) -> tuple[Reals, float] | None:
        """Return the bases that each value goes up by, and a bound of the summed distance; None when none was found."""
        program = self._program()
        unit = 1.0 if self.table.is_count else self.base
        integer = np.ones(len(program.costs), bool)
        if witnesses:
            program, more = self._with_witnesses(program, witnesses)
            integer = np.concatenate((integer, np.zeros(more, bool)))
        else:
            # A vertex of a network's program is whole. A second of grace: the linear program is quick.
            relaxed = solve(program, seconds=max(end - time.monotonic(), 1.0))
            if relaxed.infeasible:
                self.impossible = True
                return None
            if relaxed.optimal and relaxed.values is not None and is_whole(relaxed.values):
                return self._bases(relaxed.values), relaxed.objective * unit
        left = end - time.monotonic()
        if left <= 0:
            return None
        answer: Answer = solve(replace(program, integer=integer), seconds=left, gap=gap)
        self.impossible = answer.infeasible
        if answer.values is None:
            return None
        return self._bases(answer.values), answer.bound * unit

    def _bases(self, columns: Reals) -> Reals:
        cells = len(self.table)
        bases = columns[:cells]
        if self.steps.more:
            bases = bases + columns[cells : 2 * cells] - columns[2 * cells : 3 * cells]
        return np.asarray(np.rint(bases))

    def _program(self) -> LinearProgram:
        """Return the program: one column per cell (z), and with more steps one for going up and one for going down."""
        equations, cells = self.table.equations, len(self.table)
        sums = -np.rint(equations.residuals(self.whole))
        # The distance is left + (1 - 2 left) z bases, and one base for each step beyond. Counts are told in ones.
        costs, offset, step = 1.0 - 2.0 * self.left, float(self.left.sum()), 1.0
        if self.table.is_count:
            costs, offset, step = np.rint(costs * self.base), np.rint(offset * self.base), self.base
        lower = np.where(self.not_down, 1.0, 0.0)
        upper = np.where((self.left == 0) | self.not_up, 0.0, 1.0)
        starts, columns, coefficients = equations.starts, equations.cells, equations.coefficients
        if self.steps.more:
            free = (self.left > 0) | self.movable_multiples
            above = np.where(free, float(self.steps.more), 0.0)
            # What is not negative stays so.
            below = np.where(self.whole >= 0, np.minimum(above, self.whole), above)
            costs = np.concatenate((costs, np.full(2 * cells, step)))
            lower = np.concatenate((lower, np.zeros(2 * cells)))
            upper = np.concatenate((upper, above, below))
            order = np.argsort(np.tile(equations.row_of, 3), kind="stable")
            columns = np.concatenate((columns, columns + cells, columns + 2 * cells))[order]
            coefficients = np.concatenate((coefficients, coefficients, -coefficients))[order]
            starts = starts * 3
        elif self.table.is_count:
            costs, offset = self._of_one_parity(costs, offset, sums)
        return LinearProgram(
            costs, lower, upper, ConstraintRows(starts, columns, coefficients, sums, sums), offset=offset
        )

    def _of_one_parity(self, costs: Reals, offset: float, sums: Reals) -> tuple[Reals, float]:
        """Return the same costs with all equations added to them, when that makes them even.

        Adding equations changes the cost of every solution by the same constant. With an odd base all costs are odd;
        in three dimensions every cell is in an odd number of equations, so that the new costs are even, and whoever
        solves the program sees that the distance goes in steps of two: a proof takes a fraction of the time.
        """
        equations = self.table.equations
        added = costs + np.bincount(equations.cells, weights=equations.coefficients, minlength=len(costs))
        if (added[self.left > 0] % 2 != 0).any():
            return costs, offset
        return np.where(self.left > 0, added, 0.0), offset - float(sums.sum())

    def _with_witnesses(self, program: LinearProgram, witnesses: tuple[Shortfall, ...]) -> tuple[LinearProgram, int]:
        """Return the program with a whole table for each level that was missed: it must lie in the boxes and reach it.

        In bases from the true value, the table d has ``|left + d - z| <= reach`` for each cell, and meets every sum.
        """
        equations, cells = self.table.equations, len(self.table)
        reach = 1.0 + self.steps.more - (1.0 / self.base if self.table.is_count else 0.0)
        signs = ((0, 1.0), (cells, 1.0), (2 * cells, -1.0)) if self.steps.more else ((0, 1.0),)
        rows, costs, lower, upper = program.rows, [program.costs], [program.lower], [program.upper]
        every = np.arange(cells, dtype=np.int64)
        for number, witness in enumerate(witnesses):
            first = len(program.costs) + number * cells
            least, most = np.full(cells, -np.inf), np.full(cells, np.inf)
            least[self.table.values >= 0] = -self.table.values[self.table.values >= 0] / self.base
            if witness.upward:
                least[witness.cell] = witness.needed / self.base
            else:
                most[witness.cell] = -witness.needed / self.base
            costs.append(np.zeros(cells))
            lower.append(least)
            upper.append(most)
            zero = np.zeros(len(equations))
            width = 1 + len(signs)
            columns = np.column_stack((first + every, *(shift + every for shift, _ in signs)))
            weights = np.tile(np.array([1.0, *(-sign for _, sign in signs)]), (cells, 1))
            rows = rows.followed_by(
                ConstraintRows(equations.starts, first + equations.cells, equations.coefficients, zero, zero)
            ).followed_by(
                ConstraintRows(
                    np.arange(0, width * cells + 1, width, dtype=np.int64),
                    columns.ravel(),
                    weights.ravel(),
                    -reach - self.left,
                    reach - self.left,
                )
            )
        whole = LinearProgram(
            np.concatenate(costs), np.concatenate(lower), np.concatenate(upper), rows, offset=program.offset
        )
        return whole, cells * len(witnesses)
