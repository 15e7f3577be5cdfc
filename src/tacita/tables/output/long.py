"""Tables in long form, a line for each cell, and as CSV and Parquet files."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tacita.engines.arrow import as_arrow
from tacita.errors import UsageError
from tacita.model.table import Status
from tacita.tables.output.figures import rounded, written
from tacita.tables.output.grid import grids
from tacita.tables.output.part import MARKER, TablePart

if TYPE_CHECKING:
    import pyarrow as pa


VALUE, STATUS, LOWER, UPPER = "value", "status", "lower", "upper"


def long_form(part: TablePart) -> pa.Table:
    """Return the cells as rows: the codes, ``value``, ``status``, interval and further columns if there are any.

    The status is ``x`` where the figure is withheld, else empty; in the internal version it says why.

    >>> from tacita.model.table import Dimension
    >>> size = Dimension.flat("size", ["small", "large"])
    >>> codes = np.array([[0], [1], [2]], np.int32)
    >>> part = TablePart("firms", (size,), codes, np.array([9.0, np.nan, np.nan]), "count")
    >>> long_form(part).to_pylist()[:2]
    [{'size': 'Total', 'value': 9.0, 'status': ''}, {'size': 'small', 'value': None, 'status': 'x'}]
    """
    import pyarrow as pa

    check_names(part)
    columns: dict[str, pa.Array] = {}
    for place, dimension in enumerate(part.dimensions):
        codes = np.ascontiguousarray(part.codes[:, place])
        words = pa.array(list(dimension.codes), pa.string())
        columns[dimension.name] = pa.DictionaryArray.from_arrays(as_arrow(codes), words).cast(pa.string())
    withheld = part.withheld
    columns[VALUE] = as_arrow(np.where(withheld, 0.0, rounded(part.values)), ~withheld)
    marks = ["", MARKER] if part.statuses is None else [status.name.lower() for status in Status]
    places = (withheld if part.statuses is None else part.statuses).astype(np.int32)
    columns[STATUS] = pa.DictionaryArray.from_arrays(as_arrow(places), pa.array(marks, pa.string())).cast(pa.string())
    for name, bound in ((LOWER, part.lower), (UPPER, part.upper)):
        if bound is not None:
            known = np.isfinite(bound)
            columns[name] = as_arrow(np.where(known, rounded(bound), 0.0), known)
    for name, column in part.columns.items():
        columns[name] = as_arrow(column) if isinstance(column, np.ndarray) else pa.array(list(column))
    return pa.table(columns)


def check_names(part: TablePart) -> None:
    """Raise if a dimension is called as a column that every table has."""
    taken = {VALUE, STATUS, LOWER, UPPER, *part.columns}
    if clash := [dimension.name for dimension in part.dimensions if dimension.name in taken]:
        raise UsageError(
            f"a dimension is called '{clash[0]}', and so is a column of every table that is written",
            where=f"table '{part.name}'",
            do="rename the column of the data, and the dimension in the specification",
        )


def long_csv(part: TablePart) -> str:
    """Return the cells one by one."""
    rows = long_form(part)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(rows.column_names)
    columns = [[_written(cell) for cell in rows.column(name).to_pylist()] for name in rows.column_names]
    writer.writerows(zip(*columns, strict=True))
    return text.getvalue()


def wide_csv(part: TablePart) -> str:
    """Return the table as printed: the codes of the second dimension are columns; further dimensions lead each row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    further = part.dimensions[2:]
    for number, grid in enumerate(grids(part)):
        if not number:
            writer.writerow([*(dimension.name for dimension in further), grid.corner, *grid.heads])
        for head, cells in zip(grid.sides, grid.cells, strict=True):
            writer.writerow([*grid.at, head, *(cell.as_text(written) for cell in cells)])
    return text.getvalue()


def _written(cell: object) -> str:
    if cell is None:
        return ""
    return written(cell) if isinstance(cell, float) else str(cell)


def write_parquet(part: TablePart, path: Path) -> None:
    """Write the cells as rows."""
    import pyarrow.parquet as pq

    # No statistics: the smallest and largest figure of a column are of no use in so small a file.
    pq.write_table(long_form(part), path, compression="zstd", write_statistics=False)
