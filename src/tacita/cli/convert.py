"""tacita convert: the same tuples in another format, labels and missing codes kept where the format can."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force, Request, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import counted


@reads_data
def convert(
    source: Annotated[str, typer.Argument(help="A file, a folder or pattern of Parquet files, or a database URL.")],
    target: Annotated[str, typer.Argument(help="The file to write; its ending says the format; - for CSV to a pipe.")],
    request: Request,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a file in another format: CSV, TSV, Parquet, Arrow, Excel, Stata, SPSS, SAS transport.

    What the new format cannot hold is said. Labels that it cannot hold go into a dictionary beside it.
    """
    from tacita.files.atomic import check_target, write_text
    from tacita.files.contract import WriteOptions
    from tacita.files.write import write
    from tacita.model import dictionary_file

    if target == "-":
        with progress_shown() as progress:
            _to_pipe(request, source)
        return
    path = Path(target)
    check_target(path, force=force)
    with progress_shown() as progress:
        data = request.read(source, progress)
        done = write(data.microdata, path, WriteOptions(force=force, progress=progress), request.settings())
    written, notes, dictionary = [str(path)], done.notes, done.dictionary
    beside = dictionary_file.dictionary_path(path)
    carries = path.suffix.lower() in {".dta", ".sav", ".zsav"}
    worth_keeping = any(a.category or (not carries and (a.labels or a.missing or a.description)) for a in dictionary)
    if worth_keeping and beside != dictionary_file.find(Path(source)):
        if beside.exists() and not force:
            notes += (f"{beside} exists and was left as it is; --force replaces it",)
        else:
            write_text(beside, dictionary_file.dumps(dictionary), force=True)
            written.append(str(beside))
    if as_json:
        print_json({"written": written, "rows": data.rows, "notes": list(notes)})
        return
    from rich.text import Text

    print_text(
        Text(f"{counted(data.rows, 'tuple')} written to {' and '.join(written)}"),
        *(Text(f"note: {note}") for note in notes),
    )


def _to_pipe(request: Request, source: str) -> None:
    from pyarrow import csv

    data = request.read(source)
    writer = None
    for batch in data.batches():
        writer = writer or csv.CSVWriter(sys.stdout.buffer, batch.schema)
        writer.write_batch(batch)
    if writer is not None:
        writer.close()


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("convert")(convert)
