"""The dimensions of a specification, over the codes of its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from tacita.describe.kinds import natural_order
from tacita.errors import HierarchyError
from tacita.model.hierarchy import text_of
from tacita.model.table import Dimension
from tacita.tables.argus.code_list import read_code_list
from tacita.tables.build.hierarchy_files import read_hierarchy
from tacita.tables.build.trees import from_paths, from_prefixes, with_labels, with_leaf
from tacita.tables.specification.specification import DimensionPlan

Distinct = Callable[[Sequence[str]], Sequence[Sequence[object]]]
"""Gives the different combinations of values of some columns of the data; None is a missing value."""


def dimension_of(
    plan: DimensionPlan, distinct: Distinct, hierarchy: Path | None = None, *, totals: bool = False
) -> Dimension:
    """Return the dimension that a plan describes; `hierarchy` is another hierarchy for one table.

    `totals` says that the data are cells, whose codes include totals and sub-totals.
    """
    column = plan.column or plan.name
    found = [row[0] for row in distinct([column])]
    codes = sorted({text_of(value).strip() for value in found if value is not None}, key=natural_order)
    if hierarchy is not None:
        made = read_hierarchy(hierarchy, plan.name, plan.total, plan.lead)
    elif plan.hierarchies:
        made, *others = (read_hierarchy(path, plan.name, plan.total, plan.lead) for path in plan.hierarchies)
        for other in others:
            made = _joined(made, other)
    elif plan.tree is not None:
        made = Dimension.tree(plan.name, plan.tree)
    elif plan.columns:
        paths = [[text_of(code).strip() for code in row] for row in distinct(plan.columns) if None not in row]
        made = from_paths(plan.name, sorted(paths, key=lambda path: [natural_order(code) for code in path]), plan.total)
    elif plan.prefixes:
        leaves = [code for code in codes if code not in {plan.missing, plan.total}]
        if totals:
            leaves = [code for code in leaves if not any(other != code and other.startswith(code) for other in leaves)]
        made = from_prefixes(plan.name, leaves, plan.prefixes, plan.total)
    else:
        made = _flat(plan, codes, totals=totals)
    if plan.missing is not None and (None in found or plan.missing in codes):
        made = with_leaf(made, plan.missing)
    if plan.labels is not None:
        made = with_labels(made, read_code_list(plan.labels) if isinstance(plan.labels, Path) else plan.labels)
    return made


def _flat(plan: DimensionPlan, codes: Sequence[str], *, totals: bool) -> Dimension:
    leaves = plan.codes or tuple(codes)
    if plan.total in leaves and not totals:
        raise HierarchyError(
            f"a record has the code of the total, '{plan.total}'",
            where=f"dimension '{plan.name}'",
            do=f'name the total otherwise: total = "All" in [dimension.{plan.name}]',
        )
    return Dimension.flat(plan.name, [code for code in leaves if code != plan.total], plan.total)


def _joined(first: Dimension, second: Dimension) -> Dimension:
    if first.total != second.total:
        raise HierarchyError(
            f"its hierarchies call the total '{first.total}' and '{second.total}'",
            where=f"dimension '{first.name}'",
            do="give both the same total",
        )
    return first.joined(second)
