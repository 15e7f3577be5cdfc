"""How the fields of a plan that are no plain values are typed at the command line, and how they stand in its file."""

from __future__ import annotations

import csv
import importlib
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from tacita.cycle.suppression.routing import AttributeRoute
from tacita.errors import UsageError
from tacita.forms import FILE, NAMES, Form, choose, names_in, place_in
from tacita.options import filed, read_fields
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.options import MEASURE, public_place
from tacita.toml.checked import Checked

_BY_RULES = "with --program the rules say what is safe, what is changed and in which order"
_ALONE = "say it in the program or with --param NAME=VALUE, and leave out the other options"


def by_rules_alone() -> UsageError:
    """Return the error about a plan that says something beside a program."""
    return UsageError(_BY_RULES, do=_ALONE)


# -- measures and programs ---------------------------------------------------------------------------------------------


def _parse_measure(typed: Mapping[str, Any], flag: str) -> Any:
    if typed.get("program") is None:
        return MEASURE.parse(typed, flag)
    if any(typed.get(name) is not None for name in ("measure", "k", "threshold")):
        raise by_rules_alone()
    return KAnonymity()


PLAN_MEASURE = replace(MEASURE, parse=_parse_measure)
"""The measures of a plan; with a program, its rules say what is measured."""


def _parse_parameters(typed: Mapping[str, Any], flag: str) -> dict[str, Any]:
    if typed.get("program") is None:
        return {}
    from tacita.rules.typed_parameters import parsed_parameters

    return dict(parsed_parameters(typed.get("param") or ()))


PROGRAM_PARAMETERS = Form(
    parse=_parse_parameters,
    read=lambda table, key, default: dict(table.open(key).table) if key in table.table else default,
    write=lambda value, folder: (
        {k: list(v) if isinstance(v, tuple | frozenset) else v for k, v in value.items()} or None
    ),
)
"""Parameters of a program; in a file a table."""


# -- what else is named ------------------------------------------------------------------------------------------------


def _read_population(table: Checked, key: str, default: Any) -> Any:
    text = table.text(key, None)
    return default if text is None else place_in(text, table.folder)


def _write_population(value: Any, folder: Path) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise UsageError(
            "the population is a relation, which no file can hold", do="name the file that it is read from"
        )
    return public_place(value, folder)


POPULATION = Form(read=_read_population, write=_write_population)
"""A file or the address of a database."""


def _parse_attributes(typed: str, flag: str) -> Any:
    names = names_in(typed)
    if len(names) != 1:
        return tuple(names)
    wanted = names[0].strip().casefold().replace("_", "-")
    return AttributeRoute(wanted) if wanted in set(AttributeRoute) else (names[0],)


def _read_attributes(table: Checked, key: str, default: Any) -> Any:
    if isinstance(table.table.get(key), list):
        return NAMES.read(table, key, default)
    text = table.text(key, None, among=[route.value for route in AttributeRoute])
    return default if text is None else AttributeRoute(text)


ATTRIBUTES = Form(
    parse=_parse_attributes,
    read=_read_attributes,
    write=lambda value, folder: value.value if isinstance(value, AttributeRoute) else list(value),
)
"""An order of cells by its name, or the attributes themselves."""


def check_attributes(attributes: AttributeRoute | tuple[str, ...], names: tuple[str, ...]) -> None:
    """Raise if one word is neither an attribute nor an order."""
    if not isinstance(attributes, AttributeRoute) and len(attributes) == 1 and attributes[0] not in names:
        choose(attributes[0], AttributeRoute, "order")


def _cells_of(path: Path, flag: str = "") -> tuple[tuple[int, str], ...]:
    """Return the cells that a CSV file names: row from 1, attribute."""
    cells = []
    with path.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(file)
        if not {"row", "attribute"} <= set(rows.fieldnames or ()):
            raise UsageError("there are no columns 'row' and 'attribute'", where=str(path), do="name them in a header")
        for line, row in enumerate(rows, 2):
            if not (row["row"] or "").strip().isdigit():
                raise UsageError("the row is no number", where=f"{path}, line {line}", do="count records from 1")
            cells.append((int(row["row"]), str(row["attribute"]).strip()))
    return tuple(cells)


def _read_cells(table: Checked, key: str, default: Any) -> Any:
    given = table.table.get(key)
    if given is None:
        return default
    if isinstance(given, str):
        path = FILE.read(table, key, None)
        return _cells_of(path) if path is not None and path.is_file() else default
    if isinstance(given, list) and all(_is_cell(cell) for cell in given):
        return tuple((row, name) for row, name in given)
    table.fault(key, f"'{key}' must be the path of a CSV file, or a list of cells such as [7, \"Area\"]")
    return default


def _is_cell(cell: object) -> bool:
    return isinstance(cell, list) and len(cell) == 2 and type(cell[0]) is int and isinstance(cell[1], str)


CELLS = Form(
    Path, parse=_cells_of, read=_read_cells, write=lambda value, folder: [list(cell) for cell in value] or None
)
"""Cells by record and attribute: typed as a CSV file; in a file the same, or a list."""


# -- the release -------------------------------------------------------------------------------------------------------


def _release_options() -> type[Any]:
    """Return the class of the options of a release: its room is above that of the cycle, so it is found by name."""
    cls: type[Any] = importlib.import_module("tacita.release.options").ReleaseOptions
    return cls


def _read_release(table: Checked, key: str, default: Any) -> Any:
    if key not in table.table:
        return default
    cls = _release_options()
    values = read_fields(cls, table.below(key, filed(cls)))
    if table.faults.notes:
        return default
    try:
        return cls(**values)
    except UsageError as error:
        table.faults.add_error((*table.keys, key), error)
        return default


def _write_release(value: Any, folder: Path) -> Any:
    from tacita.options import entries_of

    return None if value is None else entries_of(value, folder)


RELEASE = Form(read=_read_release, write=_write_release)
"""What is chosen about a release; in a file a table."""
