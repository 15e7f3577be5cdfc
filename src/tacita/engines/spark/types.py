"""How Spark's types, Arrow's and ours correspond."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from tacita.errors import InputError
from tacita.model.relation import ColumnType

if TYPE_CHECKING:
    from pyspark.sql.types import DataType

_EXACT = {
    "string": ColumnType.TEXT,
    "boolean": ColumnType.BOOLEAN,
    "date": ColumnType.DATE,
    "float": ColumnType.NUMBER,
    "double": ColumnType.NUMBER,
    "tinyint": ColumnType.INTEGER,
    "smallint": ColumnType.INTEGER,
    "int": ColumnType.INTEGER,
    "bigint": ColumnType.INTEGER,
    "timestamp": ColumnType.TIMESTAMP,
    "timestamp_ntz": ColumnType.TIMESTAMP,
}
# Held by files, not by us: these become text, which loses nothing.
_AS_TEXT = ("void", "time", "interval", "char", "varchar")


def column_type(name: str, spark_type: DataType) -> ColumnType:
    """Return our type of a column, or raise if no single value stands in its cells."""
    written = spark_type.simpleString()
    if written in _EXACT:
        return _EXACT[written]
    if written.startswith("decimal"):
        return ColumnType.NUMBER
    if written.startswith(_AS_TEXT):
        return ColumnType.TEXT
    raise refused(name, written)


def arrow_column_type(type_: pa.DataType) -> ColumnType:
    """Return our type of a column that `held_type` gave."""
    if pa.types.is_boolean(type_):
        return ColumnType.BOOLEAN
    if pa.types.is_integer(type_):
        return ColumnType.INTEGER
    if pa.types.is_floating(type_) or pa.types.is_decimal(type_):
        return ColumnType.NUMBER
    if pa.types.is_date(type_):
        return ColumnType.DATE
    return ColumnType.TIMESTAMP if pa.types.is_timestamp(type_) else ColumnType.TEXT


def needs_text_cast(spark_type: DataType) -> bool:
    """Return whether a column must be turned into text to be held."""
    return spark_type.simpleString().startswith(_AS_TEXT)


def refused(name: str, written: str) -> InputError:
    """Return the error about a column that holds more than one value in a cell."""
    kind = written.split("<", maxsplit=1)[0].split("(", maxsplit=1)[0].lower()
    return InputError(
        f"column '{name}' holds {kind} values",
        do="give a flat table: unnest, drop or convert this column first",
    )


def held_type(name: str, arrow: pa.DataType) -> pa.DataType:
    """Return the Arrow type that Spark takes for a column, or raise if no single value stands in its cells.

    >>> held_type("x", pa.uint8()), held_type("x", pa.timestamp("ns", "Europe/Rome"))
    (DataType(int64), TimestampType(timestamp[us]))
    """
    if isinstance(arrow, pa.ExtensionType):
        arrow = arrow.storage_type
    if pa.types.is_dictionary(arrow):
        arrow = arrow.value_type
    if pa.types.is_boolean(arrow):
        return arrow
    if pa.types.is_uint64(arrow):
        return pa.decimal128(20, 0)
    if pa.types.is_integer(arrow):
        return pa.int64()
    if pa.types.is_floating(arrow):
        return pa.float64() if pa.types.is_float64(arrow) else pa.float32()
    if pa.types.is_decimal(arrow):
        return pa.decimal128(min(arrow.precision, 38), arrow.scale) if arrow.precision <= 38 else pa.float64()
    if pa.types.is_date(arrow):
        return pa.date32()
    if pa.types.is_timestamp(arrow):
        return pa.timestamp("us")
    if _is_text(arrow):
        return pa.string()
    raise refused(name, str(arrow))


def _is_text(arrow: pa.DataType) -> bool:
    kinds = ("string", "large_string", "string_view", "null", "time", "duration", "interval")
    return any(getattr(pa.types, f"is_{kind}")(arrow) for kind in kinds)


def held_array(array: pa.Array, type_: pa.DataType) -> pa.Array:
    """Return an array as a type that `held_type` gave; NaN means that there is no number."""
    import pyarrow.compute as pc

    if isinstance(array, pa.ExtensionArray):
        array = array.storage
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_duration(array.type) or pa.types.is_interval(array.type):
        return pa.array([None if value is None else str(value) for value in array.to_pylist()], type_)
    if pa.types.is_timestamp(array.type) and array.type.tz is not None:
        array = array.cast(pa.timestamp(array.type.unit, "UTC"))
    # Nanoseconds beyond what an engine holds are cut off, as DuckDB's readers do.
    array = array.cast(type_, safe=not pa.types.is_timestamp(type_))
    if pa.types.is_floating(type_):
        array = pc.if_else(pc.is_nan(array), pa.scalar(None, type_), array)
    return array
