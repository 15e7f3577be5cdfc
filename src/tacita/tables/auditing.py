"""Judging tables as they were or would be published: by the sensitive cells, or by a pattern made elsewhere."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from tacita.attacks.tables.result import Audit
from tacita.engines.context import Context
from tacita.errors import InputError, UsageError, counted, listed
from tacita.files.atomic import atomic, write_text
from tacita.files.file_names import file_names
from tacita.model.result import Result
from tacita.model.table import WITHHELD, Dimension, Status, Table
from tacita.progress import Progress, silent
from tacita.tables.build.cells.cells_file import CellColumns, RawCells, read_cells
from tacita.tables.build.cells.markers import given_statuses
from tacita.tables.output.long import long_csv, write_parquet
from tacita.tables.output.part import TablePart
from tacita.tables.protect.case import TableCase
from tacita.tables.protect.cases import cases_of, open_specification
from tacita.tables.protect.catalogue import WAYS, Way
from tacita.tables.protect.protect import planned, title_of
from tacita.tables.protect.published import PublishedTable
from tacita.tables.protect.verdict import attack
from tacita.tables.protect.violation import ReportedViolation, report_violation
from tacita.tables.specification.specification import TableSpecification


@dataclass(frozen=True, slots=True, repr=False)
class AuditedTable:
    """One table, the pattern that was judged, and the verdict."""

    case: TableCase
    status: NDArray[np.int8]
    audit: Audit
    judged: str
    """What was judged: ``as given``, ``as published, by`` a method, or ``sensitive cells alone``."""
    method: str = "suppression"
    """By which method it was published."""


@dataclass(frozen=True, slots=True, repr=False)
class Audited(Result):
    """All tables of a specification, judged."""

    title: str
    tables: tuple[AuditedTable, ...]

    @property
    def passed(self) -> bool:
        """Whether every level is kept."""
        return all(table.audit.passed for table in self.tables)

    def violations(self, *, figures: bool = False) -> list[ReportedViolation]:
        """Return every level that is not kept, in shares of the value; with `figures` the steps have them."""
        return [
            report_violation(table.case, one, figures=figures)
            for table in self.tables
            for one in table.audit.violations
        ]

    def _in_short(self) -> str:
        wrong = sum(len(table.audit.violations) for table in self.tables)
        verdict = "passed" if self.passed else f"not passed, {counted(wrong, 'violation')}"
        return f"'{self.title}': {verdict}"


def audit_table(
    specification: TableSpecification | str | PathLike[str],
    pattern: str | PathLike[str] | None = None,
    *,
    method: str | None = None,
    progress: Progress = silent,
) -> Audited:
    """Judge the tables of a specification as they are published: by what is withheld, or by what its method promises.

    `pattern` is a published file, or a folder with one for each table. Without it the pattern is the one that the cells
    of the specification come with; without that, too, the sensitive cells alone are withheld. `method` says how a
    publication was made; without it, a release folder says so, and otherwise the specification.
    """
    opened = open_specification(specification)
    if pattern is None and method is not None:
        raise UsageError(
            "a method is named, but no publication that was made by it",
            do="name what was published with --pattern, or leave --method out",
        )
    if pattern is not None:
        opened = replace(opened, protect=planned(opened.protect, method or _method_of(Path(pattern))))
    cases = cases_of(opened, progress)
    if pattern is not None:
        way = WAYS.make(opened.protect.method, opened.protect.options)
        return Audited(
            title_of(opened, cases),
            tuple(_as_published(case, opened, way, pattern, progress, alone=len(cases) == 1) for case in cases),
        )
    tables = []
    for case in cases:
        status, judged = (case.primaries, "sensitive cells alone") if case.given is None else (case.given, "as given")
        withheld = np.isin(status, WITHHELD)
        verdict = attack(case, withheld, progress)
        tables.append(AuditedTable(case, np.where(withheld, status, Status.PUBLISHED).astype(np.int8), verdict, judged))
    return Audited(title_of(opened, cases), tuple(tables))


def _as_published(
    case: TableCase,
    specification: TableSpecification,
    way: Way,
    pattern: str | PathLike[str],
    progress: Progress,
    *,
    alone: bool,
) -> AuditedTable:
    published = read_published(pattern, case, alone=alone)
    verdict = way.judge(case, specification, published, progress)
    judged = f"as published, by {way.name.replace('_', ' ')}"
    return AuditedTable(case, published.status, verdict, judged, way.name)


def _method_of(published: Path) -> str | None:
    """Return the method by which a release, or a file of one, says that it was made; None: it does not say."""
    folder = published if published.is_dir() else published.parent
    try:
        facts = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        methods = {table["method"] for table in facts["tables"]}
        is_in_it = published.is_dir() or published.name in facts["files"]
    except (OSError, ValueError, TypeError, KeyError):
        return None
    if not is_in_it:
        return None
    return str(methods.pop()) if len(methods) == 1 else None


_ENDINGS = (".csv", ".parquet")


def read_published(published: str | PathLike[str], case: TableCase, *, alone: bool = True) -> PublishedTable:
    """Return a publication as figures, statuses and intervals of the cells of a case; figures are not compared.

    A cell that is marked, that has no value, or that is not there, is withheld. Whether it is sensitive is what the
    case says. `alone` says that the specification has one response, so that files are called by the tables alone.
    """
    table = case.table
    shows = case.shows or {table.name: tuple(dimension.name for dimension in table.dimensions)}
    files = _files(Path(published), list(shows), table.response, alone=alone)
    values, lower, upper = (np.full(len(table), np.nan) for _ in range(3))
    engine = Context().engine
    for (_, dimensions), file in zip(shows.items(), files, strict=True):
        raw = read_cells(str(file), {name: name for name in dimensions}, CellColumns(), engine, bounds=True)
        cells, figures = _cells_of(raw, table, dimensions)
        if (different := cells[(np.abs(values[cells] - figures) > 1e-9 * np.abs(figures))]).size:
            named = listed([f"({table.cell_name(int(cell))})" for cell in different], 5)
            raise InputError(
                f"{counted(len(different), 'cell')} with another figure than in a linked table: {named}",
                where=raw.where,
                do="judge tables of one publication: a cell that several tables show has one figure",
            )
        values[cells] = np.where(np.isnan(figures), values[cells], figures)
        for bounds, name, narrower in ((lower, "lower", np.fmax), (upper, "upper", np.fmin)):
            if name in raw.numbers:
                bounds[cells] = narrower(bounds[cells], raw.numbers[name])
    status = np.where(np.isnan(values), Status.SECONDARY, Status.PUBLISHED).astype(np.int8)
    status[(status == Status.SECONDARY) & case.levels.sensitive] = Status.PRIMARY
    return PublishedTable(values, status, lower, upper)


def _cells_of(
    raw: RawCells, table: Table, dimensions: tuple[str, ...]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the cell of each row of a file, and its figure, nan where it is withheld."""
    marks, faults, _ = given_statuses(raw)
    withheld = np.isnan(raw.values) if marks is None else np.isnan(raw.values) | np.isin(marks, WITHHELD)
    numbers = {tuple(row): cell for cell, row in enumerate(table.codes.tolist())}
    places = [_places(dimension, raw, dimensions) for dimension in table.dimensions]
    cells = np.array([numbers.get(row, -1) for row in zip(*places, strict=True)], np.int64)
    if unknown := int((cells < 0).sum()):
        faults.append(f"{counted(unknown, 'row')} with codes that the table does not have together")
    elif len(np.unique(cells)) < len(cells):
        faults.append("cells that are given more than once")
    if faults:
        raise InputError("; ".join(faults), where=raw.where, do="judge it with the specification that it was made from")
    return cells, np.where(withheld, np.nan, raw.values)


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
                do=f"give a folder with a file for each: {listed([f'{stem}.csv' for stem in file_names(names)])}",
            )
        return [published]
    stems = file_names(names if alone else [f"{name}, {response or 'count'}" for name in names])
    paths = [next((p for p in (published / f"{stem}{e}" for e in _ENDINGS) if p.is_file()), None) for stem in stems]
    if missing := [stem for stem, path in zip(stems, paths, strict=True) if path is None]:
        release = "; release it with --format csv" if (published / "manifest.json").is_file() else ""
        raise InputError(
            f"no file for the tables {listed([f'{stem}.csv' for stem in missing])}",
            where=str(published),
            do=f"give a file for each table, .csv or .parquet{release}",
        )
    return [path for path in paths if path is not None]


