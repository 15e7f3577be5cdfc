"""Why a cell is sensitive, in sentences. They hold no contribution and no value, but are internal all the same:
how far a rule is broken tells about contributors.
"""

from __future__ import annotations

from collections.abc import Iterable

from tacita.model.table import Levels
from tacita.tables.sensitivity.finding import SensitivityFinding


def reason_of(levels: Levels, cell: int) -> str:
    """Return which rule makes a cell sensitive, and by how much; nothing if it is not sensitive.

    >>> import numpy as np
    >>> levels = Levels.of(2, np.array([0]), 1, 1, "p % (p = 10)")
    >>> reason_of(levels, 0), reason_of(levels, 1)
    ('sensitive by p % (p = 10)', '')
    """
    rule = int(levels.rule[cell])
    if rule < 0:
        return ""
    if not levels.reasons:
        return f"sensitive by {levels.rules[rule]}"
    return f"{levels.rules[rule]}: {levels.reasons[rule].sentence(float(levels.excess[cell]))}"


def reasons_of(findings: Iterable[SensitivityFinding], cell: int) -> tuple[str, ...]:
    """Return the reasons of all rules that find a cell sensitive."""
    return tuple(
        f"{each.rule}: {each.reason.sentence(float(each.excess[cell]))}" for each in findings if each.sensitive[cell]
    )
