"""What came of a protection, in words of JSON: counts and shares, and no figure of a table."""

from __future__ import annotations

from typing import Any

import numpy as np

from tacita.model.table import Status
from tacita.tables.protect.protected import Protected, ProtectedTable
from tacita.tables.protect.violation import told


def protected_dict(protected: Protected) -> dict[str, Any]:
    """Return what a script needs to know."""
    return {
        "passed": protected.passed,
        "title": protected.title,
        "tables": [_table(each) for each in protected.tables],
        "violations": [told(each.case, one).to_dict() for each in protected.tables for one in each.audit.violations],
    }


def _table(each: ProtectedTable) -> dict[str, Any]:
    figures = each.figures
    return {
        "name": each.table.name,
        "response": each.table.response or None,
        "method": each.method,
        "cells": len(each.table),
        "sensitive": each.case.counts_of_rules,
        "withheld": int(each.withheld.sum()),
        "primary": each.count(Status.PRIMARY),
        "secondary": each.count(Status.SECONDARY),
        "forced": each.count(Status.FORCED),
        "cost_share": cost_share(each),
        "gap": _number(figures.get("gap")),
        "seconds": _number(figures.get("seconds")),
        "audit": {"passed": each.audit.passed, "attacked": each.audit.suppressed, "notes": list(each.audit.notes)},
        "notes": [*each.case.notes, *each.notes],
    }


def cost_share(each: ProtectedTable) -> float | None:
    """Return what is withheld to protect others as a share of what all cells would cost, to two digits.

    The cost itself may be the very value of a withheld cell.
    """
    cost, everything = each.figures.get("cost"), float(each.case.costs.sum())
    if cost is None or not everything > 0:
        return None
    return float(f"{float(cost) / everything:.2g}")


def _number(value: Any) -> float | None:
    return round(float(value), 4) if isinstance(value, int | float) and np.isfinite(value) else None
