"""A cycle that was killed goes on after its last finished pass, and comes to the same outcome."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as tc
from tacita.cycle import anonymize as cycle
from tacita.cycle.anonymize import anonymize
from tacita.cycle.checkpoint import Checkpoint
from tacita.cycle.plan import Plan
from tacita.cycle.plan_words import settings_of
from tacita.risk.catalogue import measure
from tacita.risk.null_semantics import Nulls
from tacita.settings import Settings

PLAN = Plan(measure("reidentification", {"threshold": 0.005}), known=("Area", "Sector", "Employees"), rounds=True)


class KilledError(Exception):
    """What stands for a kill."""


def checkpoint(source: Path, state: Path, plan: Plan = PLAN) -> Checkpoint:
    found = Checkpoint.of(source, settings_of(plan, plan.known or (), Nulls()), Settings(state=state))
    assert found is not None
    return found


@pytest.mark.slow
def test_a_killed_cycle_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = tmp_path / "firms.csv"
    tc.sample("figure-1").write(source)
    firms = tc.read(source).microdata
    whole = anonymize(firms, PLAN)
    passes = 0

    def killed(*given: object, **more: object) -> object:
        nonlocal passes
        passes += 1
        if passes == 2:
            raise KilledError
        return original(*given, **more)  # type: ignore[arg-type]

    original = cycle.round_pass
    monkeypatch.setattr(cycle, "round_pass", killed)
    with pytest.raises(KilledError):
        anonymize(firms, PLAN, checkpoint=checkpoint(source, tmp_path))
    kept = checkpoint(source, tmp_path)
    assert kept.load()
    assert kept.path.parent.stat().st_mode & 0o777 == 0o700
    monkeypatch.setattr(cycle, "round_pass", original)
    resumed = anonymize(firms, PLAN, checkpoint=kept)
    assert list(resumed.decisions) == list(whole.decisions)
    assert not kept.path.exists()


def test_another_plan_or_a_changed_file_begins_anew(tmp_path: Path) -> None:
    source = tmp_path / "firms.csv"
    tc.sample("figure-1").write(source)
    first = checkpoint(source, tmp_path)
    assert checkpoint(source, tmp_path, Plan()).path != first.path
    tc.sample("figure-5").write(source, force=True)
    assert checkpoint(source, tmp_path).path != first.path
    assert checkpoint(source, tmp_path).load() == []


def test_a_damaged_checkpoint_is_none(tmp_path: Path) -> None:
    source = tmp_path / "firms.csv"
    tc.sample("figure-1").write(source)
    damaged = checkpoint(source, tmp_path)
    damaged.path.parent.mkdir()
    damaged.path.write_bytes(b"PAR1 no")
    assert damaged.load() == []
