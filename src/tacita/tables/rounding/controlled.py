"""Controlled rounding: every value to a multiple of a base, all sums kept, as near to the truth as can be.

Each value ``b (q + f)`` with 0 <= f < 1 becomes ``b (q + z)``, z in {0, 1}; multiples stay (zero-restricted). The z
solve ``sum of coefficient * (q + z) = 0`` for every equation and minimise the summed distance. In two dimensions
the equations are those of a network, and a vertex of the linear program is whole already; otherwise the program is
integer. In three dimensions and more it may have no solution (Causey, Cox and Ernst 1985): then values may move to
multiples further away, step by step, and the result says so.

Protection (Salazar 2005): whoever knows the base and the method knows that each value is less than one base from what
is published. The attacker's interval from all of this together must reach the levels of every sensitive cell.
Hierarchies and linked tables are more equations and nothing else.
"""

from __future__ import annotations

import time

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, TacitaError, UsageError, counted
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, Step, silent
from tacita.tables.linear_program import Reals
from tacita.tables.reach import Shortfall, shortfalls
from tacita.tables.rounding.choices import Choices, RoundingSteps
from tacita.tables.rounding.rounded import Rounded, multiples, require_base
from tacita.tables.summation import summation_of
from tacita.tables.usable import names, require_levels, require_usable

_MOST_STEPS = 4
_MOST_REPAIRS = 8


def round_controlled(
    table: Table,
    base: float,
    levels: Levels | None = None,
    knowledge: Knowledge | None = None,
    *,
    seconds: float = 60.0,
    gap: float = 0.0,
    progress: Progress = silent,
) -> Rounded:
    """Return the nearest rounding to multiples of a base that keeps all sums and protects the sensitive cells.

    After `seconds` the best rounding so far is returned, with its gap; when there is none, inner cells are rounded to
    the nearest multiple and summed, or, when that does not protect, the table is refused.

    >>> from tacita.model.table import Dimension, Equations
    >>> sex = Dimension.flat("sex", ["f", "m", "x"])
    >>> codes = np.arange(4, dtype=np.int32).reshape(-1, 1)
    >>> table = Table("people", (sex,), codes, np.array([15.0, 7, 7, 1]), Equations.of([(0, (1, 2, 3))]), is_count=True)
    >>> round_controlled(table, 5).values.tolist()
    [15.0, 10.0, 5.0, 0.0]
    """
    end = time.monotonic() + max(seconds, 0.0)
    require_base(table, base)
    require_usable(table, whole=table.is_count, nonnegative=table.is_count)
    levels = levels if levels is not None else Levels.none(len(table))
    knowledge = knowledge or Knowledge.of(len(table), integer=table.is_count)
    require_levels(table, levels)
    _require_large_enough(table, base, levels, knowledge)
    late = False
    for more in range(_MOST_STEPS + 1):
        progress(Step("rounding", more, None))
        try:
            rounded, late = _protected(table, base, levels, knowledge, RoundingSteps(more), end, gap)
        except _NotProtected as failed:
            raise _refusal(table, base, failed.missing) from None
        if rounded is not None:
            return rounded
        if late:
            break
    return _from_inner(table, base, levels, knowledge, late)


class _NotProtected(Exception):
    def __init__(self, missing: tuple[Shortfall, ...]) -> None:
        super().__init__()
        self.missing = missing


def _protected(
    table: Table,
    base: float,
    levels: Levels,
    knowledge: Knowledge,
    steps: RoundingSteps,
    end: float,
    gap: float,
) -> tuple[Rounded | None, bool]:
    """Return a rounding that protects, or None, and whether time was the reason."""
    whole, left = multiples(table.values, base)
    allowed = (table.values != 0) & (left == 0) if steps.more > 1 else np.zeros(len(table), bool)
    choices = Choices(table, base, whole, left, steps, allowed)
    choices = choices.limited(*_forbidden(base, left, levels, table.is_count)) if steps.more == 0 else choices
    witnesses: tuple[Shortfall, ...] = ()
    for _ in range(_MOST_REPAIRS):
        answer = choices.solved(witnesses, end, gap)
        if answer is None:
            return None, time.monotonic() >= end and not choices.impossible
        bases, bound = answer
        values = (whole + bases) * base
        below, above = _boxes(table, values, base * (1 + steps.more), knowledge)
        missing = shortfalls(table, levels, below, above, whole=knowledge.integer)
        if not missing:
            notes = steps.notes(int(choices.moved_far(bases).sum()))
            reach = _reach(base * (1 + steps.more), table.is_count)
            return Rounded.of(table, values, base, bound=bound, additive=True, reach=reach, notes=notes), False
        if set(missing) <= set(witnesses) or time.monotonic() >= end:
            break
        witnesses = tuple(dict.fromkeys((*witnesses, *missing)))
    raise _NotProtected(missing)


