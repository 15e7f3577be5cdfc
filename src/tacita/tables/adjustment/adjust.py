"""Controlled tabular adjustment: sensitive cells go to a safe value, all others as little as possible.

Each sensitive cell becomes at least ``value + upper`` or at most ``value - lower``; other cells change as needed within
bounds, so that all sums hold; the weighted sum of absolute changes is least (Dandekar and Cox 2002; Castro 2006). The
directions are binary decisions: a mixed integer program. The signs that the relaxation is nearest to give a first table
at once, so that any time limit leaves a valid one. All changes are multiples of the unit of the data.

What is least can be worked out again, so what is published leaves it to chance by how much more than its level a cell
moves, and what directions cost (`Chance`).
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, UsageError, counted
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, Step, silent
from tacita.tables.adjustment.distances import Chance, distances_of
from tacita.tables.adjustment.search import Found, first_found
from tacita.tables.adjustment.signs import Signs
from tacita.tables.linear_program import LinearProgram, Reals, is_whole, solve
from tacita.tables.unit import in_units, unit_of
from tacita.tables.usable import names, require_levels, require_usable


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Adjusted values that add up, each sensitive cell at or beyond one of its protection levels.

    `distance` is the weighted sum of the absolute changes, `cost` the same with what was drawn (see `Chance`), `bound`
    the cost that no adjustment can undercut, `changed` the number of cells that changed, `largest` the largest change.
    Neither the true values nor the directions are in here.
    """

    values: NDArray[np.float64]
    distance: float
    cost: float
    bound: float
    changed: int
    largest: float
    seconds: float
    notes: tuple[str, ...]

    @property
    def gap(self) -> float:
        """How much of the cost could be saved at most, as a share of it."""
        return 0.0 if not self.cost > self.bound * (1 + 1e-9) else float((self.cost - self.bound) / self.cost)


_MOST_NODES = 2_000
_LATE = "time ran out: another adjustment may be nearer"


def adjust(
    table: Table,
    levels: Levels,
    knowledge: Knowledge | None = None,
    *,
    weight: Literal["unity", "relative"] | Reals = "unity",
    seconds: float = 60.0,
    gap: float = 0.0,
    chance: Chance | None = None,
    progress: Progress = silent,
) -> Adjusted:
    """Return the table adjusted at the least distance, or the best found in time with its gap.

    Values that are not negative stay so; zeros that are not sensitive stay zero. Adjusted values lie within the bounds
    that everybody knows, and cells that everybody knows (`knowledge.known`) do not change. `weight` is what a change of
    one unit costs: the same everywhere, less in large cells ("relative"), or given for each cell. Changes are
    multiples of the unit that all values are multiples of, if there is one. Without `chance` cells go to their levels
    at the least distance, which is not for publication: whoever knows the levels works out the values.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m"])
    >>> codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("pay", (sex,), codes, np.array([90.0, 40, 50]), Equations.of([(0, (1, 2))]), is_count=False)
    >>> adjust(table, Levels.of(3, np.array([1]), 4, 8), Knowledge.of(3).knowing(np.arange(3) == 0)).values.tolist()
    [90.0, 36.0, 54.0]
    """
    begin = time.monotonic()
    end = begin + max(seconds, 0.0)
    require_usable(table, whole=table.is_count)
    require_levels(table, levels)
    problem = _problem(table, levels, weight, knowledge, chance)
    first = first_found(problem.signs, end, progress)
    if first.columns is None:
        if first.infeasible:
            raise _impossible(table, problem.signs)
        raise UsageError(
            "no adjustment was found in time", where=f"table '{table.name}'", do="give it more time, or suppress"
        )
    columns, bound, notes = _proven(first, end, gap, progress)
    changes = _in_the_unit(problem, first, columns, end, gap)
    if changes is None:
        raise UsageError(
            "no adjustment in the decimals of the data was found in time",
            where=f"table '{table.name}'",
            do="give it more time, or use controlled rounding",
        )
    return _result(table, problem, changes, bound * problem.scale, time.monotonic() - begin, notes)


