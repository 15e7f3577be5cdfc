"""Widths against contributors: who alone stands behind cells knows them, and the intervals of the others must do.

A contributor knows all of its own cells, so that a table of differences protects from it only if it leaves these cells
alone. A table with few differences leaves most contributors' cells alone: such tables are looked for, one for each
level, and prove the level against all of them at once. Few pairs of a contributor and a level are asked one by one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, Step
from tacita.tables.intervals.deadline import Deadline
from tacita.tables.intervals.differences import Differences
from tacita.tables.intervals.program import Need, Room, Widths, needs_of
from tacita.tables.linear_program import Reals


@dataclass(frozen=True, slots=True)
class ContributorNeeds:
    """What one contributor, who knows some cells, must not be able to narrow."""

    cells: NDArray[np.int64]
    needs: tuple[Need, ...]


def contributors_needs(levels: Levels, knowledge: Knowledge, room: Room) -> tuple[ContributorNeeds, ...]:
    """Return the needs against everybody who alone stands behind some cell.

    Nothing is asked of cells that are all the contributor's own; `levels.against` says what counts instead of the usual
    where it contributes beside others.
    """
    owners = np.unique(knowledge.owners[knowledge.owners >= 0]).tolist()
    if not owners:
        return ()
    usual = {
        cell: needs_of(cell, float(levels.lower[cell]), float(levels.upper[cell]), float(levels.sliding[cell]), room)
        for cell in np.flatnonzero(levels.sensitive).tolist()
    }
    special: dict[int, dict[int, list[Need]]] = {}
    if (against := levels.against) is not None:
        pairs = zip(against.cell.tolist(), against.contributor.tolist(), strict=True)
        distances = zip(against.lower.tolist(), against.upper.tolist(), against.sliding.tolist(), strict=True)
        for (cell, who), distance in zip(pairs, distances, strict=True):
            special.setdefault(who, {})[cell] = needs_of(cell, *distance, room)
    everybody = []
    for owner in owners:
        own = np.flatnonzero(knowledge.owners == owner)
        theirs = special.get(owner, {}) | {cell: list[Need]() for cell in own.tolist()}
        needs = tuple(need for cell, some in usual.items() for need in theirs.get(cell, some))
        everybody.append(ContributorNeeds(own, needs))
    return tuple(everybody)


@dataclass(slots=True)
class _Shown:
    """For each cell and direction the tables that were found, by which cells they change and how far."""

    tables: dict[tuple[int, bool], list[tuple[float, frozenset[int]]]] = field(default_factory=dict)

    def proves(self, need: Need, cells: NDArray[np.int64]) -> bool:
        some = self.tables.get((need.cell, need.upward), ())
        own = cells.tolist()
        return any(far >= need.distance and changed.isdisjoint(own) for far, changed in some)

    def add(self, need: Need, table: Reals) -> None:
        small = 1e-9 * float(np.abs(table).max(initial=0.0))
        changed = frozenset(np.flatnonzero(np.abs(table) > small).tolist())
        far = abs(float(table[need.cell]))
        self.tables.setdefault((need.cell, need.upward), []).append((far, changed))


def unmet(
    table: Table, everybody: tuple[ContributorNeeds, ...], widths: Widths, deadline: Deadline, progress: Progress
) -> Iterator[tuple[ContributorNeeds, Need, Differences]]:
    """Yield the needs that some widths do not meet; whoever widens them says so to the differences, and it goes on."""
    scale = max((need.distance for one in everybody for need in one.needs), default=1.0)
    differences, shown = Differences(table, widths, scale), _Shown()
    nobody = np.zeros(0, np.int64)
    first: dict[tuple[int, bool], Need] = {}
    for one in everybody:
        for need in one.needs:
            known = first.get((need.cell, need.upward))
            if known is None or known.distance < need.distance:
                first[need.cell, need.upward] = need
    for need in first.values():
        deadline.check()
        sparse = differences.table(need, nobody)
        if sparse is not None:
            shown.add(need, sparse)
    for number, one in enumerate(everybody):
        progress(Step("protecting from contributors", number, len(everybody)))
        for need in one.needs:
            if shown.proves(need, one.cells):
                continue
            deadline.check()
            other = differences.table(need, one.cells)
            if other is None:
                yield one, need, differences
                other = differences.table(need, one.cells)
            if other is not None:
                shown.add(need, other)
