"""The attack on published intervals by somebody who knows how they are placed: each end a level away from the value.

Behind an interval from `low` to `high` is a sensitive value v with ``v - lower >= low`` and ``v + upper <= high``, and
with an interval not narrower than the method makes them. With levels that are shares of the value, which the attacker
is taken to know, both are bounds on v. The sums and the other intervals narrow them. What is left must be as wide as
both levels together, and neither an end divided by its level nor the middle may find more values than chance would.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tacita.attacks.tables.conclusions import BY_CHANCE, WITHIN, chance_of, ends_of
from tacita.attacks.tables.demands import ENOUGH
from tacita.attacks.tables.result import EVERYBODY, LevelViolation
from tacita.attacks.tables.system.possible_tables import Places, Span, unit_of
from tacita.errors import counted
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, silent

_NOT_WIDE = "the levels and the sums leave too few values between the published ends"


def values_behind(
    table: Table, cells: Places, published: Span, levels: Levels, knowledge: Knowledge, least: float
) -> Span:
    """Return between which values some sensitive cells are for somebody who knows the method.

    `published` are the ends for these cells; an interval is at least `least` times its levels wide, unless it ends
    where everybody knows that the cell ends. Levels of counts are distances, those of amounts shares of the value.

    >>> from tacita.model.table import Dimension, table_of_leaves
    >>> pay = table_of_leaves("pay", [Dimension.flat("sex", ["f", "m"])], [1000.5, 500])
    >>> ends = Span(np.array([850.0]), np.array([1151.0]))
    >>> levels = Levels.of(3, np.array([1]), 150.075, 150.075)
    >>> [round(float(end[0])) for end in values_behind(pay, np.array([1]), ends, levels, Knowledge.of(3), 1.0)]
    [1000, 1001]
    """
    value, low, high = table.values[cells], published.low, published.high
    lower, upper = levels.lower[cells], levels.upper[cells]
    known = low <= knowledge.lower[cells], high >= knowledge.upper[cells]
    needed = np.maximum(lower + upper, levels.sliding[cells])
    if table.is_count or (value <= 0).any():
        start, stop = low + lower, high - upper
        widest = np.full(len(cells), np.inf)
    else:
        with np.errstate(divide="ignore", invalid="ignore"):
            start = np.where(lower < value, low / (1 - lower / value), low)
            stop = high / (1 + upper / value)
            widest = np.where(needed > 0, (high - low) * value / (least * needed), np.inf)
    start, stop = np.where(known[0], low, start), np.where(known[1], high, stop)
    stop = np.where(known[0] | known[1], stop, np.minimum(stop, widest))
    # Who is wrong about a cell finds nothing out about it.
    return Span(np.minimum(start, value), np.maximum(stop, value))


def attack_intervals(
    table: Table,
    published: Span,
    levels: Levels,
    knowledge: Knowledge,
    least: float = 1.0,
    *,
    progress: Progress = silent,
) -> tuple[tuple[LevelViolation, ...], dict[str, Any]]:
    """Return the sensitive cells that whoever knows the method narrows too far, and figures.

    `published` are the ends for every cell, both at the value where that is published. This attacks the placement
    alone; `table_audit` asks what the intervals leave by themselves. ``recovered`` of the figures says how many values
    the best of three guesses (an end divided by its level, the middle) finds to within 1 %, ``by_chance`` how many
    chance would.
    """
    unknown = (published.high > published.low) & ~knowledge.known
    cells = np.flatnonzero(levels.sensitive & unknown)
    if not len(cells):
        return (), {"recovered": 0, "by_chance": 0.0}
    behind = values_behind(table, cells, Span(published.low[cells], published.high[cells]), levels, knowledge, least)
    lower, upper = np.maximum(knowledge.lower, published.low), np.minimum(knowledge.upper, published.high)
    lower[cells], upper[cells] = np.maximum(lower[cells], behind.low), np.minimum(upper[cells], behind.high)
    left, _ = ends_of(table, unknown, replace(knowledge, lower=lower, upper=upper), cells, progress)
    violations = _too_narrow(table, cells, levels, left)
    recovered, chance, suspicious = _recovered(table, cells, behind)
    if suspicious:
        fault = f"one rule recovers {recovered} of {counted(len(cells), 'sensitive cell')} to within 1 %"
        name = table.cell_name(int(cells[0]))
        violations.append(
            LevelViolation(int(cells[0]), name, EVERYBODY, "promise", np.nan, np.nan, (fault,), outline=(fault,))
        )
    return tuple(violations), {"recovered": recovered, "by_chance": round(chance, 2)}


def _too_narrow(table: Table, cells: Places, levels: Levels, left: Span) -> list[LevelViolation]:
    """Return the cells of which less than both levels is left; as shares, where the middle is below the value."""
    value, middle = np.abs(table.values[cells]), np.abs(left.low + left.high) / 2
    needed = np.maximum(levels.lower + levels.upper, levels.sliding)[cells]
    with np.errstate(divide="ignore", invalid="ignore"):
        needed = needed * np.where(value > 0, np.minimum(middle / value, 1.0), 1.0)
    width = left.high - left.low
    narrow = np.flatnonzero(width < needed * (1 - ENOUGH) - 2 * unit_of(table.values))
    return [
        LevelViolation(
            int(cells[at]), table.cell_name(int(cells[at])), EVERYBODY, "sliding", float(needed[at]), float(width[at]),
            (_NOT_WIDE,), outline=(_NOT_WIDE,),
        )
        for at in narrow.tolist()
    ]  # fmt: skip


def _recovered(table: Table, cells: Places, behind: Span) -> tuple[int, float, bool]:
    """Return how many values the best rule finds, how many chance would, and whether that is more than chance."""
    value, unit = table.values[cells], unit_of(table.values)
    width = behind.high - behind.low
    best, expected, suspicious = 0, 0.0, False
    for within in (0.1 * WITHIN, WITHIN):
        near = within * np.abs(value) + unit / 2
        with np.errstate(divide="ignore", invalid="ignore"):
            chances = np.where(np.isfinite(width), np.minimum((2 * near + unit) / (width + unit), 1.0), 0.0)
        judged = chances < 0.5  # where less is left, that is a violation of its own
        for guess in (behind.low, behind.high, (behind.low + behind.high) / 2):
            hits = np.abs(guess - value) <= near
            if judged.any():
                number, chance = int(judged.sum()), max(float(chances[judged].mean()), 1e-6)
                suspicious |= chance_of(int(hits[judged].sum()), number, chance) < BY_CHANCE
            best = max(best, int(hits.sum()))
        expected = float(chances.sum())
    return best, expected, suspicious
