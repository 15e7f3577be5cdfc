"""The audit of a table with suppressed cells: the attacker's intervals against the levels that were promised."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.demands import Demands, attained
from tacita.attacks.possible_tables import PossibleTables, possible_tables
from tacita.attacks.reach import Ends, Reach
from tacita.attacks.reduction import Reduction, reduced
from tacita.attacks.result import Audit, Intervals, Violation
from tacita.errors import InputError, counted
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, silent

EXACT_UP_TO = 5_000
"""Suppressed cells up to this number get their exact intervals unless told otherwise; beyond it levels are judged."""

EVERYBODY = "everybody"


def audit(
    table: Table,
    suppressed: NDArray[np.bool_],
    levels: Levels,
    knowledge: Knowledge,
    *,
    coalitions: bool = True,
    unions: bool = True,
    exact: bool | None = None,
    seconds: float = 5.0,
    progress: Progress = silent,
) -> Audit:
    """Return the attacker's intervals of the suppressed cells and every protection level that is not kept.

    The attacker sees all cells that are not suppressed, knows the sums, the external bounds and the known cells, and
    computes the least and the largest value of each suppressed cell over all tables that fit (Fischetti and Salazar's
    attacker problem). A level counts as kept only when a table was found that fits, reaches as far as needed, and
    passes a check by plain arithmetic.

    `exact` asks for the true ends of every suppressed cell; otherwise (the default for more than 5,000 of them) the
    search for a cell stops once its levels are proved. With `knowledge.integer` only tables of whole numbers count;
    `seconds` limits each search among them.

    >>> from tacita.model.table import Dimension, Equations
    >>> row = Dimension.flat("row", ("a", "b"))
    >>> column = Dimension.flat("column", ("c", "d"))
    >>> codes = np.array([(r, c) for r in range(3) for c in range(3)], np.int32)
    >>> sums = [(3 * r, (3 * r + 1, 3 * r + 2)) for r in range(3)] + [(c, (c + 3, c + 6)) for c in range(3)]
    >>> values = np.array([10.0, 4, 6, 7, 3, 4, 3, 1, 2])
    >>> table = Table("t", (row, column), codes, values, Equations.of(sums), is_count=False)
    >>> hidden = np.isin(np.arange(9), (4, 5, 7, 8))
    >>> found = audit(table, hidden, Levels.of(9, np.array([7]), lower=1, upper=5), Knowledge.of(9))
    >>> [float(found.intervals.lower[7]), float(found.intervals.upper[7])]
    [0.0, 3.0]
    >>> [(each.what, each.needed, each.reached) for each in found.violations]
    [('upper', 6.0, 3.0)]
    """
    if levels.sensitive.shape != (len(table),):
        raise InputError(
            f"the levels cover {counted(levels.sensitive.size, 'cell')}, the table has {len(table):,}",
            where=f"table '{table.name}'",
            do="give levels for each cell of the table, in its order",
        )
    possible = possible_tables(table, suppressed, knowledge)
    reduction = reduced(possible)
    reach = Reach(possible, reduction, seconds=seconds)
    if exact is None:
        exact = len(possible.cells) <= EXACT_UP_TO or possible.truth is None
    ends = reach.ends()
    demands = Demands.of(levels, possible)
    down_to, up_to = demands.of_free_numbers(reduction)
    if exact:
        reach.settle(ends, np.full(len(down_to), -np.inf), np.full(len(up_to), np.inf), progress, "attacking the cells")
    else:
        reach.settle(ends, down_to, up_to, progress, "attacking the levels")
        narrow = demands.narrow(reduction, ends)
        if narrow.any():
            reach.settle(
                ends, np.where(narrow, -np.inf, np.nan), np.where(narrow, np.inf, np.nan), progress, "attacking widths"
            )
    intervals = _intervals(table, possible, reduction, ends)
    violations = demands.violations(table, possible, reduction, ends, EVERYBODY)
    violations += _uncovered(table, suppressed, knowledge, levels)
    return Audit(
        table.name,
        int(suppressed.sum()),
        int(levels.sensitive.sum()),
        intervals,
        tuple(sorted(violations, key=lambda each: (each.cell, each.attacker, each.what))),
        tuple(_notes(possible, ends)),
        reach.solved,
    )


def _intervals(table: Table, possible: PossibleTables, reduction: Reduction, ends: Ends) -> Intervals:
    """Return the intervals by cell of the table: the true end where it is settled, what is proved otherwise."""
    low, high = attained(reduction, ends)
    free_low = np.where(ends.closed_below & ~ends.unsettled, ends.lowest, ends.least)
    free_high = np.where(ends.closed_above & ~ends.unsettled, ends.highest, ends.most)
    settled = Ends(free_low, free_high, *(getattr(ends, name) for name in Ends.__slots__[2:]))
    low, high = attained(reduction, settled)
    held = reduction.place >= 0
    sure = ends.closed_below & ends.closed_above & ~ends.unsettled
    exact = np.ones(len(low), bool)
    exact[held] = sure[reduction.place[held]]
    lower, upper = np.full(len(table), np.nan), np.full(len(table), np.nan)
    whole = np.zeros(len(table), bool)
    lower[possible.cells], upper[possible.cells], whole[possible.cells] = low, high, exact
    return Intervals(lower, upper, whole)


def _uncovered(table: Table, suppressed: NDArray[np.bool_], knowledge: Knowledge, levels: Levels) -> list[Violation]:
    """Return the sensitive cells that stand in the table, or that everybody knows from elsewhere."""
    found = []
    for cell in np.flatnonzero(levels.sensitive & (~suppressed | knowledge.known)):
        steps = ("the cell is published",) if not suppressed[cell] else ("the cell is known from elsewhere",)
        need = float(max(levels.lower[cell], levels.upper[cell], levels.sliding[cell]))
        found.append(Violation(int(cell), table.cell_name(int(cell)), EVERYBODY, "published", need, 0.0, steps))
    return found


def _notes(possible: PossibleTables, ends: Ends) -> list[str]:
    notes = []
    if possible.truth is None:
        notes.append("true values are not at hand: only widths and exact disclosure were judged")
    if possible.roundings > 0 and not possible.whole:
        notes.append("the table adds up to within its roundings only; the attacker was given the exact sums")
    if ends.unsettled.any():
        notes.append(
            f"{counted(int(ends.unsettled.sum()), 'interval')} over whole numbers could not be settled in time; "
            "these levels count as not kept unless a table proved them"
        )
    return notes
