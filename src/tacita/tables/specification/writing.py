"""Writing a specification as the text of its file."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

from tacita.files.atomic import write_text
from tacita.model.dictionary_file.writing import entries, table_text
from tacita.model.microdata import Microdata
from tacita.tables.specification.sensitivity import SensitivityPlan
from tacita.tables.specification.specification import DimensionPlan, TablePlan, TableSpecification


def write_specification(specification: TableSpecification, path: Path, *, force: bool = False) -> None:
    """Write a specification to a file; file names become relative to its folder."""
    write_text(path, specification_text(specification, path.parent), force=force)


def specification_text(specification: TableSpecification, folder: Path | None = None) -> str:
    """Return a specification as TOML, without what is as usual; `parse_specification` gives it back.

    >>> from tacita.tables.specification.specification import DataPlan
    >>> data, table = DataPlan(microdata="sqlite:///firms.db"), TablePlan("firms", ("size",), ("turnover",))
    >>> print(specification_text(TableSpecification(data, {}, (table,), title="Firms")))
    title = "Firms"
    <BLANKLINE>
    [data]
    microdata = "sqlite:///firms.db"
    <BLANKLINE>
    [[table]]
    name = "firms"
    dimensions = ["size"]
    response = "turnover"
    <BLANKLINE>
    """
    folder = specification.folder if folder is None else folder
    notes = specification.notes
    if isinstance(specification.data.microdata, Microdata):
        microdata = source_of(specification.data.microdata)
        notes = notes if microdata else (*notes, "The records came from memory: name their file in [data].")
        specification = replace(specification, data=replace(specification.data, microdata=microdata))
    plain = {name: _plain(_changed(getattr(specification, name)), folder) for name in _PARTS}
    plain["sensitivity"] = _plain(_without_usual(specification.sensitivity.to_dict()), folder)
    heading = "".join(f"# {note}\n" for note in notes)
    top = "".join(entries((), {"title": specification.title})[0]) if specification.title else ""
    parts = [heading + top, table_text(("data",), plain["data"])]
    for name, plan in specification.dimensions.items():
        parts.append(table_text(("dimension", name), _dimension(plan, folder)))
    parts += [_listed(plan, folder) for plan in specification.tables]
    parts += [table_text((name,), plain[name]) for name in ("sensitivity", "attacker") if plain[name]]
    protect = plain["protect"]
    if options := protect.pop("options", None):
        protect[specification.protect.method] = options
    parts += [table_text(("protect",), protect)] if protect else []
    parts += [table_text(("history",), plain["history"])] if specification.history else []
    return "\n".join(part for part in parts if part)


def source_of(microdata: Microdata) -> Path | str | None:
    """Return what a specification names as the source of records: a file or a database; None: they came from memory.

    What was generated has a name without an ending, which is no file whatever stands in the current folder.
    """
    name = microdata.source.name
    if "://" in name:
        return name
    return Path(name) if Path(name).suffix and Path(name).is_file() else None


_PARTS = ("data", "attacker", "protect", "history")


def _changed(plan: Any) -> dict[str, Any]:
    """Return the fields of a plan that are not as usual."""
    if plan is None:
        return {}
    usual = {one.name: one.default for one in fields(plan)}
    changed = {
        name: value for name in usual if (value := getattr(plan, name)) != usual[name] and value not in ({}, None)
    }
    if type(plan).__name__ == "AttackerPlan" and plan.lower is None:
        changed = {"lower": "none", **changed}
    return changed


def _without_usual(sensitivity: dict[str, Any]) -> dict[str, Any]:
    """Return the table [sensitivity] without what is as usual."""
    usual = SensitivityPlan().to_dict()
    return {name: value for name, value in sensitivity.items() if value != usual[name]}


def _dimension(plan: DimensionPlan, folder: Path) -> dict[str, Any]:
    given = {name: value for name, value in _changed(plan).items() if name != "name"}
    keys: dict[str, Any] = _plain(given, folder)
    if len(plan.hierarchies) == 1:
        keys = {"hierarchy": keys.pop("hierarchies")[0], **keys}
    if plan.columns and plan.column == plan.columns[-1]:
        keys.pop("column")
    return keys


def _listed(plan: TablePlan, folder: Path) -> str:
    table: dict[str, Any] = {"name": plan.name, "dimensions": plan.dimensions}
    if plan.responses:
        table["response"] = plan.responses[0] if len(plan.responses) == 1 else plan.responses
    if plan.hierarchies:
        table["hierarchy"] = plan.hierarchies
    lines, below = entries(("table",), _plain(table, folder))
    return "".join(["[[table]]\n", *lines, *below])


def _plain(value: Any, folder: Path) -> Any:
    """Return a value in the types that TOML has; paths are relative to the folder where that is shorter."""
    if isinstance(value, Path):
        given, near = str(value), os.path.relpath(value, folder)
        return Path(near).as_posix() if not near.startswith("..") or not value.is_absolute() else given
    if isinstance(value, Mapping):
        return {str(name): _plain(item, folder) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item, folder) for item in value]
    if hasattr(value, "__dataclass_fields__"):
        return {one.name: _plain(getattr(value, one.name), folder) for one in fields(value)}
    return value
