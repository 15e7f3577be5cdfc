"""Protection by withholding cells: the cheapest pattern found in time, audited by the independent attacker."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from tacita.attacks.tables.result import Audit
from tacita.progress import Progress, Step
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.verdict import attacked
from tacita.tables.specification.specification import ProtectPlan, TableSpecification
from tacita.tables.suppression.problem import SecretUnion
from tacita.tables.suppression.suppress import suppress
from tacita.tables.suppression.suppression import Suppression

READING = "Some figures are withheld to protect respondents; so are others from which these could be calculated."
_ROUNDS = 20


def by_suppression(case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
    """Return the table with cells withheld.

    The attacker also looks at sums of withheld cells that everybody can calculate. Those that would be sensitive as
    cells are told to the search, as further secrets, until the attacker finds none.
    """
    plan = specification.protect
    end = time.monotonic() + plan.time
    unions: list[SecretUnion] = []
    for _ in range(_ROUNDS):
        found = _searched(case, plan, unions, max(end - time.monotonic(), 0.0), progress)
        withheld = found.suppressed
        if found.is_stopped:
            progress(Step("stopped: auditing the best safe pattern"))
        verdict = attacked(case, withheld, progress, movements=found.movements)
        more = _new_unions(case, verdict, unions)
        if not more:
            break
        unions += more
        if found.is_stopped:
            end = 0.0  # who asked to stop waits for a safe pattern, not for a better one
    notes = (f"{len(unions):,} sums of cells are kept unknown, too",) if unions else ()
    return ProtectedTable(
        case,
        plan.method,
        found.status,
        np.where(withheld, np.nan, case.table.values),
        verdict,
        why=found.why,
        figures={"cost": found.cost, "bound": found.bound, "gap": found.gap, "seconds": found.seconds},
        reading=(READING,) if withheld.any() else (),
        notes=(*found.notes, *notes),
    )


def _searched(
    case: TableCase, plan: ProtectPlan, unions: Sequence[SecretUnion], seconds: float, progress: Progress
) -> Suppression:
    return suppress(
        case.table,
        case.levels,
        case.knowledge,
        costs=case.costs,
        status=case.asked,
        method="fast" if plan.method == "fast" else "optimal",
        seconds=seconds,
        gap=plan.gap,
        unions=unions,
        progress=progress,
    )


def _new_unions(case: TableCase, verdict: Audit, known: Sequence[SecretUnion]) -> list[SecretUnion]:
    """Return the sums of cells that the attacker finds sensitive, and that the search was not told of yet.

    Their level is the least that one of their sensitive cells needs: a sum that is as uncertain is no help.
    """
    told = {tuple(each.cells.tolist()) for each in known}
    wide = case.levels.lower + case.levels.upper + case.levels.sliding
    found: dict[tuple[int, ...], SecretUnion] = {}
    for each in verdict.violations:
        if each.what == "union" and each.cells not in told:
            cells = np.array(each.cells, np.int64)
            needed = wide[cells][case.levels.sensitive[cells]]
            found[each.cells] = SecretUnion(cells, max(float(needed.min(initial=np.inf)), 1e-6))
    return list(found.values())
