"""Movements that somebody says prove a level: they count only if their arithmetic is right."""

from __future__ import annotations

import numpy as np
import pytest

from tacita.attacks import audit
from tacita.attacks.shown import shown
from tacita.model.table import Dimension, Knowledge, Levels, Movement, Table, table_of_leaves

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


def test_the_verdict_is_the_same_with_fewer_questions():
    table, cells, hidden = pattern()
    knowledge = Knowledge.of(len(table), integer=True)
    secret = np.flatnonzero(table.values == 22)
    moves = [Movement(cells, np.array([8.0, -8, -8, 8]))]
    kept = Levels.of(len(table), secret, lower=8, upper=8)
    helped = audit(table, hidden, kept, knowledge, movements=moves, exact=False)
    assert helped.passed
    assert helped.solved <= audit(table, hidden, kept, knowledge, exact=False).solved
    broken = Levels.of(len(table), secret, lower=8, upper=9)
    assert not audit(table, hidden, broken, knowledge, movements=moves, exact=False).passed
