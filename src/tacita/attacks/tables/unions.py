"""Unions of suppressed cells whose sum everybody can compute: each is a cell that was published after all."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from tacita.attacks.tables.result import EVERYBODY, LevelViolation
from tacita.attacks.tables.system.possible_tables import Places, PossibleTables
from tacita.errors import listed
from tacita.model.table import Knowledge, Levels, Table

UnionRule = Callable[[Places], bool]
"""Whether the union of some cells (numbers in the table) would be sensitive if it were a cell."""

LARGEST = 12
"""Unions of more cells than this are not combined further; what is disclosed in them is the sum of many."""


@dataclass(frozen=True, slots=True)
class CellUnion:
    """Suppressed cells whose sum is known, and the equations of the table that give it."""

    cells: Places
    equations: tuple[int, ...]


def known_unions(possible: PossibleTables) -> Iterator[CellUnion]:
    """Yield the unions of two cells or more whose sum is known: by one sum, or by two that were combined.

    A sum whose total is published gives the union of its suppressed parts. Two sums combined give another: one union
    within another leaves the difference; a suppressed total within a union is replaced by its own suppressed parts.
    Longer combinations are not looked for.
    """
    matrix = possible.matrix
    members = [matrix.indices[start:stop] for start, stop in zip(matrix.indptr[:-1], matrix.indptr[1:], strict=True)]
    negative = np.zeros(len(members), np.int64)
    rows = np.repeat(np.arange(len(members)), np.diff(matrix.indptr))
    np.add.at(negative, rows, matrix.data < 0)
    ones = np.ones(len(members), bool)
    np.logical_and.at(ones, rows, np.abs(matrix.data) == 1)
    positive = np.flatnonzero((negative == 0) & ones)
    split = np.flatnonzero((negative == 1) & ones)
    seen: set[tuple[int, ...]] = set()

    def new(cells: set[int], *used: int) -> Iterator[CellUnion]:
        key = tuple(sorted(cells))
        if len(key) > 1 and key not in seen:
            seen.add(key)
            yield CellUnion(possible.cells[list(key)], tuple(int(possible.equations[row]) for row in used))

    holding: dict[int, list[int]] = {}
    for row in positive:
        yield from new(set(members[row].tolist()), int(row))
        if len(members[row]) <= LARGEST:
            for cell in members[row].tolist():
                holding.setdefault(cell, []).append(int(row))
    for row in positive[[len(members[row]) <= LARGEST for row in positive]] if positive.size else ():
        inner = set(members[row].tolist())
        for other in holding[int(members[row][0])]:
            if other != row and len(members[other]) > len(inner) and inner <= set(members[other].tolist()):
                yield from new(set(members[other].tolist()) - inner, other, int(row))
    for row in split:
        start = matrix.indptr[row]
        factors = matrix.data[start : matrix.indptr[row + 1]]
        total, parts = int(members[row][factors < 0][0]), set(members[row][factors > 0].tolist())
        for other in holding.get(total, ()) if len(parts) <= LARGEST else ():
            rest = set(members[other].tolist()) - {total}
            if not rest & parts:
                yield from new(rest | parts, other, int(row))


def union_violations(
    table: Table,
    possible: PossibleTables,
    levels: Levels,
    knowledge: Knowledge,
    *,
    minimum_frequency: int = 0,
    rule: UnionRule | None = None,
) -> list[LevelViolation]:
    """Return the unions with a sensitive cell in them that are sensitive themselves.

    A union is sensitive when it has fewer contributors than the minimum frequency, when one contributor stands behind
    all of it, when two single contributors share it (each subtracts the own cell), or when the caller's rule says so.
    """
    violations = []
    for union in known_unions(possible):
        sensitive = union.cells[levels.sensitive[union.cells]]
        if not sensitive.size:
            continue
        count = contributors_behind(table, knowledge, union.cells)
        owners = knowledge.owners[union.cells]
        alone = bool((owners >= 0).all())
        least = max(minimum_frequency, 3 if alone else 0)
        too_few = count is not None and 0 < count < least
        if too_few or (rule is not None and rule(union.cells)):
            cell, sentences = int(sensitive[0]), _sentences(table, union)
            violations.append(
                LevelViolation(
                    cell,
                    table.cell_name(cell),
                    EVERYBODY,
                    "union",
                    float(least) if too_few else float("nan"),
                    float(count) if count is not None else float("nan"),
                    sentences,
                    tuple(union.cells.tolist()),
                    sentences,
                )
            )
    return violations


def contributors_behind(table: Table, knowledge: Knowledge, cells: Places) -> int | None:
    """Return how many different contributors stand behind a union at least; None where nothing is known of them.

    Only the largest contributors of a cell are kept, so that contributors who hide behind them are counted as if they
    were the same in every cell; in a frequency table nobody is in two parts of one sum, and counts add up.
    """
    contributions = table.contributions
    owners = knowledge.owners[cells]
    if contributions is not None:
        named = set(contributions.holders[cells][contributions.holders[cells] >= 0].tolist())
        hidden = contributions.counts[cells] - (contributions.holders[cells] >= 0).sum(axis=1)
        return len(named) + int(np.maximum(hidden, 0).max(initial=0))
    if (owners >= 0).all():
        return len(set(owners.tolist()))
    counts = table.values if table.is_count else table.counts
    if counts is None or not np.isfinite(counts[cells]).all():
        return None
    return int(counts[cells].sum())


def _sentences(table: Table, union: CellUnion) -> tuple[str, ...]:
    names = [f"({table.cell_name(int(cell))})" for cell in union.cells]
    totals = []
    for row in union.equations:
        cells, factors = table.equations.row(row)
        total = cells[factors < 0]
        totals.append(f"({table.cell_name(int((total if total.size else cells)[0]))})")
    return (
        f"the sum of {listed(names)} follows from {' and '.join(totals)} less what is published",
        "this union is as good as a published cell, and would be sensitive as one",
    )
