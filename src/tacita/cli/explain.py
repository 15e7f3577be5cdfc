"""tacita explain: why a cell of a release was changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text


def explain(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release folder.")],
    row: Annotated[
        int | None,
        typer.Option("--row", min=1, help="Number of the record in the released file, from 1; without it: a list."),
    ] = None,
    attribute: Annotated[
        str | None, typer.Option("--attribute", help="The attribute; without it, all of them.")
    ] = None,
    source_row: Annotated[
        bool, typer.Option("--source-row", help="--row counts the records of the source instead of the release.")
    ] = False,
    internal: Annotated[
        Path | None, typer.Option(help="The internal folder; default: RELEASE.internal beside it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say why a cell was changed: the step, the rule, the risk before and after, and why not another cell.

    The answer comes from the internal folder, which never leaves the house. It holds no value of the data; for linked
    records the chain of facts is shown too, which names respondents.
    """
    from tacita.api.releases import explain as explain_release

    explanation = explain_release(release, row, attribute, of_source=source_row, internal=internal)
    if as_json:
        words = explanation.to_dict()
        print_json(words["records"] if row is None else words)
    else:
        print_text(explanation)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)
