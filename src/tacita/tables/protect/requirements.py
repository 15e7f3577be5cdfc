"""What a specification requires of a table: the levels to keep, and what attackers know beforehand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.errors import InputError, counted, listed
from tacita.model.figures import share
from tacita.model.table import Knowledge, Levels, SensitivityReason, Status, Table
from tacita.tables.build.given import GivenTable
from tacita.tables.sensitivity.assess import assess_all, combined
from tacita.tables.sensitivity.contributors import owners
from tacita.tables.sensitivity.insiders import insider_levels
from tacita.tables.sensitivity.rule import SensitivityFinding
from tacita.tables.sensitivity.rules.minimum_frequency import usual_distances
from tacita.tables.specification.sensitivity import SensitivityPlan
from tacita.tables.specification.specification import AttackerPlan


def levels_required(given: GivenTable, plan: SensitivityPlan, owners: NDArray[np.int64]) -> tuple[Levels, list[str]]:
    """Return the levels, and what was decided without being asked.

    Rules come first. Levels that came with the cells are added. Cells that are marked as sensitive without a level get
    that of a cell which is sensitive by its frequency, ``range`` of its value; where the truth is not at hand they must
    at least not be known exactly. `owners` are the contributors who alone stand behind cells, and attack.
    """
    table = given.table
    if not given.has_true_values:
        rules = plan.in_order()
        said = f"true values are not at hand: not asked are {listed([rule.label for rule in rules])}"
        return given.levels or _marked_only(given), [said] if rules else []
    findings = list(assess_all(table, plan.in_order(holdings=table.holdings is not None)))
    notes: list[str] = []
    if given.levels is not None:
        levels = given.levels
        reason = SensitivityReason("its protection level came with the table")
        findings.append(
            SensitivityFinding(
                "given level", reason, levels.sensitive, levels.lower, levels.upper, levels.sliding, levels.excess
            )
        )
    if given.status is not None and given.levels is None:
        marked = given.status == Status.PRIMARY
        # Where nothing tells sensitive cells from those that protect them, rules know better, if there are any.
        told_apart = bool((given.status == Status.SECONDARY).any())
        if marked.any() and (told_apart or not findings):
            lower, upper = (np.where(marked, distance, 0.0) for distance in usual_distances(table, plan.range, 1.0))
            reason, none = SensitivityReason("it is marked as sensitive in the table"), np.zeros(len(table))
            findings.append(SensitivityFinding("given status", reason, marked, lower, upper, none, none))
            notes.append(f"cells marked as sensitive without a level must stay unknown to within {share(plan.range)}")
    levels = combined(table, findings)
    rules = plan.in_order(holdings=table.holdings is not None)
    levels = replace(levels, against=insider_levels(_seen(table), levels, findings, rules, owners))
    if given.safe is not None and (safe := levels.sensitive & given.safe).any():
        levels = _without(levels, safe)
        notes.append(
            f"{counted(int(safe.sum()), 'cell')} that a rule finds sensitive are safe by the steward's decision"
        )
    return levels, notes


def _without(levels: Levels, safe: NDArray[np.bool_]) -> Levels:
    """Return levels under which some cells are not sensitive."""
    return replace(
        levels,
        sensitive=levels.sensitive & ~safe,
        lower=np.where(safe, 0.0, levels.lower),
        upper=np.where(safe, 0.0, levels.upper),
        sliding=np.where(safe, 0.0, levels.sliding),
        rule=np.where(safe, -1, levels.rule).astype(np.int16),
        against=None if levels.against is None else levels.against.only(~safe[levels.against.cell]),
    )


def _marked_only(given: GivenTable) -> Levels:
    """Return levels that ask of the sensitive cells only that nobody knows them exactly."""
    marked = given.suppressed if given.status is None else given.status == Status.PRIMARY
    zero = np.zeros(len(given.table))
    rule = np.where(marked, 0, -1).astype(np.int16)
    reason = SensitivityReason("it is marked as sensitive in the table")
    return Levels(marked, zero, zero, zero, rule, ("given status",), zero, (reason,))


def attacker_knowledge(given: GivenTable, plan: AttackerPlan) -> Knowledge:
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
        known = replace(known, owners=owners(_seen(table)))
    if plan.within is not None:
        true = np.nan_to_num(table.values)
        known = known.within(true, plan.within) if given.has_true_values else known
    return known


def _seen(table: Table) -> Table:
    """Return the table with holdings as contributors: a holding knows what each of its enterprises knows."""
    return table if table.holdings is None else replace(table, contributions=table.holdings)


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
