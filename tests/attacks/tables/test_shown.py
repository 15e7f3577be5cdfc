"""Movements that somebody says prove a level: they count only if their arithmetic is right."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tacita.attacks.tables.shown import changes_of, shown
from tacita.attacks.tables.system.possible_tables import possible_tables
from tacita.attacks.tables.system.reduction import reduced
from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Dimension, Equations, Knowledge, Levels, Movement, Table, table_of_leaves

ROWS = np.array([[20, 50, 10], [8, 19, 22], [17, 32, 12]])
HIDDEN = (8, 22, 17, 12)


def pattern() -> tuple[Table, np.ndarray, np.ndarray]:
    dimensions = (Dimension.flat("activity", "123"), Dimension.flat("region", "ABC"))
    table = table_of_leaves("investment", dimensions, ROWS, is_count=True)
    cells = np.array([int(np.flatnonzero(table.values == value)[0]) for value in HIDDEN])
    return table, cells, np.isin(np.arange(len(table)), cells)


def shown_by(table: Table, hidden: np.ndarray, cells: np.ndarray, *delta: float) -> tuple[np.ndarray, np.ndarray]:
    return shown(table, hidden, Knowledge.of(len(table), integer=True), [Movement(cells, np.array(delta, float))])


def test_a_movement_and_its_mirror_image_count():
    table, cells, hidden = pattern()
    low, high = shown_by(table, hidden, cells, 5, -5, -5, 5)
    assert (low[cells] == np.array([3, 17, 12, 7])).all()
    assert (high[cells] == np.array([13, 27, 22, 17])).all()


@pytest.mark.parametrize(
    "delta",
    [(5, -5, -5, 4), (0.5, -0.5, -0.5, 0.5), (20, -20, -20, 20)],
    ids=["breaks a sum", "is not whole", "goes below zero both ways"],
)
def test_wrong_movements_do_not(delta: tuple[float, ...]):
    table, cells, hidden = pattern()
    low, high = shown_by(table, hidden, cells, *delta)
    assert np.array_equal(low, table.values)
    assert np.array_equal(high, table.values)


def test_published_cells_do_not_move():
    table, cells, hidden = pattern()
    hidden[cells[0]] = False
    low, _ = shown_by(table, hidden, cells, 5, -5, -5, 5)
    assert np.array_equal(low, table.values)


def test_cells_without_any_sum_move_by_themselves():
    codes = np.arange(3, dtype=np.int32).reshape(-1, 1)
    lone = Table("t", (Dimension.flat("a", "12"),), codes, np.array([9.0, 5, 3]), Equations.of(()), is_count=True)
    low, high = shown_by(lone, np.array([False, True, True]), np.array([1]), 4)
    assert low.tolist() == [9, 1, 3]
    assert high.tolist() == [9, 9, 3]


FORGED = {
    "a cell twice": ((1, 1), (20.0, -20), ()),
    "no number": ((1, 0), (20.0, np.nan), ()),
    "without end": ((1, 0), (20.0, np.inf), ()),
    "below a bound, beside a large move": ((1, 0, 3, 2), (20.0, -20, -20, 20), (1e9, -1e9, -1e9, 1e9)),
}


@pytest.mark.parametrize("owners", [False, True], ids=["everybody", "contributors"])
@pytest.mark.parametrize("forged", FORGED.values(), ids=FORGED)
def test_forged_movements_fool_nobody(forged: tuple[tuple[int, ...], ...], owners: bool):
    # Two squares without a common sum: one of figures near 10, one of figures in thousands of millions.
    draw = np.array([[8.0, 22, 0, 0], [17, 12, 0, 0], [0, 0, 9e9, 8e9], [0, 0, 7e9, 6e9]])
    dimensions = (Dimension.flat("activity", "1234"), Dimension.flat("region", "ABCD"))
    table = table_of_leaves("investment", dimensions, draw)
    hidden = (table.values > 0) & (table.codes > 0).all(axis=1)
    small, large = np.flatnonzero(hidden & (table.values < 100)), np.flatnonzero(hidden & (table.values > 100))
    places, delta, far = forged
    cells = np.append(small[list(places)], large[: len(far)])
    movements = [Movement(cells, np.append(delta, far)), Movement(cells, -np.append(delta, far))]
    levels = Levels.of(len(table), small[1:2], lower=7, upper=20)
    knowledge = Knowledge.of(len(table))
    if owners:
        knowledge = replace(knowledge, owners=np.where(np.isin(np.arange(len(table)), large[:1]), 7, -1))
    verdict = audit(table, hidden, levels, knowledge, movements=movements, options=AuditOptions(exact=False))
    assert [(one.what, one.reached) for one in verdict.violations if one.attacker == "everybody"] == [("upper", 30.0)]
    if owners:
        possible = possible_tables(table, hidden, knowledge)
        reduction = reduced(possible)
        assert reduction.start is not None
        for free, moved in changes_of(possible, reduction, reduction.start, movements):
            assert (np.abs(moved[reduction.start[free] < 100]) <= 17).all()


def test_the_verdict_is_the_same_with_fewer_questions():
    table, cells, hidden = pattern()
    knowledge = Knowledge.of(len(table), integer=True)
    secret = np.flatnonzero(table.values == 22)
    moves = [Movement(cells, np.array([8.0, -8, -8, 8]))]
    kept = Levels.of(len(table), secret, lower=8, upper=8)
    helped = audit(table, hidden, kept, knowledge, movements=moves, options=AuditOptions(exact=False))
    assert helped.passed
    assert helped.solved <= audit(table, hidden, kept, knowledge, options=AuditOptions(exact=False)).solved
    broken = Levels.of(len(table), secret, lower=8, upper=9)
    assert not audit(table, hidden, broken, knowledge, movements=moves, options=AuditOptions(exact=False)).passed


def crowded() -> tuple[Table, np.ndarray, Levels, Knowledge]:
    """A table all of whose cells are withheld, each a secret with an owner who knows it."""
    draw = np.random.default_rng(2)
    dimensions = (Dimension.flat("activity", "12345"), Dimension.flat("region", "ABCDE"))
    table = table_of_leaves("investment", dimensions, draw.integers(20, 60, (5, 5)).astype(float), is_count=True)
    inner = (table.codes > 0).all(axis=1)
    levels = Levels.of(len(table), np.flatnonzero(inner), lower=2, upper=2)
    return table, inner, levels, replace(Knowledge.of(len(table)), owners=np.where(inner, np.arange(len(table)), -1))


@pytest.mark.parametrize("integer", [True, False])
def test_movements_spare_questions_about_contributors_and_change_no_verdict(integer: bool):
    table, inner, levels, knowledge = crowded()
    knowledge = replace(knowledge, integer=integer)
    square = np.arange(len(table)).reshape(6, 6)
    rows = [(r, s, c, d) for r in range(1, 6) for s in range(r + 1, 6) for c in range(1, 6) for d in range(c + 1, 6)]
    moves = [
        Movement(np.array([square[r, c], square[r, d], square[s, c], square[s, d]]), np.array([2.0, -2, -2, 2]))
        for r, s, c, d in rows
    ]
    alone = audit(table, inner, levels, knowledge, options=AuditOptions(exact=False, unions=False))
    helped = audit(table, inner, levels, knowledge, options=AuditOptions(exact=False, unions=False), movements=moves)
    assert alone.passed
    assert helped.passed
    assert helped.solved < alone.solved
    # Who owns one of two rows knows the other, whatever moves with it.
    hidden = inner & np.isin(table.codes[:, 0], (1, 2)) & np.isin(table.codes[:, 1], (1, 2, 3))
    owners = np.where(hidden & (table.codes[:, 0] == 1), 1, -1)
    seen = replace(knowledge, owners=owners)
    few = Levels.of(len(table), np.flatnonzero(hidden & (table.codes[:, 0] == 2)), lower=2, upper=2)
    verdicts = [
        audit(table, hidden, few, seen, options=AuditOptions(exact=False, unions=False), movements=given).violations
        for given in ((), moves)
    ]
    assert len(verdicts[0]) > 0
    assert [(each.cell, each.what, each.reached) for each in verdicts[0]] == [
        (each.cell, each.what, each.reached) for each in verdicts[1]
    ]
