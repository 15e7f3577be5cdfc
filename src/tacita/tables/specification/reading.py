"""Reading a specification: every fault of the file in one message, each with its line."""

from __future__ import annotations

import re
import tomllib
from os import PathLike
from pathlib import Path
from typing import Any

from tacita.errors import InputError, did_you_mean, faults_text
from tacita.model.dictionary_file.statements import last_line
from tacita.model.hierarchy.text_file import read_text
from tacita.tables.specification.checked import Checked, Faults, Keys
from tacita.tables.specification.reading_data import data_plan, history_plan
from tacita.tables.specification.reading_dimensions import dimension_plan, table_plans
from tacita.tables.specification.reading_wishes import attacker_plan, protect_plan, sensitivity_plan
from tacita.tables.specification.specification import DataPlan, DimensionPlan, Specification, TablePlan

TOP_KEYS = ("title", "data", "dimension", "table", "sensitivity", "attacker", "protect", "history")
_AT = re.compile(r"(.*) \(at (?:line (\d+), column \d+|end of document)\)", re.DOTALL)


def read_specification(path: str | PathLike[str]) -> Specification:
    """Return the specification of a TOML file; file names in it are relative to its folder."""
    path = Path(path)
    text = read_text(path, InputError, "a specification of a table, a TOML file")
    return parse_specification(text, folder=path.parent, where=str(path))


def parse_specification(
    text: str, *, folder: str | PathLike[str] = ".", where: str = "the specification"
) -> Specification:
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
    >>> found.tables[0].name, found.sensitivity.p_percent[0].p, found.protect.method
    ('turnover by sector, size', 10.0, 'suppression')
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n")
    try:
        tables = tomllib.loads(text)
    except tomllib.TOMLDecodeError as fault:
        raise _no_toml(str(fault), text, where) from None
    faults = Faults()
    found = _specification(tables, faults, Path(folder))
    if faults.found:
        lines = _lines(text)
        told = sorted(((_line_of(lines, keys), said) for keys, said in faults.found), key=lambda each: each[0])
        raise InputError(
            faults_text([f"line {line}: {said}" for line, said in told]),
            where=where,
            do="correct the specification; docs/reference/table-specification.md lists every key",
        )
    return found


def _specification(tables: dict[str, Any], faults: Faults, folder: Path) -> Specification:
    top = Checked.of(tables, (), faults, folder, TOP_KEYS)
    data = data_plan(top)
    dimensions = _dimensions(top)
    plans = table_plans(top)
    _check_together(top, data, dimensions, plans)
    return Specification(
        data=data,
        dimensions=dimensions,
        tables=plans,
        title=top.text("title", ""),
        sensitivity=sensitivity_plan(top),
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


def _no_toml(fault: str, text: str, where: str) -> InputError:
    found = _AT.fullmatch(fault)
    said, line = (found[1], found[2]) if found else (fault, None)
    number = int(line) if line else last_line(text)
    row = (text.split("\n") + [""] * number)[number - 1]
    return InputError(
        f"this is not TOML: {said[:1].lower()}{said[1:]}\n    {row[:100]}",
        where=f"{where}, line {number}",
        do="correct that line; texts stand in double quotes",
    )


def _lines(text: str) -> dict[Keys, int]:
    """Return the line of each key; the tables of a list ([[table]]) are numbered from 1."""
    lines: dict[Keys, int] = {}
    table: Keys = ()
    numbers: dict[Keys, int] = {}
    for number, line in enumerate(text.split("\n"), 1):
        if header := re.match(r"\s*(\[\[?)\s*([^\]]+?)\s*\]", line):
            table = tuple(part.strip().strip("\"'") for part in header[2].split("."))
            if header[1] == "[[":
                numbers[table] = numbers.get(table, 0) + 1
                table = (*table, str(numbers[table]))
            lines.setdefault(table, number)
        elif entry := re.match(r"\s*([A-Za-z0-9_.\"'-]+)\s*=", line):
            keys = tuple(part.strip().strip("\"'") for part in entry[1].split("."))
            lines.setdefault((*table, *keys), number)
    return lines


def _line_of(lines: dict[Keys, int], keys: Keys) -> int:
    return next((lines[keys[:end]] for end in range(len(keys), 0, -1) if keys[:end] in lines), 1)
