"""Protection by adjustment: sensitive cells are moved to their levels, others as little as possible, all sums kept."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tacita.attacks.tables.adjusted_table import check_adjusted
from tacita.model.table import Status
from tacita.progress import Progress
from tacita.tables.adjustment.adjust import adjust
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.verdict import promise_verdict, require_publishable
from tacita.tables.specification.specification import TableSpecification

READING = "Figures are changed slightly to protect respondents, so that they add up; single figures are not exact."


@dataclass(frozen=True, slots=True)
class AdjustmentWay:
    """Sensitive cells are moved to their levels, others as little as possible; all sums are kept."""

    weight: Literal["unity", "relative"] = "unity"
    """What a change of one unit costs."""

    name: ClassVar[str] = "adjustment"

    def protect(self, case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
        """Return the table with adjusted figures."""
        plan, knowledge = specification.protect, case.knowledge
        require_publishable(case, self.name)
        adjusted = adjust(
            case.table,
            case.levels,
            knowledge.knowing(case.wishes == Status.KEPT),
            seconds=plan.time,
            gap=plan.gap,
            progress=progress,
            weight=self.weight,
        )
        nowhere = np.full(len(case.table), np.nan)
        verdict = promise_verdict(case, check_adjusted(case.table, adjusted.values, case.levels, knowledge))
        return ProtectedTable(
            case,
            self.name,
            np.zeros(len(case.table), np.int8),
            adjusted.values,
            verdict,
            figures={
                "distance": adjusted.distance,
                "changed": adjusted.changed,
                "largest_change": adjusted.largest,
                "gap": adjusted.gap,
            },
            reading=(READING,),
            notes=adjusted.notes,
            implied=(nowhere, nowhere),
        )
