"""The records behind released tables, for whoever judges tables together with other releases: who is in which cells.

They stay in the internal folder, with persons as keyed hashes and codes as tables show them. Of tables that were made
of cells, the inner cells are what is known: each row stands for the persons of one of them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray
from sqlglot import exp

from tacita.engines.context import Context
from tacita.engines.plans.terms import as_double, as_text, named
from tacita.ledger.disclosures import (
    CONTRIBUTOR_COLUMN,
    PERSON_COLUMN,
    PERSONS_COLUMN,
    POPULATION_FILE,
    ROW_COLUMN,
    DisclosedPopulation,
    DisclosedTable,
)
from tacita.ledger.persons import PersonHashes
from tacita.model.microdata import Microdata
from tacita.model.table import Table
from tacita.release.kind import Workplace
from tacita.release.manifest import sha256
from tacita.release.records.disclosed import person_hashes
from tacita.release.records.tuples import ROW, with_numbers
from tacita.tables.build.from_specification import layouts_of, read_microdata
from tacita.tables.build.linked import linked
from tacita.tables.build.microdata.coding import coded, streamed
from tacita.tables.protect.protected import Protected
from tacita.tables.specification.specification import TableSpecification

Numbers = NDArray[np.float64]
_LINKED = "the tables are made of cells and share only some dimensions: nobody can tell who is in which cells of both"
_UNKNOWN = "the true values of some inner cells are not known: nobody can tell who is behind the tables"


def write_population(
    folder: Workplace, protected: Protected, tables: Sequence[DisclosedTable], persons: PersonHashes | None
) -> tuple[DisclosedPopulation | None, tuple[str, ...]]:
    """Write who is behind tables to the internal folder; return what the ledger says of it, or why there is nothing."""
    specification = protected.source
    if specification is None:
        return None, ("it is not known what the tables were made of: nobody can tell who is behind them",)
    measures = tuple(dict.fromkeys(table.measure for table in tables if table.measure))
    if specification.data.cells is not None:
        return _of_cells(folder, protected, measures)
    columns, dimensions = _of_records(specification, tables, measures, persons)
    return _written(folder, columns, dimensions, measures, persons), ()


def _written(
    folder: Workplace,
    columns: dict[str, Any],
    dimensions: Sequence[str],
    measures: Sequence[str],
    persons: PersonHashes | None,
) -> DisclosedPopulation:
    table = pa.table(columns)
    folder.parquet(POPULATION_FILE, table)
    key = () if persons is None else persons.attributes
    digest = sha256(folder.path / POPULATION_FILE)
    return DisclosedPopulation(table.num_rows, tuple(dimensions), tuple(measures), digest, key)


def _of_records(
    specification: TableSpecification,
    tables: Sequence[DisclosedTable],
    measures: Sequence[str],
    persons: PersonHashes | None,
) -> tuple[dict[str, Any], list[str]]:
    """Return the columns of the file, and the dimensions whose codes they have."""
    microdata, data = read_microdata(specification.data, Context().engine), specification.data
    layouts = [layout for name in specification.responses for layout in layouts_of(specification, microdata, name)]
    system = linked([(f"{at} {layout.name}", layout.dimensions) for at, layout in enumerate(layouts)])
    where = {name: column for layout in layouts for name, column in layout.columns.items()}
    missing = {name: code for layout in layouts for name, code in layout.missing.items()}
    names = [dimension.name for dimension in system.dimensions]
    numbers = list(dict.fromkeys(one for one in (*specification.responses, data.weight, data.frequency) if one))
    rows = _rows(microdata, [where.get(name) or name for name in names], numbers, data.contributor)
    ones = np.ones(rows.num_rows)
    columns: dict[str, Any] = {ROW_COLUMN: rows.column(ROW)}
    if persons is not None:
        columns[PERSON_COLUMN] = pa.array(person_hashes(microdata, persons), pa.string())
    if data.contributor:
        columns[CONTRIBUTOR_COLUMN] = pa.array(rows.column("w").combine_chunks().dictionary_encode().indices)
    for at, dimension in enumerate(system.dimensions):
        places = coded(dimension, rows.column(f"d{at}"), missing.get(dimension.name), ones).places
        labels = pa.array([*dimension.codes, None], pa.string())
        indices = pa.array(np.where(places < 0, len(dimension.codes), places))
        columns[f"d{at}"] = labels.take(indices)
    of = {name: _doubles(rows.column(f"n{at}")) for at, name in enumerate(numbers)}
    for at, measure in enumerate(measures):
        table = next(one for one in tables if one.measure == measure)
        columns[f"m{at}"] = pa.array(_added(table, of, ones), from_pandas=True)
    return columns, names


def _rows(microdata: Microdata, codes: Sequence[str], numbers: Sequence[str], contributor: str | None) -> pa.Table:
    """Return what is needed of each record, in the order of the source."""
    relation = microdata.relation
    terms: list[exp.Expr] = [exp.column(ROW)]
    terms += [named(term, f"d{at}") for at, term in enumerate(relation.physical(codes))]
    terms += [named(as_double(term), f"n{at}") for at, term in enumerate(relation.physical(numbers))]
    if contributor:
        terms.append(named(as_text(relation.physical([contributor])[0]), "w"))
    plan = exp.select(*terms).from_(with_numbers(relation).subquery("s")).order_by(exp.column(ROW))
    return streamed(relation, plan)


def _added(table: DisclosedTable, numbers: dict[str, Numbers], ones: Numbers) -> Numbers:
    """Return what each record adds to a measure; nan where it takes no part."""
    added = numbers[table.response] if table.response else ones
    if table.missing_response == "zero":
        added = np.nan_to_num(added)
    for factor in (table.weight, table.frequency):
        added = added * (numbers[factor] if factor else 1.0)
    return added


def _doubles(column: pa.ChunkedArray) -> Numbers:
    return np.array(column.to_pylist() if column.null_count else column.to_numpy(), dtype=np.float64)


def _of_cells(
    folder: Workplace, protected: Protected, measures: Sequence[str]
) -> tuple[DisclosedPopulation | None, tuple[str, ...]]:
    """Write the inner cells of a table that was made of cells."""
    table = protected.tables[0].table
    leaves = [
        np.isin(np.arange(len(one.codes)), [one.position(code) for code in one.leaves]) for one in table.dimensions
    ]
    inner = np.flatnonzero(np.logical_and.reduce([mask[table.codes[:, at]] for at, mask in enumerate(leaves)]))
    if len(table.parts) > 1:
        return None, (_LINKED,)
    if not np.isfinite(table.values[inner]).all():
        return None, (_UNKNOWN,)
    used = inner[table.values[inner] != 0]
    codes = {
        f"d{at}": pa.array([one.codes[place] for place in table.codes[used, at].tolist()], pa.string())
        for at, one in enumerate(table.dimensions)
    }
    names = [dimension.name for dimension in table.dimensions]
    rows = zip(*(column.to_pylist() for column in codes.values()), strict=True)
    columns: dict[str, Any] = {
        ROW_COLUMN: pa.array(range(1, len(used) + 1), pa.int64()),
        PERSON_COLUMN: pa.array(
            [json.dumps(sorted(zip(names, row, strict=True)), ensure_ascii=False) for row in rows], pa.string()
        ),
        PERSONS_COLUMN: pa.array(_persons_behind(table, used), pa.int64()),
        **codes,
    }
    if measures:
        columns["m0"] = pa.array(table.values[used])
    return _written(folder, columns, names, measures, None), ()


def _persons_behind(table: Table, cells: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return how many persons stand behind cells; where that is not known, so many that nobody stands out."""
    if table.is_count:
        return np.rint(table.values[cells]).astype(np.int64)
    return np.full(len(cells), 2**31, np.int64) if table.counts is None else np.maximum(table.counts[cells], 1)
