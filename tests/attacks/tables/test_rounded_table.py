"""Attacks on rounded, perturbed and adjusted tables."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.attacks.tables.made import flat, number

from tacita.attacks.tables import rounded_table
from tacita.attacks.tables.adjusted_table import check_adjusted, check_small_counts
from tacita.attacks.tables.reach import WholeWork
from tacita.attacks.tables.rounded_table import audit_perturbed, audit_rounded
from tacita.errors import InputError
from tacita.model.table import Dimension, Knowledge, Levels, table_of_leaves


def counts():
    return flat(np.array([[1, 7], [6, 4]]), is_count=True)


def every_table(low: np.ndarray, high: np.ndarray) -> np.ndarray:
    """All 2 x 2 tables of whole numbers with margins whose nine cells lie between the bounds."""
    grid = np.array(list(itertools.product(range(16), repeat=4)), float)
    a, b, c, d = grid.T
    all_nine = np.column_stack((a + b + c + d, a + c, b + d, a + b, a, b, c + d, c, d))
    return all_nine[((all_nine >= low) & (all_nine <= high)).all(axis=1)]


def test_rounded_intervals_are_those_of_all_tables():
    table = counts()
    published = np.array([20.0, 5, 15, 10, 0, 10, 10, 5, 5])
    published[table.values == 0] = 0
    knowledge = Knowledge.of(9, integer=True)
    found = audit_rounded(table, published, 5, Levels.none(9), knowledge)
    every = every_table(np.where(published > 0, published - 4, 0), published + 4)
    np.testing.assert_array_equal(found.intervals.lower, every.min(axis=0))
    np.testing.assert_array_equal(found.intervals.upper, every.max(axis=0))


def test_a_level_wider_than_the_rounding_is_not_kept():
    table = counts()
    published = np.array([20.0, 5, 15, 10, 0, 10, 10, 5, 5])
    cell = number(table, "x1", "y1")
    assert audit_rounded(
        table, published, 5, Levels.of(9, np.array([cell]), 1, 3), Knowledge.of(9, integer=True)
    ).passed
    found = audit_rounded(table, published, 5, Levels.of(9, np.array([cell]), 1, 4), Knowledge.of(9, integer=True))
    assert [(each.cell, each.what) for each in found.violations] == [(cell, "upper")]


def test_a_cell_moved_too_far_or_off_the_base_is_no_rounding():
    table = counts()
    good = np.array([20.0, 5, 15, 10, 0, 10, 10, 5, 5])
    far, off = good.copy(), good.copy()
    far[number(table, "x2", "y2")], off[number(table, "x2", "y2")] = 10, 4
    for wrong in (far, off):
        found = audit_rounded(table, wrong, 5, Levels.none(9), Knowledge.of(9, integer=True))
        assert [(each.cell, each.what) for each in found.violations] == [(8, "rounding")]


def test_perturbed_cells_that_contradict_each_other_give_themselves_away():
    table = counts()
    published = table.values.copy()
    row, parts = number(table, "x1", "Total"), [number(table, "x1", "y1"), number(table, "x1", "y2")]
    published[row] += 2
    published[parts] -= 1
    knowledge = Knowledge.of(9, integer=True)
    knowledge.lower[:] = -np.inf
    found = audit_perturbed(table, published, 2, Levels.none(9), knowledge)
    every = every_table(published - 2, published + 2)
    np.testing.assert_array_equal(found.intervals.lower, every.min(axis=0))
    np.testing.assert_array_equal(found.intervals.upper, every.max(axis=0))
    tight = audit_perturbed(table, table.values + np.array([1, -1, 0, 0, 0, 0, 0, 0, 0]), 1, Levels.none(9), knowledge)
    assert tight.figures.get("determined", 0) == 0
    published = table.values.copy()
    published[[0, 1, 2]] += np.array([2, -2, -2])  # total up, both its parts down, by all that is allowed
    given = audit_perturbed(table, published, 2, Levels.none(9), knowledge)
    assert given.figures["determined"] >= 3
    assert given.intervals.lower[:3].tolist() == given.intervals.upper[:3].tolist() == table.values[:3].tolist()


def test_adjustment_is_judged_by_its_promises():
    table = flat(np.array([[20.0, 50], [30, 40]]))
    cell = number(table, "x1", "y1")
    levels = Levels.of(9, np.array([cell]), lower=5, upper=5)
    change = np.zeros(9)
    for codes, sign in ((("x1", "y1"), 1), (("x1", "y2"), -1), (("x2", "y1"), -1), (("x2", "y2"), 1)):
        change[number(table, *codes)] = sign
    assert check_adjusted(table, table.values + 5 * change, levels, Knowledge.of(9)).passed
    assert check_adjusted(table, table.values - 5 * change, levels, Knowledge.of(9)).passed
    inside = check_adjusted(table, table.values + 4 * change, levels, Knowledge.of(9))
    assert inside.faults == ("sensitive cells are still inside their protection interval: (x=x1, y=y1)",)
    broken = table.values + 5 * change
    broken[0] += 1
    assert "do not add up" in check_adjusted(table, broken, levels, Knowledge.of(9)).faults[0]
    assert "leave their bounds" in check_adjusted(table, table.values - 45 * change, levels, Knowledge.of(9)).faults[0]


def test_small_counts_must_be_gone():
    table = counts()
    inner = (table.codes > 0).all(axis=1)
    assert check_small_counts(table, flat(np.array([[0, 7], [6, 3]])).values, 3, inner).passed
    assert not check_small_counts(table, table.values, 3, inner).passed


def test_a_published_table_of_another_length_is_refused():
    with pytest.raises(InputError, match="each of 9 cells"):
        check_small_counts(counts(), np.zeros(8), 3, np.ones(9, bool))


@pytest.mark.slow
def test_what_is_not_settled_in_the_work_allowed_is_not_called_exact(monkeypatch: pytest.MonkeyPatch):
    """Nothing is concluded beyond what tables prove: no level is kept for lack of work, and no cell determined."""
    random = np.random.default_rng(0)
    dimensions = [Dimension.flat(f"d{at}", "ab") for at in range(5)]
    table = table_of_leaves("people", dimensions, random.poisson(3.0, (2,) * 5), is_count=True)
    moved = np.maximum(table.values + np.clip(np.rint(random.normal(0, 1, 243)), -3, 3), 1)
    published = np.where(table.values > 0, moved, 0)
    small = np.flatnonzero((table.values > 0) & (table.values < 3))
    levels, knowledge = Levels.of(243, small, 1, 3), Knowledge.of(243, integer=True)
    full = audit_perturbed(table, published, 3, levels, knowledge, zeros_stay=True)
    monkeypatch.setattr(rounded_table, "_WHOLE", WholeWork(nodes=1, steps=0))
    less = audit_perturbed(table, published, 3, levels, knowledge, zeros_stay=True)
    assert full.intervals.exact.all() and not less.intervals.exact.all()
    assert (less.intervals.lower >= full.intervals.lower).all() and (less.intervals.upper <= full.intervals.upper).all()
    assert {(one.cell, one.what) for one in full.violations} <= {(one.cell, one.what) for one in less.violations}
    assert less.figures["determined"] <= full.figures["determined"]
    assert "could not be settled in the work allowed" in less.notes[0]


def test_a_count_shown_above_zero_is_somebody_and_the_verdict_says_so():
    """A count of 1 shown as 5: 1 to 9 are possible. That it is not 0 is told; the width is asked for all the same."""
    table = flat(np.array([[1, 14], [16, 24]]), is_count=True)
    published = np.ceil(table.values / 5) * 5
    cell, knowledge = number(table, "x1", "y1"), Knowledge.of(9, integer=True)
    found = audit_perturbed(table, published, 4, Levels.of(9, np.array([cell]), 1, 1), knowledge, zeros_stay=True)
    assert found.intervals.lower[cell] == 1
    assert found.passed
    assert "1 sensitive count published above zero" in found.notes[-1]
    wide = audit_perturbed(table, published, 4, Levels.of(9, np.array([cell]), 5, 5), knowledge, zeros_stay=True)
    assert [one.what for one in wide.violations] == ["sliding"]
