"""The verdict on a protected table: an attack on a pattern, or a check of what a method promises."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.adjusted_table import Check
from tacita.attacks.tables.result import EVERYBODY, AttackerIntervals, Audit, LevelViolation
from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.errors import UsageError
from tacita.model.table import Knowledge, Movement, Status
from tacita.progress import Progress
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.published import PublishedTable, require_true_figures


def attack(
    case: TableCase,
    withheld: NDArray[np.bool_],
    progress: Progress,
    knowledge: Knowledge | None = None,
    movements: Sequence[Movement] = (),
) -> Audit:
    """Return the verdict of the independent attacker, by everybody, by single contributors, and on sums of cells."""
    known = bool(np.isfinite(case.table.values).all())
    return audit(
        case.table,
        withheld,
        case.levels,
        knowledge or case.knowledge,
        options=AuditOptions(
            coalitions=known,
            unions=known,
            minimum_frequency=case.minimum_frequency,
            union_is_sensitive=case.union_is_sensitive,
        ),
        movements=movements,
        progress=progress,
    )


def withheld_verdict(case: TableCase, published: PublishedTable, progress: Progress) -> Audit:
    """Return the verdict on a publication of true figures, some withheld or shown as intervals."""
    require_true_figures(case, published)
    return attack(case, published.withheld, progress, published.known(case.knowledge))


def promise_verdict(case: TableCase, check: Check) -> Audit:
    """Return a check as a verdict: a broken promise is a violation."""
    cells = len(case.table)
    nowhere = np.full(cells, np.nan)
    faults = tuple(
        LevelViolation(0, case.table.cell_name(0), EVERYBODY, "promise", np.nan, np.nan, (fault,), outline=(fault,))
        for fault in check.faults
    )
    intervals = AttackerIntervals(nowhere, nowhere.copy(), np.zeros(cells, bool))
    return Audit(case.table.name, 0, int(case.levels.sensitive.sum()), intervals, faults, figures=dict(check.figures))


def require_publishable(case: TableCase, method: str) -> None:
    """Refuse a wish to withhold cells where the method publishes all of them."""
    if (case.wishes == Status.FORCED).any():
        raise UsageError(
            f"'suppress' names cells, and the method '{method}' publishes all of them",
            where=f"table '{case.table.name}'",
            do="choose method = \"suppression\", or take them out of 'suppress'",
        )
