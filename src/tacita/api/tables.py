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

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, Unpack

from tacita.api.dataset import Dataset
from tacita.api.releasing import ReleaseAttempt, release_to
from tacita.errors import OutputError, UsageError, counted, did_you_mean, faults_text, listed
from tacita.files.atomic import atomic, check_target, write_text
from tacita.files.read import read
from tacita.model.microdata import Microdata
from tacita.model.result import Result
from tacita.options import option
from tacita.progress import Progress, silent
from tacita.release.kinds.tables.cells import CellDecisions, explain_cells
from tacita.release.kinds.tables.kind import write_parts
from tacita.release.options import TableOptions
from tacita.release.writing import check_folder
from tacita.tables.argus.batch import read_batch
from tacita.tables.argus.jj_format import JJProblem, jj_text
from tacita.tables.argus.jj_tables import cells_csv, problem_of, read_jj_specification
from tacita.tables.assessment import TableAssessment, assess_table
from tacita.tables.auditing import Audited, audit_table, read_published, write_intervals
from tacita.tables.building import Built, build_table
from tacita.tables.example import example as example_files
from tacita.tables.example import write_example
from tacita.tables.output.as_excel import write_excel
from tacita.tables.output.as_sdmx_csv import sdmx_csv
from tacita.tables.output.long import long_csv, wide_csv, write_parquet
from tacita.tables.output.part import TablePart
from tacita.tables.protect.cases import cases_of, open_specification
from tacita.tables.protect.protect import protect_table
from tacita.tables.protect.protected import Protected
from tacita.tables.protect.published import require_true_figures
from tacita.tables.specification.keywords import TableKeywords, specification_from
from tacita.tables.specification.specification import TableSpecification
from tacita.tables.specification.writing import source_of, write_specification

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
    "export_jj",
    "import_tables",
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
            "seconds": None if self.time is None else float(self.time),
            "gap": None if self.gap is None else float(self.gap),
            "method": self.method,
            "cost": self.cost,
            "seed": self.seed,
        }


class ProtectionKeywords(TypedDict, total=False):
    """The same, as keywords of `Tabulation.protect`."""

    time: float | None
    gap: float | None
    method: str | None
    cost: str | None
    seed: int | None


@dataclass(frozen=True, slots=True, repr=False)
class TableFiles(Result):
    """Tables with true values, and the files that they were written to; internal."""

    built: Built
    files: tuple[Path, ...] = ()

    def _in_short(self) -> str:
        return f"{self.built!r}, {counted(len(self.files), 'file')}"


@dataclass(frozen=True, slots=True, repr=False)
class TableImport(Result):
    """A specification that was made of a batch of tau-Argus, or of a table in the JJ format."""

    file: Path
    specification: TableSpecification

    def _in_short(self) -> str:
        return f"{counted(len(self.specification.tables), 'table')} in {self.file}"


@dataclass(frozen=True, slots=True, repr=False)
class TableExport(Result):
    """A table that was written in the JJ format, with its true values; internal."""

    files: tuple[Path, ...]
    problem: JJProblem
    notes: tuple[str, ...] = ()

    def _in_short(self) -> str:
        return f"{counted(len(self.problem.values), 'cell')} in {self.files[0]}"


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

    def protect(self, options: ProtectionOptions | None = None, **keywords: Unpack[ProtectionKeywords]) -> Protected:
        """Protect the tables at the least cost, and audit the result; options may be given as keywords."""
        known = [one.name for one in fields(ProtectionOptions)]
        if unknown := [f"no keyword '{name}'{did_you_mean(name, known)}" for name in keywords if name not in known]:
            raise UsageError(faults_text(unknown), where="protect", do=f"use some of: {listed(known)}")
        parameters = replace(options or ProtectionOptions(), **keywords).parameters
        return protect_table(self.specification, progress=self.data.context.progress, **parameters)

    def audit(self, pattern: str | PathLike[str] | None = None, *, method: str | None = None) -> Audited:
        """Judge the tables as they are published by `pattern`, or with the sensitive cells alone withheld."""
        return audit_table(self.specification, pattern, method=method, progress=self.data.context.progress)

    def write(
        self, path: str | PathLike[str], *, microdata: str | PathLike[str] | None = None, force: bool = False
    ) -> tuple[Path, ...]:
        """Write the specification as the file that ``tacita table`` takes; return the files that were written.

        Records that came from memory are written to `microdata`, which is internal; those of a file stay where they
        are, if it reads again as it did.
        """
        path = Path(path)
        check_target(path, force=force)
        if microdata is None:
            source, written = _source_again(self.data), []
        else:
            source, written = Path(microdata), list(self.data.convert(Path(microdata), force=force).written)
        plan = replace(self.specification, data=replace(self.specification.data, microdata=source))
        write_specification(plan, path, force=force)
        return (path, *written)

    def __repr__(self) -> str:
        return f"<Tabulation of '{self.data.name}': {counted(len(self.specification.tables), 'table')}>"


