"""Intervals over whole numbers: every table written down, and counted."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.attacks.tables.made import flat

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Equations, Knowledge, Levels, Table


def all_tables(table: Table, pattern: np.ndarray, most: int) -> np.ndarray:
    """Every table of whole numbers up to `most` that shows the published cells (inner cells decide the margins)."""
    inner = np.flatnonzero((table.codes > 0).all(axis=1))
    free = [cell for cell in inner if pattern[cell]]
    grids = np.array(list(itertools.product(range(most + 1), repeat=len(free))), float).reshape(-1, len(free))
    tables = np.tile(np.where(pattern, 0.0, table.values), (len(grids), 1))
    tables[:, free] = grids
    margins = sorted(set(range(len(table))) - set(inner.tolist()))
    for cell in margins:
        at = table.codes[cell]
        parts = [other for other in inner if all(a in (0, b) for a, b in zip(at, table.codes[other], strict=True))]
        tables[:, cell] = tables[:, parts].sum(axis=1)
    fits = (tables[:, ~pattern] == table.values[~pattern]).all(axis=1)
    return tables[fits]


@pytest.mark.parametrize("seed", range(20))
def test_same_as_writing_down_every_table(seed):
    draw = np.random.default_rng(seed)
    shape = [(2, 2, 3), (3, 3), (2, 2, 2), (2, 4)][seed % 4]
    table = flat(draw.integers(0, 4, shape), is_count=True)
    inner = np.flatnonzero((table.codes > 0).all(axis=1))
    pattern = np.zeros(len(table), bool)
    pattern[draw.choice(inner, 6, replace=False)] = True
    if seed % 5 == 0:
        pattern[draw.integers(0, len(table))] = True
    most = 5
    knowledge = Knowledge.of(len(table), integer=True)
    knowledge.upper[inner] = np.maximum(most, table.values[inner])
    found = audit(table, pattern, Levels.none(len(table)), knowledge)
    every = all_tables(table, pattern, most)
    assert len(every)
    assert found.intervals.exact[pattern].all()
    np.testing.assert_array_equal(found.intervals.lower[pattern], every.min(axis=0)[pattern])
    np.testing.assert_array_equal(found.intervals.upper[pattern], every.max(axis=0)[pattern])


def halves() -> tuple[Table, np.ndarray, Knowledge]:
    """Three cells whose pairs each sum to 3 or less: the linear programme stops at a half, no table does.

    x + y + a = 3, y + z + b = 3, x + z + c = 3, x + y + z = t: the largest t is 4 in whole numbers, 4.5 in fractions.
    """
    sums = Equations.of([(7, (0, 1, 3)), (8, (1, 2, 4)), (9, (0, 2, 5)), (6, (0, 1, 2))])
    values = np.array([1.0, 1, 1, 1, 1, 1, 3, 3, 3, 3])
    plain = flat(np.ones((1, 4)))
    table = Table("halves", plain.dimensions, plain.codes[:10], values, sums, is_count=True)
    return table, np.arange(10) < 7, Knowledge.of(10, integer=True)


def test_whole_numbers_are_narrower_than_fractions():
    table, pattern, knowledge = halves()
    whole = audit(table, pattern, Levels.none(10), knowledge)
    assert (whole.intervals.lower[6], whole.intervals.upper[6]) == (0, 4)
    fractions = audit(table, pattern, Levels.none(10), Knowledge.of(10))
    assert fractions.intervals.upper[6] == pytest.approx(4.5)


def test_a_level_that_only_fractions_reach_is_not_kept():
    table, pattern, knowledge = halves()
    levels = Levels.of(10, np.array([6]), lower=0, upper=1.5)
    assert [each.what for each in audit(table, pattern, levels, knowledge).violations] == ["upper"]
    assert audit(table, pattern, levels, Knowledge.of(10)).passed


def test_a_part_of_a_unit_needs_a_whole_one():
    table = flat(np.array([[1, 5], [4, 3]]), is_count=True)
    pattern = (table.codes > 0).all(axis=1)
    cell = int(np.flatnonzero(pattern)[0])
    levels = Levels.of(len(table), np.array([cell]), lower=0.15, upper=0.15)
    found = audit(table, pattern, levels, Knowledge.of(len(table), integer=True), options=AuditOptions(exact=False))
    assert found.passed
    knowledge = Knowledge.of(len(table), integer=True)
    knowledge.upper[cell] = 1
    assert [(each.what, each.needed, each.reached) for each in audit(table, pattern, levels, knowledge).violations] == [
        ("upper", 2.0, 1.0)
    ]