def _reach(base: float, is_count: bool) -> float:
    """How far the attacker's interval goes from a published multiple: a count cannot be a whole base away."""
    return base - 1 if is_count else base


def _boxes(table: Table, values: Reals, base: float, knowledge: Knowledge) -> tuple[Reals, Reals]:
    reach = _reach(base, table.is_count)
    lower = np.where(knowledge.known, table.values, np.maximum(values - reach, knowledge.lower))
    upper = np.where(knowledge.known, table.values, np.minimum(values + reach, knowledge.upper))
    # Values at the very end of their box (0.3 with base 0.1) must not leave it by an error of arithmetic.
    return np.maximum(table.values - lower, 0.0), np.maximum(upper - table.values, 0.0)


def _forbidden(base: float, left: Reals, levels: Levels, is_count: bool) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Return the cells that must not be rounded down, and those not up, because the box would miss a level."""
    reach, over = _reach(base, is_count), left * base
    down = levels.sensitive & ((levels.upper > reach - over + 1e-9 * base) | (levels.lower > reach + over))
    up = levels.sensitive & ((levels.lower > reach - base + over + 1e-9 * base) | (levels.upper > base + reach - over))
    return down & (left > 0), up & (left > 0)


def _require_large_enough(table: Table, base: float, levels: Levels, knowledge: Knowledge) -> None:
    """Refuse a base with which some sensitive cell could not be protected however it is rounded."""
    for side, room in ((levels.lower, table.values - knowledge.lower), (levels.upper, knowledge.upper - table.values)):
        without = np.flatnonzero(levels.sensitive & ((side > room + 1e-9 * base) | (knowledge.known & (side > 0))))
        if len(without):
            raise InputError(
                f"{counted(len(without), 'sensitive cell')} whose external bounds are inside the protection levels: "
                f"{names(table, without)}",
                where=f"table '{table.name}'",
                do="widen the bounds or lower the levels: what an attacker knows already cannot be protected",
            )
    _, left = multiples(table.values, base)
    down, up = _forbidden(base, left, levels, table.is_count)
    reach = _reach(base, table.is_count)
    stuck = (down & up) | (levels.sensitive & (left == 0) & (np.maximum(levels.lower, levels.upper) > reach))
    stuck |= levels.sensitive & (levels.sliding > 2 * reach)
    if stuck.any():
        # A base that would do is a share of the largest sensitive value: it is not told.
        raise UsageError(
            f"base {base:g} is too small for the protection levels of {counted(int(stuck.sum()), 'cell')}: "
            f"{names(table, np.flatnonzero(stuck))}",
            where=f"table '{table.name}'",
            do="choose a larger base in [protect]: as large as the levels of these cells, lower and upper together",
        )


def _from_inner(table: Table, base: float, levels: Levels, knowledge: Knowledge, late: bool) -> Rounded:
    """Return inner cells rounded to the nearest multiple, and their sums; refuse when that does not protect."""
    whole, left = multiples(table.values, base)
    why = "time ran out" if late else f"there is none within {_MOST_STEPS + 1} multiples"
    try:
        bases = summation_of(table).totals(whole + (left >= 0.5))
    except TacitaError:
        raise UsageError(
            f"no controlled rounding was found: {why}", where=f"table '{table.name}'", do="give it more time"
        ) from None
    values = bases * base
    far = int(np.floor((np.abs(values - table.values) / base).max() - 1e-9)) + 1 + int(table.is_count)
    below, above = _boxes(table, values, base * far, knowledge)
    missing = shortfalls(table, levels, below, above, whole=knowledge.integer)
    if missing:
        raise _refusal(table, base, missing)
    notes = (
        f"no zero-restricted rounding was found ({why}): inner cells are rounded to the nearest multiple and summed; "
        f"totals are up to {counted(far, 'base')} from the truth",
    )
    reach = _reach(base * far, table.is_count)
    return Rounded.of(table, values, base, bound=0.0, additive=True, reach=reach, notes=notes)


def _refusal(table: Table, base: float, missing: tuple[Shortfall, ...]) -> UsageError:
    cells = np.array(sorted({shortfall.cell for shortfall in missing}), np.int64)
    return UsageError(
        f"no rounding to base {base:g} was found in which the sums leave {counted(len(cells), 'sensitive cell')} "
        f"protected: {names(table, cells)}",
        where=f"table '{table.name}'",
        do=f"use a larger base ({2 * base:g}), give it more time, or suppress",
    )
