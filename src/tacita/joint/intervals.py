"""How near an intruder comes to sums that must stay uncertain, with whole numbers where they are.

The intruder is the attacker of tables (`attacks.tables.table_audit`): groups are the cells of a table that nobody
published, and every statement is a sum of them. Only the connected part that the new release touches is attacked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tacita.attacks.tables.result import Audit
from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.joint.evidence import Ints, Mask, Numbers
from tacita.joint.system import SumSystem
from tacita.model.table import Equations, Knowledge, Levels, Table
from tacita.progress import Progress, silent

SECONDS = 2.0
"""What each search among whole numbers may take."""


@dataclass(frozen=True, slots=True, order=True)
class ProtectedSum:
    """Something that must stay uncertain: a sensitive statement, or a small group."""

    row: int
    """The row of the system; -1: it is a group."""
    unknown: int = -1
    """The unknown of the system; -1: it is a row."""


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Interval:
    """The interval in which an intruder knows a target to lie; `outline` tells the attack without any figure."""

    target: ProtectedSum
    low: float
    high: float
    is_settled: bool = True
    """Whether it is known to be no wider; otherwise the search ended before."""
    outline: tuple[str, ...] = ()

    @property
    def is_exact(self) -> bool:
        """Whether a single value is possible."""
        return self.low == self.high

    def is_within(self, other: Interval) -> bool:
        """Return whether it is no wider than another one."""
        return self.low >= other.low and self.high <= other.high


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _NamedTable(Table):
    """A table whose cells have names of their own, which are made when somebody asks."""

    names: Callable[[int], str] = str

    def cell_name(self, cell: int) -> str:
        """Return the name of a cell."""
        return self.names(cell)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Parts:
    """The connected parts of what is unknown: the part of each row and unknown, and which rows are in one."""

    of_row: Ints
    of_unknown: Ints
    is_open: Mask

    @classmethod
    def of(cls, system: SumSystem, hearer: Hearer, targets: Mask) -> _Parts:
        """Return the parts; an unknown that follows exactly connects nothing, and a row that says nothing neither."""
        from scipy.sparse import csr_array
        from scipy.sparse.csgraph import connected_components

        size = len(system.rows)
        row = np.repeat(np.arange(size), np.diff(system.rows.starts))
        floor = 0.0 if system.is_nonnegative else -np.inf
        says = hearer.heard & (np.isfinite(system.upper) | (system.lower > floor))
        used = (says | targets)[row] & ~hearer.known[system.rows.columns]
        nodes = size + system.unknowns
        entries = np.ones(int(used.sum()), np.int8)
        graph = csr_array((entries, (row[used], size + system.rows.columns[used])), shape=(nodes, nodes))
        _, label = connected_components(graph, directed=False)
        is_open = np.zeros(size, np.bool_)
        is_open[row[used]] = True
        return cls(label[:size].astype(np.int64), label[size:].astype(np.int64), is_open)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Hearer:
    """Somebody who has some of the releases: which rows of the system that are, and which unknowns follow exactly."""

    heard: Mask
    known: Mask


CellNames = Callable[[ProtectedSum], str]
"""How unknowns and rows of a system are called."""


def too_near(
    system: SumSystem, hearer: Hearer, targets: Sequence[ProtectedSum], progress: Progress = silent
) -> list[ProtectedSum]:
    """Return the targets that somebody comes too near to, by what each of them needs."""
    open_, block = _attacked_part(system, hearer, targets)
    closed = [target for target in targets if target not in open_]
    if not open_:
        return closed
    verdict, cells, _ = block.attacked(sorted(open_), str, progress)
    return closed + list(dict.fromkeys(cells[violation.cell] for violation in verdict.violations))


def intervals_of(
    system: SumSystem,
    hearer: Hearer,
    targets: Sequence[ProtectedSum],
    names: CellNames = str,
    progress: Progress = silent,
    *,
    explain: bool = False,
) -> dict[ProtectedSum, Interval]:
    """Return the intervals of some targets with their true ends, as far as whole numbers allow in time."""
    open_, block = _attacked_part(system, hearer, targets)
    intervals = {}
    for target in targets:
        if target not in open_:
            value = _value(system, target)
            intervals[target] = Interval(target, value, value)
    if open_:
        verdict, cells, rest = block.attacked(sorted(open_), names, progress, far=True, explain=explain)
        steps_of: dict[int, tuple[str, ...]] = {}
        for violation in verdict.violations:
            steps_of[violation.cell] = (*steps_of.get(violation.cell, ()), *violation.outline)
        for cell, target in cells.items():
            low, high = (float(end[cell]) + rest[cell] for end in (verdict.intervals.lower, verdict.intervals.upper))
            is_settled = bool(verdict.intervals.exact[cell])
            intervals[target] = Interval(target, low, high, is_settled, steps_of.get(cell, ()))
    return intervals


def _attacked_part(
    system: SumSystem, hearer: Hearer, targets: Sequence[ProtectedSum]
) -> tuple[set[ProtectedSum], _Block]:
    """Return the targets that touch something unknown, and the part of the system that they are in.

    The others are known exactly.
    """
    marked = np.zeros(len(system.rows), np.bool_)
    marked[[target.row for target in targets if target.row >= 0]] = True
    parts = _Parts.of(system, hearer, marked)
    wanted = np.zeros(len(system.rows) + system.unknowns, np.bool_)
    open_ = {
        target
        for target in targets
        if (parts.is_open[target.row] if target.row >= 0 else not hearer.known[target.unknown])
    }
    for target in open_:
        wanted[parts.of_row[target.row] if target.row >= 0 else parts.of_unknown[target.unknown]] = True
    unknowns = np.flatnonzero(wanted[parts.of_unknown] & ~hearer.known)
    return open_, _Block(system, hearer, unknowns, np.flatnonzero(wanted[parts.of_row] & parts.is_open))


def _value(system: SumSystem, target: ProtectedSum) -> float:
    return float(system.values[target.row] if target.row >= 0 else system.truth[target.unknown])


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class _Block:
    """The part of a system that is attacked, as a table: its unknowns and rows are the cells."""

    system: SumSystem
    hearer: Hearer
    unknowns: Ints
    rows: Ints

    def attacked(
        self,
        targets: Sequence[ProtectedSum],
        names: CellNames,
        progress: Progress,
        *,
        far: bool = False,
        explain: bool = False,
    ) -> tuple[Audit, dict[int, ProtectedSum], Numbers]:
        """Return the attacker's verdict, the targets by cell, and what is known of each cell beside the attacked part.

        With `far`, the ends of the targets are looked for; otherwise only whether they are as far as is needed.
        """
        system, many = self.system, len(self.unknowns)
        place = np.full(system.unknowns, -1, np.int64)
        place[self.unknowns] = np.arange(many)
        at_row = {int(row): many + at for at, row in enumerate(self.rows)}
        cells = {at_row[target.row] if target.row >= 0 else int(place[target.unknown]): target for target in targets}
        table, rest = self._table(place, names)
        sums = table.values[many:]
        heard = self.hearer.heard[self.rows]
        suppressed = np.concatenate([np.ones(many, np.bool_), ~(system.exact[self.rows] & heard)])
        floor = 0.0 if system.is_nonnegative else -np.inf
        lower = np.where(heard, np.fmax(system.lower[self.rows] - rest, floor), floor)
        upper = np.where(heard, system.upper[self.rows] - rest, np.inf)
        knowledge = Knowledge(
            np.concatenate([np.full(many, floor), np.fmin(lower, sums)]),
            np.concatenate([np.full(many, np.inf), np.fmax(upper, sums)]),
            np.zeros(len(table), np.bool_),
            np.full(len(table), -1, np.int64),
            system.is_whole,
        )
        options = AuditOptions(
            coalitions=False, unions=False, exact=False, seconds=SECONDS, explain=2 * len(cells) if explain else 0
        )
        levels = self._levels(cells, len(table))
        if far:
            reach = np.where(levels.sensitive, 1e3 * (1.0 + np.abs(table.values).max(initial=0.0)), 0.0)
            levels = replace(levels, lower=reach, upper=reach)
        verdict = audit(table, suppressed, levels, knowledge, options, progress=progress)
        return verdict, cells, np.concatenate([np.zeros(many), rest])

    def _table(self, place: Ints, names: CellNames) -> tuple[Table, Numbers]:
        """Return the block as a table, and what is known of each row already."""
        system, many = self.system, len(self.unknowns)
        rows = system.rows.taken(self.rows)
        row = np.repeat(np.arange(len(self.rows)), np.diff(rows.starts))
        inside = place[rows.columns] >= 0
        sums = np.bincount(row[inside], weights=system.truth[rows.columns[inside]], minlength=len(self.rows))
        totals = np.arange(len(self.rows))
        of = np.concatenate([totals, row[inside]])
        cells = np.concatenate([many + totals, place[rows.columns[inside]]])
        factors = np.concatenate([np.full(len(totals), -1.0), np.ones(int(inside.sum()))])
        order = np.argsort(of, kind="stable")
        starts = np.concatenate([[0], np.cumsum(np.bincount(of, minlength=len(totals)))]).astype(np.int64)
        table = _NamedTable(
            "everything released",
            (),
            np.zeros((many + len(self.rows), 0), np.int32),
            np.concatenate([system.truth[self.unknowns], sums]),
            Equations(starts, cells[order].astype(np.int64), factors[order]),
            is_count=system.is_whole,
            names=lambda cell: names(
                ProtectedSum(-1, int(self.unknowns[cell])) if cell < many else ProtectedSum(int(self.rows[cell - many]))
            ),
        )
        return table, system.values[self.rows] - sums

    def _levels(self, cells: Mapping[int, ProtectedSum], size: int) -> Levels:
        system = self.system
        sensitive = np.zeros(size, np.bool_)
        lower, upper, width = np.zeros(size), np.zeros(size), np.zeros(size)
        for cell, target in cells.items():
            sensitive[cell] = True
            if target.row >= 0:
                value = system.values[target.row]
                lower[cell] = np.nan_to_num(max(value - system.needs_lower[target.row], 0.0))
                upper[cell] = np.nan_to_num(max(system.needs_upper[target.row] - value, 0.0))
                width[cell] = system.needs_width[target.row]
        rule = np.where(sensitive, 0, -1).astype(np.int16)
        return Levels(sensitive, lower, upper, width, rule, ("given",), np.zeros(size))
