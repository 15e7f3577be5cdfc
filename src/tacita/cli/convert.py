"""tacita convert: the same tuples in another format, labels and missing codes kept where the format can."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, Force, Request, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import OutputError, counted

if TYPE_CHECKING:
    from tacita.dataset import Dataset


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
        from tacita.files.delimited import write_to_pipe

        write_to_pipe(request.read(source).microdata, sys.stdout)
        return
    path = Path(target)
    check_target(path, force=force)
    with progress_shown() as progress:
        data = request.read(source, progress)
        _check_dictionary_stays_true(data, source, path)
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


def _check_dictionary_stays_true(data: Dataset, source: str, target: Path) -> None:
    """Raise if the new file would find the dictionary of the old one beside it, under names that it cannot have."""
    from tacita.files.write import fitting
    from tacita.model import dictionary_file

    shared = dictionary_file.find(Path(source)) == dictionary_file.dictionary_path(target)
    renamed, notes = fitting(data.microdata, target)
    if shared and renamed.dictionary.names != data.dictionary.names:
        raise OutputError(
            f"names have to change ({notes[0]}), and {dictionary_file.dictionary_path(target)} speaks of the old ones",
            where=str(target),
            do=f"give the new file a name of its own, such as {target.stem}-{target.suffix[1:]}{target.suffix}",
        )


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("convert")(convert)
