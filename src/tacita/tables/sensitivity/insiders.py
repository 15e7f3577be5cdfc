"""What a contributor must not learn of a cell that it contributes to: what the rules ask of the others' part of it.

A contributor who alone stands behind some cell attacks with that knowledge. Of a cell to which it does not contribute
it must know no more than everybody. Of a cell to which it contributes it knows its own part, and only the others are
to be protected: no interval can leave in doubt what the largest contributor gave itself. So the largest is asked for
what the rules ask of the cell without its part, which is often nothing; another contributor for the levels of the
cell, which protect the largest from it, as far down as the others' part reaches.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tacita.model.table import Contributions, InsiderLevels, Levels, Table
from tacita.tables.sensitivity.assess import OnHoldings
from tacita.tables.sensitivity.contributors import TINY
from tacita.tables.sensitivity.rule import SensitivityFinding, SensitivityRule

_EQUAL = 1e-9


@dataclass(frozen=True, slots=True)
class _Parts:
    """What contributors gave to sensitive cells: at least `amount`, all of it where the contributor is the `largest`.

    `place` is where the contributor stands among the kept contributions of the cell, -1 where that is not known.
    """

    cell: NDArray[np.int64]
    contributor: NDArray[np.int64]
    amount: NDArray[np.float64]
    place: NDArray[np.int64]
    largest: NDArray[np.bool_]

    def only(self, rows: NDArray[np.bool_]) -> _Parts:
        return _Parts(self.cell[rows], self.contributor[rows], self.amount[rows], self.place[rows], self.largest[rows])


def insider_levels(
    table: Table,
    levels: Levels,
    findings: Sequence[SensitivityFinding],
    rules: Sequence[SensitivityRule],
    owners: NDArray[np.int64],
) -> InsiderLevels | None:
    """Return the levels against contributors who alone stand behind some cell (`owners`), where they are special.

    `findings` are what the rules said of the table, and `levels` these together.
    """
    if not (owners >= 0).any() or not levels.sensitive.any():
        return None
    if table.contributions is not None and _are_named(table.contributions, levels.sensitive):
        parts = _kept_parts(table.contributions, levels.sensitive, owners)
    else:
        parts = _known_parts(table, levels.sensitive, owners)
    if table.is_count:
        parts = _Parts(parts.cell, parts.contributor, parts.amount, parts.place, np.zeros(len(parts.cell), bool))
    whole = _size(table)[parts.cell]
    rest = np.where(whole - parts.amount <= _EQUAL * whole, 0.0, whole - parts.amount)
    cell = parts.cell
    lower, upper, sliding = (level[cell] for level in (levels.lower, levels.upper, levels.sliding))
    levels_left = _asked_of_largest(table, parts.only(parts.largest), findings, rules, rest[parts.largest])
    for level, least in zip((lower, upper, sliding), levels_left, strict=True):
        level[parts.largest] = np.minimum(level[parts.largest], least)
    for level in (lower, upper, sliding):
        level[rest <= 0] = 0.0
    lower = np.minimum(lower, rest)
    # A width that the distances imply stays implied.
    implied = levels.sliding[cell] <= levels.lower[cell] + levels.upper[cell]
    sliding = np.where(implied, np.minimum(sliding, lower + upper), sliding)
    special = (lower < levels.lower[cell]) | (upper < levels.upper[cell]) | (sliding < levels.sliding[cell])
    special |= rest <= 0
    listed = InsiderLevels(cell, parts.contributor, lower, upper, sliding).only(special)
    order = np.lexsort((listed.contributor, listed.cell))
    return InsiderLevels(
        *(getattr(listed, name)[order] for name in ("cell", "contributor", "lower", "upper", "sliding"))
    )


def _are_named(contributions: Contributions, cells: NDArray[np.bool_]) -> bool:
    """Return whether it is known whose contributions to some cells are; of given cells it is not."""
    return bool(((contributions.holders >= 0) | (contributions.largest == 0))[cells].all())


def _size(table: Table) -> NDArray[np.float64]:
    """Return what all contributors gave to each cell, whatever its sign."""
    contributions = table.contributions
    if contributions is None or table.is_count:
        return np.abs(table.values)
    return np.abs(contributions.totals) if contributions.absolutes is None else contributions.absolutes


def _asked_of_largest(
    table: Table,
    parts: _Parts,
    findings: Sequence[SensitivityFinding],
    rules: Sequence[SensitivityRule],
    rest: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return levels that protect the others from the largest contributor, for the largest that some rule asks for.

    Rules that look at contributions say it themselves (`level_against`). The other levels are shares of the value, or
    came with it: of the others' part the same share is asked for.
    """
    levels_left = np.zeros((3, len(parts.cell)))
    by_label = {rule.label: rule.rule if isinstance(rule, OnHoldings) else rule for rule in rules}
    whole = rest + parts.amount
    share = np.divide(rest, whole, out=np.zeros_like(rest), where=whole > 0)
    others = _others(table.contributions, parts, rest)
    for finding in findings:
        here = finding.sensitive[parts.cell]
        rule = by_label.get(finding.rule.removesuffix(" of holdings"), by_label.get(finding.rule))
        full = np.stack((finding.lower, finding.upper, finding.sliding))[:, parts.cell]
        level_against = getattr(rule, "level_against", None)
        if others is not None and level_against is not None:
            level = level_against(others)
            least = np.minimum(full, np.where(level > TINY * whole, level, 0.0))
        else:
            least = share * full
        np.maximum(levels_left, np.where(here, least, 0.0), out=levels_left)
    return levels_left


