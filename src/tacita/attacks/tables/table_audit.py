"""The audit of a table with suppressed cells: the attacker's intervals against the levels that were promised."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.coalition import insights
from tacita.attacks.tables.contributor_search import Insight
from tacita.attacks.tables.demands import EXACT_UP_TO, Demands, attained, final, settle
from tacita.attacks.tables.explanation import AttackAccount, account
from tacita.attacks.tables.insider_demands import InsiderDemands
from tacita.attacks.tables.insiders import Insiders, insiders
from tacita.attacks.tables.reach import AttackerReach, Ends
from tacita.attacks.tables.result import EVERYBODY, AttackerIntervals, Audit, LevelViolation
from tacita.attacks.tables.shown import shown
from tacita.attacks.tables.system.possible_tables import PossibleTables, Span, possible_tables, unit_of
from tacita.attacks.tables.system.reduction import Reduction, reduced
from tacita.attacks.tables.unions import UnionRule, union_violations
from tacita.errors import InputError, counted
from tacita.model.table import Knowledge, Levels, Movement, Table
from tacita.progress import Progress, silent


@dataclass(frozen=True, slots=True, repr=False)
class AuditOptions:
    """Who attacks, what is judged beside the cells, and how far the search for the attacker's intervals goes."""

    coalitions: bool = True
    """Also let every sole contributor of a suppressed cell (`knowledge.owners`) attack the cells of others."""
    unions: bool = True
    """Judge sums of suppressed cells that everybody can compute."""
    contributors: bool = False
    """Also let everybody in `table.contributions` attack, who knows that a cell is no less than the own part of it."""
    minimum_frequency: int = 0
    """Fewer contributors behind a sum are too few."""
    union_is_sensitive: UnionRule | None = None
    """Whether a sum is sensitive by a rule of the caller."""
    share: float = 0.0
    """Of a table without true values and levels: what every suppressed cell must be uncertain by, to either side."""
    exact: bool | None = None
    """Look for the true ends of every suppressed cell; otherwise (None: of more than 5,000) until levels are proved."""
    seconds: float = 5.0
    """What each search among tables of whole numbers may take."""
    explain: int = 20
    """How many violations tell the attack step by step."""


