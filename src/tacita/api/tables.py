"""Statistical tables: build, assess, protect and audit those of a specification, from files or from a data set.

>>> import tempfile
>>> import tacita as tc
>>> with tempfile.TemporaryDirectory() as folder:
...     specification = write_example(folder)
...     firms = tc.read(f"{folder}/firms.csv")
...     from_file, from_data = build_table(specification), firms.tabulate(specification).build()
>>> from_file.to_dict() == from_data.to_dict()
True
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from tacita.api.dataset import Dataset
from tacita.api.releasing import ReleaseAttempt, release_to
from tacita.errors import OutputError, UsageError, counted
from tacita.files.atomic import atomic, check_target, write_text
from tacita.model.result import Result
from tacita.options import option
from tacita.progress import Progress, silent
from tacita.release.kinds.tables.cells import CellDecisions, explain_cells
from tacita.release.kinds.tables.kind import write_parts
from tacita.release.options import TableOptions
from tacita.release.writing import check_folder
from tacita.tables.argus.batch import read_batch
from tacita.tables.assessment import TableAssessment, assess_table
from tacita.tables.auditing import Audited, audit_table, write_intervals
from tacita.tables.building import Built, build_table
from tacita.tables.example import example as example_files
from tacita.tables.example import write_example
from tacita.tables.output.as_excel import write_excel
from tacita.tables.output.as_sdmx_csv import sdmx_csv
from tacita.tables.output.long import long_csv, wide_csv, write_parquet
from tacita.tables.output.part import TablePart
from tacita.tables.protect.cases import open_specification
from tacita.tables.protect.protect import protect_table
from tacita.tables.protect.protected import Protected
from tacita.tables.specification.specification import TableSpecification
from tacita.tables.specification.writing import write_specification

__all__ = [
    "ProtectionOptions",
    "TableFiles",
    "TableImport",
    "TableOptions",
    "Tabulation",
    "assess_table",
    "audit_table",
    "audit_to",
    "build_table",
    "build_to",
    "example_files",
    "explain_cell",
    "import_batch",
    "protect_table",
    "protect_to",
    "tabulate",
    "write_example",
]

SpecificationLike = TableSpecification | str | PathLike[str]
_TEXTS = {"csv": long_csv, "wide-csv": wide_csv, "sdmx-csv": sdmx_csv}
_ENDINGS = {".csv": "csv", ".xlsx": "xlsx", ".parquet": "parquet"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ProtectionOptions:
    """What goes before the specification when its tables are protected."""

    time: float | None = option(
        None, least=0, help="Seconds to search for a cheaper pattern; 0 gives a safe one at once."
    )
    gap: float | None = option(None, least=0, help="Stop when the pattern is at most this share dearer than the best.")
    method: str | None = option(
        None,
        help="suppression, fast, controlled_rounding, small_count_rounding, random_rounding, adjustment, cell_key "
        "or intervals.",
    )
    cost: str | None = option(None, help="What a withheld cell costs: value, count, unity, or a column.")
    seed: int | None = option(None, least=0, secret=True, help="Seed of methods that draw; it is never published.")

    @property
    def parameters(self) -> dict[str, Any]:
        """The parameters of `protect_table`."""
        return {
            "seconds": self.time,
            "gap": self.gap,
            "method": self.method,
            "cost": self.cost,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True, repr=False)
class TableFiles(Result):
    """Tables with true values, and the files that they were written to; internal."""

    built: Built
    files: tuple[Path, ...] = ()

    def _in_short(self) -> str:
        return f"{self.built!r}, {counted(len(self.files), 'file')}"


@dataclass(frozen=True, slots=True, repr=False)
class TableImport(Result):
    """A specification that was made of a batch of tau-Argus."""

    file: Path
    specification: TableSpecification

    def _in_short(self) -> str:
        return f"{counted(len(self.specification.tables), 'table')} in {self.file}"


@dataclass(frozen=True, slots=True, repr=False)
class Tabulation:
    """The tables of a specification with the records of a data set."""

    specification: TableSpecification
    data: Dataset

    def build(self) -> Built:
        """Build the tables; raise if they do not add up."""
        return build_table(self.specification, progress=self.data.context.progress)

    def assess(self, *, recodings: bool = False) -> TableAssessment:
        """Find the cells that tell too much; with `recodings` also merges that remove some."""
        return assess_table(self.specification, recodings=recodings, progress=self.data.context.progress)

    def protect(self, options: ProtectionOptions | None = None) -> Protected:
        """Protect the tables at the least cost, and audit the result."""
        parameters = (options or ProtectionOptions()).parameters
        return protect_table(self.specification, progress=self.data.context.progress, **parameters)

    def audit(self, pattern: str | PathLike[str] | None = None, *, method: str | None = None) -> Audited:
        """Judge the tables as they are published by `pattern`, or with the sensitive cells alone withheld."""
        return audit_table(self.specification, pattern, method=method, progress=self.data.context.progress)

    def __repr__(self) -> str:
        return f"<Tabulation of '{self.data.name}': {counted(len(self.specification.tables), 'table')}>"


def tabulate(data: Dataset, specification: SpecificationLike) -> Tabulation:
    """Return the tables of a specification with the records of a data set instead of those of its file."""
    plan = open_specification(specification)
    if plan.data.cells is not None:
        raise UsageError("the specification is about cells, not about microdata", do="use build_table and its siblings")
    return Tabulation(replace(plan, data=replace(plan.data, microdata=data.microdata, layout=None)), data)


def build_to(
    out: Path | None,
    specification: SpecificationLike,
    formats: Sequence[str] = (),
    *,
    force: bool = False,
    progress: Progress = silent,
) -> TableFiles:
    """Build the tables of a specification and write them, with true values, to a folder or one file."""
    built = build_table(specification, progress=progress)
    if out is None:
        return TableFiles(built)
    parts = built.parts()
    if out.suffix.lower() in _ENDINGS and not out.is_dir():
        return TableFiles(built, (_write_one(parts, out, formats, force=force),))
    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be made ({error.strerror})", where=str(out), do="choose another folder") from None
    names = write_parts(parts, out, tuple(formats) or ("csv",), force=force)
    return TableFiles(built, tuple(out / name for group in names.values() for name in group))


def _write_one(parts: Sequence[TablePart], out: Path, formats: Sequence[str], *, force: bool) -> Path:
    format_ = formats[0] if formats else _ENDINGS[out.suffix.lower()]
    if len(formats) > 1 or (format_ in _TEXTS) != (out.suffix.lower() == ".csv"):
        raise UsageError(f"'{out.name}' cannot have the format asked for", do="name a folder, or leave --format out")
    if len(parts) > 1 and format_ != "xlsx":
        raise UsageError(f"there are {counted(len(parts), 'table')} for one file", do="name a folder, or an .xlsx file")
    if format_ in _TEXTS:
        write_text(out, _TEXTS[format_](parts[0]), force=force)
        return out
    with atomic(out, force=force) as partial:
        if format_ == "xlsx":
            write_excel(parts, partial)
        else:
            write_parquet(parts[0], partial)
    return out


def protect_to(
    folder: Path | None,
    specification: SpecificationLike,
    protection: ProtectionOptions | None = None,
    options: TableOptions | None = None,
    *,
    progress: Progress = silent,
) -> ReleaseAttempt:
    """Protect the tables of a specification, and release them to a folder if the audit finds every level kept.

    A search of an hour must not end at a folder that cannot be written: that is seen before.
    """
    options = options or TableOptions()
    if folder is not None:
        check_folder(folder, options)
    protected = protect_table(specification, progress=progress, **(protection or ProtectionOptions()).parameters)
    release = None
    if folder is not None and protected.passed:
        release = release_to(folder, protected, options, progress=progress)
    return ReleaseAttempt(protected, release, protected.passed)


def audit_to(
    intervals: Path | None,
    specification: SpecificationLike,
    pattern: str | PathLike[str] | None = None,
    *,
    method: str | None = None,
    force: bool = False,
    progress: Progress = silent,
) -> Audited:
    """Judge the tables of a specification, and write the attacker's intervals to a file; those are internal."""
    if intervals is not None:
        check_target(intervals, force=force)
    audited = audit_table(specification, pattern, method=method, progress=progress)
    if intervals is not None:
        write_intervals(audited, intervals, force=force)
    return audited


def explain_cell(release: Path, cell: Mapping[str, str] | None = None, internal: Path | None = None) -> CellDecisions:
    """Return why a cell of a released table is withheld; of several cells, or without one, those that are withheld.

    `cell` gives codes by dimension; a dimension that is left out may have any code.
    """
    cells = explain_cells(release, dict(cell or {}), internal)
    return cells.withheld if not cell or len(cells) > 1 else cells


def import_batch(batch: Path, out: Path, *, force: bool = False) -> TableImport:
    """Write what a batch of tau-Argus asks for as a specification."""
    check_target(out, force=force)
    specification = read_batch(batch)
    write_specification(specification, out, force=force)
    return TableImport(out, specification)
