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
    from tacita.api.dataset import Dataset


@reads_data
def convert(
    source: Annotated[str, typer.Argument(help="A file, a folder or pattern of Parquet files, or a database URL.")],
    target: Annotated[str, typer.Argument(help="The file to write; its ending says the format; - for CSV to a pipe.")],
    request: Request,
    escape_formulas: Annotated[
        bool, typer.Option("--escape-formulas", help="Put an apostrophe before CSV cells that a spreadsheet would run.")
    ] = False,
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

        microdata = request.read(source).microdata
        for note in write_to_pipe(microdata, sys.stdout, escape_formulas=escape_formulas):
            sys.stderr.write(f"note: {note}\n")
        return
    path = Path(target)
    check_target(path, force=force)
    with progress_shown() as progress:
        data = request.read(source, progress)
        _check_apart(source, path)
        _check_dictionary_stays_true(data, source, path, force=force)
        rows = data.rows
        options = WriteOptions(force=force, progress=progress, escape_formulas=escape_formulas)
        done = write(data.microdata, path, options, request.settings())
    written, notes, dictionary = [str(path)], done.notes, done.dictionary
    beside = dictionary_file.dictionary_path(path)
    carries = path.suffix.lower() in {".dta", ".sav", ".zsav"}
    of_worth = any(a.category or (not carries and (a.labels or a.missing or a.description)) for a in dictionary)
    worth_keeping = of_worth or (beside.exists() and force)
    if worth_keeping and beside != dictionary_file.find(Path(source)):
        if beside.exists() and not force:
            notes += (f"{beside} exists and was left as it is; --force replaces it",)
        else:
            write_text(beside, dictionary_file.dumps(dictionary), force=True)
            written.append(str(beside))
    if as_json:
        print_json({"written": written, "rows": rows, "notes": list(notes)})
        return
    from rich.text import Text

    print_text(
        Text(f"{counted(rows, 'tuple')} written to {' and '.join(written)}"),
        *(Text(f"note: {note}") for note in notes),
    )


def _check_apart(source: str, target: Path) -> None:
    """Raise if the new file would become a part of the old ones."""
    folder = Path(source)
    within = folder.is_dir() and target.resolve().is_relative_to(folder.resolve())
    matched = not folder.exists() and target.absolute().match(str(folder.absolute()))
    if within or matched:
        raise OutputError("the new file would be a part of the data itself", where=str(target), do="write it elsewhere")


def _check_dictionary_stays_true(data: Dataset, source: str, target: Path, *, force: bool) -> None:
    """Raise if the new file would find a dictionary beside it that speaks of other columns."""
    from tacita.errors import DictionaryError
    from tacita.files.write import fitting
    from tacita.model import dictionary_file

    beside = dictionary_file.dictionary_path(target)
    shared = dictionary_file.find(Path(source)) == beside
    renamed, notes = fitting(data.microdata, target)
    if shared and renamed.dictionary.names != data.dictionary.names:
        raise OutputError(
            f"names have to change ({notes[0]}), and {beside} speaks of the old ones",
            where=str(target),
            do=f"give the new file a name of its own, such as {target.stem}-{target.suffix[1:]}{target.suffix}",
        )
    if beside.exists() and not shared and not force:
        try:
            dictionary_file.load(beside).check_fits(renamed.dictionary.names, where=str(beside))
        except DictionaryError:
            raise OutputError(
                f"{beside} beside it speaks of other columns",
                where=str(target),
                do="give the new file another name, or add --force",
            ) from None


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("convert")(convert)
