"""The parts of a specification that name data, say who attacks, and how to protect."""

from __future__ import annotations

import glob
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from tacita.errors import did_you_mean
from tacita.model.microdata import Microdata
from tacita.tables.protect.catalogue import WAYS
from tacita.tables.specification.fields import keys_of, read_fields
from tacita.tables.specification.specification import AttackerPlan, DataPlan, HistoryPlan, ProtectPlan
from tacita.toml.checked import Checked

_DATA = keys_of(DataPlan)
_OF_MICRODATA = tuple(key for key in _DATA[2 : _DATA.index("value")] if key != "format")
_OF_CELLS = ("format", *_DATA[_DATA.index("value") :])
DATA_KEYS = ("microdata", "cells", *_OF_MICRODATA, *_OF_CELLS)
HISTORY_KEYS = keys_of(HistoryPlan)
ATTACKER_KEYS = keys_of(AttackerPlan)
PROTECT_KEYS = keys_of(ProtectPlan, without=("options",))


def data_plan(top: Checked, microdata: Microdata | None = None) -> DataPlan:
    """Return the table [data]; of records that were read already it names no file."""
    data = top.below("data", DATA_KEYS)
    if microdata is not None:
        for key in (*_OF_CELLS, "cells", "microdata", "layout"):
            if key in data.table:
                data.fault(key, f"'{key}' in [data] is for files, and records are given")
        return DataPlan(microdata=microdata, **read_fields(data, DataPlan, without=("microdata", "cells", "layout")))
    if ("microdata" in data.table) == ("cells" in data.table):
        both = "cells" in data.table
        said = "names both microdata and cells" if both else "names neither microdata nor cells"
        data.fault("cells" if both else "microdata", f'[data] {said}: give one, such as microdata = "firms.csv"')
    wrong = _OF_CELLS if "microdata" in data.table else _OF_MICRODATA
    other = "a file of cells" if "microdata" in data.table else "microdata"
    for key in wrong:
        if key in data.table and key != "layout":
            data.fault(key, f"'{key}' in [data] is for {other} only")
    return DataPlan(microdata=_source(data), **read_fields(data, DataPlan, without=("microdata",)))


def history_plan(top: Checked) -> HistoryPlan:
    """Return the table [history]."""
    history = top.below("history", HISTORY_KEYS)
    values = read_fields(history, HistoryPlan)
    if "cells" not in values:
        history.fault("cells", "[history] names no cells: give the file of the earlier publication")
    plan = HistoryPlan(**{"cells": Path(), **values})
    if plan.period == "same" and "within" in history.table:
        history.fault(
            "within", "'within' in [history] is for period = \"earlier\": values of the same period are equal"
        )
    return plan


def attacker_plan(top: Checked) -> AttackerPlan:
    """Return the table [attacker]."""
    table = top.below("attacker", ATTACKER_KEYS)
    if table.table.get("lower") == "none":
        return AttackerPlan(lower=None, **read_fields(table, AttackerPlan, without=("lower",)))
    return AttackerPlan(**read_fields(table, AttackerPlan))


def protect_plan(top: Checked, dimensions: Collection[str]) -> ProtectPlan:
    """Return the table [protect]."""
    methods = WAYS.names()
    table = top.below("protect", (*PROTECT_KEYS, *methods))
    method = table.text("method", "suppression", among=methods)
    for other in methods:
        if other in table.table and other != method:
            table.fault(
                other,
                f"[protect.{other}] has settings of a method that is not used: the method is '{method}'; write "
                f'method = "{other}", or take them out',
            )
    return ProtectPlan(
        method=method,
        keep=_cells(table, "keep", dimensions),
        suppress=_cells(table, "suppress", dimensions),
        options=_method_options(table, method),
        **read_fields(table, ProtectPlan, without=("method", "keep", "suppress", "options")),
    )


def _method_options(table: Checked, method: str) -> dict[str, Any]:
    """Return the settings of the method itself; each is checked here, so that none is ignored or meets a program."""
    if method not in table.table:
        return {}
    way = WAYS.named(method)
    if not keys_of(way):
        table.fault(method, f"[protect.{method}] stands there, but this method has no settings of its own")
        return {}
    return read_fields(table.below(method, keys_of(way)), way)


def _source(data: Checked) -> Path | str | None:
    """Return the microdata: a database URL as it is, anything else as a path."""
    given = data.text("microdata", None)
    if given is None or "://" in given:
        return given
    path = data.folder / given
    if glob.has_magic(given) or path.is_dir():
        return path
    return data.path("microdata", given)


def _cells(table: Checked, key: str, dimensions: Collection[str]) -> tuple[Mapping[str, str], ...]:
    """Return descriptions of cells: codes by dimension; a dimension that is left out may have any code."""
    given = table.table.get(key, [])
    if not isinstance(given, list) or not all(isinstance(cell, dict) and cell for cell in given):
        table.fault(key, f"'{key}' in [protect] must be a list of cells, such as [{{ sector = \"A1\" }}]")
        return ()
    cells = []
    for cell in given:
        for name, code in cell.items():
            if dimensions and name not in dimensions:
                table.fault(key, f"'{key}' names '{name}', which is no dimension{did_you_mean(name, dimensions)}")
            if not isinstance(code, str):
                table.fault(key, f"'{key}' gives no text as the code of '{name}': write it in quotes")
        cells.append({name: str(code) for name, code in cell.items()})
    return tuple(cells)
