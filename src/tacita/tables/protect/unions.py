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
    judging = [
        rule for rule in rules if getattr(rule, "is_of_contributors", False) and not isinstance(rule, MinimumFrequency)
    ]
    contributions = table.contributions
    if contributions is None or not judging:
        return None

    def is_sensitive(cells: NDArray[np.int64]) -> bool:
        one = _as_one_cell(table, contributions, cells)
        return any(bool(finding.sensitive.any()) for rule in judging for finding in rule.findings(one))

    return is_sensitive


def _as_one_cell(table: Table, contributions: Contributions, cells: NDArray[np.int64]) -> Table:
    there = contributions.holders[cells] >= 0
    holders, at = np.unique(contributions.holders[cells][there], return_inverse=True)
    amounts = np.bincount(at, weights=contributions.largest[cells][there], minlength=len(holders)).astype(np.float64)
    weighted = np.bincount(
        at, weights=(contributions.largest * contributions.weights)[cells][there], minlength=len(holders)
    )
    weights = np.divide(weighted, amounts, out=np.ones_like(amounts), where=amounts > 0)
    order = np.lexsort((holders, -amounts))
    hidden = int(np.maximum(contributions.counts[cells] - there.sum(axis=1), 0).max(initial=0))

    def row(values: NDArray[Number]) -> NDArray[Number]:
        return values[order][None, :]

    together = Contributions(
        row(amounts),
        row(holders),
        row(weights),
        np.array([len(holders) + hidden]),
        contributions.totals[cells].sum(keepdims=True),
        None if contributions.absolutes is None else contributions.absolutes[cells].sum(keepdims=True),
        None if contributions.requested is None else row(np.bincount(at, contributions.requested[cells][there]) > 0),
        None if contributions.waived is None else row(np.bincount(at, ~contributions.waived[cells][there]) == 0),
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
