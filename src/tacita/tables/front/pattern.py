"""Which cells of a table are withheld in what was published: a file, or a folder with a file for each table."""

from __future__ import annotations

from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.engines.duckdb import DuckDBEngine
from tacita.errors import InputError, UsageError, counted, listed
from tacita.files.file_names import file_names
from tacita.model.table import WITHHELD, Dimension, Status, Table
from tacita.settings import Settings
from tacita.tables.build.additivity import decimals_of
from tacita.tables.build.cells.cell_statuses import given_statuses
from tacita.tables.build.cells.cells_file import CellColumns, RawCells, read_cells
from tacita.tables.front.case import Case

_ENDINGS = (".csv", ".parquet")


def pattern_of(published: str | PathLike[str], case: Case, *, alone: bool = True) -> NDArray[np.int8]:
    """Return the pattern of a publication as statuses of the cells of a case.

    A cell that is marked, that has no value, or that is not there, is withheld. Whether it is sensitive is what the
    case says. `alone` says that the specification has one response, so that files are called by the tables alone.
    """
    table = case.table
    shows = case.shows or {table.name: tuple(each.name for each in table.dimensions)}
    files = _files(Path(published), list(shows), table.response, alone=alone)
    status = np.full(len(table), Status.SECONDARY, np.int8)
    engine = DuckDBEngine(Settings.from_environment())
    for (_, dimensions), file in zip(shows.items(), files, strict=True):
        raw = read_cells(str(file), {name: name for name in dimensions}, CellColumns(), engine)
        told = _told(raw, table, dimensions)
        status[told] = Status.PUBLISHED
    status[(status == Status.SECONDARY) & case.levels.sensitive] = Status.PRIMARY
    return status


def _told(raw: RawCells, table: Table, dimensions: tuple[str, ...]) -> NDArray[np.int64]:
    """Return the cells that a file publishes, after checking that it publishes the figures of this table."""
    marks, faults, _ = given_statuses(raw)
    withheld = np.isnan(raw.values) if marks is None else np.isnan(raw.values) | np.isin(marks, WITHHELD)
    numbers = {tuple(row): cell for cell, row in enumerate(table.codes.tolist())}
    places = [_places(each, raw, dimensions) for each in table.dimensions]
    cells = np.array([numbers.get(row, -1) for row in zip(*places, strict=True)], np.int64)
    if unknown := int((cells < 0).sum()):
        faults.append(f"{counted(unknown, 'row')} with codes that the table does not have together")
    told = cells[~withheld & (cells >= 0)]
    published = raw.values[~withheld & (cells >= 0)]
    slack = 0.5 * 10.0 ** -decimals_of(published) + 1e-9 * np.abs(published)
    true = table.values[told]
    with np.errstate(invalid="ignore"):
        differs = told[np.abs(published - true) > slack]
    if len(differs):
        named = listed([f"({table.cell_name(int(cell))})" for cell in differs], 5)
        faults.append(f"{counted(len(differs), 'figure')} that are not those of the table: {named}")
    if faults:
        raise InputError("; ".join(faults), where=raw.where, do="judge it with the specification that it was made from")
    return told


def _places(dimension: Dimension, raw: RawCells, dimensions: tuple[str, ...]) -> list[int]:
    """Return the place of the code of each row; a dimension that the table does not have stands at its total."""
    if dimension.name not in dimensions:
        return [0] * len(raw)
    known = {code: place for place, code in enumerate(dimension.codes)}
    return [known.get((text or "").strip(), -1) for text in raw.codes[dimension.name]]


def _files(published: Path, names: list[str], response: str, *, alone: bool) -> list[Path]:
    if not published.exists():
        raise UsageError("there is no such file or folder", where=str(published), do="name what was published")
    if published.is_file():
        if len(names) > 1:
            raise UsageError(
                f"one file is given for {counted(len(names), 'table')}",
                where=str(published),
                do=f"give a folder with a file for each: {listed([f'{each}.csv' for each in file_names(names)])}",
            )
        return [published]
    stems = file_names(names if alone else [f"{name}, {response or 'count'}" for name in names])
    found = [next((p for p in (published / f"{stem}{e}" for e in _ENDINGS) if p.is_file()), None) for stem in stems]
    if missing := [stem for stem, path in zip(stems, found, strict=True) if path is None]:
        release = "; release it with --format csv" if (published / "manifest.json").is_file() else ""
        raise InputError(
            f"no file for the tables {listed([f'{stem}.csv' for stem in missing])}",
            where=str(published),
            do=f"give a file for each table, .csv or .parquet{release}",
        )
    return [path for path in found if path is not None]
