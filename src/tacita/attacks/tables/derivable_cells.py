"""Withheld cells that follow from published ones because dimensions or responses determine each other in the records.

What the records tell (`hidden_sums`, `related_responses`) is given to the attacker as sums and as bounds, one relation
at a time and at last all together, and the tables are audited again. A level that was kept before and is not kept now
is broken by that relation. Where figures are rounded or perturbed instead of withheld, two different figures for the
same records are reported: together they narrow what each was to hide.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.hidden_sums import HiddenSum, hidden_sums, nested_dimensions, with_sums
from tacita.attacks.tables.related_responses import (
    PublishedResponse,
    RelatedResponse,
    bounds_by,
    related_responses,
)
from tacita.attacks.tables.result import AttackerIntervals
from tacita.attacks.tables.stratum_factors import solved_cells, stratum_responses
from tacita.attacks.tables.table_audit import AuditOptions, audit
from tacita.model.table import Knowledge, Levels, Table
from tacita.progress import Progress, silent

Numbers = NDArray[np.float64]
_SAME = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class AuditedResponse:
    """The tables of one response as they are published, and the records behind them."""

    table: Table
    withheld: NDArray[np.bool_]
    values: Numbers = field(repr=False)
    """What is published; nan where it is withheld."""
    levels: Levels
    knowledge: Knowledge
    intervals: AttackerIntervals
    """What the attacker found."""
    leaves: NDArray[np.int64] = field(repr=False)
    """The place of each record's code in each dimension."""
    marks: Numbers = field(repr=False)
    """The sums of the marks of each cell's records."""
    sizes: Numbers = field(repr=False)
    """The sum of the weights of each cell's records."""
    records: NDArray[np.int64] = field(repr=False)
    """The places of the records of `leaves` among all records."""
    options: AuditOptions = field(default_factory=AuditOptions)

    @property
    def is_perturbed(self) -> bool:
        """Whether figures are published that are not the true ones."""
        shown = ~self.withheld
        return not np.allclose(self.values[shown], self.table.values[shown], rtol=_SAME, atol=_SAME, equal_nan=True)

    def known(self) -> PublishedResponse:
        """Return what everybody knows of the cells, as intervals."""
        exact = self.intervals.exact
        lower = np.where(exact, self.intervals.lower, self.knowledge.lower)
        upper = np.where(exact, self.intervals.upper, self.knowledge.upper)
        return PublishedResponse(
            np.where(self.withheld, lower, self.values), np.where(self.withheld, upper, self.values), self.marks
        )


@dataclass(frozen=True, slots=True)
class DerivableCells:
    """Cells of which a relation in the records tells too much. Names cells and relations, and no figure."""

    response: str
    cells: tuple[str, ...]
    by: Literal["dimension", "response", "together"]
    tells: tuple[str, ...]
    """What tells: the finer and the coarser dimension, or the responses."""
    sentence: str

    def __str__(self) -> str:
        number = len(self.cells)
        cells = f"({self.cells[0]})" if number == 1 else f"({self.cells[0]}) and {number - 1:,} more"
        of = f" of {self.response}" if self.response else ""
        return f"withheld cells can be derived, since {self.sentence}: {cells}{of}"

    def to_dict(self) -> dict[str, Any]:
        """Return it in words of JSON."""
        return {
            "response": self.response or None,
            "cells": list(self.cells),
            "because": self.by,
            "from": list(self.tells),
            "rule": self.sentence,
        }


@dataclass(frozen=True, slots=True)
class TableRelations:
    """Which dimensions and responses tell of each other, and the cells that can be derived by that."""

    dimensions: tuple[tuple[str, str, str], ...] = ()
    """Response, finer dimension, coarser dimension, where no table shows the two together."""
    responses: tuple[RelatedResponse, ...] = ()
    derivable: tuple[DerivableCells, ...] = ()


def table_relations(
    systems: Mapping[str, AuditedResponse], values: Mapping[str, Numbers], progress: Progress = silent
) -> TableRelations:
    """Return what tells of what; `values` are the responses of each record, where they are known."""
    relations = related_responses(values) if len(values) > 1 else []
    relations += _in_strata(systems, values)
    pairs = [
        (name, system.table.dimensions[fine].name, system.table.dimensions[coarse].name)
        for name, system in systems.items()
        for fine, coarse, _ in nested_dimensions(system.table, system.leaves)
    ]
    known = {name: system.known() for name, system in systems.items()}
    derivable: list[DerivableCells] = []
    for name, system in systems.items():
        if system.is_perturbed:
            derivable += _perturbed(name, system)
            continue
        by_dimensions = hidden_sums(system.table, system.leaves, system.marks, system.withheld)
        by_responses = [one for one in relations if one.response == name and set(one.factors) <= set(systems)]
        derivable += _Attack(name, system, systems, known, progress).derivable(by_dimensions, by_responses)
    return TableRelations(tuple(pairs), tuple(relations), tuple(derivable))


