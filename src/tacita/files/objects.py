"""Data frames and tables of pandas, polars and pyarrow that live in the same process.

None of these libraries is imported for it: whoever holds such an object has imported its library already.

- pandas: a nameless index that only counts rows is left out, a named one becomes a column (one per level). NaN, NaT,
  None and NA are missing. Categories become text, with their order kept if they have one. Columns of Python objects
  are text if they are text; a mixture is text, and doubtful.
- polars: a lazy frame is collected, in streaming mode.
- pyarrow: tables, batches, and readers, which are read once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from tacita.engines.protocol import Engine
from tacita.errors import InputError, UsageError, listed
from tacita.files.arrow import attribute_of, check_names, plain, plain_batch, reading_of
from tacita.files.contract import Loaded, ReadOptions
from tacita.files.told import as_told
from tacita.model.attribute import Attribute, Kind
from tacita.model.microdata import Reading

_ROWS = 100_000


@dataclass(slots=True)
class _Content:
    """An object as Arrow, with what Arrow cannot say of it."""

    schema: pa.Schema
    batches: Iterable[pa.RecordBatch]
    reasons: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """Columns that need explaining: why they are what they are, and whether that is doubtful."""
    orders: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """Columns with ordered categories."""


def read(obj: object, options: ReadOptions, engine: Engine) -> Loaded:
    """Read an object of pandas, polars or pyarrow."""
    where = f"{type(obj).__module__.partition('.')[0]} {type(obj).__name__}"
    content = _content(obj, where)
    names = list(content.schema.names)
    check_names(names, where)
    schema = plain(content.schema)
    relation = engine.adopt((plain_batch(batch, schema) for batch in content.batches), schema)
    readings = [_reading(column, f, content) for column, f in zip(relation.columns, content.schema, strict=True)]
    relation, readings_told = as_told(relation, readings, options, where)
    attributes = tuple(_attribute(f, content) for f in content.schema)
    return Loaded(relation, attributes, readings_told)


def _content(obj: Any, where: str) -> _Content:
    library = type(obj).__module__.partition(".")[0]
    if library == "pandas" and hasattr(obj, "iloc"):
        return _of_pandas(obj.to_frame() if type(obj).__name__ == "Series" else obj, where)
    if library == "polars":
        if type(obj).__name__ == "LazyFrame":
            obj = obj.collect(engine="streaming")
        if type(obj).__name__ == "Series":
            obj = obj.to_frame()
        return _of_table(_of_polars(obj, where))
    if library == "pyarrow":
        if isinstance(obj, pa.RecordBatch):
            return _Content(obj.schema, [obj])
        if isinstance(obj, pa.Table):
            return _of_table(obj)
        if isinstance(obj, pa.RecordBatchReader):
            return _Content(obj.schema, obj)
    raise UsageError(
        f"cannot read an object of type {type(obj).__module__}.{type(obj).__name__}",
        do="give a path, a database URL, or a data frame or table of pandas, polars or pyarrow",
    )


def _of_table(table: pa.Table) -> _Content:
    return _Content(table.schema, table.to_batches(_ROWS))


def _of_polars(frame: Any, where: str) -> pa.Table:
    if unfit := [name for name, type_ in frame.schema.items() if type(type_).__name__ == "Object"]:
        raise InputError(
            f"these columns hold Python objects: {listed(unfit)}",
            where=where,
            do="give them a type of polars, such as String",
        )
    return frame.to_arrow()


# -- pandas -----------------------------------------------------------------------------------------------------------


def _of_pandas(frame: Any, where: str) -> _Content:
    frame = _with_index(frame)
    names = [str(name) if not isinstance(name, tuple) else ".".join(map(str, name)) for name in frame.columns]
    check_names(names, where)
    content = _Content(pa.schema([]), [])
    arrays = [_array(frame.iloc[:, place], name, content, where) for place, name in enumerate(names)]
    table = pa.table(arrays, names=names)
    content.schema, content.batches = table.schema, table.to_batches(_ROWS)
    return content


def _with_index(frame: Any) -> Any:
    """Return a frame whose named index levels are columns; a nameless index only says where a row was."""
    named = [name for name in frame.index.names if name is not None]
    if not named:
        return frame.reset_index(drop=True)
    nameless = [level for level, name in enumerate(frame.index.names) if name is None]
    if nameless:
        frame = frame.reset_index(level=nameless, drop=True)
    return frame.reset_index()


def _array(column: Any, name: str, content: _Content, where: str) -> pa.Array:
    dtype = str(column.dtype)
    if dtype == "category":
        return _categories(column, name, content)
    if dtype == "object":
        return _objects(column, name, content, where)
    if dtype.startswith(("complex", "period", "interval", "Sparse")):
        content.reasons[name] = (f"{dtype}; as text", False)
        missing = column.isna().to_numpy()
        return pa.array(
            [None if gone else str(value) for value, gone in zip(column, missing, strict=True)], pa.string()
        )
    try:
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError):
        raise InputError(
            f"column '{name}' of type {dtype} cannot be read", where=where, do="convert it to text or numbers first"
        ) from None
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _categories(column: Any, name: str, content: _Content) -> pa.Array:
    texts = [str(value) for value in column.cat.categories]
    codes = column.cat.codes.to_numpy()
    kind = "ordered categories" if column.cat.ordered else "categories"
    content.reasons[name] = (f"{kind} of pandas, as text", False)
    if column.cat.ordered:
        content.orders[name] = tuple(texts)
    if len(set(texts)) < len(texts):
        content.reasons[name] = (f"{kind} of pandas, as text; some look alike as text", True)
    return pa.array(texts, pa.string()).take(pa.array(codes.astype("int64"), mask=codes < 0))


def _objects(column: Any, name: str, content: _Content, where: str) -> pa.Array:
    """Return a column of Python objects as what they all are, or as text."""
    missing = column.isna().to_numpy()
    values = [None if gone else value for value, gone in zip(column, missing, strict=True)]
    kinds = {type(value) for value in values if value is not None}
    if any(hasattr(kind, "__len__") and kind not in {str, bytes} for kind in kinds):
        raise InputError(
            f"column '{name}' holds {listed(sorted(kind.__name__ for kind in kinds))} in its cells",
            where=where,
            do="give a flat table: one value per cell",
        )
    if kinds <= {str}:
        return pa.array(values, pa.string())
    if bytes in kinds:
        raise InputError(f"column '{name}' holds binary data", where=where, do="leave it out, or convert it to text")
    try:
        array = pa.array(values)
        if len(kinds) == 1:
            content.reasons[name] = (f"Python objects, all {next(iter(kinds)).__name__}", False)
            return array
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        pass
    said = ", ".join(sorted(kind.__name__ for kind in kinds))
    content.reasons[name] = (f"mixed: Python objects of type {said}, as text", True)
    return pa.array([None if value is None else _text(value) for value in values], pa.string())


def _text(value: Any) -> str:
    return str(int(value)) if isinstance(value, float) and value.is_integer() and abs(value) < 1e15 else str(value)


# -- what is told -----------------------------------------------------------------------------------------------------


def _reading(column: Any, source: pa.Field, content: _Content) -> Reading:
    if source.name in content.reasons:
        reason, doubtful = content.reasons[source.name]
        return Reading(column.name, column.type, reason, doubtful)
    return reading_of(column.name, column.type, source)


def _attribute(source: pa.Field, content: _Content) -> Attribute:
    attribute = attribute_of(source)
    if order := content.orders.get(source.name):
        return attribute.with_(kind=Kind.ORDINAL, order=order)
    return attribute
