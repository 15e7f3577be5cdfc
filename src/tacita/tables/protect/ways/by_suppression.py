"""Protection by withholding cells: the cheapest pattern found in time, audited by the independent attacker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np

from tacita.attacks.tables.exposure import Exposure
from tacita.attacks.tables.result import Audit
from tacita.model.figures import is_bounded, saving
from tacita.progress import Progress, Step
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.published import PublishedTable
from tacita.tables.protect.refusal import with_remedies
from tacita.tables.protect.unions import new_unions, secret_union
from tacita.tables.protect.verdict import attack, confirmed_reasons, disclosed_unions, withheld_verdict
from tacita.tables.specification.specification import ProtectPlan, TableSpecification
from tacita.tables.suppression.clock import Clock
from tacita.tables.suppression.problem import SecretUnion
from tacita.tables.suppression.refusal import UnprotectableTable
from tacita.tables.suppression.suppress import Method, SuppressionOptions, suppress
from tacita.tables.suppression.suppression import Suppression

READING = "Some figures are withheld to protect respondents; so are others from which these could be calculated."
_ROUNDS = 20
_GENTLE = 12  # of the rounds: sums need be no less certain than the cell that needs the least
_ROUND = 0.75  # of what the search has left: one search among several
_AT_MOST = 1.1  # of the time: when reasons are given up
_SEARCH = 0.85  # of the time: the search; the attack and the reasons have the rest


@dataclass(frozen=True, slots=True)
class SuppressionWay:
    """Cells are withheld: the cheapest safe pattern that is found in time.

    The attacker also looks at sums of withheld cells that everybody can calculate. Those that would be sensitive as
    cells are told to the search, as further secrets, until the attacker finds none. A search that only ever exchanges
    one small cell of a sum for another is told to keep the next sums as uncertain as the cell that needs the most.
    """

    name: ClassVar[str] = "suppression"
    stops_early: ClassVar[bool] = True
    search: ClassVar[Method] = "optimal"

    def protect(self, case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
        """Return the table with cells withheld."""
        plan = specification.protect
        whole = Clock(plan.time)
        search = whole.part(_SEARCH)
        # A sum that must stay unknown, too, is known when a pattern is: time is left for another search.
        share = _ROUND if case.minimum_frequency or case.union_is_sensitive is not None else 1.0
        unions: list[SecretUnion] = []
        start: Suppression | None = None
        may_be_firm, bound = True, None
        for number in range(_ROUNDS):
            try:
                pattern = self._search(case, plan, unions, share * search.left, progress, start)
            except UnprotectableTable as refusal:
                if may_be_firm and number > _GENTLE:
                    may_be_firm, bound, start = False, None, None
                    unions = [secret_union(case, union.cells) for union in unions]
                    continue
                progress(Step("looking what would let the table be protected"))
                raise with_remedies(case, specification.attacker, refusal) from None
            withheld = pattern.suppressed
            is_firm = may_be_firm and number >= _GENTLE
            more = new_unions(case, disclosed_unions(case, withheld), unions, is_firm=is_firm)
            if not more:
                break
            if is_firm and bound is None:
                bound = pattern.bound
            unions += more
            start = pattern
            if pattern.is_stopped:
                search = Clock(0.0)  # who asked to stop waits for a safe pattern, not for a better one
        if bound is not None:
            # Who asks for more than must be has no bound of what costs the least.
            pattern = replace(pattern, bound=min(bound, pattern.bound))
            pattern = replace(
                pattern, notes=() if pattern.is_optimal else (f"the pattern is safe, and {saving(pattern.gap)}",)
            )
        if pattern.is_stopped:
            progress(Step("stopped: auditing the best safe pattern"))
        verdict = attack(case, withheld, progress, movements=pattern.movements)
        why: dict[int, Exposure] = {}
        if verdict.passed:
            why = confirmed_reasons(
                case, pattern.status, pattern.movements, lambda: whole.used > _AT_MOST * plan.time, progress
            )
        notes = (f"{len(unions):,} sums of cells are kept unknown, too",) if unions else ()
        return ProtectedTable(
            case,
            self.name,
            pattern.status,
            np.where(withheld, np.nan, case.table.values),
            verdict,
            why=why,
            movements=pattern.movements,
            figures={
                "cost": pattern.cost,
                "bound": pattern.bound if (has_bound := is_bounded(pattern.gap)) else None,
                "gap": pattern.gap if has_bound else None,
                "seconds": pattern.seconds,
            },
            reading=(READING,) if withheld.any() else (),
            notes=(*pattern.notes, *notes),
        )

    def judge(
        self, case: TableCase, specification: TableSpecification, published: PublishedTable, progress: Progress
    ) -> Audit:
        """Return the verdict on true figures of which some are withheld."""
        return withheld_verdict(case, published, progress)

    def _search(
        self,
        case: TableCase,
        plan: ProtectPlan,
        unions: Sequence[SecretUnion],
        seconds: float,
        progress: Progress,
        start: Suppression | None,
    ) -> Suppression:
        return suppress(
            case.table,
            case.levels,
            case.knowledge,
            options=SuppressionOptions(
                costs=case.costs,
                status=case.wishes,
                method=self.search,
                seconds=seconds,
                gap=plan.gap,
                unions=unions,
                start=start,
            ),
            progress=progress,
        )


@dataclass(frozen=True, slots=True)
class FastSuppressionWay(SuppressionWay):
    """Cells are withheld: the first safe pattern without a superfluous cell."""

    name: ClassVar[str] = "fast"
    search: ClassVar[Method] = "fast"