@dataclass(frozen=True, slots=True, repr=False)
class _Problem:
    """The program with all distances divided by a typical level, and the weights and the unit of what is published."""

    signs: Signs
    scale: float
    weights: Reals
    unit: float

    def scaled(self, scale: float) -> Signs:
        """Return the program with all distances divided by another scale."""
        times = self.scale / scale
        signs = self.signs
        return replace(
            signs,
            lower_levels=signs.lower_levels * times,
            upper_levels=signs.upper_levels * times,
            room_below=signs.room_below * times,
            room_above=signs.room_above * times,
            beyond=signs.beyond * times,
            tolls=signs.tolls * times,
        )


def _problem(
    table: Table,
    levels: Levels,
    weight: Literal["unity", "relative"] | Reals,
    knowledge: Knowledge | None,
    chance: Chance | None,
) -> _Problem:
    """Return the program, or refuse what cannot be."""
    values, unit = table.values, unit_of(table)
    cells = np.flatnonzero(levels.sensitive)
    below = np.where(values >= 0, values, np.inf) if knowledge is None else values - knowledge.lower
    above = np.full(len(values), np.inf) if knowledge is None else knowledge.upper - values
    if (below < 0).any() or (above < 0).any():
        wrong = np.flatnonzero((below < 0) | (above < 0))
        raise InputError(
            f"bounds that exclude the true value of {counted(len(wrong), 'cell')}: {names(table, wrong)}",
            where=f"table '{table.name}'",
            do="give bounds around the true values",
        )
    fixed = (values == 0) & ~levels.sensitive
    if knowledge is not None:
        fixed |= knowledge.known
    below, above = np.where(fixed, 0.0, below), np.where(fixed, 0.0, above)
    if unit:
        below, above = (np.floor(side / unit + 1e-9) * unit for side in (below, above))
    distances = distances_of(table, levels, cells, unit, (below, above), chance)
    down, up = distances.down, distances.up
    stuck = cells[(below[cells] < down * (1 - 1e-9)) & (above[cells] < up * (1 - 1e-9))]
    if len(stuck):
        raise InputError(
            f"{counted(len(stuck), 'sensitive cell')} can neither go down nor up to a level within the bounds: "
            f"{names(table, stuck)}",
            where=f"table '{table.name}'",
            do="widen the bounds, or let these cells change",
        )
    if isinstance(weight, str):
        large = np.maximum(np.abs(values), 1.0 if table.is_count else 1e-9 * max(1.0, np.abs(values).max()))
        weights = np.ones(len(values)) if weight == "unity" else float(np.median(large)) / large
    else:
        weights = np.asarray(weight, np.float64)
    if len(weights) != len(values) or not (np.isfinite(weights) & (weights > 0)).all():
        raise UsageError(
            "weights that are not above zero, or not one per cell", where=f"table '{table.name}'", do="mend the weights"
        )
    scale = 1.0 if table.is_count or not len(cells) else float(np.maximum(down, up).mean())
    prices = weights * distances.factors
    signs = Signs(
        table.equations,
        cells,
        down / scale,
        up / scale,
        prices,
        below / scale,
        above / scale,
        table.is_count,
        np.full(len(cells), 4 * float(np.maximum(down, up).sum()) / scale),
        prices[cells] * distances.toll / scale,
    )
    return _Problem(signs, scale, weights, unit)


