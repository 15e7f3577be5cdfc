"""tacita describe: what is in a file, and how many of its tuples stand out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, reads_data
from tacita.cli.output import print_json, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.reading import DataRequest


@reads_data
def describe(
    source: Annotated[str, typer.Argument(help="A file, a folder or pattern of Parquet files, or a database URL.")],
    request: DataRequest,
    as_json: AsJson = False,
) -> None:
    """Show what each attribute is and looks like, and how many tuples are unique.

    Per attribute: kind, category (with '?' if proposed), different values, missing ones, the most frequent, and a small
    histogram. For the whole: sample uniques on the quasi-identifiers.
    """
    with progress_shown() as progress:
        description = request.read(source, progress, only_given_roles=True).describe(
            quasi=request.roles.quasi, progress=progress
        )
    if as_json:
        print_json(description.to_dict())
        return
    print_text(description)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("describe")(describe)
