"""Tables from microdata: the engine aggregates records, hierarchies are summed up from there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from tacita.engines.arrow import as_arrow, as_numpy
from tacita.errors import InputError, UsageError
from tacita.model.microdata import Microdata
from tacita.model.table import Table
from tacita.progress import Progress, Step, silent
from tacita.tables.build.linked import System, linked
from tacita.tables.build.microdata.behind import Behind
from tacita.tables.build.microdata.coding import leaf_places, streamed
from tacita.tables.build.microdata.layers import occurring_keys, summed
from tacita.tables.build.microdata.layout import MicrodataLayout
from tacita.tables.build.microdata.plans import leaf_totals
from tacita.tables.build.microdata.records import checked_records, settled
from tacita.tables.build.sums import equations_of, same_cells

MOST_CELLS = 1_000_000
"""The most combinations of codes of which the empty ones are cells too; of larger tables only those that occur are."""


def build(
    microdata: Microdata, layouts: Sequence[MicrodataLayout], progress: Progress = silent, *, empty: bool = True
) -> Table:
    """Return the table, or the linked tables of one response as one system, of microdata.

    The value of a magnitude cell is the sum of weight times response, that of a frequency cell the number of records
    (the sum of their weights, if there are any: an estimate, so not a count). `Table.counts` is the number of
    contributors, never weighted: one counts once in each cell, also in sub-totals. Contributions are ranked by absolute
    value after the records of a contributor in a cell are added up.

    Combinations without a record are cells with value 0; not so if `empty` is false or the cross product of a table has
    more than `MOST_CELLS` cells. Then only combinations that occur, and their totals, are cells, and the others are
    known by everybody to be zero.

    >>> import tacita as tc
    >>> from tacita.model.table import Dimension
    >>> areas = Dimension.flat("Area", ["North", "Center", "South"])
    >>> table = build(tc.sample("figure-1").microdata, [MicrodataLayout("firms", (areas,))])
    >>> [(table.cell_name(cell), int(table.values[cell])) for cell in range(len(table))]
    [('Area=Total', 20), ('Area=North', 7), ('Area=Center', 8), ('Area=South', 5)]
    """
    first = _checked(layouts)
    relation = microdata.relation
    where = f"'{microdata.name}'"
    system = linked([(layout.name, layout.dimensions) for layout in layouts])
    columns = _columns(system, layouts)
    progress(Step("checking records"))
    records = checked_records(relation, first, where)
    progress(Step("adding up records"))
    totals = streamed(relation, leaf_totals(relation, first, columns))
    some = np.flatnonzero(as_numpy(totals.column("records")) > 0)
    totals = totals.take(as_arrow(some)) if len(some) < totals.num_rows else totals  # rows may stand for no record
    if not totals.num_rows:
        raise InputError("no row stands for a record", where=where, do="check the frequencies")
    leaves = leaf_places(system, totals, _missing(layouts), where)
    figures = np.stack([as_numpy(totals.column(name)) for name in ("value", "records")], axis=1)
    keys, parts = _cells(system, leaves, empty)
    progress(Step("adding up hierarchies"))
    values, counts = summed(system, leaves, figures, keys).T
    values = settled(values, records.decimals)
    progress(Step("ranking contributions"))
    behind = Behind(system, relation, first, _missing(layouts), columns, records, keys, where)
    contributions = behind.contributions(totals, leaves, values, counts)
    return Table(
        name=", ".join(layout.name for layout in layouts),
        dimensions=system.dimensions,
        codes=system.codes(keys),
        values=values,
        equations=equations_of(system, keys, parts),
        is_count=first.response is None and first.weight is None,
        response=first.response or "",
        counts=contributions.counts,
        contributions=contributions,
        parts=dict(zip(system.names, parts, strict=True)),
        holdings=behind.holdings(values),
    )


def build_costs(microdata: Microdata, layouts: Sequence[MicrodataLayout], table: Table) -> NDArray[np.float64] | None:
    """Return what it costs to withhold each cell of a table: the sum of the layouts' cost column, if they have one."""
    if (cost := layouts[0].cost) is None:
        return None
    plain = [
        replace(
            layout,
            response=cost,
            weight=None,
            frequency=None,
            contributor=None,
            holding=None,
            request=None,
            waiver=None,
            waivers=(),
            largest=1,
            cost=None,
        )
        for layout in layouts
    ]
    costs = build(microdata, plain)
    at, there = same_cells(table, costs)
    return np.where(there, costs.values[at], 0.0)


def _checked(layouts: Sequence[MicrodataLayout]) -> MicrodataLayout:
    """Return the first layout, whose data settings hold for all of them."""
    if not layouts:
        raise UsageError("there is no table to build", do="give at least one layout")
    if len({layout.name for layout in layouts}) < len(layouts):
        raise UsageError("two tables have the same name", do="name them apart")
    settings = ("response", "weight", "contributor", "holding", "frequency", "request", "waiver", "missing_response")
    differ = [name for name in settings if len({getattr(layout, name) for layout in layouts}) > 1]
    if differ:
        raise UsageError(
            f"linked tables differ in {', '.join(differ)}", do="link tables of one response; build others apart"
        )
    return layouts[0]


def _columns(system: System, layouts: Sequence[MicrodataLayout]) -> list[str]:
    columns: dict[str, str] = {}
    for layout in layouts:
        for dimension in layout.dimensions:
            if columns.setdefault(dimension.name, layout.column(dimension.name)) != layout.column(dimension.name):
                raise UsageError(
                    f"dimension '{dimension.name}' has two columns", do="give each column its own dimension"
                )
    return [columns[dimension.name] for dimension in system.dimensions]


def _missing(layouts: Sequence[MicrodataLayout]) -> dict[str, str]:
    return {name: code for layout in layouts for name, code in layout.missing.items()}


def _cells(system: System, leaves: NDArray[np.int64], empty: bool) -> tuple[NDArray[np.int64], list[NDArray[np.bool_]]]:
    """Return the keys of all cells, in order, and which of them each table shows."""
    own = [
        system.cross_product(table)
        if empty and system.size(table) <= MOST_CELLS
        else occurring_keys(system, table, leaves)
        for table in range(len(system.names))
    ]
    keys = np.unique(np.concatenate(own))
    return keys, [np.isin(keys, one, assume_unique=True) for one in own]
