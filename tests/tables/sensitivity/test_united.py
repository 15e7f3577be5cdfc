"""Sums of cells as one cell: what nobody numbered is bounded, and no bound is below the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacita.model.table import Contributions, Dimension, Table, table_of_leaves
from tacita.tables.protect.unions import union_rule
from tacita.tables.sensitivity.rules.dominance import Dominance
from tacita.tables.sensitivity.united import UnitedCells

PARTS = 4


def row_of(firms: Sequence[Sequence[int]], kept: int, *, named: bool) -> tuple[Table, Contributions]:
    """Return a row whose part c has `firms[f][c]` from firm f, with its total, the `kept` largest of each cell kept."""
    amounts = np.array(firms, np.float64)
    behind = np.column_stack([amounts.sum(axis=1), amounts])
    order = np.argsort(-behind, axis=0, kind="stable")[:kept].T
    largest = np.take_along_axis(behind.T, order, axis=1)
    holders = np.where((largest > 0) & named, order, -1)
    size = Dimension.flat("size", [f"s{at}" for at in range(PARTS)])
    table = table_of_leaves("row", (size,), amounts.sum(axis=0))
    contributions = Contributions(largest, holders, np.ones(largest.shape), (behind > 0).sum(axis=0), table.values)
    return replace(table, contributions=contributions), contributions


FIRMS = st.lists(st.lists(st.integers(0, 50), min_size=PARTS, max_size=PARTS), min_size=3, max_size=8)


@given(FIRMS, st.integers(1, 3), st.integers(1, 3), st.sets(st.integers(1, PARTS), min_size=2))
def test_no_bound_of_the_largest_is_below_the_truth(
    firms: list[list[int]], kept: int, needed: int, cells: set[int]
) -> None:
    table, contributions = row_of(firms, kept, named=False)
    at = np.array(sorted(cells))
    together = UnitedCells(table, contributions, needed).table(at)
    assert together.contributions is not None
    true = np.sort(np.array(firms)[:, at - 1].sum(axis=1))[::-1]
    bounds = np.cumsum(together.contributions.largest[0])
    sums = np.cumsum(true)[: len(bounds)]
    assert (bounds[: len(sums)] >= sums - 1e-9).all()
    assert bounds.max(initial=0.0) <= together.values[0] + 1e-9


@pytest.mark.parametrize(("largest_of_total", "sensitive"), [(80, False), (160, True)])
def test_the_total_tells_whether_one_firm_dominates_two_cells(largest_of_total: int, sensitive: bool) -> None:
    """Two cells with 80 of 100 each: of one firm, or of two, which the largest of the total decides."""
    one = largest_of_total == 160
    firms = [[80, 80 if one else 0, 0, 0], [0, 0 if one else 80, 0, 0], *([[4, 4, 20, 20]] * 5)]
    table, _ = row_of(firms, 1, named=False)
    rule = union_rule(table, [Dominance(1, 75)])
    assert rule is not None
    assert rule(np.array([1, 2])) is sensitive
