"""Sums of withheld cells that everybody can calculate, judged by the same rules as cells."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.unions import UnionRule
from tacita.model.table import Contributions, Equations, Table
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency

Number = TypeVar("Number", bound=np.generic)


def union_rule(table: Table, rules: Sequence[SensitivityRule]) -> UnionRule | None:
    """Return the question whether some cells together would be sensitive as one cell; None if no rule can say.

    Only rules on contributions are asked; the minimum frequency has a question of its own. Of each cell the largest
    contributors are known, so that somebody who is never among them counts with the rest.
    """
    asked = [
        rule for rule in rules if getattr(rule, "is_of_contributors", False) and not isinstance(rule, MinimumFrequency)
    ]
    held = table.contributions
    if held is None or not asked:
        return None

    def is_sensitive(cells: NDArray[np.int64]) -> bool:
        one = _as_one_cell(table, held, cells)
        return any(bool(found.sensitive.any()) for rule in asked for found in rule.findings(one))

    return is_sensitive


def _as_one_cell(table: Table, held: Contributions, cells: NDArray[np.int64]) -> Table:
    there = held.holders[cells] >= 0
    holders, at = np.unique(held.holders[cells][there], return_inverse=True)
    amounts = np.bincount(at, weights=held.largest[cells][there], minlength=len(holders)).astype(np.float64)
    weighted = np.bincount(at, weights=(held.largest * held.weights)[cells][there], minlength=len(holders))
    weights = np.divide(weighted, amounts, out=np.ones_like(amounts), where=amounts > 0)
    order = np.lexsort((holders, -amounts))
    hidden = int(np.maximum(held.counts[cells] - there.sum(axis=1), 0).max(initial=0))

    def row(values: NDArray[Number]) -> NDArray[Number]:
        return values[order][None, :]

    together = Contributions(
        row(amounts),
        row(holders),
        row(weights),
        np.array([len(holders) + hidden]),
        held.totals[cells].sum(keepdims=True),
        None if held.absolutes is None else held.absolutes[cells].sum(keepdims=True),
        None if held.requested is None else row(np.bincount(at, held.requested[cells][there]) > 0),
        None if held.waived is None else row(np.bincount(at, ~held.waived[cells][there]) == 0),
    )
    return Table(
        table.name,
        table.dimensions,
        table.codes[cells[:1]],
        table.values[cells].sum(keepdims=True),
        Equations.of(()),
        table.is_count,
        table.response,
        together.counts,
        together,
    )
