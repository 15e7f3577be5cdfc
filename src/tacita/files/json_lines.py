"""JSON Lines (.jsonl, .ndjson): a record on each line, as an object of single values."""

from __future__ import annotations

import datetime as dt
import json
import math
from pathlib import Path
from typing import Any

import pyarrow as pa

from tacita.engines.protocol import Engine
from tacita.errors import InputError, listed
from tacita.files.arrow import check_names, reading_of
from tacita.files.contract import Loaded, ReadOptions, WriteOptions
from tacita.files.told import as_told
from tacita.model.attribute import Attribute
from tacita.model.microdata import Microdata
from tacita.progress import Step


def read(source: Path, options: ReadOptions, engine: Engine) -> Loaded:
    """Read a JSON Lines file; an absent key is a missing value, a text of the form 2024-01-31 a date."""
    from pyarrow.json import ParseOptions, read_json

    if not source.stat().st_size:
        raise InputError("is empty", where=str(source), do="fetch or export it again")
    try:
        table = read_json(source, parse_options=ParseOptions(newlines_in_values=False))
    except (pa.ArrowException, UnicodeDecodeError):
        raise InputError(
            "is damaged, or values of a key have different types, or it is not JSON Lines",
            where=str(source),
            do="write one JSON object a line, and all values of a key as numbers, or all as texts",
        ) from None
    if nested := [field.name for field in table.schema if pa.types.is_nested(field.type)]:
        raise InputError(f"{listed(nested)} holds lists or objects", where=str(source), do="write single values")
    check_names(table.schema.names, str(source))
    for place, field in enumerate(table.schema):
        table = table.set_column(place, field.name, _in_days(table.column(place)))
    options.progress(Step(f"reading {source.name}", 1, 1))
    relation = engine.adopt(table.to_batches(), table.schema)
    readings = [reading_of(c.name, c.type, field) for c, field in zip(relation.columns, table.schema, strict=True)]
    relation, readings_told = as_told(relation, readings, options, str(source))
    return Loaded(relation, tuple(Attribute(name) for name in table.schema.names), readings_told, (), "")


def write(microdata: Microdata, path: Path, options: WriteOptions, *, ending: str) -> tuple[str, ...]:
    """Write a JSON object a line, missing values as null; return what it could not hold."""
    del ending
    total, done = microdata.relation.count(), 0
    with path.open("w", encoding="utf-8", newline="\n") as file:
        for batch in microdata.relation.batches():
            file.writelines(json.dumps(row, ensure_ascii=False, default=_text) + "\n" for row in _rows(batch))
            done += batch.num_rows
            options.progress(Step("writing", done, total))
    coded = [c.name for c in microdata.columns if c.as_written and microdata.attribute(c.name).missing]
    if not coded:
        return ()
    return (f"JSON Lines hold no codes of missing values: those of {listed(coded)} became null",)


def _rows(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = batch.to_pylist()
    return [{k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()} for row in rows]


def _text(value: object) -> str:
    """Return how a date or time is written."""
    return value.isoformat(sep=" ") if isinstance(value, dt.datetime) else str(value)


def _in_days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return times that are all at midnight as dates: the library takes dates for times."""
    if not pa.types.is_timestamp(column.type):
        return column
    days = column.cast(pa.date32(), safe=False)
    return days if days.cast(column.type).equals(column) else column