def _proven(best: Found, end: float, gap: float, progress: Progress) -> tuple[Reals, float, tuple[str, ...]]:
    """Return the best solution of the whole program in the time left, a bound, and what to tell of it."""
    signs, columns, left = best.signs, best.columns, end - time.monotonic()
    assert columns is not None
    broken = signs.whole and not is_whole(columns)
    if best.distance <= best.bound * (1 + gap) + 1e-7 and not broken:
        return columns, best.bound, ()
    if left <= 0 and not broken:
        return columns, best.bound, (_LATE,)
    integer = np.full(len(best.program.costs), broken)
    integer[2 * signs.count :] = True
    progress(Step("adjusting", 0, None))
    better = solve(replace(best.program, integer=integer), seconds=max(left, 2.0), gap=gap, start=columns)
    if better.values is not None and (broken or better.objective < best.distance):
        columns = better.values
    return columns, max(best.bound, better.bound), () if better.optimal else (_LATE,)


def _in_the_unit(problem: _Problem, first: Found, columns: Reals, end: float, gap: float) -> Reals | None:
    """Return the best changes for the signs of a solution, as multiples of the unit; None when there are none.

    With the signs fixed the program is linear. Its vertices are whole in two dimensions; otherwise whole numbers are
    looked for beside them, and of counts everywhere.
    """
    count = problem.signs.count
    up = columns[2 * count :] > 0.5
    if not problem.unit:
        exact = solve(first.signs.with_signs(first.program, up)).values
        return first.signs.changes(columns if exact is None else exact) * problem.scale
    signs = problem.scaled(problem.unit)
    program = signs.with_signs(signs.program(), up)
    best = solve(program).values
    if best is None:
        return None
    changes = np.rint(signs.changes(best))
    if not is_whole(best) and signs.equations.residuals(changes).any():
        beside = best_beside(program, best)
        if beside is None and signs.whole:
            integer = np.ones(len(program.costs), bool)
            beside = solve(
                replace(signs.program(), integer=integer), seconds=max(end - time.monotonic(), 2.0), gap=gap
            ).values
        if beside is None:
            return None
        changes = np.rint(signs.changes(beside))
    return changes * problem.unit


def best_beside(program: LinearProgram, point: Reals) -> Reals | None:
    """Return the best solution in whole numbers that is less than two from a point in each column, or None."""
    lower = np.maximum(program.lower, np.floor(point - 1 + 1e-6))
    upper = np.minimum(program.upper, np.ceil(point + 1 - 1e-6))
    near = replace(program, lower=lower, upper=upper, integer=np.ones(len(point), bool))
    return solve(near, gap=0.01, options={"mip_max_nodes": _MOST_NODES}).values


def _impossible(table: Table, signs: Signs) -> InputError:
    return InputError(
        f"no table that adds up has all of {counted(len(signs.cells), 'sensitive cell')} at a safe value: "
        f"{names(table, signs.cells)}",
        where=f"table '{table.name}'",
        do="widen the bounds, keep fewer cells, or lower the levels",
    )


def _result(
    table: Table, problem: _Problem, changes: Reals, bound: float, seconds: float, notes: tuple[str, ...]
) -> Adjusted:
    signs, unit = problem.signs, problem.unit
    # What the solver leaves of a sum is divided out by nobody: a change of nothing is nothing.
    small = 1e-9 * max(1.0, float(np.abs(table.values).max(initial=0)))
    changes = np.where(np.abs(changes) < small, 0.0, changes)
    values = in_units(table.values + changes, unit) if unit else table.values + changes
    moved, scale = changes[signs.cells], problem.scale
    slack = 1e-6 * np.abs(moved) + small
    up = moved > 0
    if (np.where(up, moved - signs.upper_levels * scale, -moved - signs.lower_levels * scale) < -slack).any():
        raise UsageError(
            "sensitive cells are short of a safe value",
            where=f"table '{table.name}'",
            do="scale the values: they differ by too many orders of magnitude",
        )
    distances = np.abs(changes)
    cost = float((signs.weights * distances).sum() + (signs.tolls * scale)[up].sum() + signs.offset * scale)
    return Adjusted(
        values,
        float((problem.weights * distances).sum()),
        cost,
        min(bound, cost),
        int((distances > 0).sum()),
        float(distances.max(initial=0)),
        seconds,
        notes,
    )
