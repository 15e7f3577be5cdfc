"""The experiments on incremental release, as a person calls them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.experiments.test_command import experiments


@pytest.mark.slow
def test_a_quick_run(tmp_path: Path) -> None:
    done = experiments(tmp_path, "release", "--orders", "1", "--out", "out", "--json")
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert sorted(said["files"]) == sorted(path.name for path in (tmp_path / "out").iterdir())
    gates = {line["gate"]: line for line in said["gates"]}
    assert gates["none"]["released"] == 100
    assert dict(gates["none"]["named"])["distance"] == 100
    assert gates["default: crowd and evidence, start 10"]["evidence"] == 0
    # what the paper's rule holds of targets that are nothing special, and the martingale does not
    alarms = {(line["targets"], line["rule"]): line for line in said["alarms"]}
    assert alarms[200, "definition 5, start 50"]["held_records"] > 2
    assert alarms[200, "martingale, 1/20 for all targets"]["stopped"] == 0


def test_orders_are_given_once(tmp_path: Path) -> None:
    done = experiments(tmp_path, "release", "--quick", "--orders", "3", "--out", "out")
    assert done.returncode == 2
    assert not (tmp_path / "out").exists()
