"""Whether the files of a release hold what was audited: read back, cell by cell."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.tables.output.part import MARKER, TablePart
from tacita.tables.protect.protected import Protected, ProtectedTable


def faults_of_written(protected: Protected, folder: Path, files: Mapping[str, Sequence[str]]) -> list[str]:
    """Return what is wrong in the files, in words.

    The pattern that was audited is compared with the cells that have no figure in the file, and the figures with those
    that were audited. Formats that are laid out for people are made of the same cells and are not read back.
    """
    shown = [(each, part) for each in protected.tables for part in protected.parts_shown(each)]
    faults = []
    for format_, read in (("csv", _read_csv), ("parquet", _read_parquet)):
        for (each, part), name in zip(shown, files.get(format_, ()), strict=False):
            faults += [f"{name}: {fault}" for fault in _faults(each, part, *read(folder / name))]
    return faults


def _faults(
    each: ProtectedTable, part: TablePart, values: NDArray[np.float64], marked: NDArray[np.bool_]
) -> Iterator[str]:
    cells = part.cells
    if cells is None or len(values) != len(cells):
        yield "it has not as many cells as the table"
        return
    withheld = each.withheld[cells]
    if (np.isnan(values) != withheld).any() or (marked != withheld).any():
        yield "other cells are withheld than in the pattern that was audited"
    audited = np.where(withheld, np.nan, each.values[cells])
    if not np.allclose(values, audited, rtol=1e-9, atol=1e-9, equal_nan=True):
        yield "a figure differs from the one that was audited"


def _read_csv(path: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    values = np.array([float(row["value"] or "nan") for row in rows], np.float64)
    return values, np.array([row["status"] == MARKER for row in rows], bool)


def _read_parquet(path: Path) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    import pyarrow.parquet as pq

    table = pq.read_table(path)
    values = [np.nan if value is None else value for value in table["value"].to_pylist()]
    return np.array(values, np.float64), np.array([mark == MARKER for mark in table["status"].to_pylist()], bool)
