"""The parts of a specification that shape tables: dimensions with their hierarchies, and the tables themselves."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tacita.tables.specification.specification import DimensionPlan, TablePlan
from tacita.toml.checked import Checked

_WAYS = ("hierarchy", "hierarchies", "tree", "prefixes", "columns", "codes")
DIMENSION_KEYS = (*_WAYS, "column", "lead", "total", "missing", "labels")
TABLE_KEYS = ("name", "dimensions", "response", "hierarchy")


def dimension_plan(top: Checked, name: str, given: object) -> DimensionPlan:
    """Return the table [dimension.name]."""
    keys = ("dimension", name)
    table = Checked.of(given, keys, top.faults, top.folder, DIMENSION_KEYS)
    ways = [way for way in _WAYS if way in table.table]
    if len(ways) > 1:
        said = " and ".join(f"'{way}'" for way in ways)
        table.fault(ways[1], f"dimension '{name}' has {said}; give one of them")
    columns = table.texts("columns")
    if "columns" in table.table and len(columns) < 2:
        table.fault("columns", f"'columns' of dimension '{name}' needs at least two columns, coarse to fine")
    prefixes = table.whole_numbers("prefixes")
    if list(prefixes) != sorted(set(prefixes)):
        table.fault("prefixes", f"'prefixes' of dimension '{name}' must grow, such as [1, 3]")
    labels = table.table.get("labels")
    return DimensionPlan(
        name=name,
        column=table.text("column", "") or (columns[-1] if columns else ""),
        hierarchies=table.files("hierarchies") or table.files("hierarchy"),
        lead=table.text("lead", "@"),
        tree=_tree(table, name),
        prefixes=prefixes,
        columns=columns,
        codes=table.texts("codes"),
        total=table.text("total", "Total"),
        missing=table.text("missing", None),
        labels={str(code): str(label) for code, label in labels.items()}
        if isinstance(labels, dict)
        else table.file("labels"),
    )


def table_plans(top: Checked) -> tuple[TablePlan, ...]:
    """Return the tables [[table]], all linked."""
    given = top.table.get("table", [])
    if isinstance(given, dict):
        given = [given]
    if not isinstance(given, list) or not given:
        top.fault("table", 'there is no table: write [[table]] and dimensions = ["sector", "size"]')
        return ()
    plans = [_table_plan(top, number, item) for number, item in enumerate(given, 1)]
    names = [plan.name for plan in plans]
    for number, plan in enumerate(plans, 1):
        if plan.name in names[: number - 1]:
            top.faults.add(("table", str(number), "name"), f"two tables are called '{plan.name}': name them apart")
    return tuple(plans)


def _table_plan(top: Checked, number: int, given: object) -> TablePlan:
    keys = ("table", str(number))
    table = Checked.of(given, keys, top.faults, top.folder, TABLE_KEYS)
    dimensions = table.texts("dimensions", single=True)
    if not dimensions:
        table.fault("dimensions", f'table {number} has no dimensions, such as dimensions = ["sector", "size"]')
    responses = table.texts("response", single=True)
    hierarchies: dict[str, Path] = {}
    other = table.below("hierarchy", dimensions)
    for name in other.table:
        if (file := other.file(name)) is not None:
            hierarchies[name] = file
    by = f"{', '.join(responses) or 'frequencies'} by {', '.join(dimensions)}"
    return TablePlan(table.text("name", by), dimensions, responses, hierarchies)


def _tree(table: Checked, name: str) -> dict[str, Any] | None:
    given = table.table.get("tree")
    if given is None:
        return None
    if not isinstance(given, dict) or len(given) != 1 or not _is_tree(given):
        table.fault(
            "tree",
            f"'tree' of dimension '{name}' must have one total that holds tables or lists of codes, "
            'such as { Total = { A = ["A1", "A2"], B = [] } }',
        )
        return None
    return given


def _is_tree(given: object) -> bool:
    if isinstance(given, dict):
        return all(_is_tree(value) for value in given.values())
    return isinstance(given, list) and all(isinstance(code, str) for code in given)
