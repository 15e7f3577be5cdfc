"""Time limits and interrupts: a safe pattern in any case, and soon."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from tests.tables.suppression.test_large import _amounts, _counts, _tree
from tests.tables.suppression.test_suppress import random_table

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.interruption import stop_on_interrupt
from tacita.model.table import Knowledge, Levels, Status, Table, table_of_leaves
from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.exact import optimal, safe_pattern
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
from tacita.tables.suppression.large.leaf_shifts import LeafShifts
from tacita.tables.suppression.presolve import reduced
from tacita.tables.suppression.problem import problem_of
from tacita.tables.suppression.proofs.movements import Movements
from tacita.tables.suppression.suppress import SuppressionOptions, suppress

pytestmark = pytest.mark.slow


def _nothing_before_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the exact search find no first pattern, as in a table for which it takes minutes."""
    monkeypatch.setattr(optimal, "_GRACE", 0.0)


@pytest.mark.parametrize(
    "made",
    [
        lambda: _amounts(((3, 3), (3, 2), (3,)), 0.15),
        lambda: _counts(((3, 3), (3, 3), (3,)), 0.5),
        lambda: random_table((8, 7), 0.3, seed=1),
    ],
)
def test_a_table_too_large_for_its_time_is_safe(monkeypatch: pytest.MonkeyPatch, made) -> None:
    table, levels = made()
    _nothing_before_time_is_up(monkeypatch)
    monkeypatch.setattr(SafePatterns, "coarse", None)
    found = suppress(table, levels, options=SuppressionOptions(seconds=0))
    known = Knowledge.of(len(table), integer=table.is_count)
    assert audit(table, found.suppressed, levels, known, options=AuditOptions(unions=False)).passed
    assert audit(table, found.suppressed, levels, known, AuditOptions(unions=False), movements=found.movements).passed


@pytest.mark.parametrize("crowd", [0, 1_000])
def test_contributors_learn_nothing_from_a_pattern_made_in_haste(monkeypatch: pytest.MonkeyPatch, crowd: int) -> None:
    table, levels = random_table((5, 4, 3), 0.2, seed=1)
    owners = np.where(levels.sensitive & (np.arange(len(table)) % 2 == 0), np.arange(len(table)) // 4, -1)
    known = replace(Knowledge.of(len(table)), owners=owners)
    _nothing_before_time_is_up(monkeypatch)
    monkeypatch.setattr(safe_pattern, "_CROWD", crowd)
    found = suppress(table, levels, known, options=SuppressionOptions(seconds=0))
    assert audit(table, found.suppressed, levels, known, options=AuditOptions(unions=False)).passed


def test_what_must_be_published_is_so_in_haste(monkeypatch: pytest.MonkeyPatch) -> None:
    table, levels = random_table((6, 6), 0.1, seed=4)
    total = int(np.argmax(table.values))
    assert not levels.sensitive[total]
    asked = np.zeros(len(table), np.int8)
    asked[total] = Status.KEPT
    _nothing_before_time_is_up(monkeypatch)
    found = suppress(table, levels, options=SuppressionOptions(status=asked, seconds=0))
    assert not found.suppressed[total]
    assert audit(table, found.suppressed, levels, Knowledge.of(len(table)), options=AuditOptions(unions=False)).passed


def _moved(table: Table, level: float) -> tuple[int, int]:
    """Return how many places have a movement of leaves, after checking each, and how many places there are."""
    small = reduced(problem_of(table, Levels.none(len(table)), Knowledge.of(len(table)), table.values))
    problem, shifts = small.problem, LeafShifts(table, small)
    room = np.minimum(problem.up, problem.down)
    found = 0
    for place in range(len(problem)):
        cell = int(np.flatnonzero(small.place == place)[0])
        wanted = level * float(room[place])
        moved = shifts.shifted(table.codes[cell], problem.cost, room, wanted)
        if moved is None:
            continue
        delta = np.zeros(len(problem))
        delta[moved.places] = moved.delta
        assert np.allclose(problem.sums @ delta, 0)
        assert np.all(np.abs(delta) <= room * (1 + 1e-8))
        assert abs(delta[place]) == pytest.approx(wanted / abs(small.scale[cell]))
        found += 1
    return found, len(problem)


def test_a_movement_of_leaves_is_found_for_every_cell_even_the_total() -> None:
    table, _ = _amounts(((2, 3), (3, 2)), 0.0)
    found, places = _moved(table, 0.15)
    assert found == places


def test_a_dimension_of_one_code_and_unequal_depth_have_movements_too() -> None:
    random = np.random.default_rng(5)
    dimensions = [_tree("a", (1, 3)), _tree("b", (2, 2))]
    table = table_of_leaves("t", dimensions, np.exp(random.normal(3, 1, (3, 4))))
    found, places = _moved(table, 0.2)
    assert found == places


def test_a_long_programme_ends_when_time_is_up() -> None:
    table, levels = random_table((12, 12), 0.5, seed=3)
    problem = problem_of(table, levels, Knowledge.of(len(table)), table.values)
    patterns = SafePatterns(problem)
    movements = Movements(problem)
    with pytest.raises(OutOfTime):
        movements.together(patterns.proofs.targets[:30], Clock(0.0))
    with pytest.raises(OutOfTime):
        patterns.safe(problem.withheld, None, Clock(0.0))
    # Afterwards it answers as before.
    target = patterns.proofs.targets[0]
    assert movements.reach(target.cell, target.sign, target.level).distance == pytest.approx(target.level)


def test_the_first_interrupt_is_told_to_every_search_within_and_the_second_ends_them() -> None:
    with stop_on_interrupt() as outer:
        with stop_on_interrupt() as inner:
            assert not inner()
            os.kill(os.getpid(), signal.SIGINT)
            assert inner()
        assert outer()
        with stop_on_interrupt() as later:
            assert later()
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
