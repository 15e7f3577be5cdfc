"""Tables that are changed openly: what their method promises, checked and told as a verdict."""

from __future__ import annotations

import numpy as np

from tacita.attacks.tables.adjusted_table import Check
from tacita.attacks.tables.result import EVERYBODY, Audit, Intervals, Violation
from tacita.errors import UsageError
from tacita.model.table import Status
from tacita.tables.front.case import Case


def kept_promises(case: Case, check: Check) -> Audit:
    """Return a check as a verdict: a broken promise is a violation."""
    cells = len(case.table)
    nowhere = np.full(cells, np.nan)
    faults = tuple(
        Violation(0, case.table.cell_name(0), EVERYBODY, "promise", np.nan, np.nan, (fault,), outline=(fault,))
        for fault in check.faults
    )
    intervals = Intervals(nowhere, nowhere.copy(), np.zeros(cells, bool))
    return Audit(case.table.name, 0, int(case.levels.sensitive.sum()), intervals, faults, figures=dict(check.figures))


def require_publishable(case: Case, method: str) -> None:
    """Refuse a wish to withhold cells where the method publishes all of them."""
    if (case.asked == Status.FORCED).any():
        raise UsageError(
            f"'suppress' names cells, and the method '{method}' publishes all of them",
            where=f"table '{case.table.name}'",
            do="choose method = \"suppression\", or take them out of 'suppress'",
        )
