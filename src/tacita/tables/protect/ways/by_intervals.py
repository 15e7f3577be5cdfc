"""Protection by intervals: figures that would tell too much are published as an interval, and audited as such."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from tacita.attacks.tables.published_intervals import attack_intervals
from tacita.attacks.tables.result import Audit
from tacita.attacks.tables.system.possible_tables import Span
from tacita.errors import counted
from tacita.model.table import Status
from tacita.progress import Progress
from tacita.tables.intervals.placement import LEAST
from tacita.tables.intervals.publication import publish_intervals
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.protected import ProtectedTable
from tacita.tables.protect.published import PublishedTable
from tacita.tables.protect.unions import new_unions
from tacita.tables.protect.verdict import disclosed_unions, require_publishable, withheld_verdict
from tacita.tables.specification.specification import TableSpecification
from tacita.tables.suppression.clock import Clock

_ROUNDS = 20
READING = "Where two figures stand, the true one lies between them."


@dataclass(frozen=True, slots=True)
class IntervalsWay:
    """Figures that would tell too much are published as an interval."""

    weight: Literal["unity", "relative"] = "unity"
    """What a unit of width costs."""
    ends: Literal["round", "exact"] = "round"
    """Whether ends are drawn and rounded outwards; exact ones give values away, and the audit says so."""

    name: ClassVar[str] = "intervals"

    def protect(self, case: TableCase, specification: TableSpecification, progress: Progress) -> ProtectedTable:
        """Return the table with intervals in place of some figures.

        The attacker knows the published intervals as bounds, besides everything else.
        """
        plan, knowledge = specification.protect, case.knowledge
        require_publishable(case, self.name)
        # Who knows the seed repeats the draws. It is kept internally only.
        seed = secrets.randbits(63) if plan.seed is None else plan.seed
        clock = Clock(plan.time)
        # Sums that would be known exactly if only sensitive cells were hidden must not become known nearly either.
        unions = new_unions(case, disclosed_unions(case, case.levels.sensitive), ())
        for _ in range(_ROUNDS):
            published = publish_intervals(
                case.table,
                case.levels,
                knowledge.knowing(case.wishes == Status.KEPT),
                seed=None if self.ends == "exact" else seed,
                seconds=clock.left,
                unions=unions,
                progress=progress,
                weight=self.weight,
                ends=self.ends,
            )
            hidden = ~published.exact
            more = new_unions(case, disclosed_unions(case, hidden), unions)
            if not more:
                break
            unions += more
        status = np.where(hidden, np.where(case.levels.sensitive, Status.PRIMARY, Status.SECONDARY), Status.PUBLISHED)
        shown = PublishedTable(
            np.where(hidden, np.nan, case.table.values),
            status.astype(np.int8),
            np.where(hidden, published.lower, np.nan),
            np.where(hidden, published.upper, np.nan),
        )
        return ProtectedTable(
            case,
            self.name,
            shown.status,
            shown.values,
            self.judge(case, specification, shown, progress),
            shown.lower,
            shown.upper,
            figures={"width": published.published_width, "seed": seed},
            reading=(READING,) if hidden.any() else (),
            notes=(
                *published.notes,
                *((f"{counted(len(unions), 'sum')} of cells kept unknown, too",) if unions else ()),
            ),
        )

    def judge(
        self, case: TableCase, specification: TableSpecification, published: PublishedTable, progress: Progress
    ) -> Audit:
        """Return the verdict on true figures, some of them shown as intervals that everybody knows to be drawn."""
        verdict = withheld_verdict(case, published, progress)
        known, hidden = published.known(case.knowledge), published.withheld
        ends = Span(np.where(hidden, known.lower, case.table.values), np.where(hidden, known.upper, case.table.values))
        least = 1.0 if self.ends == "exact" else LEAST
        violations, figures = attack_intervals(case.table, ends, case.levels, case.knowledge, least, progress=progress)
        return replace(verdict, violations=(*verdict.violations, *violations), figures={**verdict.figures, **figures})
