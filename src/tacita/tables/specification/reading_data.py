"""The parts of a specification that name data: what is tabulated, and what was published earlier."""

from __future__ import annotations

import glob
from pathlib import Path

from tacita.tables.specification.specification import CELL_FORMATS, DataPlan, HistoryPlan
from tacita.toml.checked import Checked

_OF_MICRODATA = (
    "layout",
    "weight",
    "contributor",
    "holding",
    "request",
    "request_codes",
    "waiver",
    "frequency",
    "missing_response",
    "empty",
)
_OF_CELLS = (
    "format",
    "value",
    "count",
    "status",
    "lower",
    "upper",
    "cost",
    "lower_level",
    "upper_level",
    "sliding_level",
    "largest",
    "markers",
    "decimals",
)
DATA_KEYS = ("microdata", "cells", *_OF_MICRODATA, *_OF_CELLS)
HISTORY_KEYS = ("cells", "period", "within", "format", "value", "status", "markers")


def data_plan(top: Checked) -> DataPlan:
    """Return the table [data]."""
    data = top.below("data", DATA_KEYS)
    if ("microdata" in data.table) == ("cells" in data.table):
        both = "cells" in data.table
        said = "names both microdata and cells" if both else "names neither microdata nor cells"
        data.fault("cells" if both else "microdata", f'[data] {said}: give one, such as microdata = "firms.csv"')
    wrong = _OF_CELLS if "microdata" in data.table else _OF_MICRODATA
    other = "a file of cells" if "microdata" in data.table else "microdata"
    for key in wrong:
        if key in data.table and key != "layout":
            data.fault(key, f"'{key}' in [data] is for {other} only")
    return DataPlan(
        microdata=_source(data),
        cells=data.file("cells"),
        layout=data.file("layout"),
        format=data.text("format", "", among=CELL_FORMATS),
        weight=data.text("weight", None),
        contributor=data.text("contributor", None),
        holding=data.text("holding", None),
        request=data.text("request", None),
        request_codes=data.texts("request_codes", single=True),
        waiver=data.text("waiver", None),
        frequency=data.text("frequency", None),
        missing_response=data.text("missing_response", "refuse", among=("refuse", "zero", "leave_out")),
        empty=data.truth("empty", True),
        value=data.text("value", None),
        count=data.text("count", None),
        status=data.text("status", None),
        lower=data.text("lower", None),
        upper=data.text("upper", None),
        cost=data.text("cost", None),
        lower_level=data.text("lower_level", None),
        upper_level=data.text("upper_level", None),
        sliding_level=data.text("sliding_level", None),
        largest=data.texts("largest"),
        markers=data.texts("markers", single=True),
        decimals=data.whole("decimals", None, least=-12),
    )


def history_plan(top: Checked) -> HistoryPlan:
    """Return the table [history]."""
    history = top.below("history", HISTORY_KEYS)
    cells = history.file("cells")
    if cells is None:
        history.fault("cells", "[history] names no cells: give the file of the earlier publication")
    period = history.text("period", "same", among=("same", "earlier"))
    if period == "same" and "within" in history.table:
        history.fault(
            "within", "'within' in [history] is for period = \"earlier\": values of the same period are equal"
        )
    return HistoryPlan(
        cells=cells or Path(),
        period=period,
        within=history.number("within", None, least=0, above=True),
        format=history.text("format", "", among=CELL_FORMATS),
        value=history.text("value", None),
        status=history.text("status", None),
        markers=history.texts("markers", single=True),
    )


def _source(data: Checked) -> Path | str | None:
    """Return the microdata: a database URL as it is, anything else as a path."""
    given = data.text("microdata", None)
    if given is None or "://" in given:
        return given
    path = data.folder / given
    if glob.has_magic(given) or path.is_dir():
        return path
    return data.path("microdata", given)
