"""The look before a release of tables: do dimensions or responses that determine each other give withheld cells away?

The attacker is `tacita.attacks.tables.derivable_cells`, the records are those behind the tables (`records_behind`).
Where a specification has one table of one response there is nothing to look for: what its dimensions tell of each other
stands in its own empty cells, which the audit knows.

A remedy leaves tables or responses out until none of those that stay tells of another, whatever is withheld in them; or
lets one dimension have the codes of both; or withholds the same cells of responses that tell of each other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from tacita.attacks.tables.derivable_cells import DerivableCells, TableRelations, table_relations
from tacita.errors import OutputError, counted, faults_text, listed
from tacita.progress import Progress, Step
from tacita.release.kinds.tables.records_behind import RecordsBehind, plan_of
from tacita.tables.protect.protected import Protected
from tacita.tables.specification.specification import TableSpecification

_MOST_CHOICES = 12
"""Tables and responses of which all choices are tried."""
_PROPOSED = 4
_NAMED = 40
"""Cells that a message names."""


@dataclass(frozen=True, slots=True)
class TableRemedy:
    """Something that can be done to the specification, and how many cells are not published then."""

    action: str
    cells: int

    def __str__(self) -> str:
        return f"{self.action} ({counted(self.cells, 'cell')})" if self.cells else self.action

    def to_dict(self) -> dict[str, Any]:
        """Return it in words of JSON."""
        return {"action": self.action, "cells": self.cells}


class DerivableCellsError(OutputError):
    """Tables were refused because withheld cells can be derived: from what, and what can be done about it."""

    def __init__(self, derived: Sequence[DerivableCells], remedies: Sequence[TableRemedy], where: str) -> None:
        super().__init__(
            faults_text([str(one) for one in derived]),
            where=where,
            do=f"{', or '.join(map(str, remedies))}; or accept it with --allow-derivable. Nothing was written",
        )
        self.derivations, self.remedies = tuple(derived), tuple(remedies)

    def to_dict(self) -> dict[str, Any]:
        """Return what was derived, and what helps, cheapest first."""
        return {
            "derivable": [one.to_dict() for one in self.derivations],
            "remedies": [remedy.to_dict() for remedy in self.remedies],
        }


def check_cells(protected: Protected, where: str, progress: Progress, *, allow: bool) -> tuple[DerivableCells, ...]:
    """Return which cells can be derived, if that is allowed; raise with the remedies if it is not."""
    specification = protected.source
    if specification is None or not may_tell(specification):
        return ()
    progress(Step("looking whether withheld cells can be derived"))
    behind = RecordsBehind(specification)
    systems = {
        response: behind.audited(table, response)
        for table, response in zip(protected.tables, specification.responses, strict=True)
    }
    values = {name: behind.values(name) for name in specification.responses if name}
    relations = table_relations(systems, values, progress)
    if relations.derivable and not allow:
        remedies = sorted(_remedies(relations, protected, specification), key=lambda remedy: remedy.cells)
        raise DerivableCellsError(relations.derivable, remedies[:_PROPOSED], where)
    return relations.derivable


def may_tell(specification: TableSpecification) -> bool:
    """Return whether there are several tables or responses of microdata, which may tell of each other.

    Tables together with an earlier publication of the same period are not looked at.
    """
    history = specification.history
    is_alone = len(specification.responses) < 2 and len(specification.tables) < 2
    return specification.data.cells is None and not is_alone and (history is None or history.period != "same")


def _remedies(
    relations: TableRelations, protected: Protected, specification: TableSpecification
) -> Iterator[TableRemedy]:
    yield from _one_dimension(relations, specification)
    yield from _same_cells(relations, protected, specification)
    yield from _left_out(relations, protected, specification)


def _left_out(
    relations: TableRelations, protected: Protected, specification: TableSpecification
) -> Iterator[TableRemedy]:
    """Yield the cheapest choices of tables and responses without which nothing tells of another."""
    sizes = _sizes(protected, specification)
    tables = [table.name for table in specification.tables]
    responses = [name for name in specification.responses if name] if relations.responses else []
    choices = [("table", name) for name in tables] + [("response", name) for name in responses]
    good: list[tuple[int, frozenset[tuple[str, str]]]] = []
    for size in range(1, len(choices) if len(choices) <= _MOST_CHOICES else 3):
        for some in map(frozenset, combinations(choices, size)):
            stay = {
                (table.name, response)
                for table in specification.tables
                for response in table.responses or ("",)
                if ("table", table.name) not in some and ("response", response) not in some
            }
            if stay and not any(smaller <= some for _, smaller in good) and not _tells(relations, specification, stay):
                good.append((sum(sizes.values()) - sum(sizes[one] for one in stay), some))
    for cells, some in sorted(good, key=lambda one: (one[0], sorted(one[1])))[:_PROPOSED]:
        named = [f"{kind} '{name}'" for kind, name in sorted(some)]
        yield TableRemedy(f"leave out the {' and the '.join(named)}", cells)


def _tells(relations: TableRelations, specification: TableSpecification, stay: set[tuple[str, str]]) -> bool:
    """Return whether a dimension or a response of the tables that stay tells of another."""
    left = {response for _, response in stay}
    for response, *pair in relations.dimensions:
        shown = {
            name
            for table in specification.tables
            if (table.name, response) in stay
            for name in table.dimensions
            if name in pair
        }
        if len(shown) > 1:
            return True
    return any({one.response, *one.factors} <= left for one in relations.responses)


def _sizes(protected: Protected, specification: TableSpecification) -> Mapping[tuple[str, str], int]:
    """Return how many cells each table of each response shows."""
    return {
        (name, response): int(cells.sum())
        for table, response in zip(protected.tables, specification.responses, strict=True)
        for name, cells in table.table.parts.items()
    }


def _one_dimension(relations: TableRelations, specification: TableSpecification) -> Iterator[TableRemedy]:
    """Yield the way to show both dimensions as one, if each table of the coarser one has a twin of the finer one."""
    pairs = {(fine, coarse) for _, fine, coarse in relations.dimensions}
    if relations.responses or len(pairs) != 1:
        return
    ((fine, coarse),) = pairs
    plans = [plan_of(specification, name) for name in (coarse, fine)]
    if any(plan.hierarchies or plan.tree or plan.prefixes or plan.columns or plan.codes for plan in plans):
        return
    others = {
        (frozenset(table.dimensions) - {fine}, table.responses)
        for table in specification.tables
        if fine in table.dimensions
    }
    twins = [table for table in specification.tables if coarse in table.dimensions]
    if all((frozenset(table.dimensions) - {coarse}, table.responses) in others for table in twins):
        columns = ", ".join(f'"{plan.column or plan.name}"' for plan in plans)
        names = listed([f"'{table.name}'" for table in twins])
        action = (
            f"link the tables: columns = [{columns}] in [dimension.{fine}], without table {names}, which it shows too"
        )
        yield TableRemedy(action, 0)


def _same_cells(
    relations: TableRelations, protected: Protected, specification: TableSpecification
) -> Iterator[TableRemedy]:
    """Yield the way to withhold the same cells of all responses, if they have the same tables.

    It does not help where factors differ from code to code: the sums of two such responses have one solution.
    """
    if relations.dimensions or any(one.ranges is not None for one in relations.responses):
        return
    if len({len(table.table) for table in protected.tables}) != 1:
        return
    first = protected.tables[0].table
    if any(not np.array_equal(table.table.codes, first.codes) for table in protected.tables):
        return
    withheld = np.logical_or.reduce([table.withheld for table in protected.tables])
    more = sum(int((withheld & ~table.withheld).sum()) for table in protected.tables)
    cells = [
        "{"
        + ", ".join(f'{d.name} = "{c}"' for d, c in zip(first.dimensions, first.cell_codes(cell), strict=True))
        + "}"
        for cell in np.flatnonzero(withheld).tolist()
    ]
    if len(cells) <= _NAMED:
        yield TableRemedy(f"protect all alike: suppress = [{', '.join(cells)}] in [protect]", more)