def audit(
    table: Table,
    suppressed: NDArray[np.bool_],
    levels: Levels,
    knowledge: Knowledge,
    options: AuditOptions = AuditOptions(),
    *,
    movements: Sequence[Movement] = (),
    progress: Progress = silent,
) -> Audit:
    """Return the attacker's intervals of the suppressed cells and every protection level that is not kept.

    The attacker sees all cells that are not suppressed, knows the sums, the external bounds and the known cells, and
    computes the least and the largest value of each suppressed cell over all tables that fit (Fischetti and Salazar's
    attacker problem). A level counts as kept only when a table was found that fits, reaches as far as needed, and
    passes a check by plain arithmetic.

    With `knowledge.integer` only tables of whole numbers count. `movements` are tables that somebody else says are
    possible: they spare questions where they pass the same check.

    Of a table protected elsewhere the suppressed values may be nan. Widths are judged then (a cell must be at least as
    uncertain as its levels together) and, where no cell is said to be sensitive, every suppressed cell must be
    uncertain by more than `options.share` of its interval's middle to either side.

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
    _covers(table, levels)
    possible, reduction, accuracy = _system(table, suppressed, knowledge)
    reach = AttackerReach(possible, reduction, seconds=options.seconds)
    ends = reach.ends()
    demands = Demands.of(levels, possible, table.values)
    not_shown = demands
    if movements and possible.truth is not None:
        not_shown = demands.beyond(possible, *shown(table, suppressed, knowledge, movements))
    exact = options.exact
    if exact is None:
        exact = len(possible.cells) <= EXACT_UP_TO or possible.truth is None
    settle(reach, ends, not_shown, exact, progress)
    proved, settled = attained(reduction, ends), final(reduction, ends)
    violations = [
        _settled(violation, possible, settled) for violation in not_shown.violations(table, possible, proved, EVERYBODY)
    ]
    explained = {id(violation): possible for violation in violations}
    notes = _notes(table, possible, ends, levels, accuracy)
    if options.coalitions and possible.truth is None and (knowledge.owners[possible.cells] >= 0).any():
        notes.append("true values are not at hand: contributors who know their own cells were not tried")
    if options.coalitions and possible.truth is not None:
        known = insiders(table, possible, knowledge, contributors=options.contributors)
        kept = InsiderDemands.of(demands.without(possible, violations), levels, possible, known, reduction)
        for insight in insights(reach, ends, kept, known, progress, movements):
            by_insiders, narrowed = _insider(table, possible, reduction, kept, known, insight)
            explained.update({id(one): narrowed for one in by_insiders})
            violations += by_insiders
    if options.unions:
        violations += union_violations(
            table,
            possible,
            levels,
            knowledge,
            minimum_frequency=options.minimum_frequency,
            rule=options.union_is_sensitive,
        )
    if possible.truth is None and not levels.sensitive.any():
        violations += _disclosed(table, possible, settled, suppressed, options.share)
    violations += _uncovered(table, suppressed, knowledge, levels)
    violations.sort(
        key=lambda violation: (violation.cell, violation.attacker != EVERYBODY, violation.attacker, violation.what)
    )
    explained_violations = [
        _explained(table, explained[id(violation)], violation)
        if at < options.explain and id(violation) in explained
        else violation
        for at, violation in enumerate(violations)
    ]
    return Audit(
        table.name,
        int(suppressed.sum()),
        int(levels.sensitive.sum()),
        _intervals(table, suppressed, possible, reduction, ends, settled),
        tuple(explained_violations),
        tuple(notes),
        reach.solved,
    )


def _covers(table: Table, levels: Levels) -> None:
    for given in (levels.sensitive, levels.lower, levels.upper, levels.sliding):
        if given.shape != (len(table),):
            raise InputError(
                f"the levels cover {counted(given.size, 'cell')}, the table has {len(table):,}",
                where=f"table '{table.name}'",
                do="give levels for each cell of the table, in its order",
            )


def _system(
    table: Table, suppressed: NDArray[np.bool_], knowledge: Knowledge
) -> tuple[PossibleTables, Reduction, float]:
    """Return what is possible, reduced, and to what accuracy published cells were taken (0: as they stand).

    A table protected elsewhere shows rounded cells only; where these fit no table exactly, each is taken to within half
    a unit of its last place.
    """
    possible = possible_tables(table, suppressed, knowledge)
    try:
        reduction = reduced(possible)
        if possible.truth is None:
            AttackerReach(possible, reduction)
    except InputError:
        unit = unit_of(np.nan_to_num(table.values))
        if possible.truth is not None or table.is_count or not unit:
            raise
        possible = possible_tables(table, suppressed, knowledge, accuracy=unit / 2)
        return possible, reduced(possible), unit / 2
    return possible, reduction, 0.0


def _intervals(
    table: Table,
    suppressed: NDArray[np.bool_],
    possible: PossibleTables,
    reduction: Reduction,
    ends: Ends,
    settled: Span,
) -> AttackerIntervals:
    """Return the intervals by cell of the table: the true end where it is settled, what is proved otherwise."""
    is_free = reduction.place >= 0
    exact = np.ones(len(is_free), bool)
    exact[is_free] = (ends.closed_below & ends.closed_above & ~ends.unsettled)[reduction.place[is_free]]
    lower, upper = np.full(len(table), np.nan), np.full(len(table), np.nan)
    whole = np.zeros(len(table), bool)
    lower[possible.cells], upper[possible.cells], whole[possible.cells] = *settled, exact
    lower[~suppressed] = upper[~suppressed] = np.nan
    return AttackerIntervals(lower, upper, whole & suppressed)


def _settled(violation: LevelViolation, possible: PossibleTables, settled: Span) -> LevelViolation:
    """Return a violation with the true end instead of the end less the inaccuracy of its proof."""
    at = int(np.searchsorted(possible.cells, violation.cell))
    low, high = float(settled.low[at]), float(settled.high[at])
    return replace(violation, reached={"lower": low, "upper": high, "sliding": high - low}[violation.what])


def _insider(
    table: Table,
    possible: PossibleTables,
    reduction: Reduction,
    demands: InsiderDemands,
    known: Insiders,
    insight: Insight,
) -> tuple[list[LevelViolation], PossibleTables]:
    """Return what one contributor's knowledge violates, and the tables that this contributor holds possible."""
    own = known.who == insight.attacker
    place = known.place[own]
    lower, upper = possible.lower.copy(), possible.upper.copy()
    np.maximum.at(lower, place, known.lower[own])
    np.minimum.at(upper, place, known.upper[own])
    on = np.flatnonzero(reduction.place == insight.free)
    low, high = np.full(len(possible.cells), np.nan), np.full(len(possible.cells), np.nan)
    ends = np.array([insight.least, insight.most])[:, None] * reduction.factor[on] + reduction.shift[on]
    low[on], high[on] = ends.min(axis=0), ends.max(axis=0)
    theirs = demands.against(reduction, insight.attacker, insight.free)
    violations = theirs.violations(table, possible, Span(low, high), known.name(table, insight.attacker))
    return violations, replace(possible, lower=lower, upper=upper)


