"""A table as Parquet, in long form."""

from __future__ import annotations

from pathlib import Path

from tacita.tables.output.long import long_form
from tacita.tables.output.part import TablePart


def write_parquet(part: TablePart, path: Path) -> None:
    """Write the cells as rows."""
    import pyarrow.parquet as pq

    # No statistics: the smallest and largest figure of a column are of no use in so small a file.
    pq.write_table(long_form(part), path, compression="zstd", write_statistics=False)
