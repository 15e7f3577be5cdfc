"""The experiments on incremental release, as a person calls them."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from experiments.alarms import RoundedDefinition5
from experiments.soldiers import BASELINE
from tests.experiments.test_command import experiments

from tacita.gate.picture.fixed_point import UNIT
from tacita.gate.picture.picture import Picture
from tacita.gate.rules.definition_5 import Definition5


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
    alarms = {(line["targets"], line["records"], line["rule"]): line for line in said["alarms"]}
    assert alarms[200, 2_000, "definition 5, start 50"]["held_records"] > 2
    assert alarms[200, 2_000, "martingale, 1/20 for all targets"]["stopped"] == 0
    # the longer it runs, the more targets it has held
    few, many = (alarms[200, records, "definition 5, start 50"]["stopped"] for records in (200, 2_000))
    assert few + 10 < many


def test_rounding_decides_ties_of_two_targets() -> None:
    """The larger of two exposures equals mean plus deviation: in floating point some of its records pass."""
    values = np.random.default_rng(1).choice(10, size=(2, 60), p=BASELINE)
    passed = {}
    for kind in (Definition5, RoundedDefinition5):
        picture = Picture(BASELINE, 2)
        rule = kind(picture)
        for target, row in enumerate(values.tolist()):
            for value in row:
                excess = picture.excess_with(target, value)
                rule.released(target, value, excess)
                picture.put(target, value, excess)
        largest = max(picture.excess)
        # the figures of records that make target 0 the larger one
        passed[kind] = [rule.accepts(0, 61, largest + more * UNIT // 64) for more in range(200)]
    assert not any(passed[Definition5])
    assert 0 < sum(passed[RoundedDefinition5]) < 200


@pytest.mark.slow
def test_orders_are_given_once(tmp_path: Path) -> None:
    done = experiments(tmp_path, "release", "--quick", "--orders", "3", "--out", "out")
    assert done.returncode == 2
    assert not (tmp_path / "out").exists()
