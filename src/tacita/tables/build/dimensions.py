"""The dimensions of a specification, over the codes of its data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from pathlib import Path

from tacita.describe.kinds import natural_order
from tacita.errors import HierarchyError, listed
from tacita.model.hierarchy import text_of
from tacita.model.table import Dimension
from tacita.tables.argus.code_files import read_code_list
from tacita.tables.build.hierarchy_files import read_hierarchy
from tacita.tables.build.trees import from_paths, from_prefixes, with_labels, with_leaf
from tacita.tables.specification.specification import DimensionPlan, TableSpecification

Distinct = Callable[[Sequence[str]], Sequence[Sequence[object]]]
"""Gives the different combinations of values of some columns of the data; None is a missing value."""


def dimension_of(
    plan: DimensionPlan, distinct: Distinct, hierarchy: Path | None = None, *, totals: bool = False
) -> Dimension:
    """Return the dimension that a plan describes; `hierarchy` is another hierarchy for one table.

    `totals` says that the data are cells, whose codes include totals and sub-totals.
    """
    column = plan.column or plan.name
    texts = [row[0] for row in distinct([column])]
    codes = sorted({text_of(value).strip() for value in texts if value is not None}, key=natural_order)
    if hierarchy is not None:
        dimension = read_hierarchy(hierarchy, plan.name, plan.total, plan.lead)
    elif plan.hierarchies:
        dimension, *others = (read_hierarchy(path, plan.name, plan.total, plan.lead) for path in plan.hierarchies)
        for other in others:
            dimension = _joined(dimension, other)
    elif plan.tree is not None:
        dimension = Dimension.tree(plan.name, plan.tree)
    elif plan.columns:
        paths = [[text_of(code).strip() for code in row] for row in distinct(plan.columns) if None not in row]
        dimension = from_paths(
            plan.name, sorted(paths, key=lambda path: [natural_order(code) for code in path]), plan.total
        )
    elif plan.prefixes:
        leaves = [code for code in codes if code not in {plan.missing, plan.total}]
        if totals:
            leaves = [code for code in leaves if not any(other != code and other.startswith(code) for other in leaves)]
        dimension = from_prefixes(plan.name, leaves, plan.prefixes, plan.total)
    else:
        dimension = _flat(plan, codes, totals=totals)
    if plan.missing is not None and (None in texts or plan.missing in codes):
        dimension = with_leaf(dimension, plan.missing)
    if plan.labels is not None:
        dimension = with_labels(
            dimension, read_code_list(plan.labels) if isinstance(plan.labels, Path) else plan.labels
        )
    return dimension


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


def require_one_dimension_for_a_column(specification: TableSpecification, response: str) -> None:
    """Raise if linked tables have two dimensions of the same column.

    A town in a table by county and the same town in a table by kind of town are one figure. As codes of two dimensions
    they would be two cells, one withheld and the other published. Where one table crosses both dimensions its sums bind
    them, and nothing is wrong.
    """
    for first, second in _apart(specification, response):
        shared = sorted(_columns(specification, first) & _columns(specification, second))
        if shared:
            raise HierarchyError(
                f"the dimensions '{first}' and '{second}' are of the same column ({listed(shared)}), in different "
                "tables: what both show would count as different cells",
                where=f"[dimension.{second}]",
                do="make it one dimension with several 'hierarchies', or give a table another 'hierarchy' for it",
            )


def _columns(specification: TableSpecification, name: str) -> set[str]:
    plan = specification.dimensions.get(name) or DimensionPlan(name)
    return set(plan.columns) or {plan.column or name}


def nested_columns(specification: TableSpecification, response: str, distinct: Distinct) -> tuple[str, ...]:
    """Return a note for each dimension whose codes group those of another, where no table binds the two.

    If each town is in one county, then a table by town and a table by county have sums in common that nobody told of,
    and that an attacker knows. It may be chance, in few records: so this is a note, not a fault.
    """
    notes = []
    for first, second in _apart(specification, response):
        finest = [_finest(specification, name) for name in (first, second)]
        pairs = {tuple(map(str, row)) for row in distinct(finest)}
        for fine, coarse, at in ((first, second, 0), (second, first, 1)):
            codes, groups = {pair[at] for pair in pairs}, {pair[1 - at] for pair in pairs}
            if len(pairs) == len(codes) > len(groups) > 1:
                notes.append(
                    f"each '{fine}' has one '{coarse}' only, and the tables do not know it: if others do, make them "
                    f'one dimension (columns = ["{finest[1 - at]}", "{finest[at]}"], or several \'hierarchies\')'
                )
    return tuple(notes)


def _apart(specification: TableSpecification, response: str) -> list[tuple[str, str]]:
    """Return the pairs of dimensions of linked tables that no table has both of."""
    tables = [set(plan.dimensions) for plan in specification.tables_of(response)]
    names = dict.fromkeys(name for plan in specification.tables_of(response) for name in plan.dimensions)
    return [pair for pair in combinations(names, 2) if not any(set(pair) <= table for table in tables)]


def _finest(specification: TableSpecification, name: str) -> str:
    plan = specification.dimensions.get(name) or DimensionPlan(name)
    return plan.columns[-1] if plan.columns else plan.column or name
