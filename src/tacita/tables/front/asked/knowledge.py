"""What the attacker of a specification knows of a table, checked against the truth."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, listed
from tacita.model.table import Knowledge, Table
from tacita.tables.build.given import Given
from tacita.tables.sensitivity.rules.singletons import owners
from tacita.tables.specification.specification import AttackerPlan


def knowledge_asked(given: Given, plan: AttackerPlan) -> Knowledge:
    """Return the attacker's knowledge: bounds of all cells and of each, single contributors who know their own."""
    table = given.table
    lower = np.full(len(table), -np.inf if plan.lower is None else plan.lower)
    upper = np.full(len(table), np.inf if plan.upper is None else plan.upper)
    # Bounds of single cells count beside those of all: who knows both knows the narrower.
    lower = lower if given.lower is None else np.fmax(lower, given.lower)
    upper = upper if given.upper is None else np.fmin(upper, given.upper)
    _check(table, lower, upper)
    known = Knowledge.of(len(table), integer=_is_whole(table))
    known = replace(known, lower=lower, upper=upper)
    singletons = not table.is_count if plan.singletons is None else plan.singletons
    if singletons and (table.contributions is not None or table.counts is not None):
        # A holding knows what each of its enterprises knows.
        seen = table if table.holdings is None else replace(table, contributions=table.holdings)
        known = replace(known, owners=owners(seen), secrets=_secrets(seen))
    if plan.within is not None:
        true = np.nan_to_num(table.values)
        known = known.within(true, plan.within) if given.has_true_values else known
    return known


def _secrets(table: Table) -> NDArray[np.int64] | None:
    """Return whose secret each cell is all of which one contributor gave, others nothing; -1 where there is none."""
    held = table.contributions
    if held is None or held.largest.shape[1] < 2:
        return None
    sole = (held.largest[:, 0] > 0) & (held.largest[:, 1] == 0) & (held.holders[:, 0] >= 0)
    return np.where(sole, held.holders[:, 0], -1)


def _is_whole(table: Table) -> bool:
    values = table.values[np.isfinite(table.values)]
    return table.is_count and bool((values == np.rint(values)).all())


def _check(table: Table, lower: NDArray[np.float64], upper: NDArray[np.float64]) -> None:
    slack = 1e-9 * np.maximum(1.0, np.abs(np.nan_to_num(table.values)))
    with np.errstate(invalid="ignore"):
        wrong = np.flatnonzero((table.values < lower - slack) | (table.values > upper + slack))
    if len(wrong):
        cells = listed([f"({table.cell_name(int(cell))})" for cell in wrong], 5)
        raise InputError(
            f"the bounds that an attacker knows exclude the true value of {counted(len(wrong), 'cell')}: {cells}",
            where=f"table '{table.name}'",
            do="correct 'lower' and 'upper' in [attacker] or in the cells; lower = \"none\" allows negative values",
        )
