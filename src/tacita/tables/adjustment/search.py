"""The start of the search for the signs of an adjustment: a bound by row cuts, and a first table at once."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace

import numpy as np

from tacita.progress import Progress, Step
from tacita.tables.adjustment.signs import Signs
from tacita.tables.linear_program import ConstraintRows, LinearProgram, Reals, solve

_CUT_ROUNDS = 12
_MOST_WITH_CUTS = 200


@dataclass(frozen=True, slots=True)
class Found:
    """The program with its row cuts, the best solution so far, and a bound; `columns` is None when there is none."""

    signs: Signs
    program: LinearProgram
    columns: Reals | None
    bound: float
    infeasible: bool = False

    @property
    def distance(self) -> float:
        """The weighted distance of the best solution."""
        return np.inf if self.columns is None else float(self.program.costs @ self.columns + self.program.offset)

    def with_columns(self, columns: Reals) -> Found:
        """Return the same with another solution."""
        return replace(self, columns=columns)


def first_found(signs: Signs, end: float, progress: Progress) -> Found:
    """Return a first adjustment, with the signs that the relaxation is nearest to, and a bound."""
    program = signs.program()
    relaxed = solve(program)
    if relaxed.values is None:
        return Found(signs, program, None, -np.inf, infeasible=True)
    point, bound = relaxed.values, relaxed.objective
    start = _with_signs_near(signs, program, point, end)
    if start.columns is None:
        return start
    own = len(program.rows)
    for number in range(_CUT_ROUNDS):
        if time.monotonic() >= end or bound > start.distance - 1e-7:
            break
        progress(Step("bounding the distance", number, _CUT_ROUNDS))
        cuts = signs.row_cuts(point)
        if cuts is None:
            break
        program = replace(program, rows=program.rows.followed_by(cuts))
        again = solve(program)
        if again.values is None or not again.optimal:
            break
        gained, bound, point = again.objective - bound, again.objective, again.values
        if gained < 1e-3 * abs(bound):
            break
    if len(program.rows) > own and time.monotonic() < end:
        nearer = solve(signs.with_signs(program, point[2 * signs.count :] > 0.5))
        if nearer.values is not None and nearer.objective < start.distance:
            start = start.with_columns(nearer.values)
    # The switches may be tighter now that a distance is known.
    tighter = signs.within(start.distance)
    switched = tighter.program()
    if len(signs.cells) <= _MOST_WITH_CUTS:
        # With more signs the cuts bound as well, but slow the search for a better table more than they help it.
        switched = replace(switched, rows=switched.rows.followed_by(_from(program.rows, own)))
    return Found(tighter, switched, start.columns, bound)


def _with_signs_near(signs: Signs, program: LinearProgram, point: Reals, end: float) -> Found:
    values = solve(signs.with_signs(program, point[2 * signs.count :] > 0.5)).values
    if values is not None:
        return Found(signs, program, values, -np.inf)
    # Signs as they come cannot be met together: any that can will do.
    integer = np.zeros(len(program.costs), bool)
    integer[2 * signs.count :] = True
    anything = replace(program, costs=np.zeros(len(program.costs)), integer=integer)
    any_signs = solve(anything, seconds=max(end - time.monotonic(), 5.0))
    if any_signs.values is None:
        return Found(signs, program, None, -np.inf, infeasible=any_signs.infeasible)
    values = solve(signs.with_signs(program, any_signs.values[2 * signs.count :] > 0.5)).values
    return Found(signs, program, values, -np.inf)


def _from(rows: ConstraintRows, first: int) -> ConstraintRows:
    at = rows.starts[first]
    return ConstraintRows(
        rows.starts[first:] - at, rows.columns[at:], rows.coefficients[at:], rows.lower[first:], rows.upper[first:]
    )
