"""Controlled tabular adjustment: sensitive cells go to a safe value, all others as little as possible.

Each sensitive cell becomes at least ``value + upper`` or at most ``value - lower``; other cells change as needed within
bounds, so that all sums hold; the weighted sum of absolute changes is least (Dandekar and Cox 2002; Castro 2006). The
directions are binary decisions: a mixed integer program. The signs that the relaxation is nearest to give a first table
at once, so that any time limit leaves a valid one.
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
from tacita.tables.adjustment.search import Found, first_found
from tacita.tables.adjustment.signs import Signs
from tacita.tables.linear_program import LinearProgram, Reals, is_whole, solve
from tacita.tables.usable import names, require_levels, require_usable


@dataclass(frozen=True, slots=True)
class Adjusted:
    """Adjusted values that add up, each sensitive cell at or beyond one of its protection levels.

    `distance` is the weighted sum of the absolute changes, `bound` what no adjustment can undercut, `changed` the
    number of cells that changed, `largest` the largest change. Neither the true values nor the
    directions are in here.
    """

    values: NDArray[np.float64]
    distance: float
    bound: float
    changed: int
    largest: float
    seconds: float
    notes: tuple[str, ...]

    @property
    def gap(self) -> float:
        """How much of the distance could be saved at most, as a share of it."""
        return 0.0 if not self.distance > self.bound else float((self.distance - self.bound) / self.distance)


_LATE = "time ran out: another adjustment may be nearer"


def adjust(
    table: Table,
    levels: Levels,
    knowledge: Knowledge | None = None,
    *,
    weight: Literal["unity", "relative"] | Reals = "unity",
    seconds: float = 60.0,
    gap: float = 0.0,
    progress: Progress = silent,
) -> Adjusted:
    """Return the table adjusted at the least distance, or the best found in time with its gap.

    Values that are not negative stay so; zeros that are not sensitive stay zero. Adjusted values lie within the bounds
    that everybody knows, and cells that everybody knows (`knowledge.known`) do not change. `weight` is what a change of
    one unit costs: the same everywhere, less in large cells ("relative"), or given for each cell. Counts stay whole.

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
    signs, scale = _signs(table, levels, weight, knowledge)
    first = first_found(signs, end, progress)
    if first.columns is None:
        if first.infeasible:
            raise _impossible(table, signs)
        raise UsageError(
            "no adjustment was found in time", where=f"table '{table.name}'", do="give it more time, or suppress"
        )
    columns, bound, notes = _proven(first, end, gap, progress)
    signs, program = first.signs, first.program
    if signs.whole and not is_whole(columns):
        raise UsageError(
            "no adjustment to whole numbers was found in time",
            where=f"table '{table.name}'",
            do="give it more time, or use controlled rounding",
        )
    changes = signs.changes(_settled(signs, program, columns)) * scale
    return _result(table, levels, changes, signs.weights, bound * scale, time.monotonic() - begin, notes)


def _signs(
    table: Table,
    levels: Levels,
    weight: Literal["unity", "relative"] | Reals,
    knowledge: Knowledge | None,
) -> tuple[Signs, float]:
    """Return the program in units of a typical level (ones for counts), or refuse what cannot be."""
    values = table.values
    cells = np.flatnonzero(levels.sensitive & ((levels.lower > 0) | (levels.upper > 0)))
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
    down, up = levels.lower[cells], levels.upper[cells]
    if table.is_count:
        down, up = np.ceil(down - 1e-9), np.ceil(up - 1e-9)
    stuck = cells[(below[cells] < down - 1e-9) & (above[cells] < up - 1e-9)]
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
    signs = Signs(
        table.equations,
        cells,
        down / scale,
        up / scale,
        weights,
        below / scale,
        above / scale,
        table.is_count,
        np.full(len(cells), 4 * float(np.maximum(down, up).sum()) / scale),
    )
    return signs, scale


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


def _settled(signs: Signs, program: LinearProgram, columns: Reals) -> Reals:
    """Return the best solution for the signs as whole numbers: the solver's own may be whole to within a tolerance."""
    exact = solve(signs.with_signs(program, columns[2 * signs.count :] > 0.5)).values
    return columns if exact is None or (signs.whole and not is_whole(exact)) else exact


def _impossible(table: Table, signs: Signs) -> InputError:
    return InputError(
        f"no table that adds up has all of {counted(len(signs.cells), 'sensitive cell')} at a safe value: "
        f"{names(table, signs.cells)}",
        where=f"table '{table.name}'",
        do="widen the bounds, keep fewer cells, or lower the levels",
    )


def _result(
    table: Table, levels: Levels, changes: Reals, weights: Reals, bound: float, seconds: float, notes: tuple[str, ...]
) -> Adjusted:
    if table.is_count:
        changes = np.rint(changes)
    # What the solver leaves of a sum is divided out by nobody: a change of nothing is nothing.
    small = 1e-9 * max(1.0, float(np.abs(table.values).max(initial=0)))
    changes = np.where(np.abs(changes) < small, 0.0, changes)
    values = table.values + changes
    missed = levels.sensitive & (changes < levels.upper - 1e-6 - small) & (changes > -levels.lower + 1e-6 + small)
    if missed.any():
        raise UsageError(
            f"{counted(int(missed.sum()), 'sensitive cell')} short of a safe value",
            where=f"table '{table.name}'",
            do="scale the values: they differ by too many orders of magnitude",
        )
    distances = np.abs(changes)
    distance = float((weights * distances).sum())
    return Adjusted(
        values,
        distance,
        min(bound, distance),
        int((distances > 0).sum()),
        float(distances.max(initial=0)),
        seconds,
        notes,
    )
