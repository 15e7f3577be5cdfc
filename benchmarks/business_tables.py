"""Business tables as statistical offices publish them: firms in two hierarchies, few large ones, most cells small."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Contributions, Dimension, Knowledge, Levels, Table, table_of_leaves
from tacita.tables.sensitivity.assess import assess_all, combined
from tacita.tables.sensitivity.insiders import insider_levels
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.rules.p_percent import PPercent

_KEPT = 3  # contributions of a cell


@dataclass(frozen=True, slots=True)
class BusinessTable:
    """A table, what must stay unknown, and who knows what."""

    table: Table
    levels: Levels
    knowledge: Knowledge


def regular(name: str, branches: tuple[int, ...]) -> Dimension:
    """Return a tree where all codes of a level have as many parts."""

    def grown(code: str, rest: tuple[int, ...]) -> dict[str, object]:
        return {f"{code}.{n}": grown(f"{code}.{n}", rest[1:]) for n in range(rest[0])} if rest else {}

    return Dimension.tree(name, {"Total": grown(name, branches)})


def classification(name: str, sizes: tuple[int, ...], seed: int) -> Dimension:
    """Return a tree with so many codes on each level; many codes have one part, as in classifications of activities."""
    draw = np.random.default_rng(seed)
    parents: list[NDArray[np.int64]] = []
    above = 1
    for size in sizes:
        weights = np.exp(draw.normal(0, 0.9, above))
        more = draw.choice(above, size - above, p=weights / weights.sum())
        parents.append(np.sort(np.concatenate([np.arange(above), more])))
        above = size

    def below(level: int, code: int) -> dict[str, object]:
        if level == len(sizes):
            return {}
        parts = np.flatnonzero(parents[level] == code)
        return {f"{name}{level}.{part}": below(level + 1, part) for part in parts.tolist()}

    return Dimension.tree(name, {"Total": below(0, 0)})


def business_table(
    name: str, rows: Dimension, columns: Dimension, firms: int, seed: int, uneven: float = 1.0, tail: float = 1.6
) -> BusinessTable:
    """Return the turnover of firms, each in one leaf, under minimum frequency 3 and p % (p = 10)."""
    draw = np.random.default_rng(seed)
    dimensions = (rows, columns)
    sizes = [len(dimension.leaves) for dimension in dimensions]
    at = np.empty((firms, 2), np.int64)
    for axis, size in enumerate(sizes):
        weights = np.exp(draw.normal(0, uneven, size))
        at[:, axis] = draw.choice(size, firms, p=weights / weights.sum())
    turnover = np.asarray(np.round(np.exp(draw.normal(5, tail, firms)), 1) + 0.1, np.float64)
    leaves = np.zeros(sizes)
    np.add.at(leaves, (at[:, 0], at[:, 1]), turnover)
    table = table_of_leaves(name, dimensions, np.round(leaves, 1))
    contributions = _contributions(table, dimensions, at, turnover)
    table = Table(
        table.name,
        table.dimensions,
        table.codes,
        contributions.totals,
        table.equations,
        is_count=False,
        counts=contributions.counts,
        contributions=contributions,
    )
    owners = contributions.sole_contributors()
    rules: list[SensitivityRule] = [MinimumFrequency(3), PPercent(10)]
    findings = assess_all(table, rules)
    levels = combined(table, findings)
    levels = replace(levels, against=insider_levels(table, levels, findings, rules, owners))
    return BusinessTable(table, levels, replace(Knowledge.of(len(table)), owners=owners))


def _contributions(
    table: Table, dimensions: tuple[Dimension, Dimension], at: NDArray[np.int64], turnover: NDArray[np.float64]
) -> Contributions:
    """Return the largest contributions of every cell, also of sums."""
    width = len(dimensions[1].codes)
    number = np.full((len(dimensions[0].codes), width), -1)
    number[table.codes[:, 0], table.codes[:, 1]] = np.arange(len(table))
    cells, firms = [], []
    ancestors = [_ancestors(dimension) for dimension in dimensions]
    for above in ancestors[0]:
        for beside in ancestors[1]:
            row, column = above[at[:, 0]], beside[at[:, 1]]
            here = (row >= 0) & (column >= 0)
            cells.append(number[row[here], column[here]])
            firms.append(np.flatnonzero(here))
    cell, firm = np.concatenate(cells), np.concatenate(firms)
    order = np.lexsort((firm, -turnover[firm], cell))
    cell, firm = cell[order], firm[order]
    rank = np.arange(len(cell)) - np.searchsorted(cell, cell)
    largest, holders = np.zeros((len(table), _KEPT)), np.full((len(table), _KEPT), -1)
    top = rank < _KEPT
    largest[cell[top], rank[top]] = turnover[firm[top]]
    holders[cell[top], rank[top]] = firm[top]
    counts = np.bincount(cell, minlength=len(table))
    return Contributions(largest, holders, np.ones_like(largest), counts, np.round(table.values, 1))


def _ancestors(dimension: Dimension) -> list[NDArray[np.int64]]:
    """Return, for each number of steps up from the leaves, the code that is reached; -1 where there is none."""
    parent = np.full(len(dimension.codes), -1)
    for one in dimension.sums:
        for part in one.parts:
            parent[dimension.position(part)] = dimension.position(one.total)
    steps = [np.array([dimension.position(leaf) for leaf in dimension.leaves])]
    while np.any(steps[-1] >= 0):
        steps.append(np.where(steps[-1] >= 0, parent[steps[-1]], -1))
    return steps[:-1]


def middle() -> BusinessTable:
    """Return 25,317 cells of 220,000 firms, 14 % of them sensitive."""
    rows, columns = regular("activity", (10, 5, 4)), regular("region", (6, 3, 4))
    return business_table("middle", rows, columns, 220_000, seed=0, uneven=0.77)


def sparse() -> BusinessTable:
    """Return 97,940 cells (830 x 118), 19,000 of them sensitive and two thirds empty."""
    return business_table("sparse", _activities(), regular("region", (9, 3, 3)), 30_000, seed=1, uneven=1.8)


def dense() -> BusinessTable:
    """Return 97,940 cells (830 x 118), 20,000 of them sensitive and a tenth empty."""
    return business_table("dense", _activities(), regular("region", (9, 3, 3)), 500_000, seed=1, uneven=1.2)


def huge() -> BusinessTable:
    """Return some 500,000 cells."""
    rows = classification("activity", (21, 88, 272, 615), seed=2)
    return business_table("huge", rows, regular("region", (10, 7, 6)), 900_000, seed=2, uneven=1.2)


def _activities() -> Dimension:
    return classification("activity", (21, 84, 230, 494), seed=1)
