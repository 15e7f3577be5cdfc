"""Parquet files as frames: their columns by position, their rows in the order of the files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from tacita.engines.spark.tables import together
from tacita.engines.spark.types import column_type, needs_text_cast
from tacita.errors import InputError
from tacita.model.relation import Column, ColumnType

if TYPE_CHECKING:
    from pyspark.sql import Column as Term
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.types import DataType

# Spark reads large files first. Up to this many are read one by one, which keeps their order.
_IN_ORDER = 64
_BATCH = 50_000


def scanned(session: SparkSession, paths: Sequence[Path], *, partitioned: bool) -> tuple[DataFrame, tuple[Column, ...]]:
    """Return Parquet files as one frame of columns c0, c1, ... and what these are."""
    reader = session.read
    if partitioned:
        reader = reader.option("basePath", f"file://{_above_partitions(paths[0])}")
    groups = [[path] for path in paths] if len(paths) <= _IN_ORDER else [list(paths)]
    frame = together([reader.parquet(*map(_literal, group)) for group in groups])
    numbered = frame.toDF(*(f"c{i}" for i in range(len(frame.columns))))
    written = _schema(paths[0])
    columns, terms = [], []
    for i, field in enumerate(frame.schema.fields):
        is_nano = i < len(written) and _is_nano(written.field(i).type)
        ours = ColumnType.TIMESTAMP if is_nano else column_type(field.name, field.dataType)
        columns.append(Column(field.name, f"c{i}", ours))
        terms.append(_stored_term(f"c{i}", field.dataType, is_nano=is_nano).alias(f"c{i}"))
    return numbered.select(*terms), tuple(columns)


def why_not_scanned(paths: Sequence[Path]) -> str:
    """Return why Spark cannot read files where they lie, or nothing; what Arrow reads can be loaded all the same."""
    for path in paths:
        if path.name.startswith(("_", ".")) or ":" in str(path):
            return "Spark overlooks files of such a name"
        for field in _schema(path):
            if pa.types.is_time(field.type) or pa.types.is_float16(field.type) or pa.types.is_null(field.type):
                return f"column '{field.name}' has a type that Spark does not know"
    return ""


def loaded(paths: Sequence[Path]) -> tuple[Iterator[pa.RecordBatch], pa.Schema]:
    """Return files read by Arrow."""
    batches = (batch for path in paths for batch in pq.ParquetFile(path).iter_batches(_BATCH))
    return batches, _schema(paths[0])


def _schema(path: Path) -> pa.Schema:
    reason = "it is damaged or not of this format"
    try:
        return pq.read_schema(path)
    except pa.ArrowInvalid:
        reason = "it is not a Parquet file"
    except OSError as error:
        reason = error.strerror or reason
    raise InputError(f"the file cannot be read: {reason}", where=str(path), do="check how the file was made")


def _above_partitions(path: Path) -> Path:
    """Return the folder that holds the folders named like ``year=2024``."""
    path = path.absolute()
    first = next(i for i, name in enumerate(path.parts) if "=" in name)
    return Path(*path.parts[:first])


def _literal(path: Path) -> str:
    """Return a path that Spark takes as it is: brackets and stars would be read as patterns."""
    return "file://" + "".join(f"\\{char}" if char in "{}[]*?\\" else char for char in str(path.absolute()))


def _is_nano(arrow: pa.DataType) -> bool:
    return bool(pa.types.is_timestamp(arrow)) and arrow.unit == "ns"


def _stored_term(name: str, spark_type: DataType, *, is_nano: bool) -> Term:
    """Return the term that makes a column what we hold."""
    from pyspark.sql import functions as f

    term = f.col(name)
    if is_nano:  # Spark reads them as the number of nanoseconds
        return f.timestamp_micros(f.floor(term / 1000)).cast("timestamp_ntz")
    if needs_text_cast(spark_type):
        return term.cast("string")
    written = spark_type.simpleString()
    if written in {"float", "double"}:  # NaN means that there is no number
        return f.when(~f.isnan(term), term)
    return term.cast("timestamp_ntz") if written == "timestamp" else term
