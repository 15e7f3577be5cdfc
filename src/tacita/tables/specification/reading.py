"""Reading a specification: every fault of the file in one message, each with its line."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from tacita.errors import InputError, UsageError, did_you_mean, faults_text
from tacita.model.hierarchy.text_file import read_text
from tacita.model.microdata import Microdata
from tacita.tables.specification.reading_dimensions import dimension_plan, table_plans
from tacita.tables.specification.reading_plans import attacker_plan, data_plan, history_plan, protect_plan
from tacita.tables.specification.sensitivity import read_sensitivity
from tacita.tables.specification.specification import DataPlan, DimensionPlan, TablePlan, TableSpecification
from tacita.toml.checked import Checked
from tacita.toml.faults import Faults, tables_of

TOP_KEYS = ("title", "data", "dimension", "table", "sensitivity", "attacker", "protect", "history")


def read_specification(path: str | PathLike[str]) -> TableSpecification:
    """Return the specification of a TOML file; file names in it are relative to its folder."""
    path = Path(path)
    text = read_text(path, InputError, "a specification of a table, a TOML file")
    return parse_specification(text, folder=path.parent, where=str(path))


def parse_specification(
    text: str, *, folder: str | PathLike[str] = ".", where: str = "the specification"
) -> TableSpecification:
    """Return the specification of a text.

    >>> found = parse_specification('''
    ... [data]
    ... microdata = "postgresql://server/firms"
    ... [[table]]
    ... dimensions = ["sector", "size"]
    ... response = "turnover"
    ... [sensitivity]
    ... p_percent = { p = 10 }
    ... ''')
    >>> found.tables[0].name, found.sensitivity.rules[0].label, found.protect.method
    ('turnover by sector, size', 'p % (p = 10)', 'suppression')
    """
    faults = Faults()
    specification = _specification(tables_of(text, where=where), faults, Path(folder))
    faults.raise_any(
        text, where=where, do="correct the specification; docs/reference/table-specification.md lists every key"
    )
    return specification


def specification_of(tables: dict[str, Any], microdata: Microdata, *, where: str) -> TableSpecification:
    """Return the specification of tables as a file would have them, about records that were read already.

    File names are relative to the current folder.
    """
    faults = Faults()
    specification = _specification(tables, faults, Path(), microdata)
    if faults.notes:
        raise UsageError(
            faults_text(list(dict.fromkeys(message for _, message in faults.notes))),
            where=where,
            do="correct these; docs/reference/table-specification.md lists every key",
        )
    return specification


def _specification(
    tables: dict[str, Any], faults: Faults, folder: Path, microdata: Microdata | None = None
) -> TableSpecification:
    top = Checked.of(tables, (), faults, folder, TOP_KEYS)
    data = data_plan(top, microdata)
    dimensions = _dimensions(top)
    plans = table_plans(top)
    _check_together(top, data, dimensions, plans)
    return TableSpecification(
        data=data,
        dimensions=dimensions,
        tables=plans,
        title=top.text("title", ""),
        sensitivity=read_sensitivity(top),
        attacker=attacker_plan(top),
        protect=protect_plan(top, {name for plan in plans for name in plan.dimensions}),
        history=history_plan(top) if "history" in tables else None,
        folder=folder,
    )


def _dimensions(top: Checked) -> dict[str, DimensionPlan]:
    given = top.table.get("dimension", {})
    if not isinstance(given, dict):
        top.fault("dimension", "dimensions are tables of their own: [dimension.sector]")
        return {}
    return {name: dimension_plan(top, name, table) for name, table in given.items()}


def _check_together(
    top: Checked, data: DataPlan, dimensions: dict[str, DimensionPlan], plans: tuple[TablePlan, ...]
) -> None:
    used = {name for plan in plans for name in plan.dimensions}
    for name in dimensions:
        if used and name not in used:
            top.faults.add(("dimension", name), f"no table has the dimension '{name}'{did_you_mean(name, used)}")
    if data.cells and any(plan.columns for plan in dimensions.values()):
        top.fault("dimension", "a hierarchy from 'columns' needs microdata; for a file of cells give a hierarchy file")
    if data.cells and len(plans) > 1 and len({plan.responses for plan in plans}) > 1:
        top.fault("table", "the tables of one file of cells have one response")
