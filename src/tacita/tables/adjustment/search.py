"""The search for the signs of an adjustment: a bound by row cuts, a first table at once, better ones nearby."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.progress import Progress, Step
from tacita.tables.adjustment.signs import Signs
from tacita.tables.linear_program import Program, Reals, Rows, solve

_CUT_ROUNDS = 6
_NEIGHBOURS = 40
_PATIENCE = 12


@dataclass(frozen=True, slots=True)
class Found:
    """The program with its row cuts, the best solution so far, and a bound; `columns` is None when there is none."""

    signs: Signs
    program: Program
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
    both = replace(switched, rows=switched.rows.followed_by(_from(program.rows, own)))
    return Found(tighter, both, start.columns, bound)


def _with_signs_near(signs: Signs, program: Program, point: Reals, end: float) -> Found:
    found = solve(signs.with_signs(program, point[2 * signs.count :] > 0.5)).values
    if found is not None:
        return Found(signs, program, found, -np.inf)
    # Signs as they come cannot be met together: any that can will do.
    integer = np.zeros(len(program.costs), bool)
    integer[2 * signs.count :] = True
    anything = replace(program, costs=np.zeros(len(program.costs)), integer=integer)
    any_signs = solve(anything, seconds=max(end - time.monotonic(), 5.0))
    if any_signs.values is None:
        return Found(signs, program, None, -np.inf, infeasible=any_signs.infeasible)
    found = solve(signs.with_signs(program, any_signs.values[2 * signs.count :] > 0.5)).values
    return Found(signs, program, found, -np.inf)


def _from(rows: Rows, first: int) -> Rows:
    at = rows.starts[first]
    return Rows(
        rows.starts[first:] - at, rows.columns[at:], rows.coefficients[at:], rows.lower[first:], rows.upper[first:]
    )


def improved_nearby(found: Found, end: float, enough: Callable[[Found], bool], progress: Progress) -> Found:
    """Return a better adjustment: the signs of some cells that share sums are free, all others stay, again and again.

    A large table is thus improved by programs that are small each. The draws are always the same.
    """
    signs, draw = found.signs, np.random.default_rng(0)
    if len(signs.cells) <= _NEIGHBOURS or found.columns is None:
        return found
    beside = _sharing_sums(signs)
    integer = np.zeros(len(found.program.costs), bool)
    integer[2 * signs.count :] = True
    waited = 0
    while waited < _PATIENCE and time.monotonic() < end and not enough(found):
        assert found.columns is not None
        progress(Step("improving the adjustment", waited, _PATIENCE))
        free = _grown(beside, int(draw.integers(len(signs.cells))), draw)
        fixed = signs.with_signs(found.program, found.columns[2 * signs.count :] > 0.5)
        lower, upper = fixed.lower.copy(), fixed.upper.copy()
        lower[2 * signs.count + free] = found.program.lower[2 * signs.count + free]
        upper[2 * signs.count + free] = found.program.upper[2 * signs.count + free]
        near = replace(fixed, lower=lower, upper=upper, integer=integer)
        better = solve(near, seconds=min(3.0, max(end - time.monotonic(), 0.1)), gap=1e-4, start=found.columns)
        gained = better.values is not None and better.objective < found.distance * (1 - 1e-6)
        waited = 0 if gained else waited + 1
        if gained and better.values is not None:
            found = found.with_columns(better.values)
    return found


def _sharing_sums(signs: Signs) -> list[NDArray[np.int64]]:
    """Return for each sensitive cell those that are in an equation with it."""
    number = np.full(signs.count, -1, np.int64)
    number[signs.cells] = np.arange(len(signs.cells))
    near: list[set[int]] = [set() for _ in signs.cells]
    for row in range(len(signs.equations)):
        held = number[signs.equations.row(row)[0]]
        held = held[held >= 0]
        for each in held.tolist():
            near[each].update(held.tolist())
    return [np.array(sorted(each), np.int64) for each in near]


def _grown(beside: list[NDArray[np.int64]], first: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """Return some forty cells, each in an equation with an earlier one."""
    chosen, front = {first}, [first]
    while front and len(chosen) < _NEIGHBOURS:
        for each in draw.permutation(beside[front.pop(0)]).tolist():
            if each not in chosen and len(chosen) < _NEIGHBOURS:
                chosen.add(each)
                front.append(each)
    return np.array(sorted(chosen), np.int64)
