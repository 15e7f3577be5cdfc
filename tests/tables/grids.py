"""Tables for tests: grids of any shape with all their totals, and those of the reference data."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacita.model.table import Dimension, Sum, Table, table_of_leaves
from tacita.tables.build.hierarchy_files import read_hierarchy

PLENTY = 1e6  # seconds: the result is that of a search that came to its end, however slow the machine


def crossed(
    dimensions: Sequence[Dimension],
    inner: Mapping[tuple[str, ...], float],
    *,
    is_count: bool = True,
    name: str = "grid",
) -> Table:
    """A table over all combinations of codes from its inner cells, by their codes; those that are not given are 0."""
    leaves = np.zeros([len(each.leaves) for each in dimensions])
    for codes, value in inner.items():
        leaves[tuple(each.leaves.index(code) for each, code in zip(dimensions, codes, strict=True))] += value
    return table_of_leaves(name, dimensions, leaves, is_count=is_count)


def grid(inner: NDArray[Any], *, is_count: bool = True) -> Table:
    """A flat table of any number of dimensions from its inner cells."""
    dimensions = [Dimension.flat(f"d{d}", [f"c{at}" for at in range(size)]) for d, size in enumerate(inner.shape)]
    return table_of_leaves("grid", dimensions, inner, is_count=is_count)


def investments() -> Table:
    """The 3x3 example of document 002, as it should have been printed."""
    return grid(np.array([[20, 50, 10], [8, 19, 22], [17, 32, 12]]), is_count=False)


def reference(shared: Path, name: str, columns: list[str], *, groups: str | None = None) -> Table:
    """A table of the reference data over the hierarchies beside it, `groups` being a second grouping of regions."""
    with (shared / f"data/tables/{name}.csv").open() as lines:
        records = list(csv.DictReader(lines))
    dimensions = [read_hierarchy(shared / f"data/tables/{name}_dimlist_{column}.csv", column) for column in columns]
    if groups:
        region = dimensions[0]
        group = {record[columns[0]]: record[groups] for record in records}
        codes = tuple(sorted(set(group.values())))
        sums = [Sum(code, tuple(each for each in region.leaves if group[each] == code)) for code in codes]
        dimensions[0] = Dimension(region.name, region.codes + codes, (*region.sums, *sums, Sum(region.total, codes)))
    inner: dict[tuple[str, ...], float] = {}
    for record in records:
        key = tuple(record[column] for column in columns)
        inner[key] = inner.get(key, 0.0) + float(record["ant"])
    return crossed(tuple(dimensions), inner)
