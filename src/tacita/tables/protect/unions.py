"""Sums of withheld cells that everybody can calculate, judged by the same rules as cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.result import LevelViolation
from tacita.attacks.tables.unions import UnionRule
from tacita.model.table import Table
from tacita.tables.protect.case import TableCase
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.united import UnitedCells
from tacita.tables.suppression.problem import SecretUnion


def union_rule(table: Table, rules: Sequence[SensitivityRule]) -> UnionRule | None:
    """Return the question whether some cells together would be sensitive as one cell; None if no rule can say.

    Only rules on contributions are asked; the minimum frequency has a question of its own.
    """
    judging = [
        rule for rule in rules if getattr(rule, "is_of_contributors", False) and not isinstance(rule, MinimumFrequency)
    ]
    contributions = table.contributions
    if contributions is None or not judging:
        return None
    united = UnitedCells(table, contributions, max(getattr(rule, "needs_contributions", 1) for rule in judging))

    def is_sensitive(cells: NDArray[np.int64]) -> bool:
        one = united.table(cells)
        return any(bool(finding.sensitive.any()) for rule in judging for finding in rule.findings(one))

    return is_sensitive


def new_unions(
    case: TableCase, disclosed: Sequence[LevelViolation], known: Sequence[SecretUnion], *, is_firm: bool = False
) -> list[SecretUnion]:
    """Return the sums of cells that the attacker finds sensitive, and that the search was not told of yet."""
    kept = {tuple(violation.cells.tolist()) for violation in known}
    unions: dict[tuple[int, ...], SecretUnion] = {}
    for violation in disclosed:
        if violation.cells not in kept:
            unions[violation.cells] = secret_union(case, np.array(violation.cells, np.int64), is_firm=is_firm)
    return list(unions.values())


def secret_union(case: TableCase, cells: NDArray[np.int64], *, is_firm: bool = False) -> SecretUnion:
    """Return a sum as a secret.

    A sum that is as uncertain as the least that one of its sensitive cells needs is no help; `is_firm` asks for the
    most that one of them needs.
    """
    levels = case.levels
    needed = (levels.lower + levels.upper + levels.sliding)[cells][levels.sensitive[cells]]
    return SecretUnion(cells, max(float(needed.max(initial=0.0) if is_firm else needed.min(initial=np.inf)), 1e-6))
