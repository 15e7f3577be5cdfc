"""An earlier publication beside the new tables: what it tells everybody, what is withheld again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tacita.engines.protocol import Engine
from tacita.errors import InputError
from tacita.model.table import WITHHELD, Status
from tacita.progress import Progress
from tacita.tables.build.from_specification import gather
from tacita.tables.build.given import GivenTable
from tacita.tables.build.history import earlier_pattern, together_with
from tacita.tables.protect.case import TableCase
from tacita.tables.specification.specification import DataPlan, HistoryPlan, ProtectPlan, TableSpecification

_AGAIN = 0.01
"""What it costs to withhold a cell again, as a share of what it would cost otherwise."""


def with_history(
    case: TableCase, given: GivenTable, specification: TableSpecification, engine: Engine, progress: Progress
) -> TableCase:
    """Return a case together with the earlier publication that the specification names.

    Of the same period: one system with the new tables, in which everything that was published is known. Of an earlier
    one: cells that were withheld then cost next to nothing, so that the pattern stays where it can, and values that
    were published then bound those of now.
    """
    plan = specification.history
    if plan is None:
        return case
    earlier = _published(plan, specification, engine, progress)
    if plan.period == "earlier":
        return _of_earlier_period(case, earlier, plan)
    joint = together_with(given, earlier)
    status = joint.given.status
    assert status is not None
    wishes = np.where(np.isin(status, (Status.KEPT, Status.FORCED)), status, Status.PUBLISHED).astype(np.int8)
    more = len(joint.given.table) - len(case.table)
    lower = -np.inf if specification.attacker.lower is None else specification.attacker.lower
    return replace(
        case,
        table=joint.given.table,
        levels=joint.levels(case.levels),
        knowledge=joint.knowledge(case.knowledge, lower),
        costs=np.concatenate([case.costs, np.zeros(more)]),
        wishes=wishes,
        given=None if case.given is None else np.concatenate([case.given, wishes[len(case.table) :]]),
        notes=(*case.notes, *(note for note in joint.given.notes if note not in case.notes)),
    )


def _of_earlier_period(case: TableCase, earlier: GivenTable, plan: HistoryPlan) -> TableCase:
    pattern = earlier_pattern(case.table, earlier, plan.within)
    withheld = np.isin(pattern.status, WITHHELD)
    knowledge = replace(
        case.knowledge,
        lower=np.fmax(case.knowledge.lower, pattern.lower),
        upper=np.fmin(case.knowledge.upper, pattern.upper),
    )
    return replace(
        case,
        knowledge=knowledge,
        costs=np.where(withheld, _AGAIN * case.costs, case.costs),
        notes=(*case.notes, *pattern.notes),
    )


def _published(plan: HistoryPlan, specification: TableSpecification, engine: Engine, progress: Progress) -> GivenTable:
    """Return the earlier publication, which has the tables of the specification."""
    if len(specification.responses) > 1:
        raise InputError(
            "there is one earlier publication for several responses",
            where="[history]",
            do="write a specification for each response",
        )
    data = DataPlan(cells=plan.cells, format=plan.format, value=plan.value, status=plan.status, markers=plan.markers)
    return gather(replace(specification, data=data, protect=ProtectPlan(), history=None), engine, progress)[0]
