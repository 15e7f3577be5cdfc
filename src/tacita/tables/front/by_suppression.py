"""Protection by withholding cells: the cheapest pattern found in time, audited by the independent attacker."""

from __future__ import annotations

import numpy as np

from tacita.attacks.table_audit import audit
from tacita.progress import Progress
from tacita.tables.front.case import Case
from tacita.tables.front.protected import WITHHELD, ProtectedTable
from tacita.tables.specification.specification import Specification
from tacita.tables.suppression.suppress import suppress

READING = "Some figures are withheld to protect respondents; so are others from which these could be calculated."


def by_suppression(case: Case, specification: Specification, progress: Progress) -> ProtectedTable:
    """Return the table with cells withheld."""
    plan = specification.protect
    found = suppress(
        case.table,
        case.levels,
        case.knowledge,
        costs=case.costs,
        status=case.asked,
        method="fast" if plan.method == "fast" else "optimal",
        seconds=plan.time,
        gap=plan.gap,
        progress=progress,
    )
    withheld = np.isin(found.status, WITHHELD)
    verdict = audit(case.table, withheld, case.levels, case.knowledge, progress=progress)
    return ProtectedTable(
        case,
        plan.method,
        found.status,
        np.where(withheld, np.nan, case.table.values),
        verdict,
        why=found.why,
        figures={"cost": found.cost, "bound": found.bound, "gap": found.gap, "seconds": found.seconds},
        reading=(READING,) if withheld.any() else (),
        notes=tuple(found.notes),
    )