def write_intervals(audited: Audited, path: Path, *, force: bool) -> None:
    """Write every withheld cell with its value, what it needs, and what the attacker finds; CSV or Parquet."""
    if path.suffix.lower() not in {".csv", ".parquet"}:
        raise UsageError(f"no intervals in the format '{path.suffix}'", do="name a file that ends in .csv or .parquet")
    if len(audited.tables) > 1:
        raise UsageError("there are several responses", do="write the intervals of one response at a time")
    part = _part(audited.tables[0])
    if path.suffix.lower() == ".csv":
        write_text(path, long_csv(part), force=force)
        return
    with atomic(path, force=force) as partial:
        write_parquet(part, partial)


def _part(audited: AuditedTable) -> TablePart:
    table, levels, attacked = audited.case.table, audited.case.levels, audited.audit.intervals
    cells = np.flatnonzero(~np.isnan(attacked.lower))
    rules = (*levels.rules, "")
    return TablePart(
        table.name,
        table.dimensions,
        table.codes[cells],
        table.values[cells],
        table.response,
        attacked.lower[cells],
        attacked.upper[cells],
        audited.status[cells],
        columns={
            "exact": attacked.exact[cells],
            "rule": [rules[rule] for rule in levels.rule[cells].tolist()],
            "lower_level": levels.lower[cells],
            "upper_level": levels.upper[cells],
            "sliding_level": levels.sliding[cells],
        },
    )
