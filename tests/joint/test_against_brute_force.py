"""The joint verdict against all data sets: never a pass where an intruder comes too near."""

from __future__ import annotations

import numpy as np
import pytest
from tests.joint.scenarios import Scenario, random_scenario
from tests.long import LONG
from tests.oracles.joint import TooManyDataSets

from tacita.joint.judging import LinearJudge

pytestmark = pytest.mark.slow

SEQUENCES = 10_000 if LONG else 60


@pytest.mark.long
def test_no_false_pass() -> None:
    outcome = {"both pass": 0, "both refuse": 0, "false refusal": 0, "undecided": 0, "union by limits": 0, "skipped": 0}
    for seed in range(SEQUENCES):
        scenario = random_scenario(np.random.default_rng(seed))
        for upto in range(2, len(scenario.outputs) + 1):
            outcome[judged(scenario, upto, seed)] += 1
    print(outcome)
    assert outcome["both pass"] and outcome["both refuse"]


def judged(scenario: Scenario, upto: int, seed: int) -> str:
    """Return how the judge and brute force agree on the last of some outputs."""
    evidence, population = scenario.evidence(upto)
    findings = LinearJudge(population).judge(evidence, [upto - 1])
    try:
        violations = scenario.brute_force(upto).violations(upto - 1, 3)
    except TooManyDataSets:
        return "skipped"
    promised = [one for one in violations if one[0] in ("few", "statement")]
    assert findings.findings or not promised, f"a false pass: sequence {seed}, output {upto}: {promised}"
    if not findings.findings:
        # Of unions of several groups, those are promised that follow by additions and subtractions alone.
        return "union by limits" if violations else "both pass"
    if violations:
        return "both refuse"
    return "false refusal" if findings.is_decided else "undecided"
