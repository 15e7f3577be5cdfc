"""Protection by rounding: controlled, of small counts, or random; judged by what an attacker knows of the method."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.adjusted_table import check_small_counts
from tacita.attacks.tables.result import Audit
from tacita.attacks.tables.rounded_table import audit_perturbed, audit_rounded
from tacita.errors import UsageError
from tacita.progress import Progress
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.verdict import promise_verdict, require_publishable
from tacita.tables.rounding.controlled import round_controlled
from tacita.tables.rounding.rounded import Rounded, round_randomly
from tacita.tables.rounding.small_counts import round_small_counts
from tacita.tables.specification.specification import ProtectPlan, TableSpecification

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _RoundingWay(ABC):
    """A way that publishes every figure, rounded to a multiple of the base."""

    name: ClassVar[str]
    reading: ClassVar[str]

    def protect(self, case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
        """Return the table with rounded figures."""
        plan = specification.protect
        require_publishable(case, self.name)
        seed = self._usual_seed() if plan.seed is None else plan.seed
        rounded, verdict = self._round(case, plan, seed, progress)
        return ProtectedTable(
            case,
            self.name,
            np.zeros(len(case.table), np.int8),
            rounded.values,
            verdict,
            figures={
                "largest_change": rounded.largest,
                "total_change": rounded.total,
                "gap": rounded.gap,
                "seed": seed,
            },
            reading=(self.reading.format(base=plan.base),),
            notes=rounded.notes,
            implied=self._implied(case, rounded),
        )

    @abstractmethod
    def _round(self, case: TableCase, plan: ProtectPlan, seed: int, progress: Progress) -> tuple[Rounded, Audit]: ...

    def _implied(self, case: TableCase, rounded: Rounded) -> tuple[Numbers, Numbers]:
        """Return the least and the largest true value behind each figure, for those who know the method."""
        reach = rounded.base if rounded.reach is None else rounded.reach
        knowledge = case.knowledge
        return np.maximum(rounded.values - reach, knowledge.lower), np.minimum(rounded.values + reach, knowledge.upper)

    def _usual_seed(self) -> int:
        """Return the seed where nobody gave one: ties are broken alike, so that the same input gives the same table."""
        return 0


@dataclass(frozen=True, slots=True)
class ControlledRoundingWay(_RoundingWay):
    """All figures are rounded such that they add up."""

    name: ClassVar[str] = "controlled_rounding"
    reading: ClassVar[str] = "All figures are rounded to a multiple of {base}, so that they add up."

    def _round(self, case: TableCase, plan: ProtectPlan, seed: int, progress: Progress) -> tuple[Rounded, Audit]:
        table, levels, knowledge, base = case.table, case.levels, case.knowledge, plan.base
        rounded = round_controlled(table, base, levels, knowledge, seconds=plan.time, gap=plan.gap, progress=progress)
        if rounded.reach is not None and rounded.reach > base:
            return rounded, audit_perturbed(table, rounded.values, rounded.reach, levels, knowledge, progress=progress)
        near = rounded.largest < base
        return rounded, audit_rounded(
            table, rounded.values, base, levels, knowledge, zero_restricted=near, progress=progress
        )


@dataclass(frozen=True, slots=True)
class RandomRoundingWay(_RoundingWay):
    """Each figure is rounded by chance."""

    name: ClassVar[str] = "random_rounding"
    reading: ClassVar[str] = "Each figure is rounded by chance to a multiple of {base}; sums need not add up."

    def _round(self, case: TableCase, plan: ProtectPlan, seed: int, progress: Progress) -> tuple[Rounded, Audit]:
        rounded = round_randomly(case.table, plan.base, seed=seed)
        reach = rounded.reach or plan.base
        return rounded, audit_perturbed(
            case.table, rounded.values, reach, case.levels, case.knowledge, progress=progress
        )

    def _usual_seed(self) -> int:
        """Return a seed that nobody can guess.

        Who knows the seed of random rounding repeats the draws, and knows of each figure more than its base says. It is
        kept internally only.
        """
        return secrets.randbits(63)


@dataclass(frozen=True, slots=True)
class SmallCountRoundingWay(_RoundingWay):
    """Small counts are rounded such that all figures add up."""

    name: ClassVar[str] = "small_count_rounding"
    reading: ClassVar[str] = "Small counts are rounded to 0 or {base}, so that all figures add up."

    def _round(self, case: TableCase, plan: ProtectPlan, seed: int, progress: Progress) -> tuple[Rounded, Audit]:
        table, levels, base = case.table, case.levels, plan.base
        if levels.sensitive.any() and levels.lower.max(initial=0) > base:
            raise UsageError(
                f"the base {base} is less than a sensitive cell needs",
                where=f"table '{table.name}'",
                do="choose a larger base in [protect], or another method",
            )
        rounded = round_small_counts(table, base, seed=seed, seconds=plan.time, progress=progress)
        verdict = check_small_counts(table, rounded.values, base, self._inner(case))
        return rounded, promise_verdict(case, verdict)

    def _implied(self, case: TableCase, rounded: Rounded) -> tuple[Numbers, Numbers]:
        """Return the counts behind inner cells: only small ones were changed, to 0 or the base. Totals are sums."""
        published, base, inner = rounded.values, rounded.base, self._inner(case)
        low = np.where(published == 0, 0.0, np.where(published == base, 1.0, published))
        high = np.where(published == 0, base - 1, published)
        return np.where(inner, low, np.nan), np.where(inner, high, np.nan)

    def _inner(self, case: TableCase) -> NDArray[np.bool_]:
        """Return which cells are no totals."""
        equations = case.table.equations
        inner = np.ones(len(case.table), bool)
        inner[equations.cells[equations.coefficients < 0]] = False
        return inner
