"""How DuckDB's types and ours correspond."""

from __future__ import annotations

from tacita.errors import InputError
from tacita.model.relation import ColumnType

_EXACT = {
    "VARCHAR": ColumnType.TEXT,
    "BOOLEAN": ColumnType.BOOLEAN,
    "DATE": ColumnType.DATE,
    "FLOAT": ColumnType.NUMBER,
    "DOUBLE": ColumnType.NUMBER,
}
_PREFIX = {
    "ENUM": ColumnType.TEXT,
    "DECIMAL": ColumnType.NUMBER,
    "TIMESTAMP": ColumnType.TIMESTAMP,
    "UTINYINT": ColumnType.INTEGER,
    "USMALLINT": ColumnType.INTEGER,
    "UINTEGER": ColumnType.INTEGER,
    "UBIGINT": ColumnType.INTEGER,
    "TINYINT": ColumnType.INTEGER,
    "SMALLINT": ColumnType.INTEGER,
    "INTEGER": ColumnType.INTEGER,
    "BIGINT": ColumnType.INTEGER,
    "HUGEINT": ColumnType.NUMBER,
    "UHUGEINT": ColumnType.NUMBER,
}
# Held by files, not by us: these become text, which loses nothing.
AS_TEXT = ("TIME", "UUID", "INTERVAL", "BIT", '"NULL"', "NULL")


def column_type(name: str, duckdb_type: str) -> ColumnType:
    """Return our type of a column, or raise if no single value stands in its cells."""
    if duckdb_type in _EXACT:
        return _EXACT[duckdb_type]
    if not duckdb_type.endswith("]"):
        for prefix, ours in _PREFIX.items():
            if duckdb_type.startswith(prefix):
                return ours
        if duckdb_type.startswith(AS_TEXT):
            return ColumnType.TEXT
    raise InputError(
        f"column '{name}' holds {duckdb_type.split('(', maxsplit=1)[0].lower()} values",
        do="give a flat table: unnest, drop or convert this column first",
    )


def needs_text_cast(duckdb_type: str) -> bool:
    """Return whether a column must be turned into text to be held."""
    return duckdb_type not in _EXACT and not duckdb_type.startswith(tuple(_PREFIX))
