"""Attackers of tables that were rounded, perturbed or adjusted instead of suppressed.

Everybody knows how such a table was made (the base of a rounding, the largest deviation of a cell key) and so knows an
interval for every true cell before looking; the sums that must hold narrow these intervals further.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.adjusted_table import checked_length
from tacita.attacks.tables.demands import EXACT_UP_TO, Demands, attained, final, settle
from tacita.attacks.tables.noise import take_noise
from tacita.attacks.tables.reach import AttackerReach, WholeWork
from tacita.attacks.tables.result import EVERYBODY, AttackerIntervals, Audit, LevelViolation
from tacita.attacks.tables.system.possible_tables import Numbers, Span, possible_tables
from tacita.attacks.tables.system.reduction import reduced
from tacita.errors import counted
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, silent

_WHOLE = WholeWork(nodes=50, steps=20_000)
"""What 729 counts take some 5 s of CPU for; levels are judged before intervals that nothing is asked of."""


def rounding_sets(published: Numbers, base: float) -> tuple[Numbers, Numbers]:
    """Return the least and the largest true value behind each rounded one.

    Rounding moves a value by one base at most, and never below zero. Zero-restricted rounding moves it by less than one
    base; for whole numbers `audit_rounded` draws that conclusion.

    >>> [each.tolist() for each in rounding_sets(np.array([0.0, 5, 10]), 5)]
    [[0.0, 0.0, 5.0], [5.0, 10.0, 15.0]]
    """
    return np.maximum(published - base, 0.0), published + base


def audit_rounded(
    table: Table,
    published: Numbers,
    base: float,
    levels: Levels,
    knowledge: Knowledge,
    *,
    zero_restricted: bool = True,
    progress: Progress = silent,
) -> Audit:
    """Return the intervals of the true cells behind a rounded table, and the levels that are not kept.

    The published cells must be multiples of the base and, in controlled rounding, add up; with zero-restriction a cell
    is less than one base from its truth. `table` holds the true values.

    >>> from tacita.model.table import Dimension, Equations
    >>> size = Dimension.flat("size", ("a", "b"))
    >>> codes = np.array([[0], [1], [2]], np.int32)
    >>> table = Table("t", (size,), codes, np.array([7.0, 3, 4]), Equations.of([(0, (1, 2))]), is_count=True)
    >>> none, anyone = Levels.none(3), Knowledge.of(3, integer=True)
    >>> found = audit_rounded(table, np.array([5.0, 5, 0]), 5, none, anyone)
    >>> found.intervals.lower.tolist(), found.intervals.upper.tolist()
    ([1.0, 1.0, 0.0], [9.0, 9.0, 4.0])
    """
    checked_length(table, published)
    faults = []
    off = np.abs(published / base - np.rint(published / base)) > 1e-9
    if off.any():
        faults.append(_broken(table, off, "rounding", "no multiple of the base"))
    near = base * (1 + 1e-9)
    moved = np.abs(published - table.values)
    multiple = np.abs(table.values / base - np.rint(table.values / base)) <= 1e-9
    wrong = (moved >= base * (1 - 1e-9)) | (multiple & (moved > 1e-9 * base)) if zero_restricted else moved > near
    if wrong.any():
        faults.append(_broken(table, wrong, "rounding", "moved too far"))
    lower, upper = rounding_sets(published, base)
    if zero_restricted and knowledge.integer:
        # Whole numbers strictly less than one base away.
        lower, upper = np.where(published > 0, published - base + 1, 0.0), published + base - 1
    return _attacked(table, published, Span(lower, upper), levels, knowledge, faults, progress)


def audit_perturbed(
    table: Table,
    published: Numbers,
    deviation: float,
    levels: Levels,
    knowledge: Knowledge,
    *,
    zeros_stay: bool = False,
    progress: Progress = silent,
) -> Audit:
    """Return the intervals of the true cells behind a table whose cells were each moved by `deviation` at most.

    The published cells need not add up (cell key method, random rounding): the attacker knows that the true ones do,
    and every difference between a total and its parts narrows them. With `zeros_stay` (cell keys, random rounding of
    counts) no count of zero was changed, so that everything else that is published stands for somebody. That somebody
    is there is no secret then: levels are asked of counts above zero, and both together as the width.
    """
    checked_length(table, published)
    far = np.abs(published - table.values) > deviation * (1 + 1e-9) + 1e-9
    faults = []
    if far.any():
        faults.append(_broken(table, far, "perturbation", "moved too far"))
    low = published - deviation
    notes = []
    if zeros_stay:
        above = levels.sensitive & (published > 0) & (levels.lower > 0) & (table.values - levels.lower < 1)
        if above.any():
            notes.append(
                f"{counted(int(above.sum()), 'sensitive count')} published above zero: the method tells that somebody "
                "is there, so that no level is asked to reach zero"
            )
        both = np.where(table.values > 0, np.maximum(levels.sliding, levels.lower + levels.upper), levels.sliding)
        somebody = np.minimum(levels.lower, np.maximum(table.values - 1, 0.0))
        levels = replace(levels, lower=somebody, sliding=both)
    bounds = Span(np.where(published > 0, np.maximum(low, 1.0), low) if zeros_stay else low, published + deviation)
    verdict = _attacked(table, published, bounds, levels, knowledge, faults, progress)
    return replace(verdict, notes=(*verdict.notes, *notes))


def _attacked(
    table: Table,
    published: Numbers,
    bounds: Span,
    levels: Levels,
    knowledge: Knowledge,
    faults: list[LevelViolation],
    progress: Progress,
) -> Audit:
    """Attack the true table between the bounds that the published one tells."""
    everything = np.ones(len(table), bool)
    nowhere = np.full(len(table), np.nan)
    if faults:
        intervals = AttackerIntervals(nowhere, nowhere.copy(), ~everything)
        return Audit(table.name, 0, int(levels.sensitive.sum()), intervals, tuple(faults))
    knowing = replace(
        knowledge, lower=np.maximum(knowledge.lower, bounds.low), upper=np.minimum(knowledge.upper, bounds.high)
    )
    possible = possible_tables(table, everything, knowing)
    reduction = reduced(possible)
    reach = AttackerReach(possible, reduction, whole=_WHOLE)
    ends = reach.ends()
    demands = Demands.of(levels, possible, table.values)
    # The levels first: what work there is for searches over whole numbers is theirs.
    for exact in (False, True) if len(table) <= EXACT_UP_TO else (False,):
        settle(reach, ends, demands, exact, progress)
    low, high = final(reduction, ends)
    settled = ends.closed_below & ends.closed_above & ~ends.unsettled
    is_exact = np.ones(len(table), bool)
    is_free = reduction.place >= 0
    is_exact[possible.cells[is_free]] = settled[reduction.place[is_free]]
    lower, upper = nowhere, nowhere.copy()
    lower[possible.cells], upper[possible.cells] = low, high
    violations = demands.violations(table, possible, attained(reduction, ends), EVERYBODY)
    notes, figures = [], {}
    if left := int(ends.unsettled.sum()):
        notes.append(
            f"{counted(left, 'interval')} over whole numbers could not be settled in the work allowed: they are at "
            "least as wide as shown, and levels in them count as not kept unless a table proved them"
        )
    if knowledge.integer and levels.sensitive.any() and np.abs(table.equations.residuals(published)).max(initial=0) > 0:
        taken = take_noise(table, published, bounds, levels)
        figures = {"recovered": taken.recovered, "recovered_alone": taken.by_themselves}
        all_of_them = counted(taken.cells, "sensitive count")
        said = f"{taken.recovered} of {all_of_them} can be guessed right from all published counts together"
        notes.append(f"{said}, and {taken.by_themselves} from their own published count")
        if not taken.protects:
            cell = int(np.flatnonzero(levels.sensitive)[0])
            name = table.cell_name(cell)
            violations.append(
                LevelViolation(cell, name, EVERYBODY, "perturbation", np.nan, np.nan, (said,), outline=(said,))
            )
    determined = int((is_exact & (upper - lower <= 1e-9 * np.maximum(1.0, np.abs(upper)))).sum())
    return Audit(
        table.name,
        0,
        int(levels.sensitive.sum()),
        AttackerIntervals(lower, upper, ~np.isnan(lower) & is_exact),
        tuple(violations),
        (*((f"{counted(determined, 'true cell')} can be determined exactly",) if determined else ()), *notes),
        reach.solved,
        {"determined": determined, **figures},
    )


def _broken(table: Table, which: NDArray[np.bool_], what: str, said: str) -> LevelViolation:
    """Return that the first of some cells is not what the method promises."""
    cell = int(np.flatnonzero(which)[0])
    return LevelViolation(cell, table.cell_name(cell), EVERYBODY, what, 0.0, 0.0, (said,), outline=(said,))
