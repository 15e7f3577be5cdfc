"""tacita table build: the tables themselves, with true values, as the specification says."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.cli.table_options import Formats, Specification, formats_asked
from tacita.errors import UsageError, counted

if TYPE_CHECKING:
    from tacita.tables.building import Built

_ENDINGS = {".csv": "csv", ".xlsx": "xlsx", ".parquet": "parquet"}


def build(
    specification: Specification,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER|FILE", help="A folder for all tables, or a .csv, .xlsx or .parquet file for one."),
    ] = None,
    format_: Formats = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Build tables from microdata or from given cells, and check that they add up.

    What is written has true values and numbers of contributors, and must not leave the house: 'tacita table protect'
    makes what may. Without --out only a summary is shown.
    """
    from tacita.tables.building import build_table as run

    if out is None and (format_ or force):
        raise UsageError("an option about files is given, but no file", do="add --out FOLDER or FILE")
    with progress_shown() as progress:
        found = run(specification, progress=progress)
        files = _written(found, out, format_, force=force) if out is not None else []
    if as_json:
        print_json({**found.to_dict(), "files": files})
        return
    from rich.text import Text

    written = [Text(f"\nWritten: {', '.join(files)}; true values, not for publication.")] if files else []
    print_text(found, *written)


def _written(found: Built, out: Path, formats: list[str] | None, *, force: bool) -> list[str]:
    from tacita.errors import OutputError
    from tacita.release.kinds.tables.folder import write_parts

    parts = found.parts()
    if out.suffix.lower() in _ENDINGS and not out.is_dir():
        return [_one_file(parts, out, formats, force=force)]
    try:
        out.mkdir(exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot be made ({error.strerror})", where=str(out), do="choose another folder") from None
    names = write_parts(parts, out, formats_asked(formats), force=force)
    return [str(out / name) for group in names.values() for name in group]


def _one_file(parts: Any, out: Path, formats: list[str] | None, *, force: bool) -> str:
    from tacita.files.atomic import atomic, write_text
    from tacita.tables.output.as_csv import long_csv, wide_csv
    from tacita.tables.output.as_excel import write_excel
    from tacita.tables.output.as_parquet import write_parquet
    from tacita.tables.output.as_sdmx_csv import sdmx_csv

    format_ = formats_asked(formats)[0] if formats else _ENDINGS[out.suffix.lower()]
    texts = {"csv": long_csv, "wide-csv": wide_csv, "sdmx-csv": sdmx_csv}
    if len(formats_asked(formats)) > 1 or (format_ in texts) != (out.suffix.lower() == ".csv"):
        raise UsageError(f"'{out.name}' cannot have the format asked for", do="name a folder, or leave --format out")
    if len(parts) > 1 and format_ != "xlsx":
        raise UsageError(f"there are {counted(len(parts), 'table')} for one file", do="name a folder, or an .xlsx file")
    if format_ in texts:
        write_text(out, texts[format_](parts[0]), force=force)
        return str(out)
    with atomic(out, force=force) as partial:
        if format_ == "xlsx":
            write_excel(parts, partial)
        else:
            write_parquet(parts[0], partial)
    return str(out)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("build")(build)
