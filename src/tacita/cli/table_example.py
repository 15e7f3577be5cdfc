"""tacita table example: invented firms and a specification, to try the other commands on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text


def example(
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="The folder to write to; it is made if need be.")],
    seed: Annotated[int, typer.Option(min=0, help="Seed: the same seed gives the same firms.")] = 7,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a specification, invented firms and a hierarchy of sectors, to try the other commands on."""
    from rich.text import Text

    from tacita.tables.example import example as made
    from tacita.tables.example import write_example

    specification = write_example(folder, seed, force=force)
    files = made(seed)
    if as_json:
        print_json({"folder": str(folder), "specification": str(specification), "files": sorted(files)})
        return
    print_text(Text(f"{', '.join(files)} written to {folder}"), Text(f"Next: tacita table assess {specification}"))


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("example")(example)
