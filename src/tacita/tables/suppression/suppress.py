"""Secondary suppression of a table: the one entry of this room."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InternalError, UsageError
from tacita.interruption import stop_on_interrupt
from tacita.model.figures import is_bounded, saving
from tacita.model.table import Knowledge, Levels, Status, Table
from tacita.progress import Progress, Step, silent
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact.optimal import Best, EarlierPattern, PatternSearch
from tacita.tables.suppression.exact.safe_pattern import SafePatterns, Unprotectable
from tacita.tables.suppression.large.search import large_pattern
from tacita.tables.suppression.large.subtables import subtables_of
from tacita.tables.suppression.presolve import Reduced, reduced
from tacita.tables.suppression.problem import SecretUnion, SuppressionProblem, problem_of, with_unions
from tacita.tables.suppression.proofs.crowds import prove_in_crowds
from tacita.tables.suppression.refusal import (
    ImpossibleDemand,
    demands_of,
    demands_of_stuck,
    impossible_targets,
    is_ordinary,
    refused,
)
from tacita.tables.suppression.suppression import Suppression

Method = Literal["optimal", "fast"]
_SHARE_FOR_REFUSAL = 0.2  # of the time
_MANY = 5  # cells: the cost of fewer is not told
_LARGE_PLACES, _LARGE_TARGETS = 12_000, 1_500  # after reduction; above, the search for large tables


@dataclass(frozen=True, slots=True, repr=False)
class SuppressionOptions:
    """What withholding costs, what the steward insists on, and how long the search for a pattern may take."""

    costs: NDArray[np.float64] | None = None
    """What withholding each cell costs; None: the values. A merged pair of cells of the same value costs twice."""
    status: NDArray[np.int8] | None = None
    """Cells that are never withheld (`Status.KEPT`), or withheld in any case (`Status.FORCED`)."""
    method: Method = "optimal"
    """Whether to search until the gap is closed, or until the first pattern that holds nothing superfluous."""
    seconds: float = 60.0
    gap: float = 0.0
    zeros: bool = False
    unions: Sequence[SecretUnion] = ()
    """Sums of cells that must stay unknown, too."""
    start: Suppression | None = None
    """What was found before more sums had to stay unknown: the search goes on from there."""


def suppress(
    table: Table,
    levels: Levels,
    knowledge: Knowledge | None = None,
    options: SuppressionOptions = SuppressionOptions(),
    *,
    progress: Progress = silent,
) -> Suppression:
    """Return the cheapest safe pattern that was found in the time given; some safe pattern whatever the time.

    Ctrl-C ends the search with the best pattern so far.

    >>> from tacita.model.table import Dimension, table_of_leaves
    >>> rows, columns = Dimension.flat("activity", "123"), Dimension.flat("region", "ABC")
    >>> table = table_of_leaves("investment", (rows, columns), np.array([[20, 50, 10], [8, 19, 22], [17, 32, 12.0]]))
    >>> secret = np.flatnonzero(table.values == 22)
    >>> result = suppress(table, Levels.of(len(table), secret, lower=4, upper=4))
    >>> sorted(table.values[result.secondary].tolist()), result.is_optimal
    ([8.0, 12.0, 17.0], True)
    """
    method, seconds, unions = options.method, options.seconds, options.unions
    if method not in {"optimal", "fast"}:
        raise UsageError(f"there is no method '{method}' of suppression", do="use 'optimal' or 'fast'")
    with stop_on_interrupt() as stopped:
        clock = Clock(seconds, stopped)
        known = knowledge or Knowledge.of(len(table), integer=table.is_count)
        prices = np.abs(table.values) if options.costs is None else options.costs
        problem = with_unions(problem_of(table, levels, known, prices, options.status, zeros=options.zeros), unions)
        small = reduced(problem)
        if len(small.stuck):
            raise refused(table, levels, _of_cells(demands_of_stuck(small, problem), len(table), unions))
        unit, small = (1.0, small) if known.integer else _scaled(small)
        try:
            if not is_ordinary(known, options.status):
                progress(Step("looking whether any pattern protects the table"))
                _require_possible(small.problem, clock.part(_SHARE_FOR_REFUSAL))
            start = _start(small, unit, problem, options.start, len(table))
            best, patterns = _searched(table, small, method, clock, options.gap, progress, start)
        except Unprotectable as none:
            demands = _of_cells(demands_of(none.targets, small, problem), len(table), unions)
            raise refused(table, levels, demands) from None
        withheld = small.expanded(best.withheld, problem)[: len(table)]
        state = _status(withheld, levels, options.status)
        secondary = np.flatnonzero(state == Status.SECONDARY)
        cost = float(problem.cost[secondary].sum())
        bound = best.bound + cost - best.cost
        if options.start is not None:  # what was a bound with less to hide still is one
            bound = max(bound, min(options.start.bound, cost))
        notes = _notes(stopped, clock, cost, bound)
        proofs = tuple(small.unfolded(patterns.proofs.movements(), unit, len(table)))
        return Suppression(state, cost, bound, clock.used, notes, proofs, stopped())


def _start(
    small: Reduced, unit: float, problem: SuppressionProblem, before: Suppression | None, cells: int
) -> EarlierPattern | None:
    if before is None:
        return None
    withheld = small.problem.withheld.copy()
    places = small.place[:cells][before.suppressed]
    withheld[places[places >= 0]] = True
    return EarlierPattern(withheld, small.folded(before.movements, unit, problem, cells))


def _require_possible(problem: SuppressionProblem, clock: Clock) -> None:
    if impossible := impossible_targets(problem, clock):
        raise Unprotectable(impossible)


def _searched(
    table: Table,
    small: Reduced,
    method: Method,
    clock: Clock,
    gap: float,
    progress: Progress,
    start: EarlierPattern | None,
) -> tuple[Best, SafePatterns]:
    problem = small.problem
    patterns = SafePatterns(problem)
    if not len(problem.targets):
        return Best(problem.withheld.copy(), 0.0, 0.0), patterns
    prove_in_crowds(problem, patterns.proofs, clock)

    total = float(problem.cost.sum())

    def report(best: Best) -> None:
        progress(Step(_in_words(problem, best, total), min(clock.used, clock.seconds), clock.seconds))

    def large(patterns: SafePatterns) -> Best:
        return large_pattern(problem, subtables_of(table, small), patterns, clock, report, start)

    if _is_large(problem):
        best = large(patterns)
    else:
        best = PatternSearch(problem, patterns, clock, large).run(1.0 if method == "fast" else gap, report, start)
    # The proofs must be those of the pattern that is handed out.
    if patterns.unproved(best.withheld):
        raise InternalError("the pattern could not be proved safe again; nothing was released")
    return best, patterns


def _in_words(problem: SuppressionProblem, best: Best, total: float) -> str:
    """Return what the search has, without a figure of the table.

    The cost may be the value of the one cell that is withheld; costs of many are told as shares in two digits.
    """
    withheld = int(np.count_nonzero(best.withheld & ~problem.withheld))
    if not np.isfinite(best.cost):
        return "searching for a safe pattern"
    gap = saving(best.gap)
    if withheld < _MANY or total <= 0:
        return f"searching: a safe pattern is at hand, {gap}"
    cost, bound = (f"{100 * share / total:.2g} %" for share in (best.cost, best.bound))
    least = f", at least {bound}" if is_bounded(best.gap) else ""
    return f"searching: a safe pattern withholds {withheld:,} more cells, {cost} of all by cost{least}; {gap}"


def _is_large(problem: SuppressionProblem) -> bool:
    return len(problem) > _LARGE_PLACES or len(problem.targets) > _LARGE_TARGETS


def _scaled(small: Reduced) -> tuple[float, Reduced]:
    """Return the factor by which movements were divided so that a usual level is about one, and the problem so."""
    problem = small.problem
    levels = np.concatenate([problem.lower, problem.upper, problem.sliding])
    unit = 1.0 / float(np.median(levels[levels > 0])) if np.any(levels > 0) else 1.0
    return unit, replace(small, problem=problem.in_units(unit))


def _real(cells: NDArray[np.int64], table: int, unions: Sequence[SecretUnion]) -> NDArray[np.int64]:
    """Return cells of the table, a member for each union."""
    return np.array([c if c < table else int(unions[c - table].cells[0]) for c in cells.tolist()], np.int64)


def _of_cells(demands: Sequence[ImpossibleDemand], table: int, unions: Sequence[SecretUnion]) -> list[ImpossibleDemand]:
    cells = _real(np.array([demand.cell for demand in demands], np.int64), table, unions)
    return [replace(demand, cell=int(cell)) for demand, cell in zip(demands, cells, strict=True)]


def _status(withheld: NDArray[np.bool_], levels: Levels, wishes: NDArray[np.int8] | None) -> NDArray[np.int8]:
    state = np.where(withheld, np.int8(Status.SECONDARY), np.int8(Status.PUBLISHED))
    if wishes is not None:
        state = np.where(np.isin(wishes, (Status.FORCED, Status.KEPT)), wishes, state)
    return np.where(levels.sensitive, np.int8(Status.PRIMARY), state).astype(np.int8)


def _notes(stopped: Callable[[], bool], clock: Clock, cost: float, bound: float) -> tuple[str, ...]:
    gap = (cost - bound) / cost if cost > 0 else 0.0
    if gap <= 1e-6:
        return ()
    how = "stopped by the user" if stopped() else f"stopped after {clock.used:.0f} s"
    return (f"{how}: the pattern is safe, and {saving(gap)}",)
