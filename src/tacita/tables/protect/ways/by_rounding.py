"""Protection by rounding: controlled, of small counts, or random; judged by what an attacker knows of the method."""

from __future__ import annotations

import secrets
from dataclasses import replace

import numpy as np

from tacita.attacks.tables.adjusted_table import check_small_counts
from tacita.attacks.tables.result import Audit
from tacita.attacks.tables.rounded_table import audit_perturbed, audit_rounded
from tacita.errors import UsageError
from tacita.progress import Progress
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.verdict import kept_promises, require_publishable
from tacita.tables.rounding.controlled import round_controlled
from tacita.tables.rounding.rounded import Rounded, round_randomly
from tacita.tables.rounding.small_counts import round_small_counts
from tacita.tables.specification.specification import ProtectPlan, TableSpecification

_READING = {
    "controlled_rounding": "All figures are rounded to a multiple of {base}, so that they add up.",
    "small_count_rounding": "Small counts are rounded to 0 or {base}, so that all figures add up.",
    "random_rounding": "Each figure is rounded by chance to a multiple of {base}; sums need not add up.",
}


def by_rounding(case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
    """Return the table with rounded figures."""
    plan = specification.protect
    require_publishable(case, plan.method)
    plan = replace(plan, seed=_seed(plan))
    found, verdict = _rounded(case, plan, progress)
    return ProtectedTable(
        case,
        plan.method,
        np.zeros(len(case.table), np.int8),
        found.values,
        verdict,
        figures={"largest_change": found.largest, "total_change": found.total, "gap": found.gap, "seed": plan.seed},
        reading=(_READING[plan.method].format(base=plan.base),),
        notes=found.notes,
    )


def _rounded(case: TableCase, plan: ProtectPlan, progress: Progress) -> tuple[Rounded, Audit]:
    table, levels, knowledge, base = case.table, case.levels, case.knowledge, plan.base
    if plan.method == "controlled_rounding":
        found = round_controlled(table, base, levels, knowledge, seconds=plan.time, gap=plan.gap, progress=progress)
        if found.reach is not None and found.reach > base:
            return found, audit_perturbed(table, found.values, found.reach, levels, knowledge, progress=progress)
        near = found.largest < base
        verdict = audit_rounded(table, found.values, base, levels, knowledge, zero_restricted=near, progress=progress)
        return found, verdict
    if plan.method == "random_rounding":
        found = round_randomly(table, base, seed=plan.seed or 0)
        return found, audit_perturbed(table, found.values, found.reach or base, levels, knowledge, progress=progress)
    if levels.sensitive.any() and levels.lower.max(initial=0) > base:
        raise UsageError(
            f"the base {base} is less than a sensitive cell needs",
            where=f"table '{table.name}'",
            do="choose a larger base in [protect], or another method",
        )
    found = round_small_counts(table, base, seed=plan.seed or 0, seconds=plan.time, progress=progress)
    totals = table.equations.cells[table.equations.coefficients < 0]
    inner = np.ones(len(table), bool)
    inner[totals] = False
    return found, kept_promises(case, check_small_counts(table, found.values, base, inner))


def _seed(plan: ProtectPlan) -> int:
    """Return the seed of the specification; without one, of random rounding one that nobody can guess.

    Who knows the seed of random rounding repeats the draws, and knows of each figure more than its base says. The other
    methods only break ties by it: there the same input shall give the same table. It is kept in the house only.
    """
    if plan.seed is not None:
        return plan.seed
    return secrets.randbits(63) if plan.method == "random_rounding" else 0
