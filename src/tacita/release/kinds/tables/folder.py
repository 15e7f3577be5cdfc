"""The release folder of tables: the tables as files and as a page; apart from it what proves and explains them.

``release/`` holds each table in the formats asked for, a page with all of them and a manifest. One marker stands for
every withheld figure: nobody outside can tell a sensitive cell from one that protects it, and no threshold and no seed
is told. ``release.internal/`` holds the true values, the pattern, the reasons, the attacker's intervals, the verdict of
the audit, the specification and the full manifest.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tacita.errors import InternalError, UsageError, counted, did_you_mean
from tacita.files.atomic import atomic, write_text
from tacita.files.file_names import file_names
from tacita.model.result import Result
from tacita.options import Typed, option
from tacita.progress import Progress, Step, silent
from tacita.release.folder import internal_folder
from tacita.release.kinds.tables.manifest import internal_manifest, public_manifest
from tacita.release.kinds.tables.page import internal_page, public_page
from tacita.release.kinds.tables.written import faults_of_written
from tacita.release.manifest import as_json
from tacita.release.placing import MANIFEST, Places, check_places, placed
from tacita.settings import Settings
from tacita.tables.output.as_csv import long_csv, wide_csv
from tacita.tables.output.as_excel import write_excel
from tacita.tables.output.as_parquet import write_parquet
from tacita.tables.output.as_sdmx_csv import sdmx_csv
from tacita.tables.output.part import TablePart
from tacita.tables.protect.protected import Protected
from tacita.views.json_values import plain

FORMATS = ("csv", "wide-csv", "xlsx", "parquet", "sdmx-csv")
PAGE, WORKBOOK, AUDIT, SPECIFICATION = "tables.html", "tables.xlsx", "audit.json", "specification.toml"


@dataclass(frozen=True, slots=True)
class TableOptions:
    """What a steward may say about a release of tables."""

    formats: tuple[str, ...] = option(
        ("csv",),
        typed=(
            Typed(
                "format_",
                list[str],
                "csv (default), wide-csv, xlsx, parquet or sdmx-csv; may be repeated, or with commas between.",
                ("--format",),
            ),
        ),
    )
    internal: Path | None = option(None, help="The folder that stays in the house; default: OUT.internal.")
    """The folder that stays in the house; by default beside the release."""
    force: bool = option(False, "--force", help="Replace files that exist.")
    """Whether a release that is there may be replaced."""

    def __post_init__(self) -> None:
        check_formats(self.formats)


@dataclass(frozen=True, slots=True, repr=False)
class ReleasedTables(Result):
    """Where the tables are."""

    folder: Path
    internal: Path
    files: tuple[str, ...]

    def _in_short(self) -> str:
        return f"'{self.folder.name}': {counted(len(self.files), 'file')}"


def check_formats(formats: Sequence[str]) -> None:
    """Raise if a format is not known."""
    for name in formats:
        if name not in FORMATS:
            raise UsageError(
                f"no format '{name}' for a table{did_you_mean(name, FORMATS)}", do=f"use one of {', '.join(FORMATS)}"
            )


def write_tables(
    protected: Protected,
    target: Path,
    options: TableOptions | None = None,
    *,
    settings: Settings | None = None,
    progress: Progress = silent,
) -> ReleasedTables:
    """Write the release folder and its internal folder; tables that did not pass the audit are refused."""
    options = options or TableOptions()
    internal = options.internal or internal_folder(target)
    parts = protected.external_parts()  # raises if the audit failed
    check_places(target, internal, force=options.force, settings=settings)
    progress(Step("writing the tables"))
    with placed(target, internal, force=options.force, settings=settings) as places:
        files = write_parts(parts, places.release, options.formats, settings=settings)
        write_text(places.release / PAGE, public_page(protected, parts), force=False, settings=settings)
        if wrong := faults_of_written(protected, places.release, files):
            raise InternalError(f"the written tables are not those that were audited: {wrong[0]}", where=str(target))
        manifest = public_manifest(protected, parts, files, places.release)
        write_text(places.release / MANIFEST, as_json(manifest), force=False, settings=settings)
        _write_internal(protected, places, files, settings)
    return ReleasedTables(target, internal, tuple(name for names in files.values() for name in names))


def write_parts(
    parts: Sequence[TablePart],
    folder: Path,
    formats: Sequence[str],
    *,
    settings: Settings | None = None,
    force: bool = False,
) -> dict[str, list[str]]:
    """Write tables to files in a folder; return the names of the files by format."""
    check_formats(formats)
    files: dict[str, list[str]] = {}
    texts = {"csv": (".csv", long_csv), "wide-csv": (".wide.csv", wide_csv), "sdmx-csv": (".sdmx.csv", sdmx_csv)}
    stems = file_names([part.name for part in parts])
    for name in dict.fromkeys(formats):
        if name == "xlsx":
            with atomic(folder / WORKBOOK, force=force, settings=settings) as partial:
                write_excel(parts, partial)
            files[name] = [WORKBOOK]
            continue
        files[name] = []
        for stem, part in zip(stems, parts, strict=True):
            ending = ".parquet" if name == "parquet" else texts[name][0]
            file = f"{stem}{ending}"
            if name == "parquet":
                with atomic(folder / file, force=force, settings=settings) as partial:
                    write_parquet(part, partial)
            else:
                write_text(folder / file, texts[name][1](part), force=force, settings=settings)
            files[name].append(file)
    return files


def _write_internal(
    protected: Protected, places: Places, files: dict[str, list[str]], settings: Settings | None
) -> None:
    folder = places.internal
    inside = protected.internal_parts()
    cells = write_parts(inside, folder, ("parquet",), settings=settings)["parquet"]
    write_text(folder / PAGE, internal_page(protected, inside), force=False, settings=settings)
    verdicts = [plain(each.audit.to_dict()) for each in protected.tables]
    write_text(folder / AUDIT, _json(verdicts), force=False, settings=settings)
    if protected.specification:
        write_text(folder / SPECIFICATION, protected.specification, force=False, settings=settings)
    full = internal_manifest(protected, cells, files, places)
    write_text(folder / MANIFEST, as_json(full), force=False, settings=settings)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n"
