"""Arrow batches in and out of Spark, piece by piece: neither Python nor the driver holds a whole relation."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from tacita.engines.spark.types import held_array

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

# What is handed to Java at once.
_PORTION = 64 * 1024 * 1024


def frames_of(
    session: SparkSession, batches: Iterable[pa.RecordBatch], schema: pa.Schema
) -> Iterator[Callable[[], DataFrame]]:
    """Yield portions of the batches, each a call that makes its frame; at least one, if only of no rows.

    A call, so that what goes wrong while batches are read is not mistaken for a fault of Spark.
    """
    waiting: list[pa.RecordBatch] = []
    size = 0
    portions = 0
    for batch in batches:
        arrays = [held_array(batch.column(i), field.type) for i, field in enumerate(schema)]
        waiting.append(pa.RecordBatch.from_arrays(arrays, schema=schema))
        size += waiting[-1].nbytes
        if size >= _PORTION:
            yield _frame_maker(session, waiting, schema)
            waiting, size, portions = [], 0, portions + 1
    if waiting or not portions:
        yield _frame_maker(session, waiting, schema)


def _frame_maker(session: SparkSession, batches: list[pa.RecordBatch], schema: pa.Schema) -> Callable[[], DataFrame]:
    table = pa.Table.from_batches(batches, schema)
    return lambda: session.createDataFrame(table)


def streamed(frame: DataFrame) -> Iterator[pa.RecordBatch]:
    """Yield the rows of a frame in order, a partition at a time, without gathering them anywhere."""
    from pyspark.serializers import FramedSerializer
    from pyspark.sql.pandas.types import to_arrow_schema
    from pyspark.util import _local_iterator_from_socket

    class Bytes(FramedSerializer):
        """Hands on what Java sends as it is."""

        def loads(self, obj: Any) -> Any:
            """Return the bytes of one batch."""
            return obj

        def dumps(self, obj: Any) -> Any:
            """Return the same bytes."""
            return obj

    schema = to_arrow_schema(frame.schema, timezone="UTC")
    java: Any = frame.sparkSession.sparkContext._jvm
    partitions = frame._jdf.toArrowBatchRdd()
    served = java.PythonRDD.toLocalIteratorAndServe(partitions, False)
    for message in _local_iterator_from_socket(served, Bytes()):
        yield pa.ipc.read_record_batch(pa.py_buffer(message), schema)
