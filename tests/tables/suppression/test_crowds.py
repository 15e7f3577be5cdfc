"""Many targets, many single contributors, few movements: what is proved holds, and little is asked for it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.tables.suppression.test_suppress import random_table

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Knowledge
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact import safe_pattern
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
from tacita.tables.suppression.problem import EVERYBODY, WIDTH, ProtectionTarget, SuppressionProblem, problem_of
from tacita.tables.suppression.proofs import crowds
from tacita.tables.suppression.proofs.kept import Waiting
from tacita.tables.suppression.proofs.movements import Movements
from tacita.tables.suppression.suppress import SuppressionOptions, suppress

pytestmark = pytest.mark.slow

QUICK = AuditOptions(unions=False, exact=False)


def crowded(share: float) -> tuple[SuppressionProblem, object, object, Knowledge]:
    """A table half of whose cells are sensitive; some contributors stand alone behind one cell, some behind two."""
    table, levels = random_table((12, 12), 0.5, seed=3)
    draw = np.random.default_rng(1)
    alone = np.flatnonzero(levels.sensitive & (draw.random(len(table)) < share))
    owners = np.full(len(table), -1)
    owners[alone] = np.arange(len(alone)) % max(1, int(0.8 * len(alone)))
    known = replace(Knowledge.of(len(table)), owners=owners)
    return problem_of(table, levels, known, table.values), table, levels, known


def test_few_movements_protect_from_all_contributors(monkeypatch: pytest.MonkeyPatch) -> None:
    problem, *_ = crowded(0.4)
    asked = []
    monkeypatch.setattr(crowds, "Movements", lambda *given: asked.append(given) or Movements(*given))
    patterns = SafePatterns(problem)
    crowds.prove_in_crowds(problem, patterns.proofs, Clock(60.0))
    assert len(problem.known_by) > 20
    assert len(asked) < 2 * np.sqrt(len(problem.known_by)) + 4
    everybodys = [target for target in patterns.proofs.targets if target.attacker == EVERYBODY]
    proved = [target for target in everybodys if patterns.proofs.of(target) is not None]
    assert len(proved) > 0.9 * len(everybodys)
    hidden = [target for target in proved if not patterns.proofs.attackers_in(target)]
    assert len(hidden) > 0.9 * len(everybodys)
    for target in patterns.proofs.targets:
        witness = patterns.proofs.of(target)
        if witness is not None:
            assert witness.holds_in(problem.withheld)
            (movement,) = witness.movements
            delta = np.zeros(len(problem))
            delta[movement.cells] = movement.delta
            assert Waiting([target]).met_by(delta).all()
            assert target.sign * delta[target.cell] >= 0.999999 * target.level
            assert np.abs(problem.sums @ delta).max() < 1e-6
            assert target.attacker not in patterns.proofs.knowers(witness)


@pytest.mark.parametrize("share", [0.2, 0.9])
def test_pattern_without_time_passes_the_audit(share: float) -> None:
    _, table, levels, known = crowded(share)
    found = suppress(table, levels, known, options=SuppressionOptions(seconds=0))
    assert audit(table, found.suppressed, levels, known, QUICK).passed
    assert audit(
        table,
        found.suppressed,
        levels,
        known,
        QUICK,
        movements=found.movements,
    ).passed


def test_waiting_targets_leave_in_their_order() -> None:
    targets = [
        ProtectionTarget(0, 1, 2.0),
        ProtectionTarget(0, -1, 2.0),
        ProtectionTarget(1, 1, 3.0, 7),
        ProtectionTarget(1, WIDTH, 1.0),
        ProtectionTarget(1, -1, 4.0, 8),
    ]
    waiting = Waiting(targets)
    delta = np.array([2.0, 3.0])
    assert waiting.met_by(delta).tolist() == [True, False, True, False, False]
    assert waiting.met_by(-delta).tolist() == [False, True, False, False, False]
    assert waiting.of_others_than(frozenset({7})).tolist() == [True, True, False, True, True]
    rest = waiting.but(waiting.met_by(delta))
    assert rest.targets == [targets[1], targets[3], targets[4]]
    assert rest.met_by(-delta).tolist() == [True, False, False]
    assert rest.after_first().targets == targets[3:]
    assert not len(Waiting(()))


def test_a_coarse_pattern_is_kept_with_its_proofs_when_time_is_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """Singles behind most cells of a cube: the usual search is cut off after it has changed proofs."""
    table, levels = random_table((5, 4, 4), 0.25, seed=2)
    known = replace(Knowledge.of(len(table)), owners=np.where(levels.sensitive, np.arange(len(table)), -1))
    monkeypatch.setattr(safe_pattern, "_CROWD", 5)
    coarse = suppress(table, levels, known, options=SuppressionOptions(seconds=0))
    assert audit(table, coarse.suppressed, levels, known, QUICK).passed
    looks, made = [], []
    make = SafePatterns.coarse

    def make_coarse(patterns: SafePatterns, guide: np.ndarray, clock: Clock) -> np.ndarray:
        made.append(make(patterns, guide, clock))
        return made[-1]

    def watch(clock: object) -> None:
        if clock is not None and made:
            looks.append(clock)
            if len(looks) > 20:
                raise safe_pattern.OutOfTime

    monkeypatch.setattr(safe_pattern, "_watch", watch)
    monkeypatch.setattr(SafePatterns, "coarse", make_coarse)
    monkeypatch.setattr(SafePatterns, "taken_back", lambda _self, withheld, _clock: withheld)
    found = suppress(table, levels, known, options=SuppressionOptions(method="fast"))
    assert len(looks) > 20
    assert len(made) == 1
    assert audit(
        table,
        found.suppressed,
        levels,
        known,
        QUICK,
        movements=found.movements,
    ).passed
    monkeypatch.undo()
    monkeypatch.setattr(safe_pattern, "_CROWD", 5)
    better = suppress(table, levels, known, options=SuppressionOptions(method="fast"))
    assert better.cost <= found.cost
    assert audit(table, better.suppressed, levels, known, QUICK).passed


def test_a_fast_pattern_holds_nothing_superfluous() -> None:
    table, levels = random_table((5, 4, 4), 0.25, seed=2)
    known = replace(Knowledge.of(len(table)), owners=np.where(levels.sensitive, np.arange(len(table)), -1))
    pattern = suppress(table, levels, known, options=SuppressionOptions(method="fast"))
    assert len(pattern.secondary) > 10
    for cell in pattern.secondary:
        published = pattern.suppressed.copy()
        published[cell] = False
        assert not audit(table, published, levels, known, QUICK).passed
