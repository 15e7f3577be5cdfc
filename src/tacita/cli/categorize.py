"""tacita categorize: which attributes identify, which are sensitive; proposals with reasons, decided by a person."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import DATA, AsJson, takes
from tacita.cli.output import print_json, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.categorizing import CategorizeOptions
    from tacita.api.reading import DataRequest


@takes(options="tacita.api.categorizing:CategorizeOptions", request=DATA)
def categorize(
    source: Annotated[str, typer.Argument(help="A file, a folder or pattern of Parquet files, or a database URL.")],
    request: DataRequest,
    options: CategorizeOptions,
    as_json: AsJson = False,
) -> None:
    """Propose a category for each attribute, with the reason, and list conflicts for a person to decide.

    Categories: identifier, quasi-identifier, sensitive, non-identifying, weight, cluster-key. With --accept or --set
    the decisions are written to a dictionary file beside the data (firms.dictionary.toml), which every other command
    picks up; entries and comments that are there already are kept.
    """
    from tacita.api.categorizing import check_dictionary_target

    check_dictionary_target(source, options.out, force=options.force)
    options = replace(options, out=options.out or request.dictionary)
    with progress_shown() as progress:
        data = request.read(source, progress, use_dictionary=not options.force)
        result = data.categorize(options=options)
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("categorize")(categorize)
