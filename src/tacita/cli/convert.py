"""tacita convert: the same tuples in another format, labels and missing codes kept where the format can."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, Force, reads_data
from tacita.cli.output import print_json, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.reading import DataRequest


@reads_data
def convert(
    source: Annotated[str, typer.Argument(help="A file, a folder or pattern of Parquet files, or a database URL.")],
    target: Annotated[str, typer.Argument(help="The file to write; its ending says the format; - for CSV to a pipe.")],
    request: DataRequest,
    escape_formulas: Annotated[
        bool, typer.Option("--escape-formulas", help="Put an apostrophe before CSV cells that a spreadsheet would run.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a file in another format: CSV, TSV, Parquet, Arrow, Excel, Stata, SPSS, SAS transport.

    What the new format cannot hold is said. Labels that it cannot hold go into a dictionary beside it.
    """
    if target == "-":
        from tacita.api.converting import stream_csv

        for note in stream_csv(request.read(source), sys.stdout, escape_formulas=escape_formulas):
            sys.stderr.write(f"note: {note}\n")
        return
    with progress_shown() as progress:
        result = request.read(source, progress).convert(target, force=force, escape_formulas=escape_formulas)
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("convert")(convert)
