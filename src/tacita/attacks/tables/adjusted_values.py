"""The attack on an adjusted table by somebody who knows the method, its settings and the levels, but not the draws.

A sensitive cell of value v that goes up is published between ``v + upper`` and ``v + upper + span``, one that goes
down between ``v - lower - span`` and ``v - lower``, where the span is `margin` times the larger level. Levels and span
are shares of the value, which the attacker is taken to know, so that behind a published y lie two sets of values:

    y / (1 + u + s) .. y / (1 + u)   if it went up,
    y / (1 - l) .. y / (1 - l - s)   if it went down.

Sums, bounds and cells that are known narrow them, for everybody and for contributors who stand alone behind a cell.
What is left must be as wide as both levels together. And no single divisor may find more values than chance would:
where cells moved by their levels and no more, dividing by one plus the level finds nearly all of them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.adjusted_table import check_adjusted
from tacita.attacks.tables.conclusions import BY_CHANCE, WITHIN, chance_of, ends_of
from tacita.attacks.tables.demands import ENOUGH
from tacita.attacks.tables.result import EVERYBODY, AttackerIntervals, Audit, LevelViolation
from tacita.attacks.tables.system.possible_tables import Numbers, unit_of
from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.errors import counted
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True, repr=False)
class PossibleValues:
    """The values that may stand behind each published sensitive cell: one set if it went up, one if it went down.

    `cells` are numbers of the table; the other arrays go with them. `size` is how much the sets hold together.
    """

    cells: NDArray[np.int64]
    up_from: Numbers
    up_to: Numbers
    down_from: Numbers
    down_to: Numbers
    unit: float

    def size(self, low: Numbers, high: Numbers) -> Numbers:
        """Return how much of the sets lies between two ends, in whole units where there is a unit."""
        sizes = np.zeros(len(self.cells))
        for least, most in ((self.up_from, self.up_to), (self.down_from, self.down_to)):
            start, stop = np.maximum(least, low), np.minimum(most, high)
            if self.unit:
                first, last = np.ceil(start / self.unit - 1e-6), np.floor(stop / self.unit + 1e-6)
                sizes += np.maximum(last - first + 1, 0.0) * self.unit
            else:
                sizes += np.maximum(stop - start, 0.0)
        return sizes


def possible_values(
    table: Table, published: Numbers, levels: Levels, knowledge: Knowledge, margin: float
) -> PossibleValues:
    """Return the values that the method can have moved to what is published, cell by cell.

    Levels of counts are taken as they are, levels of amounts as shares of the value.

    >>> from tacita.model.table import Dimension, table_of_leaves
    >>> pay = table_of_leaves("pay", [Dimension.flat("sex", ["f", "m"])], [1000.5, 500])
    >>> found = possible_values(pay, np.array([1650.5, 1150.5, 500.0]), Levels.of(3, np.array([1]), 150.075, 150.075),
    ...     Knowledge.of(3), 1.0)
    >>> [round(float(end[0])) for end in (found.up_from, found.up_to, found.down_from, found.down_to)]
    [885, 1000, 1354, 1644]
    """
    cells = np.flatnonzero(levels.sensitive & ~knowledge.known)
    unit = unit_of(table.values)
    value, y = table.values[cells], published[cells]
    down, up = levels.lower[cells], levels.upper[cells]
    either = np.maximum(np.maximum(down, up), unit)
    down, up = np.where(down > 0, down, either), np.where(up > 0, up, either)
    slack = 2.0 * unit  # levels and draws are rounded to units
    if table.is_count or (value <= 0).any():
        span = np.maximum(margin * np.maximum(down, up), unit) + slack / 2
        sets = (y - up - span, y - up, y + down, y + down + span)
    else:
        share_up, share_down = up / value, down / value
        share = margin * np.maximum(share_up, share_down)
        beyond = 1 - share_down - share
        with np.errstate(divide="ignore", invalid="ignore"):
            sets = (
                (y - slack) / (1 + share_up + share),
                y / (1 + share_up),
                np.where(share_down < 1, y / (1 - share_down), np.inf),
                np.where(beyond > 0, (y + slack) / beyond, np.inf),
            )
    least, most = knowledge.lower[cells], knowledge.upper[cells]
    up_from, up_to, down_from, down_to = (np.clip(end, least, most) for end in sets)
    return PossibleValues(cells, up_from, np.maximum(up_to, up_from), down_from, np.maximum(down_to, down_from), unit)


def audit_adjusted(
    table: Table,
    published: Numbers,
    levels: Levels,
    knowledge: Knowledge,
    margin: float,
    *,
    progress: Progress = silent,
) -> Audit:
    """Return whether an adjusted table keeps its promises and withstands whoever knows how it was made.

    `knowledge.known` are the cells that are published as they are. The intervals are what everybody can conclude of
    each sensitive cell; `figures` say how many cells the best single divisor recovers to within 1 % (``recovered``),
    and how many chance would (``by_chance``).
    """
    check = check_adjusted(table, published, levels, knowledge)
    nowhere = np.full(len(table), np.nan)
    if check.faults:
        faults = tuple(_promise(table, 0, fault) for fault in check.faults)
        nothing = AttackerIntervals(nowhere, nowhere.copy(), np.zeros(len(table), bool))
        return Audit(table.name, 0, int(levels.sensitive.sum()), nothing, faults, figures=dict(check.figures))
    possible = possible_values(table, published, levels, knowledge, margin)
    wide, knowing = _what_follows(table, published, levels, knowledge, possible)
    (lower, upper), solved = ends_of(table, ~knowing.known, knowing, possible.cells, progress)
    violations = _too_narrow(table, published, levels, possible, lower, upper)
    if (knowledge.owners >= 0).any():
        options = AuditOptions(unions=False, exact=False)
        verdict = audit(table, ~knowing.known, wide, knowing, options, progress=progress)
        violations += [one for one in verdict.violations if one.attacker != EVERYBODY]
    recovered, chance, suspicious = _recovered(table, published, levels, possible, margin)
    if suspicious:
        fault = f"one divisor recovers {recovered} of {counted(len(possible.cells), 'sensitive cell')} to within 1 %"
        violations.append(_promise(table, int(possible.cells[0]), fault))
    low, high = nowhere.copy(), nowhere.copy()
    low[possible.cells], high[possible.cells] = lower, upper
    return Audit(
        table.name,
        0,
        int(levels.sensitive.sum()),
        AttackerIntervals(low, high, ~np.isnan(low)),
        tuple(violations),
        solved=solved,
        figures={**check.figures, "recovered": recovered, "by_chance": round(chance, 2)},
    )


def _what_follows(
    table: Table, published: Numbers, levels: Levels, knowledge: Knowledge, possible: PossibleValues
) -> tuple[Levels, Knowledge]:
    """Return the widths that are demanded, and what the attacker knows of each cell by the method alone.

    Cells of value zero that are not sensitive stay as they are. No other cell changes by more than all sensitive cells
    together. An attacker who is wrong about a cell, because sums made it go further, is not tried.
    """
    cells = possible.cells
    known = knowledge.known | ((table.values == 0) & ~levels.sensitive)
    low, high = possible.up_from, possible.down_to
    most = np.maximum(published[cells] - low, np.where(np.isfinite(high), high - published[cells], published[cells]))
    lower, upper = published - float(most.sum()), published + float(most.sum())
    lower[cells], upper[cells] = low, high
    lower = np.minimum(np.maximum(lower, knowledge.lower), table.values)
    upper = np.maximum(np.minimum(upper, knowledge.upper), table.values)
    zero = np.zeros(len(table))
    wide = replace(levels, lower=zero, upper=zero, sliding=_needed(table, published, levels, np.arange(len(table))))
    return wide, replace(knowledge, lower=lower, upper=upper, known=known)


def _needed(table: Table, published: Numbers, levels: Levels, cells: NDArray[np.int64]) -> Numbers:
    """Return how wide what is possible must be: both levels, as shares of the published figure where that is less."""
    needed = np.maximum(levels.lower + levels.upper, levels.sliding)[cells]
    size = np.abs(table.values[cells])
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.where(size > 0, np.minimum(np.abs(published[cells]) / size, 1.0), 1.0)
    return np.where(levels.sensitive[cells], needed * share, 0.0)


def _too_narrow(
    table: Table, published: Numbers, levels: Levels, possible: PossibleValues, low: Numbers, high: Numbers
) -> list[LevelViolation]:
    """Return the cells of which the sums leave less than both levels together."""
    needed = _needed(table, published, levels, possible.cells)
    left = possible.size(low, high)
    narrow = np.flatnonzero(left < needed * (1 - ENOUGH) - possible.unit)
    said = "the method and the sums leave too few values behind what is published"
    return [
        LevelViolation(
            int(possible.cells[at]), table.cell_name(int(possible.cells[at])), EVERYBODY, "sliding",
            float(needed[at]), float(left[at]), (said,), outline=(said,),
        )
        for at in narrow.tolist()
    ]  # fmt: skip


def _recovered(
    table: Table, published: Numbers, levels: Levels, possible: PossibleValues, margin: float
) -> tuple[int, float, bool]:
    """Return how many values the best single divisor finds, how many chance would, and whether chance explains it not.

    A divisor is a level and a share of the margin, the level itself before all. Cells count whose margin is much wider
    than what is within 1 % of the value; a tenth of that is tried, too, which tells more where there are few cells.
    """
    cells, unit = possible.cells, possible.unit
    moved = published[cells] - table.values[cells]
    level = np.where(moved > 0, levels.upper[cells], levels.lower[cells])
    span = np.maximum(margin * np.maximum(levels.upper, levels.lower)[cells], unit)
    with np.errstate(divide="ignore", invalid="ignore"):
        beyond = (np.abs(moved) - level) / span
    best, expected, suspicious = 0, 0.0, False
    for within in (0.1 * WITHIN, WITHIN):
        width = (2 * within * np.abs(table.values[cells]) + unit) / (span + unit)
        judged = (level > 0) & (width < 0.5)
        if not judged.any():
            continue
        shares, number, chance = np.sort(beyond[judged]), int(judged.sum()), float(width[judged].mean())
        window = float(np.median(width[judged]))
        counts = np.searchsorted(shares, shares + window, side="right") - np.arange(number)
        best, expected = int(counts.max()), chance * number
        at_level = int((np.abs(shares) <= window).sum())
        suspicious |= number * chance_of(best, number, chance) < BY_CHANCE
        suspicious |= chance_of(at_level, number, chance) < BY_CHANCE
    return best, expected, suspicious


def _promise(table: Table, cell: int, fault: str) -> LevelViolation:
    return LevelViolation(cell, table.cell_name(cell), EVERYBODY, "promise", np.nan, np.nan, (fault,), outline=(fault,))
