"""What becomes known when one suppressed cell is published after all: why it is suppressed, confirmed by the attacker.

Whatever somebody says a cell is suppressed for counts for nothing here. The cell is published, all others stay
suppressed, and the attacker looks which sensitive cells fall below their levels, against everybody and against single
contributors. Tables that are known to be possible, and that show the published cell as it is, spare most questions.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.demands import ENOUGH, Demands
from tacita.attacks.tables.insider_demands import InsiderDemands
from tacita.attacks.tables.insiders import in_free_numbers, insiders
from tacita.attacks.tables.narrowed_reach import KnownNumbers, NarrowedReach
from tacita.attacks.tables.result import EVERYBODY, LevelViolation
from tacita.attacks.tables.shown import ShownTables, changes_of
from tacita.attacks.tables.system.possible_tables import Numbers, Places, Span, possible_tables
from tacita.attacks.tables.system.reduction import reduced
from tacita.attacks.tables.unions import UnionRule, union_violations
from tacita.errors import InternalError
from tacita.model.table import Knowledge, Levels, Movement, Table
from tacita.progress import Progress, Step, silent

WORK = 100_000_000
"""Steps of the simplex method, each counted with the numbers of its programme: what confirming a pattern may take."""

_LOOK = 5_000  # what it counts as to look for tables that show a demand as met

EVERYBODY_ELSE = -1
"""The attacker who contributes to no cell, among numbers of contributors."""

_STILL = 1e-9  # of the largest change: less is none


@dataclass(frozen=True, slots=True)
class Exposure:
    """What would be known if one suppressed cell were published, and all others stayed suppressed.

    `violations` has one level for each sensitive cell that would fall below it, the worst first; a sum of cells that
    would be sensitive itself comes last. With `is_complete` every sensitive cell was looked at: if there is no
    violation then, publishing the cell alone would disclose nothing. `share` is half the width of the interval in which
    the attacker would know the first cell, as a share of its value; None where it has no end.
    """

    violations: tuple[LevelViolation, ...] = ()
    share: float | None = None
    is_complete: bool = True


@dataclass(frozen=True, slots=True, repr=False)
class ExposureOptions:
    """Who attacks, how sums are judged, and how much work there may be."""

    coalitions: bool = True
    minimum_frequency: int = 0
    union_is_sensitive: UnionRule | None = None
    unions: bool = True
    work: float = WORK
    seconds: float = 5.0
    """What each search among tables of whole numbers may take."""
    stop: Callable[[], bool] = bool
    """Whether to come to an end, whatever work is left."""


def exposures(
    table: Table,
    suppressed: NDArray[np.bool_],
    levels: Levels,
    knowledge: Knowledge,
    cells: NDArray[np.int64],
    options: ExposureOptions = ExposureOptions(),
    *,
    movements: Sequence[Movement] = (),
    progress: Progress = silent,
) -> dict[int, Exposure]:
    """Return what each of some suppressed cells would disclose if it, and it alone, were published.

    First one sensitive cell for each, then all of them, as far as the work goes.

    >>> from tacita.model.table import Dimension, Equations
    >>> row, column = Dimension.flat("row", "ab"), Dimension.flat("column", "cd")
    >>> codes = np.array([(r, c) for r in range(3) for c in range(3)], np.int32)
    >>> sums = [(3 * r, (3 * r + 1, 3 * r + 2)) for r in range(3)] + [(c, (c + 3, c + 6)) for c in range(3)]
    >>> table = Table("t", (row, column), codes, np.array([10.0, 4, 6, 7, 3, 4, 3, 1, 2]), Equations.of(sums), False)
    >>> hidden = np.isin(np.arange(9), (4, 5, 7, 8))
    >>> known = exposures(table, hidden, Levels.of(9, np.array([7]), lower=1, upper=1), Knowledge.of(9), np.array([4]))
    >>> known[4].share, [(one.cell, one.what) for one in known[4].violations]
    (0.0, [(7, 'lower')])
    """
    search = _Exposing(table, suppressed, levels, knowledge, options, movements)
    result: dict[int, Exposure] = {}
    for is_first in (True, False):
        for number, cell in enumerate(cells.tolist()):
            if cell in result and result[cell].is_complete:
                continue
            if search.is_over:
                result.setdefault(cell, Exposure(is_complete=False))
                continue
            progress(Step("confirming the reason of each suppression", number, len(cells)))
            result[cell] = search.of(cell, only_first=is_first)
    return result


Answer = tuple[tuple[LevelViolation, ...], Span] | None
"""The levels that are lost, and the interval that the attacker finds; None: not settled."""


def _needs(demands: Demands) -> list[tuple[float, float, float, float]]:
    """Return the true value of each cell, how far down and up it must reach, and how wide."""
    columns = (demands.value, demands.down_to, demands.up_to, demands.width)
    return list(zip(*(column.tolist() for column in columns), strict=True))


class _Exposing:
    """The search for one pattern; what it learns of one cell serves the next."""

    def __init__(
        self,
        table: Table,
        suppressed: NDArray[np.bool_],
        levels: Levels,
        knowledge: Knowledge,
        options: ExposureOptions,
        movements: Sequence[Movement],
    ) -> None:
        self._table, self._levels, self._knowledge, self._options = table, levels, knowledge, options
        self._possible = possible_tables(table, suppressed, knowledge)
        self._reduction = reduced(self._possible)
        if self._reduction.start is None:
            raise InternalError("reasons are confirmed with the true values, and they are not at hand")
        self._start = self._reduction.start
        self._demands = Demands.of(levels, self._possible, table.values)
        self._free_of = self._reduction.place[self._demands.places]
        self._known = insiders(table, self._possible, knowledge)
        self._insiders = InsiderDemands.of(self._demands, levels, self._possible, self._known, self._reduction)
        theirs = self._insiders
        keys = zip(theirs.attacker[theirs.pair].tolist(), theirs.demands.places.tolist(), strict=True)
        self._own_need = {key: row for row, key in enumerate(keys)}
        # Asked for many times: as numbers of Python, in lists.
        self._places = self._demands.places.tolist()
        self._needs, self._needs_against = _needs(self._demands), _needs(theirs.demands)
        self._knowing, self._knowers = self._knowledge_of_contributors()
        self._columns = self._reduction.matrix.tocsc()
        self._by_cell = self._possible.matrix.tocsc()
        self._reach = NarrowedReach(
            self._possible, self._reduction, self._start, work=options.work, seconds=options.seconds
        )
        self._buffer = Span(np.full(len(self._possible.cells), np.nan), np.full(len(self._possible.cells), np.nan))
        self._demands_on: dict[int, list[int]] = {}
        for demand, free in enumerate(self._free_of.tolist()):
            self._demands_on.setdefault(free, []).append(demand)
        self._tables = ShownTables(len(self._free_of), len(self._start))
        self._answers: dict[tuple[int, int, int], Answer] = {}
        for change in changes_of(self._possible, self._reduction, self._start, movements):
            self._tables.give(*self._of_use(*self._seen_from(*change)))
        # Demands that no table given shows as met are asked for whatever is published.
        free, nowhere = np.flatnonzero(self._free_of >= 0).tolist(), np.zeros(0, np.int64)
        self._unshown = {one for one in free if self._open(one, self._tables.entries(one, -1, nowhere))}

    @property
    def is_over(self) -> bool:
        """Whether there is no more work to be done."""
        return self._reach.work <= 0 or self._options.stop()

    def of(self, cell: int, *, only_first: bool = False) -> Exposure:
        """Return what publishing a cell would disclose; with `only_first` the search ends with the first level lost."""
        at = int(np.searchsorted(self._possible.cells, cell))
        if at == len(self._possible.cells) or self._possible.cells[at] != cell:
            return Exposure()  # known to everybody already
        free = int(self._reduction.place[at])
        worst: dict[int, tuple[float, LevelViolation, Span]] = {}
        is_complete = True
        for demand, attacker in self._candidates(free) if free >= 0 else ():
            answer = None if self.is_over else self._answer(free, demand, attacker)
            if answer is None:
                is_complete = False
                continue
            for violation in answer[0]:
                left = violation.left(float(self._table.values[violation.cell]))
                if violation.cell not in worst or left < worst[violation.cell][0]:
                    worst[violation.cell] = left, violation, answer[1]
            if worst and only_first:
                return self._exposure(worst, (), is_complete=False)
        return self._exposure(worst, self._unions(at), is_complete=is_complete)

    def _exposure(
        self,
        worst: dict[int, tuple[float, LevelViolation, Span]],
        unions: Iterable[LevelViolation],
        *,
        is_complete: bool,
    ) -> Exposure:
        order = sorted(worst.values(), key=lambda one: (round(one[0], 9), one[1].attacker != EVERYBODY, one[1].cell))
        share = None
        if order:
            _, violation, span = order[0]
            half = float(span.high[0] - span.low[0]) / 2
            value = abs(float(self._table.values[violation.cell]))
            share = half / value if np.isfinite(half) and value else None
        return Exposure((*(violation for _, violation, _ in order), *unions), share, is_complete)

    # -- which levels may be lost --------------------------------------------------------------------------------------

    def _candidates(self, free: int) -> Iterator[tuple[int, int]]:
        """Yield the demands that no table known shows as met with one number published, with the attacker."""
        tied = self._demands_on.get(free, [])
        yield from ((demand, EVERYBODY_ELSE) for demand in tied)
        touched = {
            demand for number in self._tables.using.get(free, ()) for demand in self._tables.touched[number].tolist()
        }
        block = self._reduction.block[free]
        touched |= {demand for demand in self._unshown if self._reduction.block[self._free_of[demand]] == block}
        near = set(self._near(free).tolist())
        order = sorted(touched - set(tied), key=lambda one: (int(self._free_of[one]) not in near, one))
        later: list[tuple[int, int]] = []
        # What is learnt of one demand may show another as met: each is looked at again when it is its turn.
        for demand in order:
            if self.is_over:  # nobody looks any more: it is not settled
                yield demand, EVERYBODY_ELSE
                return
            attackers = self._open(demand, self._tables.entries(demand, free, self._tables.usable(free)))
            if attackers[:1] == [EVERYBODY_ELSE]:
                yield demand, EVERYBODY_ELSE
                attackers = self._open(demand, self._tables.entries(demand, free, self._tables.usable(free)))
            later += [(demand, attacker) for attacker in attackers if attacker != EVERYBODY_ELSE]
        for demand, attacker in later:
            if self.is_over or attacker in self._open(
                demand, self._tables.entries(demand, free, self._tables.usable(free))
            ):
                yield demand, attacker

    def _open(self, demand: int, entries: list[tuple[float, frozenset[int]]]) -> list[int]:
        """Return the attackers (first of all everybody) against whom no table shows a demand as met."""
        self._reach.work -= _LOOK
        if not self._is_met(demand, [moved for moved, _ in entries]):
            return [EVERYBODY_ELSE]
        if not self._knowing:
            return []
        value, down, up, width = self._needs[demand]
        suspects: set[int] = set()
        for needed in (down - value, up - value):
            if not math.isnan(needed):
                sign, least = float(np.sign(needed)), abs(needed) * (1 - ENOUGH)
                reaching = (knowers for moved, knowers in entries if moved * sign >= least)
                suspects |= _in_all(reaching)
        if width > 0:
            order = sorted(entries, key=lambda entry: entry[0])
            suspects |= set().union(*(knowers for _, knowers in (order[:1] + order[-1:])))
        return [
            attacker
            for attacker in sorted(suspects)
            if not self._is_met(demand, [moved for moved, knowers in entries if attacker not in knowers], attacker)
        ]

    def _is_met(self, demand: int, moved: list[float], attacker: int = EVERYBODY_ELSE) -> bool:
        row = self._own_need.get((attacker, self._places[demand]))
        value, down, up, width = self._needs[demand] if row is None else self._needs_against[row]
        low, high = value + min(0.0, *moved, 0.0), value + max(0.0, *moved, 0.0)
        return not (
            low > down + ENOUGH * (value - down)
            or high < up - ENOUGH * (up - value)
            or high - low < width * (1 - ENOUGH)
        )

    def _demand(self, demand: int, attacker: int) -> Demands:
        """Return what is demanded of a cell against an attacker."""
        row = self._own_need.get((attacker, int(self._demands.places[demand])))
        return self._demands.only(np.array([demand])) if row is None else self._insiders.demands.only(np.array([row]))

    def _near(self, free: int) -> Places:
        """Return the free numbers that share a sum with one."""
        matrix = self._reduction.matrix
        rows = self._columns.indices[self._columns.indptr[free] : self._columns.indptr[free + 1]]
        parts = [matrix.indices[matrix.indptr[row] : matrix.indptr[row + 1]] for row in rows]
        return np.unique(np.concatenate(parts)).astype(np.int64) if parts else np.zeros(0, np.int64)

    # -- tables that are possible --------------------------------------------------------------------------------------

    def _seen_from(self, free: Places, moved: Numbers) -> tuple[Places, frozenset[int], Places, Numbers]:
        """Return a change of free numbers with who knows it to be false, and what it does to cells with demands."""
        is_moved = np.abs(moved) > _STILL * np.abs(moved).max(initial=0.0)
        free, moved = free[is_moved], moved[is_moved]
        knowers: set[int] = set()
        demands: list[int] = []
        moves: list[float] = []
        for one, change in zip(free.tolist(), moved.tolist(), strict=True):
            after = self._start[one] + change
            knowers.update(who for who, low, high in self._knowers.get(one, ()) if not low <= after <= high)
            for demand in self._demands_on.get(one, ()):
                demands.append(demand)
                moves.append(float(self._reduction.factor[self._demands.places[demand]]) * change)
        return free, frozenset(knowers), np.array(demands, np.int64), np.array(moves, np.float64)

    def _of_use(
        self, free: Places, knowers: frozenset[int], demands: Places, moved: Numbers
    ) -> tuple[Places, frozenset[int], Places, Numbers]:
        """Return a change without the demands that it meets no side of."""
        value, down, up = (one[demands] for one in (self._demands.value, self._demands.down_to, self._demands.up_to))
        with np.errstate(invalid="ignore"):
            meets = (moved >= (up - value) * (1 - ENOUGH)) & (moved > 0)
            meets |= (-moved >= (value - down) * (1 - ENOUGH)) & (moved < 0)
        meets |= self._demands.width[demands] > 0
        return free, knowers, demands[meets], moved[meets]

    # -- the attacker is asked -----------------------------------------------------------------------------------------

    def _answer(self, free: int, demand: int, attacker: int) -> Answer:
        """Return the levels that one attacker breaks with a number published, and the interval; None: not settled."""
        key = (free, demand, attacker)
        if self._answers.get(key) is None:
            self._answers[key] = self._attacked(free, demand, attacker)
        return self._answers[key]

    def _attacked(self, free: int, demand: int, attacker: int) -> Answer:
        target = int(self._free_of[demand])
        if target == free:
            return self._judged(demand, attacker, self._start[free], self._start[free])
        if self.is_over:
            return None
        known = KnownNumbers(np.array([free]), self._start[[free]], self._start[[free]])
        if attacker != EVERYBODY_ELSE:
            own = self._knowing[attacker]
            known = KnownNumbers(*(np.concatenate(both) for both in zip(known, own, strict=True)))
        ends = [self._reach.end(target, sign, known) for sign in (-1.0, 1.0)]
        for end in ends:
            if len(end.changed):
                self._tables.learn(*self._seen_from(end.changed, end.moved))
        judged = self._judged(demand, attacker, ends[0].end, ends[1].end)
        # Nothing is possible beyond an end, settled or not: what is lost then is lost for certain.
        return judged if judged[0] or all(end.settled for end in ends) else None

    def _judged(self, demand: int, attacker: int, low: float, high: float) -> tuple[tuple[LevelViolation, ...], Span]:
        place = int(self._demands.places[demand])
        factor, shift = float(self._reduction.factor[place]), float(self._reduction.shift[place])
        ends = sorted((factor * low + shift, factor * high + shift))
        self._buffer.low[place], self._buffer.high[place] = ends
        name = EVERYBODY if attacker == EVERYBODY_ELSE else self._known.name(self._table, attacker)
        needs = self._demand(demand, attacker)
        violations = needs.violations(self._table, self._possible, self._buffer, name)
        self._buffer.low[place] = self._buffer.high[place] = np.nan
        return tuple(violations), Span(np.array(ends[:1]), np.array(ends[1:]))

    def _knowledge_of_contributors(
        self,
    ) -> tuple[dict[int, KnownNumbers], dict[int, list[tuple[int, float, float]]]]:
        """Return what each contributor knows of free numbers, and the same by number."""
        who, at, lower, upper = in_free_numbers(self._known, self._reduction)
        knowing: dict[int, KnownNumbers] = {}
        knowers: dict[int, list[tuple[int, float, float]]] = {}
        if self._options.coalitions:
            for one in np.unique(who).tolist():
                knowing[one] = KnownNumbers(at[who == one], lower[who == one], upper[who == one])
            for one, free, low, high in zip(who.tolist(), at.tolist(), lower.tolist(), upper.tolist(), strict=True):
                near = _STILL * max(1.0, abs(low))
                knowers.setdefault(free, []).append((one, low - near, high + near))
        return knowing, knowers

    # -- sums ----------------------------------------------------------------------------------------------------------

    def _unions(self, at: int) -> list[LevelViolation]:
        """Return the sums of cells that could be calculated with one cell published, and would be sensitive."""
        options = self._options
        if not options.unions:
            return []
        matrix = self._possible.matrix
        with_cell = self._by_cell.indices[self._by_cell.indptr[at] : self._by_cell.indptr[at + 1]]
        near = np.unique(matrix[with_cell].indices)
        rows = np.unique(self._by_cell[:, near].indices)
        part = matrix[rows]
        columns = np.unique(part.indices)
        columns = columns[columns != at]
        part = part[:, columns]
        part.eliminate_zeros()
        some = np.flatnonzero(np.diff(part.indptr))
        seen = replace(
            self._possible,
            cells=self._possible.cells[columns],
            matrix=part[some],
            sums=self._possible.sums[rows[some]],
            equations=self._possible.equations[rows[some]],
        )
        return union_violations(
            self._table,
            seen,
            self._levels,
            self._knowledge,
            minimum_frequency=options.minimum_frequency,
            rule=options.union_is_sensitive,
        )


def _in_all(sets: Iterable[frozenset[int]]) -> set[int]:
    """Return what is in every one of some sets."""
    return set(frozenset.intersection(*several)) if (several := list(sets)) else set()
