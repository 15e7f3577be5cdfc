"""Time limits and interrupts: a safe pattern in any case, and soon."""

from __future__ import annotations

import os
import signal
from dataclasses import replace

import numpy as np
import pytest
from tests.tables.suppression.test_large import _amounts, _counts
from tests.tables.suppression.test_suppress import random_table

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.interruption import stop_on_interrupt
from tacita.model.table import Knowledge, Status
from tacita.tables.suppression.clock import Clock, OutOfTime
from tacita.tables.suppression.exact import optimal, safe_pattern
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
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
