"""tacita table explain: why a cell of a released table is withheld."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text
from tacita.forms import once, split_pair


def explain(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release folder of 'tacita table protect'.")],
    cell: Annotated[
        str | None,
        typer.Option(metavar="DIMENSION=CODE,...", help="The cell; dimensions left out may have any code."),
    ] = None,
    internal: Annotated[
        Path | None, typer.Option(help="The internal folder; default: RELEASE.internal beside it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say why a cell is withheld: the rule that makes it sensitive, or the cell that it protects.

    The answer comes from the internal folder, which never leaves the house. Without --cell, all withheld cells.
    """
    import csv

    from tacita.release.kinds.tables.opened import decisions

    pairs = [pair.strip() for pair in next(csv.reader([cell or ""], skipinitialspace=True), []) if pair.strip()]
    found = decisions(release, once((split_pair(pair, "--cell") for pair in pairs), "--cell"), internal)
    if not pairs or len(found) > 1:
        found = found.withheld
    if as_json:
        print_json(found.to_dict()["cells"])
    else:
        print_text(found)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)
