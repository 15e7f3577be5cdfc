"""tacita categorize: which attributes identify, which are sensitive; proposals with reasons, decided by a person."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, DataRequest, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.forms import once, split_pair


@reads_data
def categorize(
    source: Annotated[str, typer.Argument(help="A file, a folder or pattern of Parquet files, or a database URL.")],
    request: DataRequest,
    set_: Annotated[
        list[str] | None, typer.Option("--set", help="NAME=CATEGORY: decide it yourself; may be repeated.")
    ] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Take over every proposal without a conflict.")] = False,
    out: Annotated[Path | None, typer.Option(help="Where to write the dictionary; by default beside the data.")] = None,
    remember: Annotated[
        bool, typer.Option(help="Keep confirmed names in the experience base, for the next file.")
    ] = True,
    force: Annotated[
        bool,
        typer.Option("--force", help="Start anew: leave what the dictionary file says aside and replace it."),
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Propose a category for each attribute, with the reason, and list conflicts for a person to decide.

    Categories: identifier, quasi-identifier, sensitive, non-identifying, weight, cluster-key. With --accept or --set
    the decisions are written to a dictionary file beside the data (firms.dictionary.toml), which every other command
    picks up; entries and comments that are there already are kept.
    """
    from tacita.api.categorizing import check_dictionary_target

    decisions = once((split_pair(pair, "--set") for pair in set_ or []), "--set")
    check_dictionary_target(source, out, force=force)
    with progress_shown() as progress:
        result = request.read(source, progress, use_dictionary=not force).categorize(
            decisions, accept=accept, out=out or request.dictionary, remember=remember, force=force
        )
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("categorize")(categorize)