def _others(contributions: Contributions | None, parts: _Parts, rest: NDArray[np.float64]) -> Contributions | None:
    """Return the cells without the contributor of each row.

    One more of the others than are kept is listed: nobody knows its size, but it is no larger than the smallest kept,
    nor than what is left.
    """
    if contributions is None or (parts.place < 0).any():
        return None
    kept = contributions.of_cells(parts.cell)
    columns = np.arange(kept.largest.shape[1] - 1)
    columns = columns + (columns >= parts.place[:, None])
    largest, weights, holders = (
        np.take_along_axis(array, columns, 1) for array in (np.abs(kept.largest), kept.weights, kept.holders)
    )
    left = np.maximum(rest - (largest * weights).sum(axis=1), 0.0)
    one_more = np.where(left > _EQUAL * rest, np.minimum(np.abs(kept.largest[:, -1]), left), 0.0)
    waived = None
    if kept.waived is not None:
        waived = np.hstack((np.take_along_axis(kept.waived, columns, 1), np.zeros((len(rest), 1), bool)))
    return Contributions(
        np.column_stack((largest, one_more)),
        np.column_stack((holders, np.full(len(rest), -1))),
        np.column_stack((weights, np.ones(len(rest)))),
        kept.counts - 1,
        rest,
        waived=waived,
    )


def _kept_parts(contributions: Contributions, sensitive: NDArray[np.bool_], owners: NDArray[np.int64]) -> _Parts:
    """Return what the largest contributors gave, those who alone stand behind some cell only."""
    cells = np.flatnonzero(sensitive)
    holders = contributions.holders[cells]
    amounts = np.abs(contributions.largest * contributions.weights)[cells]
    attacks = (holders >= 0) & np.isin(holders, owners[owners >= 0])
    row, place = np.nonzero(attacks & ((amounts > 0) | (owners[cells, None] == holders)))
    amount = amounts[row, place]
    largest = amount >= amounts.max(axis=1, initial=0.0)[row] * (1 - _EQUAL)
    return _Parts(cells[row], holders[row, place], amount, place.astype(np.int64), largest)


def _known_parts(table: Table, sensitive: NDArray[np.bool_], owners: NDArray[np.int64]) -> _Parts:
    """Return what the cells that a contributor alone stands behind add to the totals above them.

    That is the least that it gave. Who gave more than the second largest is the largest.
    """
    cell, contributor, amount = _summed_up(table, owners)
    rows = sensitive[cell] & ((amount > 0) | (owners[cell] == contributor))
    cell, contributor, amount = cell[rows], contributor[rows], amount[rows]
    whole, place = _size(table)[cell], np.full(len(cell), -1, np.int64)
    if table.contributions is None or table.is_count:
        return _Parts(cell, contributor, amount, place, amount > (whole - amount) * (1 + _EQUAL))
    sizes = np.abs(table.contributions.largest * table.contributions.weights)[cell]
    second = sizes[:, 1] if sizes.shape[1] > 1 else whole - sizes[:, 0]
    largest = amount > second * (1 + _EQUAL)
    return _Parts(
        cell,
        contributor,
        np.where(largest, np.maximum(amount, sizes[:, 0]), amount),
        np.where(largest, 0, place),
        largest,
    )


def _summed_up(
    table: Table, owners: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Return cells, contributors, and how much of the cell comes from cells that are the contributor's alone."""
    sums = table.equations
    is_total = sums.coefficients < 0
    totals = np.zeros(len(sums), np.int64)
    totals[sums.row_of[is_total]] = sums.cells[is_total]
    parts = sparse.csr_matrix(
        (np.ones(int((~is_total).sum())), (sums.row_of[~is_total], sums.cells[~is_total])),
        shape=(len(sums), len(table)),
    )
    names, numbers = np.unique(owners[owners >= 0], return_inverse=True)
    owned = np.flatnonzero(owners >= 0)
    key, amount = owned * len(names) + numbers, np.abs(table.values[owned])
    while True:
        there = sparse.csr_matrix((amount, (key // len(names), key % len(names))), shape=(len(table), len(names)))
        above = sparse.coo_matrix(parts @ there)
        keys = np.concatenate((key, totals[above.row] * len(names) + above.col))
        amounts = np.concatenate((amount, above.data))
        order = np.argsort(keys, kind="stable")
        seen, first = np.unique(keys[order], return_index=True)
        most = np.maximum.reduceat(amounts[order], first)
        if len(seen) == len(key) and np.allclose(most, amount, rtol=_EQUAL, atol=0.0):
            return key // len(names), names[key % len(names)], amount
        key, amount = seen, most
