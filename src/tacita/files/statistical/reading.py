"""Reading Stata, SPSS and SAS files: chunk by chunk into the engine, with everything that the file says.

Types are known for sure only at the end: whether all doubles of a column are whole, whether all its dates are days,
whether it has a tagged missing at all. So numbers go in as doubles, facts are gathered on the way, and one plan in the
engine settles the types. A date column whose numbers are not dates after all makes the file be read once more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
from sqlglot import exp

from tacita.engines.protocol import Engine, Relation
from tacita.errors import InputError, counted, listed
from tacita.files.contract import Loaded, ReadOptions
from tacita.files.statistical import library
from tacita.files.statistical.display import next_shape
from tacita.files.statistical.packages import FileKind, kind_of
from tacita.files.statistical.variables import FileVariable, attribute_of, reading_of, variable_of
from tacita.files.told import as_told
from tacita.model.relation import Column, ColumnType
from tacita.progress import Step


def read(source: Path, options: ReadOptions, engine: Engine) -> Loaded:
    """Read a file of a statistical package."""
    kind = kind_of(source.suffix)
    metadata = library.metadata(source, kind, options.encoding)
    if not metadata.column_names:
        raise InputError("has no columns", where=str(source), do="fetch or export it again")
    variables = [variable_of(name, kind.package, metadata) for name in metadata.column_names]
    raw = _adopted(source, kind, options, engine, variables, metadata)
    while any(variable.misfit for variable in variables):
        engine.drop(raw)
        shapes = [next_shape(v.shape, v.package) if v.misfit else v.shape for v in variables]
        variables = [
            replace(variable_of(v.name, kind.package, metadata), shape=shape)
            for v, shape in zip(variables, shapes, strict=True)
        ]
        raw = _adopted(source, kind, options, engine, variables, metadata)
    relation = _settled(raw, variables)
    readings = tuple(reading_of(variable) for variable in variables)
    relation, readings = as_told(relation, readings, options, str(source))
    return Loaded(
        relation,
        tuple(attribute_of(variable, metadata) for variable in variables),
        readings,
        _details(metadata),
        (metadata.file_label or "").strip(),
    )


def _adopted(
    source: Path,
    kind: FileKind,
    options: ReadOptions,
    engine: Engine,
    variables: list[FileVariable],
    metadata: Any,
) -> Relation:
    fields: list[tuple[str, pa.DataType]] = []
    for i, variable in enumerate(variables):
        fields.append((f"v{i}", variable.arrow_type()))
        if variable.may_be_coded:
            fields.append((f"v{i}w", pa.string()))
    schema = pa.schema(fields)

    def batches() -> Iterator[pa.RecordBatch]:
        done = 0
        for cells, chunk in library.chunks(source, kind, options.encoding, len(variables)):
            arrays = []
            for variable in variables:
                arrays += variable.arrays(cells[variable.name], chunk.missing_user_values.get(variable.name, []))
            batch = pa.RecordBatch.from_arrays(arrays, schema=schema)
            done += batch.num_rows
            options.progress(Step(f"reading {source.name}", done, metadata.number_rows))
            yield batch

    return engine.adopt(batches(), schema)


def _settled(raw: Relation, variables: list[FileVariable]) -> Relation:
    """Return the relation with the types that were found, without the companions that stayed empty."""
    terms: list[exp.Expr] = []
    columns = []
    physical = iter(column.physical for column in raw.columns)
    for i, variable in enumerate(variables):
        value: exp.Expr = exp.column(next(physical))
        if variable.type is ColumnType.INTEGER:
            value = exp.Cast(this=value, to=exp.DataType.build("bigint"))
        terms.append(exp.alias_(value, f"c{i}"))
        companion = exp.column(next(physical)) if variable.may_be_coded else None
        if companion is not None and variable.coded:
            terms.append(exp.alias_(companion, f"c{i}w"))
        columns.append(Column(variable.name, f"c{i}", variable.type, f"c{i}w" if variable.coded else None))
    stored = raw.engine.store(exp.select(*terms).from_(raw.source()), columns)
    raw.engine.drop(raw)
    return stored


def _details(metadata: Any) -> tuple[tuple[str, str], ...]:
    details = []
    if metadata.file_encoding:
        details.append(("encoding", str(metadata.file_encoding)))
    if metadata.table_name:
        details.append(("table", str(metadata.table_name)))
    if metadata.notes:
        details.append(("notes", f"{counted(len(metadata.notes), 'line')} in the file, not kept"))
    if metadata.mr_sets:
        details.append(("multiple response sets", f"{listed(list(metadata.mr_sets))}: not kept"))
    return tuple(details)
