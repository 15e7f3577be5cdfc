"""The neighbourhood of a safe pattern: what comes of it is safe, proved, cheaper in the end, and the same each time."""

from __future__ import annotations

import numpy as np
import pytest
from tests.tables.suppression.test_suppress import random_table

from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Knowledge
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.exact.renewal import Renewal
from tacita.tables.suppression.exact.safe_pattern import SafePatterns
from tacita.tables.suppression.problem import problem_of


def renewed() -> tuple[list[float], np.ndarray, SafePatterns]:
    table, levels = random_table((6, 6, 5), 0.06, seed=1)
    problem = problem_of(table, levels, Knowledge.of(len(table)), table.values)
    patterns = SafePatterns(problem)
    pattern = patterns.taken_back(patterns.safe(problem.withheld), Clock(1e6))
    renewal, costs = Renewal(patterns), [patterns.cost(pattern)]
    for _ in range(25):
        pattern = renewal.step(pattern, np.zeros(len(problem)), Clock(1e6))
        costs.append(patterns.cost(pattern))
    assert not patterns.proofs.lacking(pattern)
    assert audit(table, pattern, levels, Knowledge.of(len(table)), AuditOptions(unions=False, explain=0)).passed
    return costs, pattern, patterns


@pytest.mark.slow
def test_steps_lead_to_a_cheaper_safe_pattern_and_the_same_each_time() -> None:
    costs, pattern, _ = renewed()
    assert min(costs) < costs[0]
    again, same, _ = renewed()
    assert again == costs
    assert np.array_equal(pattern, same)


def test_a_step_without_time_leaves_pattern_and_proofs_as_they_were() -> None:
    table, levels = random_table((4, 4), 0.2, seed=2)
    problem = problem_of(table, levels, Knowledge.of(len(table)), table.values)
    patterns = SafePatterns(problem)
    pattern = patterns.safe(problem.withheld)
    proofs = patterns.proofs.kept()
    for _ in range(5):
        assert np.array_equal(Renewal(patterns).step(pattern, np.zeros(len(problem)), Clock(0.0)), pattern)
    assert patterns.proofs.kept() == proofs
