"""Sums of withheld cells that everybody can calculate, judged by the same rules as cells."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.unions import UnionRule
from tacita.model.table import Table
from tacita.tables.sensitivity.rule import SensitivityRule
from tacita.tables.sensitivity.rules.minimum_frequency import MinimumFrequency
from tacita.tables.sensitivity.united import UnitedCells


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
