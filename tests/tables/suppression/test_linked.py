"""Linked tables as one system: cheaper than one after the other, and safe together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables.grids import PLENTY

from tacita.attacks.tables.table_audit import audit
from tacita.model.table import Dimension, Equations, Knowledge, Levels, Status, Sum, Table, table_of_leaves
from tacita.tables.suppression.suppress import SuppressionOptions, suppress

pytestmark = pytest.mark.slow


def part_of(table: Table, cells: np.ndarray) -> tuple[Table, np.ndarray]:
    """The table of some cells, with the equations that lie among them."""
    kept = np.flatnonzero(cells)
    place = {int(cell): at for at, cell in enumerate(kept)}
    rows = [table.equations.row(row)[0] for row in range(len(table.equations))]
    sums = [(place[int(r[0])], [place[int(c)] for c in r[1:]]) for r in rows if cells[r].all()]
    return replace(table, codes=table.codes[kept], values=table.values[kept], equations=Equations.of(sums)), kept


def two_groupings(name: str, groups: int, size: int) -> tuple[Dimension, list[set[str]]]:
    """A variable whose leaves are grouped in rows and in columns, and the codes of either grouping."""
    leaves = [[f"{name}{i}{j}" for j in range(size)] for i in range(groups)]
    rows = tuple(Sum(f"{name}-row{i}", tuple(leaves[i])) for i in range(groups))
    columns = tuple(Sum(f"{name}-column{j}", tuple(line[j] for line in leaves)) for j in range(size))
    every = tuple(leaf for line in leaves for leaf in line)
    sums = [Sum("Total", tuple(each.total for each in way)) for way in (rows, columns)]
    codes = ("Total", *(each.total for each in rows + columns), *every)
    ways = [{"Total", *every, *(each.total for each in way)} for way in (rows, columns)]
    return Dimension(name, codes, (*sums, *rows, *columns)), ways


def four_linked_tables(seed: int) -> tuple[Table, list[np.ndarray]]:
    """Two variables with two groupings each: four tables with all their leaves in common."""
    (first, ways), (second, others) = two_groupings("a", 4, 3), two_groupings("b", 2, 3)
    draw = np.random.default_rng(seed)
    table = table_of_leaves("linked", (first, second), draw.poisson(6, (12, 6)), is_count=True)
    shown = [np.isin(table.codes[:, 0], [first.position(code) for code in way]) for way in ways]
    across = [np.isin(table.codes[:, 1], [second.position(code) for code in way]) for way in others]
    parts = [one & other for one in shown for other in across]
    table, kept = part_of(table, np.any(parts, axis=0))
    return table, [part[kept] for part in parts]


def one_after_the_other(table: Table, parts: list[np.ndarray], levels: Levels) -> np.ndarray:
    """Protect each table alone, hand its suppressions on to the others, until no table changes any more."""
    withheld = levels.sensitive.copy()
    for _ in range(20):
        before = withheld.copy()
        for shown in parts:
            part, cells = part_of(table, shown)
            secret = np.flatnonzero(withheld[cells])
            # What was withheld for another table's sake must not be recalculated here.
            found = suppress(part, Levels.of(len(part), secret, 1, 1), Knowledge.of(len(part), integer=True))
            withheld[cells[found.suppressed]] = True
        if np.array_equal(before, withheld):
            break
    return withheld


@pytest.mark.parametrize("seed", [1, 2, 7])
def test_together_is_cheaper_and_safe(seed: int):
    table, parts = four_linked_tables(seed)
    knowledge = Knowledge.of(len(table), integer=True)
    levels = Levels.of(len(table), np.flatnonzero((table.values > 0) & (table.values < 3)), 1, 1)
    together = suppress(table, levels, knowledge, options=SuppressionOptions(seconds=PLENTY))
    assert audit(table, together.suppressed, levels, knowledge).passed
    apart = one_after_the_other(table, parts, levels)
    cost = table.values[apart & ~levels.sensitive].sum()
    assert together.cost < cost
    assert (together.status == Status.SECONDARY).sum() < (apart & ~levels.sensitive).sum()
