"""Tuples on their way out: values, and beside them the source's own spellings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.engines.protocol import Relation
from tacita.model.microdata import Microdata
from tacita.model.relation import ColumnType

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 50_000


def cells(relation: Relation, rows: int = _ROWS) -> Iterator[list[tuple[pa.Array, pa.Array | None]]]:
    """Yield the tuples a batch at a time: each column's values, and the source's own spellings if it has them."""
    names = [name for c in relation.columns for name in (c.physical, c.as_written) if name]
    plan = exp.select(*(exp.column(name) for name in names)).from_(relation.source())
    for batch in relation.engine.stream(plan, rows):
        arrays = iter(batch.columns)
        yield [(next(arrays), next(arrays) if column.as_written else None) for column in relation.columns]


def schema_of(microdata: Microdata) -> pa.Schema:
    """Return the schema of microdata without tuples."""
    import pyarrow as pa

    types = {
        ColumnType.INTEGER: pa.int64(),
        ColumnType.NUMBER: pa.float64(),
        ColumnType.BOOLEAN: pa.bool_(),
        ColumnType.DATE: pa.date32(),
        ColumnType.TIMESTAMP: pa.timestamp("us"),
    }
    return pa.schema([(column.name, types.get(column.type, pa.string())) for column in microdata.columns])
