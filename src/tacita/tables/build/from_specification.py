"""Everything that a specification says of its data, as tables: what protection and audit begin with."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.errors import InputError, listed
from tacita.files.read import read
from tacita.model.microdata import Microdata
from tacita.model.table import Dimension
from tacita.progress import Progress, Step, silent
from tacita.tables.build.cells.cells_file import CellColumns, RawCells, read_cells
from tacita.tables.build.cells.from_cells import from_cells
from tacita.tables.build.dimensions import Distinct, dimension_of, nested_columns, require_one_dimension_for_a_column
from tacita.tables.build.given import GivenTable, with_wishes
from tacita.tables.build.microdata.from_microdata import build, build_costs
from tacita.tables.build.microdata.layout import LARGEST, MicrodataLayout
from tacita.tables.specification.specification import DataPlan, DimensionPlan, TablePlan, TableSpecification

OWN_COSTS = ("value", "count", "unity", "distance")
"""Costs that are no column."""


def gather(
    specification: TableSpecification, engine: Engine, progress: Progress = silent, known: Sequence[Dimension] = ()
) -> tuple[GivenTable, ...]:
    """Return the tables of a specification, one system of linked tables for each response, in its order.

    `known` are dimensions that are made already: an earlier publication has those of the new table.
    """
    if specification.data.cells is not None:
        tables: tuple[GivenTable, ...] = (_of_cells(specification, engine, progress, known),)
    else:
        microdata = read_microdata(specification.data, engine)
        tables = tuple(_of_microdata(specification, microdata, one, progress) for one in specification.responses)
    protect = specification.protect
    return tuple(with_wishes(_with_apriori(one, specification), protect.keep, protect.suppress) for one in tables)


def read_microdata(data: DataPlan, engine: Engine) -> Microdata:
    """Return the microdata of a specification; a fixed-format file is read by its record layout."""
    if data.layout is not None:
        from tacita.tables.argus.fixed_format import read_fixed_format

        return read_fixed_format(Path(str(data.microdata)), data.layout, engine)
    return data.microdata if isinstance(data.microdata, Microdata) else read(data.microdata, engine)


def layouts_of(specification: TableSpecification, microdata: Microdata, response: str) -> tuple[MicrodataLayout, ...]:
    """Return the layouts of the tables of one response (``""``: frequencies)."""
    data = specification.data
    distinct = _of_relation(microdata.relation)
    require_one_dimension_for_a_column(specification, response)
    by_table = _dimensions(specification, specification.tables_of(response), distinct)
    plans = {name: _plan(specification, name) for plan in specification.tables for name in plan.dimensions}
    return tuple(
        MicrodataLayout(
            plan.name,
            tuple(dimensions),
            response or None,
            data.weight,
            data.contributor,
            data.request,
            specification.protect.cost if specification.protect.cost not in OWN_COSTS else None,
            largest=max(LARGEST, specification.sensitivity.needs_contributions),
            holding=data.holding,
            waiver=data.waiver,
            waivers=specification.sensitivity.waivers,
            request_codes=data.request_codes,
            frequency=None if response else data.frequency,
            columns={name: plans[name].column or name for name in plan.dimensions},
            missing={name: code for name in plan.dimensions if (code := plans[name].missing) is not None},
            missing_response=data.missing_response,
            negative=specification.attacker.lower is None,
        )
        for plan, dimensions in by_table
    )


def _of_microdata(
    specification: TableSpecification, microdata: Microdata, response: str, progress: Progress
) -> GivenTable:
    layouts = layouts_of(specification, microdata, response)
    table = build(microdata, layouts, progress, empty=specification.data.empty)
    notes = []
    weight = microdata.dictionary.weight
    if weight is not None and specification.data.weight is None:
        notes.append(
            f"the dictionary has a weight, '{weight}', which the specification does not name: it is not applied"
        )
    notes += nested_columns(specification, response, _of_relation(microdata.relation))
    return GivenTable(table, costs=build_costs(microdata, layouts, table), notes=tuple(notes))


def _of_cells(
    specification: TableSpecification, engine: Engine, progress: Progress, known: Sequence[Dimension]
) -> GivenTable:
    data = specification.data
    if data.is_jj:
        from tacita.tables.argus.jj_tables import jj_given

        progress(Step("reading cells"))
        return jj_given(specification)
    cost = specification.protect.cost
    columns = CellColumns(
        data.value,
        data.count,
        data.status,
        lower=data.lower,
        upper=data.upper,
        cost=data.cost or (cost if cost not in OWN_COSTS else None),
        lower_level=data.lower_level,
        upper_level=data.upper_level,
        sliding_level=data.sliding_level,
        largest=data.largest,
    )
    names = dict.fromkeys(name for plan in specification.tables for name in plan.dimensions)
    where = {name: _plan(specification, name).column or name for name in names}
    progress(Step("reading cells"))
    source: object = data.cells
    if data.layout is not None and data.cells is not None:
        from tacita.tables.argus.fixed_format import cells_of

        source = cells_of(data.cells, data.layout)
    response = next(iter(specification.responses), "")
    raw = read_cells(source, where, columns, engine, kind=data.format, markers=data.markers, response=response)
    tables = _dimensions(specification, specification.tables, _of_raw(raw, where), known, totals=True)
    return from_cells(
        raw,
        [(plan.name, dimensions) for plan, dimensions in tables],
        is_count=not response,
        negative=specification.attacker.lower is None,
        decimals=data.decimals,
        response=response,
    )


def _with_apriori(given: GivenTable, specification: TableSpecification) -> GivenTable:
    if specification.protect.apriori is None:
        return given
    from tacita.tables.argus.apriori import read_apriori, with_apriori

    lines = read_apriori(specification.protect.apriori, len(given.table.dimensions))
    return with_apriori(given, lines, specification.sensitivity.range)


def _plan(specification: TableSpecification, name: str) -> DimensionPlan:
    return specification.dimensions.get(name) or DimensionPlan(name)


def _dimensions(
    specification: TableSpecification,
    plans: Sequence[TablePlan],
    distinct: Distinct,
    known: Sequence[Dimension] = (),
    *,
    totals: bool = False,
) -> list[tuple[TablePlan, list[Dimension]]]:
    """Return the tables with their dimensions; a dimension that several tables share is made once."""
    by_hierarchy: dict[tuple[str, Path | None], Dimension] = {(one.name, None): one for one in known}
    by_table = []
    for plan in plans:
        dimensions = []
        for name in plan.dimensions:
            key = (name, plan.hierarchies.get(name))
            if key not in by_hierarchy:
                by_hierarchy[key] = dimension_of(_plan(specification, name), distinct, key[1], totals=totals)
            dimensions.append(by_hierarchy[key])
        by_table.append((plan, dimensions))
    return by_table


def _of_relation(relation: Relation) -> Distinct:
    def distinct(columns: Sequence[str]) -> Sequence[Sequence[object]]:
        terms = [exp.alias_(term, f"v{at}") for at, term in enumerate(relation.physical(columns))]
        rows = relation.engine.run(exp.select(*terms).distinct().from_(relation.source()))
        return [tuple(row.values()) for row in rows]

    return distinct


def _of_raw(raw: RawCells, where: dict[str, str]) -> Distinct:
    by_column = {column: raw.codes[name] for name, column in where.items()}

    def distinct(columns: Sequence[str]) -> Sequence[Sequence[object]]:
        if lacking := [column for column in columns if column not in by_column]:
            raise InputError(
                f"a hierarchy needs the columns {listed(lacking)}, which a file of cells does not have",
                where=raw.where,
                do="give the hierarchy as a file",
            )
        return list(dict.fromkeys(zip(*(by_column[column] for column in columns), strict=True)))

    return distinct
