"""Arrow files (.arrow, .feather, .ipc): read where they lie, batch by batch, and written compressed.

What the dictionary knows of a column travels in its field metadata: ``description``, and as JSON ``labels`` and
``missing``. Other tools ignore it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyarrow import ipc

from tacita.engines.protocol import Engine
from tacita.errors import InputError, listed
from tacita.files.contract import Loaded, ReadOptions, WriteOptions
from tacita.files.streaming import schema_of
from tacita.files.told import as_told
from tacita.model.attribute import Attribute
from tacita.model.microdata import Microdata, Reading
from tacita.model.relation import ColumnType
from tacita.progress import Step

_DESCRIPTIONS = (b"description", b"comment", b"label")


def read(source: Path, options: ReadOptions, engine: Engine) -> Loaded:
    """Read an Arrow file or stream; the file is mapped, never loaded whole."""
    with contextlib.ExitStack() as stack:
        try:
            if not source.stat().st_size:
                raise InputError("is empty", where=str(source), do="fetch or export it again")
            mapped = stack.enter_context(pa.memory_map(str(source)))
            schema, batches, total = _opened(mapped)
        except (pa.ArrowException, OSError, EOFError):
            raise _damaged(source) from None
        check_names(schema.names, str(source))
        relation = engine.adopt(_checked(batches, source, options, total), plain(schema))
    readings = [
        reading_of(column.name, column.type, field) for column, field in zip(relation.columns, schema, strict=True)
    ]
    relation, readings_told = as_told(relation, readings, options, str(source))
    attributes = tuple(attribute_of(field) for field in schema)
    description = (schema.metadata or {}).get(b"description", b"").decode(errors="replace")
    return Loaded(relation, attributes, readings_told, (), description)


def write(microdata: Microdata, path: Path, options: WriteOptions, *, ending: str) -> tuple[str, ...]:
    """Write an Arrow file, compressed with zstd; return what it could not hold."""
    del ending
    relation = microdata.relation
    total, done = relation.count(), 0
    schema = None
    with contextlib.ExitStack() as stack:
        writer = None
        for batch in relation.batches():
            if writer is None:
                schema = _described(batch.schema, microdata)
                compressed = ipc.IpcWriteOptions(compression="zstd")
                writer = stack.enter_context(ipc.new_file(str(path), schema, options=compressed))
            writer.write_batch(pa.RecordBatch.from_arrays(batch.columns, schema=schema))
            done += batch.num_rows
            options.progress(Step("writing", done, total))
        if writer is None:
            stack.enter_context(ipc.new_file(str(path), _described(schema_of(microdata), microdata)))
    coded = [c.name for c in microdata.columns if c.as_written and microdata.attribute(c.name).missing]
    if not coded:
        return ()
    return (f"Arrow files hold no codes of missing values: those of {listed(coded)} became plain missing values",)


def check_names(names: list[str], where: str) -> None:
    """Raise if a column has no name, or two have the same."""
    doubles = sorted({str(name) for name in names if names.count(name) > 1})
    if doubles:
        raise InputError(f"several columns have the same name: {listed(doubles)}", where=where, do="rename them")
    if "" in names:
        raise InputError("a column has no name", where=where, do="name it")


def plain(schema: pa.Schema) -> pa.Schema:
    """Return a schema without what the engine does not hold: extension types become what they are stored as."""
    return pa.schema([pa.field(field.name, _plain_type(field.type)) for field in schema])


def plain_batch(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    """Return a batch of a schema made `plain`."""
    arrays = []
    for values, field in zip(batch.columns, schema, strict=True):
        stored = values.storage if isinstance(values, pa.ExtensionArray) else values
        arrays.append(stored if stored.type == field.type else stored.cast(field.type, safe=False))
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _plain_type(type_: pa.DataType) -> pa.DataType:
    if isinstance(type_, pa.BaseExtensionType):
        type_ = type_.storage_type
    if pa.types.is_timestamp(type_):
        return pa.timestamp("us")  # UTC, if it had a time zone
    if pa.types.is_float16(type_):
        return pa.float32()
    if pa.types.is_string_view(type_):
        return pa.string()
    return type_


def reading_of(name: str, type_: ColumnType, field: pa.Field) -> Reading:
    """Return what a typed column was taken for."""
    reason = f"{field.type}, as the source says"
    if pa.types.is_timestamp(field.type):
        reason += "; in UTC" if field.type.tz else ""
        reason += "; to the microsecond" if field.type.unit == "ns" else ""
    elif pa.types.is_null(field.type):
        reason = "no values"
    elif type_ is ColumnType.TEXT and not _is_text(field.type):
        reason += "; as text"
    return Reading(name, type_, reason)


def _is_text(type_: pa.DataType) -> bool:
    if pa.types.is_dictionary(type_):
        type_ = type_.value_type
    return bool(pa.types.is_string(type_) or pa.types.is_large_string(type_) or pa.types.is_string_view(type_))


def attribute_of(field: pa.Field) -> Attribute:
    """Return what the metadata of a field says of a column."""
    metadata: Mapping[bytes, bytes] = field.metadata or {}
    description = next((metadata[key].decode(errors="replace") for key in _DESCRIPTIONS if key in metadata), "")
    labels, missing = _json(metadata, b"labels"), _json(metadata, b"missing")
    return Attribute(
        field.name,
        description=description,
        labels={str(k): str(v) for k, v in labels.items()} if isinstance(labels, dict) else {},
        missing=tuple(map(str, missing)) if isinstance(missing, list) else (),
        format=metadata.get(b"format", b"").decode(errors="replace"),
    )


def _json(metadata: Mapping[bytes, bytes], key: bytes) -> Any:
    try:
        return json.loads(metadata.get(key, b"null"))
    except ValueError:
        return None


def _described(schema: pa.Schema, microdata: Microdata) -> pa.Schema:
    """Return a schema with what the dictionary knows of the columns."""
    fields = []
    for field in schema:
        known = microdata.attribute(field.name)
        metadata = {"description": known.description, "format": known.format}
        metadata["labels"] = json.dumps(dict(known.labels), ensure_ascii=False) if known.labels else ""
        metadata["missing"] = json.dumps(known.missing, ensure_ascii=False) if known.missing else ""
        fields.append(field.with_metadata({key: value for key, value in metadata.items() if value}))
    description = microdata.dictionary.description
    return pa.schema(fields, {"description": description} if description else None)


def _opened(mapped: pa.MemoryMappedFile) -> tuple[pa.Schema, Iterator[pa.RecordBatch], int | None]:
    """Return the content of a file in either format: one that can be read at any place, or a stream."""
    start = mapped.read(6)
    mapped.seek(0)
    if start == b"ARROW1":
        reader = ipc.open_file(mapped)
        batches = (reader.get_batch(i) for i in range(reader.num_record_batches))
        return reader.schema, batches, reader.num_record_batches
    stream = ipc.open_stream(mapped)
    return stream.schema, iter(stream), None


def _checked(
    batches: Iterator[pa.RecordBatch], source: Path, options: ReadOptions, total: int | None
) -> Iterator[pa.RecordBatch]:
    done = 0
    schema = None
    try:
        for batch in batches:
            schema = schema or plain(batch.schema)
            batch.validate()
            done += 1
            options.progress(Step(f"reading {source.name}", done, total))
            yield plain_batch(batch, schema)
    except (pa.ArrowException, OSError, EOFError):
        raise _damaged(source) from None


def _damaged(source: Path) -> InputError:
    return InputError(
        "is damaged, or is not an Arrow file (version 1 of Feather is not read)",
        where=str(source),
        do="fetch or export it again",
    )
