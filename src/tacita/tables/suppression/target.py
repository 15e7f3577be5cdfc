"""Something that must stay unknown: one cell, one direction, one attacker."""

from __future__ import annotations

from typing import NamedTuple

from tacita.tables.suppression.problem import SuppressionProblem

EVERYBODY = -1
WIDTH = 0
"""The sign of a target that asks for a width (a sliding level) instead of a distance up (1) or down (-1)."""
CLOSE_ENOUGH = 1e-7  # of a level: what the solver's own precision may take away


class ProtectionTarget(NamedTuple):
    """A cell that must be able to move by a level in one direction, whatever a contributor knows."""

    cell: int
    sign: int
    level: float
    attacker: int = EVERYBODY


def targets_of(problem: SuppressionProblem) -> list[ProtectionTarget]:
    """Return what must stay unknown to everybody, the largest levels first; ties by the number of the cell."""
    found = []
    for cell in problem.targets.tolist():
        upper, lower, width = (float(levels[cell]) for levels in (problem.upper, problem.lower, problem.sliding))
        if upper > 0:
            found.append(ProtectionTarget(cell, 1, upper))
        if lower > 0:
            found.append(ProtectionTarget(cell, -1, lower))
        if width > upper + lower:
            found.append(ProtectionTarget(cell, WIDTH, width))
    return sorted(found, key=lambda each: (-each.level, each.cell, -each.sign))
