"""One column, one dimension: tables that show the same codes under two names share cells that no sum would tell of."""

from __future__ import annotations

from itertools import combinations

from tacita.errors import HierarchyError, listed
from tacita.tables.build.dimensions import Distinct
from tacita.tables.specification.specification import DimensionPlan, TableSpecification


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
    return [pair for pair in combinations(names, 2) if not any(set(pair) <= each for each in tables)]


def _finest(specification: TableSpecification, name: str) -> str:
    plan = specification.dimensions.get(name) or DimensionPlan(name)
    return plan.columns[-1] if plan.columns else plan.column or name
