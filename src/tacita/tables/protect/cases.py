"""From a specification to cases: tables, levels, knowledge, costs, and what the steward insists on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.unions import UnionRule
from tacita.engines.context import Context
from tacita.errors import InputError, listed
from tacita.model.table import Status, Table
from tacita.progress import Progress, Step, silent
from tacita.tables.build.from_specification import gather
from tacita.tables.build.given import GivenTable
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.history import with_history
from tacita.tables.protect.requirements import attacker_knowledge, levels_required
from tacita.tables.protect.unions import union_rule
from tacita.tables.specification.reading import read_specification
from tacita.tables.specification.sensitivity import SensitivityPlan
from tacita.tables.specification.specification import TableSpecification


def open_specification(specification: TableSpecification | str | PathLike[str]) -> TableSpecification:
    """Return a specification, read if it is the name of a file."""
    if isinstance(specification, TableSpecification):
        return specification
    return read_specification(Path(specification))


def given_tables(specification: TableSpecification, progress: Progress = silent) -> tuple[GivenTable, ...]:
    """Return the tables of a specification as they are, one system for each response."""
    return gather(specification, Context().engine, progress)


def cases_of(specification: TableSpecification, progress: Progress = silent) -> tuple[TableCase, ...]:
    """Return a case for each response, in the order of the specification."""
    engine = Context().engine
    tables = gather(specification, engine, progress)
    return tuple(
        with_history(_case(specification, given, shown, progress), given, specification, engine, progress)
        for given, shown in zip(tables, shown_dimensions(specification), strict=True)
    )


def shown_dimensions(specification: TableSpecification) -> Sequence[dict[str, tuple[str, ...]]]:
    """Return the dimensions of each table, for each response."""
    if specification.data.cells is not None:
        return [{table.name: table.dimensions for table in specification.tables}]
    return [
        {table.name: table.dimensions for table in specification.tables_of(response)}
        for response in specification.responses
    ]


def _case(
    specification: TableSpecification, given: GivenTable, shown: dict[str, tuple[str, ...]], progress: Progress
) -> TableCase:
    progress(Step("looking for sensitive cells"))
    knowledge = attacker_knowledge(given, specification.attacker)
    levels, notes = levels_required(given, specification.sensitivity, knowledge.owners)
    wishes = _wishes(given, levels.sensitive)
    is_judged = bool(specification.sensitivity.rules or levels.rules) or bool((wishes == Status.FORCED).any())
    return TableCase(
        given.table,
        levels,
        knowledge,
        _costs(given, specification.protect.cost),
        wishes,
        _pattern(given),
        shown,
        (*specification.notes, *given.notes, *notes),
        *_unions(given, specification.sensitivity),
        is_judged,
    )


def _unions(given: GivenTable, plan: SensitivityPlan) -> tuple[int, UnionRule | None]:
    """Return how many contributors a sum of withheld cells must have, and by which rules else it is judged.

    ``unions`` in ``[sensitivity.options]`` decides; without it, sums are judged in magnitude tables.
    """
    table = given.table
    if not (not table.is_count if plan.unions is None else plan.unions) or not given.has_true_values:
        return 0, None
    seen = table if table.holdings is None else replace(table, contributions=table.holdings)
    return plan.minimum_frequency, union_rule(seen, plan.in_order())


def _pattern(given: GivenTable) -> NDArray[np.int8] | None:
    """Return the pattern that a table came with; wishes of the steward alone are none."""
    if given.status is None or not np.isin(given.status, (Status.PRIMARY, Status.SECONDARY)).any():
        return None
    return given.status


def _costs(given: GivenTable, kind: str) -> NDArray[np.float64]:
    if kind in KINDS:
        return np.nan_to_num(costs_of(given.table, kind))
    if given.costs is None:
        raise InputError(
            f"there is no column '{kind}' to take the cost of cells from",
            where="[protect]",
            do='name the column with cost = "..." in [data], or choose cost = "value", "count" or "unity"',
        )
    return np.nan_to_num(given.costs)


def _wishes(given: GivenTable, sensitive: NDArray[np.bool_]) -> NDArray[np.int8]:
    """Return which cells must be published or withheld, whatever it costs."""
    table = given.table
    if given.status is None:
        return np.zeros(len(table), np.int8)
    keep, withhold = given.status == Status.KEPT, given.status == Status.FORCED
    if clash := np.flatnonzero(keep & sensitive).tolist():
        cells = listed([f"({table.cell_name(cell)})" for cell in clash], 5)
        raise InputError(
            f"cells that must be published are sensitive: {cells}",
            where="[protect]",
            do="take them out of 'keep', or change the rule; a sensitive cell is never published",
        )
    status = np.where(keep, Status.KEPT, np.where(withhold, Status.FORCED, Status.PUBLISHED))
    return status.astype(np.int8)


KINDS = ("value", "count", "unity")


def costs_of(table: Table, kind: str) -> NDArray[np.float64]:
    """Return the cost of each cell: its value, its contributors, or one.

    >>> from tacita.model.table import Dimension, Equations
    >>> size = Dimension.flat("size", ["small", "large"])
    >>> firms = Table("firms", (size,), np.array([[0], [1], [2]], np.int32), np.array([9.0, 9, 0]),
    ...     Equations.of([(0, (1, 2))]), is_count=True)
    >>> costs_of(firms, "unity").tolist()
    [1.0, 1.0, 1.0]
    """
    if kind == "unity":
        return np.ones(len(table))
    if kind == "value":
        return np.abs(table.values)
    if table.counts is None:
        raise InputError(
            "the cost is the number of contributors, and the table does not tell it",
            where=f"table '{table.name}'",
            do='name the column of counts with \'count\' in [data], or choose cost = "value" or "unity"',
        )
    return table.counts.astype(np.float64)