def _explained(table: Table, possible: PossibleTables, violation: LevelViolation) -> LevelViolation:
    """Return a violation with its attack told."""
    at = int(np.searchsorted(possible.cells, violation.cell))
    knows = "" if violation.attacker == EVERYBODY else f"{violation.attacker} knows the own part of the table"
    story = AttackAccount.plain(knows) if knows else AttackAccount()
    for up in (False, True):
        if violation.what in (("upper", "sliding") if up else ("lower", "sliding")):
            story += account(table, possible, at, up=up)
    return replace(violation, steps=story.steps, outline=story.outline)


def _disclosed(
    table: Table,
    possible: PossibleTables,
    settled: Span,
    suppressed: NDArray[np.bool_],
    share: float,
) -> list[LevelViolation]:
    """Return the suppressed cells, of a table without levels or true values, that are known (nearly) exactly."""
    low, high = settled
    with np.errstate(invalid="ignore"):
        middle = np.where(np.isfinite(high), (low + high) / 2, np.inf)
        needed = 2 * share * np.abs(middle)
        narrow = high - low <= np.maximum(needed, 1e-6 * np.maximum(1.0, np.abs(middle)))
    violations = []
    for at in np.flatnonzero(narrow & suppressed[possible.cells] & np.isfinite(high)).tolist():
        cell = int(possible.cells[at])
        story = account(table, possible, at, up=False) + account(table, possible, at, up=True)
        width = float(high[at] - low[at])
        violations.append(
            LevelViolation(
                cell,
                table.cell_name(cell),
                EVERYBODY,
                "disclosed",
                float(needed[at]),
                width,
                story.steps,
                outline=story.outline,
                is_exact=width <= 1e-6 * max(1.0, abs(float(middle[at]))),
            )
        )
    return violations


def _uncovered(
    table: Table, suppressed: NDArray[np.bool_], knowledge: Knowledge, levels: Levels
) -> list[LevelViolation]:
    """Return the sensitive cells that stand in the table, or that everybody knows from elsewhere."""
    violations = []
    for cell in np.flatnonzero(levels.sensitive & (~suppressed | knowledge.known)):
        steps = ("the cell is published",) if not suppressed[cell] else ("the cell is known from elsewhere",)
        need = float(max(levels.lower[cell], levels.upper[cell], levels.sliding[cell]))
        name = table.cell_name(int(cell))
        violations.append(LevelViolation(int(cell), name, EVERYBODY, "published", need, 0.0, steps, outline=steps))
    return violations


def _notes(table: Table, possible: PossibleTables, ends: Ends, levels: Levels, accuracy: float) -> list[str]:
    notes = []
    if possible.truth is None:
        judged = "the widths that the levels need" if levels.sensitive.any() else "which suppressed cells are disclosed"
        notes.append(f"true values are not at hand: only {judged} could be judged")
    if accuracy:
        notes.append(f"published cells fit no table exactly; each was taken to within {accuracy:g} of what it shows")
    elif possible.roundings > 1e-9 * np.nanmax(np.abs(table.values), initial=1.0) and possible.truth is not None:
        notes.append("the table adds up to within its roundings only; the attacker was given the exact sums")
    if ends.unsettled.any():
        notes.append(
            f"{counted(int(ends.unsettled.sum()), 'interval')} over whole numbers could not be settled in time; "
            "these levels count as not kept unless a table proved them"
        )
    return notes
