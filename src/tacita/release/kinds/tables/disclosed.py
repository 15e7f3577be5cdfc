"""What a release of tables discloses: cells, what everybody concludes of them, what must stay unknown."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tacita.ledger.disclosures import DisclosedCell, DisclosedDimension, DisclosedTable, Disclosures, number_text
from tacita.model.microdata import Microdata
from tacita.tables.output.figures import written
from tacita.tables.output.part import TablePart
from tacita.tables.protect.protected import Protected, ProtectedTable
from tacita.tables.specification.specification import DataPlan, DimensionPlan, TableSpecification

_UNCERTAIN = "the figures of '{}' were changed in a way from which nothing follows for single cells"


def disclosed_tables(protected: Protected) -> Disclosures:
    """Return all cells that are handed out; tables of an earlier publication are not among them."""
    tables: list[DisclosedTable] = []
    notes: list[str] = []
    for table in protected.tables:
        if table.implied is not None and np.isnan(table.implied[0]).all():
            notes.append(_UNCERTAIN.format(table.table.name))
        tables += [_disclosed(protected, table, part) for part in protected.parts_shown(table)]
    return Disclosures(tuple(tables), notes=tuple(notes))


def sources_of(specification: TableSpecification) -> tuple[Path, ...]:
    """Return the files that the figures come from: microdata or cells."""
    data = specification.data
    given = data.cells if data.microdata is None else data.microdata
    if isinstance(given, Microdata):
        given = given.source.name
    return () if given is None else (Path(given),)


def _disclosed(protected: Protected, table: ProtectedTable, part: TablePart) -> DisclosedTable:
    data = DataPlan() if protected.source is None else protected.source.data
    system, knowledge = table.table, table.case.knowledge
    return DisclosedTable(
        part.name,
        system.response,
        tuple(_dimensions(protected, table, part)),
        tuple(_cells(table, part)),
        table.method,
        data.weight,
        None if system.response else data.frequency,
        data.missing_response,
        data.contributor,
        bool(knowledge.integer),
        bool((knowledge.lower >= 0).all()),
    )


def _dimensions(protected: Protected, table: ProtectedTable, part: TablePart) -> Iterator[DisclosedDimension]:
    whole = {dimension.name: dimension for dimension in table.table.dimensions}
    plans = {} if protected.source is None else protected.source.dimensions
    for dimension in part.dimensions:
        plan = plans.get(dimension.name) or DimensionPlan(dimension.name)
        under, order = whole[dimension.name].leaves_under(), whole[dimension.name].position
        codes = {code: tuple(sorted(under[code], key=order)) for code in dimension.codes}
        yield DisclosedDimension(dimension.name, plan.column or dimension.name, codes, plan.missing)


def _cells(table: ProtectedTable, part: TablePart) -> Iterator[DisclosedCell]:
    assert part.cells is not None
    low, high = _concluded(table)
    levels, values = table.case.levels, table.table.values
    rules = (*levels.rules, "")
    for at, cell in enumerate(part.cells.tolist()):
        is_sensitive = bool(levels.sensitive[cell])
        yield DisclosedCell(
            part.cell_codes(at),
            _figure(low[cell]),
            _figure(high[cell]),
            bool(table.withheld[cell]),
            is_sensitive,
            _figure(values[cell] - levels.lower[cell]) if is_sensitive else None,
            _figure(values[cell] + levels.upper[cell]) if is_sensitive else None,
            _figure(levels.sliding[cell]) if is_sensitive and levels.sliding[cell] else None,
            rules[int(levels.rule[cell])] if is_sensitive else "",
        )


def _concluded(table: ProtectedTable) -> tuple[np.ndarray, np.ndarray]:
    """Return the least and the largest value that everybody concludes of each cell alone; nan: nothing."""
    low, high = table.implied if table.implied is not None else (table.values, table.values)
    if table.lower is not None and table.upper is not None:
        low, high = (np.where(np.isnan(low), end, low) for end in (table.lower, table.upper))
    return low, high


def _figure(value: float) -> str | None:
    """Return a figure as the files have it."""
    return number_text(float(written(float(value)))) if np.isfinite(value) else None
