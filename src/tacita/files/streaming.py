"""Batches on their way into an engine and out of it.

An engine pulls batches from inside its own code and can only say that the stream broke. So a stream on its way in
remembers its own fault, and that one is raised.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from sqlglot import exp

from tacita.engines.protocol import Engine, EngineRelation

_ROWS = 50_000

if TYPE_CHECKING:
    import pyarrow as pa


def adopt(engine: Engine, batches: Iterable[pa.RecordBatch], schema: pa.Schema) -> EngineRelation:
    """Return the batches as a relation of the engine, or raise what the source of the batches raised."""
    faults: list[BaseException] = []

    def watched() -> Iterator[pa.RecordBatch]:
        try:
            yield from batches
        except BaseException as fault:
            faults.append(fault)
            raise

    try:
        relation = engine.adopt(watched(), schema)
    except BaseException:
        if faults:
            raise faults[0] from None
        raise
    if faults:  # an engine that takes a broken stream for a finished one must not get away with it
        engine.drop(relation)
        raise faults[0]
    return relation


def cells(relation: EngineRelation, rows: int = _ROWS) -> Iterator[list[tuple[pa.Array, pa.Array | None]]]:
    """Yield the tuples a batch at a time: each column's values, and the source's own spellings if it has them."""
    names = [name for c in relation.columns for name in (c.physical, c.as_written) if name]
    plan = exp.select(*(exp.column(name) for name in names)).from_(relation.source())
    for batch in relation.engine.stream(plan, rows):
        arrays = iter(batch.columns)
        yield [(next(arrays), next(arrays) if column.as_written else None) for column in relation.columns]
