"""What must stay unknown: by the rules of a specification, by levels that came with the cells, or by their status."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import counted, listed
from tacita.model.table import Levels, Reason, Status
from tacita.tables.build.given import Given
from tacita.tables.front.asked.rules import rules_asked
from tacita.tables.sensitivity.assess import assess_all, combined
from tacita.tables.sensitivity.finding import Finding
from tacita.tables.sensitivity.rules.minimum_frequency import usual_distances
from tacita.tables.specification.rules import SensitivityPlan


def levels_asked(given: Given, plan: SensitivityPlan) -> tuple[Levels, list[str]]:
    """Return the levels, and what was decided without being asked.

    Rules come first. Levels that came with the cells are added. Cells that are marked as sensitive without a level get
    that of a cell which is sensitive by its frequency, ``range`` of its value; where the truth is not at hand they must
    at least not be known exactly.
    """
    table = given.table
    if not given.has_true_values:
        rules = rules_asked(plan)
        said = f"true values are not at hand: not asked are {listed([rule.name for rule in rules])}"
        return given.levels or _marked_only(given), [said] if rules else []
    findings = list(assess_all(table, rules_asked(plan, holdings=table.holdings is not None)))
    notes: list[str] = []
    if given.levels is not None:
        levels = given.levels
        reason = Reason("its protection level came with the table")
        findings.append(
            Finding("given level", reason, levels.sensitive, levels.lower, levels.upper, levels.sliding, levels.excess)
        )
    if given.status is not None and given.levels is None:
        marked = given.status == Status.PRIMARY
        # Where nothing tells sensitive cells from those that protect them, rules know better, if there are any.
        told_apart = bool((given.status == Status.SECONDARY).any())
        if marked.any() and (told_apart or not findings):
            lower, upper = (np.where(marked, each, 0.0) for each in usual_distances(table, plan.range, 1.0))
            reason, none = Reason("it is marked as sensitive in the table"), np.zeros(len(table))
            findings.append(Finding("given status", reason, marked, lower, upper, none, none))
            notes.append(f"cells marked as sensitive without a level must stay unknown to within {plan.range:.0%}")
    levels = combined(table, findings)
    if given.safe is not None and (safe := levels.sensitive & given.safe).any():
        levels = _without(levels, safe)
        notes.append(
            f"{counted(int(safe.sum()), 'cell')} that a rule finds sensitive are safe by the steward's decision"
        )
    return levels, notes


def _without(levels: Levels, safe: NDArray[np.bool_]) -> Levels:
    """Return levels under which some cells are not sensitive."""
    return replace(
        levels,
        sensitive=levels.sensitive & ~safe,
        lower=np.where(safe, 0.0, levels.lower),
        upper=np.where(safe, 0.0, levels.upper),
        sliding=np.where(safe, 0.0, levels.sliding),
        rule=np.where(safe, -1, levels.rule).astype(np.int16),
    )


def _marked_only(given: Given) -> Levels:
    """Return levels that ask of the sensitive cells only that nobody knows them exactly."""
    marked = given.suppressed if given.status is None else given.status == Status.PRIMARY
    zero = np.zeros(len(given.table))
    rule = np.where(marked, 0, -1).astype(np.int16)
    reason = Reason("it is marked as sensitive in the table")
    return Levels(marked, zero, zero, zero, rule, ("given status",), zero, (reason,))
