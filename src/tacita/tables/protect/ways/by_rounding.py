"""Protection by rounding: controlled, of small counts, or random; judged by what an attacker knows of the method."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.adjusted_table import Check, check_small_counts
from tacita.attacks.tables.promises import check_large_counts, check_rounded
from tacita.attacks.tables.result import Audit
from tacita.attacks.tables.rounded_table import audit_perturbed, audit_rounded
from tacita.errors import UsageError, counted
from tacita.progress import Progress
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.published import PublishedTable, every_figure
from tacita.tables.protect.verdict import promise_verdict, require_publishable
from tacita.tables.rounding.controlled import round_controlled
from tacita.tables.rounding.rounded import Rounded, require_base, round_randomly
from tacita.tables.rounding.small_counts import round_small_counts
from tacita.tables.specification.specification import ProtectPlan, TableSpecification

Numbers = NDArray[np.float64]
_MOST_BASES = 5
"""Where the sums allow no nearer multiples, controlled rounding goes so far; a publication beyond it is not one."""


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

    def judge(
        self, case: TableCase, specification: TableSpecification, published: PublishedTable, progress: Progress
    ) -> Audit:
        """Return the verdict on rounded figures, by what the method promises and by what an attacker concludes."""
        require_base(case.table, specification.protect.base)
        values = every_figure(case, published, self.name)
        return self._verdict(case, values, specification.protect.base, progress)

    @abstractmethod
    def _round(self, case: TableCase, plan: ProtectPlan, seed: int, progress: Progress) -> tuple[Rounded, Audit]: ...

    @abstractmethod
    def _verdict(self, case: TableCase, published: Numbers, base: int, progress: Progress) -> Audit: ...

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
        base = plan.base
        rounded = round_controlled(
            case.table, base, case.levels, case.knowledge, seconds=plan.time, gap=plan.gap, progress=progress
        )
        return rounded, self._verdict(case, rounded.values, base, progress, rounded.reach)

    def _verdict(
        self, case: TableCase, published: Numbers, base: int, progress: Progress, reach: float | None = None
    ) -> Audit:
        """Return the verdict; `reach` is how far a true value may be by the method's own account, if that is known."""
        table, levels, knowledge = case.table, case.levels, case.knowledge
        most = _MOST_BASES if reach is None else max(_MOST_BASES, np.ceil(reach / base))
        check = check_rounded(table, published, base, additive=True, most=most)
        if not check.passed:
            return promise_verdict(case, check)
        far, farthest = check.figures["far"], check.figures["farthest"]
        if not far and (reach is None or reach <= base):
            return audit_rounded(table, published, base, levels, knowledge, progress=progress)
        if reach is None:
            steps = max(1.0, np.ceil(farthest - 1e-9))
            reach = base * steps - (1.0 if table.is_count and farthest < steps - 1e-9 else 0.0)
        verdict = audit_perturbed(table, published, reach, levels, knowledge, progress=progress)
        note = f"{counted(far, 'cell')} that are a base or more from the truth, where rounding stays below one"
        return replace(verdict, notes=(*verdict.notes, note)) if far else verdict


@dataclass(frozen=True, slots=True)
class RandomRoundingWay(_RoundingWay):
    """Each figure is rounded by chance."""

    name: ClassVar[str] = "random_rounding"
    reading: ClassVar[str] = "Each figure is rounded by chance to a multiple of {base}; sums need not add up."

    def _round(self, case: TableCase, plan: ProtectPlan, seed: int, progress: Progress) -> tuple[Rounded, Audit]:
        rounded = round_randomly(case.table, plan.base, seed=seed)
        return rounded, self._verdict(case, rounded.values, plan.base, progress)

    def _verdict(self, case: TableCase, published: Numbers, base: int, progress: Progress) -> Audit:
        check = check_rounded(case.table, published, base, additive=False)
        if not check.passed:
            return promise_verdict(case, check)
        # A count is less than one base from what is published, and zero stays: what is shown above zero is somebody.
        whole = case.knowledge.integer
        reach = base - 1 if whole else base
        return audit_perturbed(
            case.table, published, reach, case.levels, case.knowledge, zeros_stay=whole, progress=progress
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
        if not self._is_enough(case, plan.base):
            raise UsageError(
                f"the base {plan.base} is less than a sensitive cell needs",
                where=f"table '{case.table.name}'",
                do="choose a larger base in [protect], or another method",
            )
        rounded = round_small_counts(case.table, plan.base, seed=seed, seconds=plan.time, progress=progress)
        return rounded, self._verdict(case, rounded.values, plan.base, progress)

    def _verdict(self, case: TableCase, published: Numbers, base: int, progress: Progress) -> Audit:
        table, inner = case.table, self._inner(case)
        if not table.is_count:
            raise UsageError(
                "small-count rounding is for counts", where=f"table '{table.name}'", do="name another method"
            )
        faults = [*check_small_counts(table, published, base, inner).faults]
        faults += check_large_counts(table, published, base, inner).faults
        if not self._is_enough(case, base):
            faults.append(f"the base {base} is less than a sensitive cell needs")
        return promise_verdict(case, Check(tuple(faults)))

    def _is_enough(self, case: TableCase, base: int) -> bool:
        return not case.levels.sensitive.any() or bool(case.levels.lower.max(initial=0) <= base)

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