def _in_strata(systems: Mapping[str, AuditedResponse], values: Mapping[str, Numbers]) -> Iterator[RelatedResponse]:
    for name in values:
        system = systems[name]
        own = {other: numbers[system.records] for other, numbers in values.items()}
        yield from stratum_responses(name, system.table, system.leaves, own)


@dataclass(frozen=True, slots=True, eq=False)
class _Attack:
    name: str
    system: AuditedResponse
    systems: Mapping[str, AuditedResponse]
    known: Mapping[str, PublishedResponse]
    progress: Progress

    def derivable(
        self, by_dimensions: Sequence[HiddenSum], by_responses: Sequence[RelatedResponse]
    ) -> Iterator[DerivableCells]:
        pairs = list(dict.fromkeys((one.fine, one.coarse) for one in by_dimensions))
        broken = False
        for fine, coarse in pairs:
            own = [one for one in by_dimensions if (one.fine, one.coarse) == (fine, coarse)]
            if cells := self._broken(own, ()):
                broken = True
                yield DerivableCells(self.name, cells, "dimension", (fine, coarse), _nested(fine, coarse))
        for relation in by_responses:
            if cells := tuple(dict.fromkeys([*self._broken((), [relation]), *self._solved(relation)])):
                broken = True
                yield DerivableCells(self.name, cells, "response", tuple(relation.factors), relation.sentence)
        if not broken and len(pairs) + len(by_responses) > 1 and (cells := self._broken(by_dimensions, by_responses)):
            tells = tuple(dict.fromkeys([*(name for pair in pairs for name in pair), *self._responses(by_responses)]))
            sentence = "; ".join([*(_nested(*pair) for pair in pairs), *(one.sentence for one in by_responses)])
            yield DerivableCells(self.name, cells, "together", tells, sentence)

    def _solved(self, relation: RelatedResponse) -> list[str]:
        """Return the sensitive cells that are the solution of the sums of two responses."""
        if relation.ranges is None:
            return []
        system = self.system
        (other,) = relation.factors
        solved = solved_cells(relation, system, self.systems[other]) & system.levels.sensitive
        return [system.table.cell_name(cell) for cell in np.flatnonzero(solved).tolist()]

    def _responses(self, relations: Sequence[RelatedResponse]) -> list[str]:
        return [name for relation in relations for name in relation.factors]

    def _broken(self, sums: Sequence[HiddenSum], relations: Sequence[RelatedResponse]) -> tuple[str, ...]:
        """Return the sensitive cells whose level is not kept if these relations are known."""
        system = self.system
        knowledge = system.knowledge
        for relation in relations:
            low, high = bounds_by(relation, system.marks, system.sizes, self.known)
            knowledge = replace(
                knowledge, lower=np.fmax(knowledge.lower, low), upper=np.fmin(knowledge.upper, np.fmax(high, low))
            )
        table = replace(system.table, equations=with_sums(system.table, sums)) if sums else system.table
        verdict = audit(table, system.withheld, system.levels, knowledge, system.options, progress=self.progress)
        return tuple(dict.fromkeys(violation.name for violation in verdict.violations))


def _nested(fine: str, coarse: str) -> str:
    return f"each '{fine}' has one '{coarse}'"


def _perturbed(name: str, system: AuditedResponse) -> Iterator[DerivableCells]:
    """Yield sensitive cells of which two different figures are published, under the codes of two dimensions."""
    pairs: dict[tuple[str, str], dict[str, None]] = {}
    everything = hidden_sums(system.table, system.leaves, system.marks, np.ones(len(system.table), dtype=bool))
    for one in everything:
        if len(one.parts) != 1:
            continue
        cells = [one.total, int(one.parts[0])]
        figures, sensitive = system.values[cells], system.levels.sensitive[cells]
        if sensitive.any() and abs(figures[0] - figures[1]) > _SAME * max(1.0, abs(figures[0])):
            pairs.setdefault((one.fine, one.coarse), {})[system.table.cell_name(one.total)] = None
    for (fine, coarse), names in pairs.items():
        yield DerivableCells(name, tuple(names), "dimension", (fine, coarse), _nested(fine, coarse))
