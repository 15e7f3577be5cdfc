"""Recoding before suppression: whole columns rolled up, by hand or by the search of the lattice."""

from __future__ import annotations

from collections.abc import Sequence

from tacita.cycle.plan import Plan
from tacita.masking.global_recoding import recoded
from tacita.model.decision import Decision
from tacita.model.microdata import Microdata
from tacita.progress import Progress, silent
from tacita.risk.null_semantics import Nulls

BY_HAND = "global recoding, as asked"
EVERY_RECORD = 0
"""The number of the record in a decision about a whole column."""


def recoded_first(
    microdata: Microdata, known: Sequence[str], nulls: Nulls, plan: Plan, progress: Progress = silent
) -> tuple[Microdata, list[Decision], dict[str, int], list[str]]:
    """Return microdata with whole columns rolled up as the plan says, the decisions, and the levels reached."""
    levels = {name: level for name, level in plan.recode.items() if level}
    if not levels:
        return microdata, [], {}, []
    found = recoded(microdata, levels).microdata
    decisions = [
        Decision(step, EVERY_RECORD, name, 0, level, BY_HAND, 1.0, 1.0)
        for step, (name, level) in enumerate(levels.items(), 1)
    ]
    return found, decisions, levels, []
