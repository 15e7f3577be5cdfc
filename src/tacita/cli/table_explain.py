"""tacita table explain: why a cell of a released table is withheld."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text
from tacita.errors import counted, printable
from tacita.forms import once, split_pair

_SHOWN = 20


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

    from rich.text import Text

    from tacita.release.kinds.tables.opened import decisions

    pairs = [pair.strip() for pair in next(csv.reader([cell or ""], skipinitialspace=True), []) if pair.strip()]
    found = decisions(release, once((split_pair(pair, "--cell") for pair in pairs), "--cell"), internal)
    if not pairs or len(found) > 1:
        found = [each for each in found if each.reason] or found[:1]
    if as_json:
        print_json([each.to_dict() for each in found])
        return
    lines: list[str] = []
    for each in found[:_SHOWN]:
        lines += each.sentences
    if len(found) > _SHOWN:
        lines.append(f"And {counted(len(found) - _SHOWN, 'cell')} more; --json names them all.")
    print_text(*(Text(printable(line)) for line in lines))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)