def tabulate(
    data: Dataset,
    dimensions: SpecificationLike | Iterable[str] | Iterable[Iterable[str]],
    response: str | Sequence[str] | None = None,
    /,
    **keywords: Unpack[TableKeywords],
) -> Tabulation:
    """Return tables of a data set: by their dimensions, or a specification whose file has other records."""
    if not isinstance(dimensions, TableSpecification | str | PathLike):
        return Tabulation(specification_from(data.microdata, dimensions, response, keywords), data)
    if isinstance(dimensions, str) and dimensions in data.dictionary.names and not Path(dimensions).exists():
        raise UsageError(
            f"'{dimensions}' is a column, not a file", where="tabulate", do=f'give a list: tabulate(["{dimensions}"])'
        )
    if response is not None or keywords:
        raise UsageError(
            "a specification is given, and keywords beside it",
            where="tabulate",
            do='say it in the specification, or give a list of dimensions: tabulate(["sector", "region"], ...)',
        )
    plan = open_specification(dimensions)
    if plan.data.cells is not None:
        raise UsageError("the specification is about cells, not about microdata", do="use build_table and its siblings")
    return Tabulation(replace(plan, data=replace(plan.data, microdata=data.microdata, layout=None)), data)


def _source_again(data: Dataset) -> Path | str:
    """Return the source of a data set, or raise if a specification that names it would read something else."""
    source = source_of(data.microdata)
    if source is None:
        raise UsageError(
            "the records came from memory, and a specification names a file",
            where=f"'{data.name}'",
            do='say where to write them: microdata="records.parquet"',
        )
    again = read(source, data.context.engine)
    if _reading(again) != _reading(data.microdata):
        raise UsageError(
            "the file was read with options, which a specification does not have",
            where=str(source),
            do='have the records written as they are: microdata="records.parquet"',
        )
    return source


def _reading(microdata: Microdata) -> object:
    columns = [(column.name, column.type) for column in microdata.columns]
    missing = [(attribute.name, attribute.missing) for attribute in microdata.dictionary]
    return columns, missing, microdata.source.details, microdata.dictionary.missing_as


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


def import_tables(source: Path, out: Path, *, force: bool = False) -> TableImport:
    """Write what a batch of tau-Argus asks for, or a table in the JJ format, as a specification."""
    check_target(out, force=force)
    specification = read_jj_specification(source) if source.suffix.lower() == ".jj" else read_batch(source)
    write_specification(specification, out, force=force)
    return TableImport(out, specification)


def export_jj(
    out: Path,
    specification: SpecificationLike,
    pattern: str | PathLike[str] | None = None,
    *,
    force: bool = False,
    progress: Progress = silent,
) -> TableExport:
    """Write the table of a specification in the JJ format, with its true values, and beside it the codes of its cells.

    Cells that `pattern`, a publication, withholds and no rule finds sensitive are marked as such; without it those that
    the cells of the specification come with.
    """
    beside = out.with_suffix(".cells.csv")
    if out.suffix.lower() != ".jj":
        raise UsageError(f"'{out.name}' does not end in .jj", do="name a file that does")
    for target in (out, beside):
        check_target(target, force=force)
    cases = cases_of(open_specification(specification), progress)
    if len(cases) != 1:
        raise UsageError(
            f"there are {len(cases)} responses, and a JJ file has one", do="write a specification for each response"
        )
    (case,) = cases
    given = case.primaries if case.given is None else case.given
    if pattern is not None:
        published = read_published(pattern, case)
        require_true_figures(
            case, published, "give a publication of this specification that withholds cells and changes none"
        )
        given = published.status
    problem, notes = problem_of(case, given)
    write_text(out, jj_text(problem), force=force)
    write_text(beside, cells_csv(case.table), force=force)
    return TableExport((out, beside), problem, (*case.notes, *notes))
