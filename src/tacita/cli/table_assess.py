"""tacita table assess: which cells tell too much, and which coarser tables would have fewer of them."""

from __future__ import annotations

from typing import Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.cli.table_options import Specification


def assess(
    specification: Specification,
    recodings: Annotated[
        bool, typer.Option("--recodings", help="Also propose codes to merge, with the table before and after.")
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="How many sensitive cells to show.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find the cells that tell too much, with the rule and by how much; no contribution is printed.

    With --recodings, merges along the hierarchies that remove most sensitive cells for the detail that they cost.
    """
    from tacita.tables.assessment import assess_table as run

    with progress_shown() as progress:
        found = run(specification, recodings=recodings, progress=progress)
    if as_json:
        print_json(found.to_dict())
    else:
        print_text(found.to_terminal(show=show))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("assess")(assess)
