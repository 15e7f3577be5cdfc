"""Protection by adjustment: sensitive cells move past their levels, others as little as possible, all sums kept."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from tacita.attacks.tables.adjusted_values import audit_adjusted
from tacita.attacks.tables.result import Audit
from tacita.model.table import Status
from tacita.progress import Progress
from tacita.tables.adjustment.adjust import adjust
from tacita.tables.adjustment.distances import Chance
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.published import PublishedTable, every_figure
from tacita.tables.protect.verdict import require_publishable
from tacita.tables.specification.fields import entry
from tacita.tables.specification.specification import TableSpecification

_ATTEMPTS = 3
_WIDER = (
    "a larger margin in [protect.adjustment], such as twice this one, leaves more values possible behind each figure"
)
READING = "Figures are changed slightly to protect respondents, so that they add up; single figures are not exact."


@dataclass(frozen=True, slots=True)
class AdjustmentWay:
    """Sensitive cells move past their levels, how far is drawn; others as little as possible; all sums are kept."""

    weight: Literal["unity", "relative"] = "unity"
    """What a change of one unit costs."""
    margin: float = entry(1.0, least=0, most=10)
    """How much further than its level a sensitive cell goes at most, as a share of its level."""

    name: ClassVar[str] = "adjustment"

    def protect(self, case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
        """Return the table with adjusted figures."""
        plan, knowledge = specification.protect, case.knowledge
        require_publishable(case, self.name)
        # Who knows the seed repeats the draws. It is kept internally only.
        seed = secrets.randbits(63) if plan.seed is None else plan.seed
        knowledge = knowledge.knowing(case.wishes == Status.KEPT)
        end = time.monotonic() + plan.time
        for attempt in range(_ATTEMPTS):
            adjusted = adjust(
                case.table,
                case.levels,
                knowledge,
                seconds=end - time.monotonic(),
                gap=plan.gap,
                chance=Chance(seed, self.margin, attempt),
                progress=progress,
                weight=self.weight,
            )
            verdict = audit_adjusted(
                case.table, adjusted.values, case.levels, knowledge, self.margin, progress=progress
            )
            # Directions that the sums give away are drawn anew; the attacker sees the published figures only.
            if verdict.passed or time.monotonic() >= end:
                break
        nowhere = np.full(len(case.table), np.nan)
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
                "seed": seed,
            },
            reading=(READING,),
            notes=adjusted.notes if verdict.passed else (*adjusted.notes, _WIDER),
            implied=(nowhere, nowhere),
        )

    def judge(
        self, case: TableCase, specification: TableSpecification, published: PublishedTable, progress: Progress
    ) -> Audit:
        """Return whether figures are what adjustment promises, and withstand whoever knows its settings."""
        values = every_figure(case, published, self.name)
        knowledge = case.knowledge.knowing(case.wishes == Status.KEPT)
        return audit_adjusted(case.table, values, case.levels, knowledge, self.margin, progress=progress)
