"""tacita reveal: give hidden cells of a release back to whoever has a key."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_lines, progress_shown


def reveal(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="A folder that 'tacita conceal' made.")],
    key: Annotated[
        Path, typer.Option(metavar="FILE", help="The master key, or the key of one person ('tacita keys export').")
    ],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write, of any writable format.")],
    internal: Annotated[Path | None, typer.Option(help="The internal folder; default: RELEASE.internal.")] = None,
    skip_damaged: Annotated[
        bool,
        typer.Option(
            "--skip-damaged", help="Leave cells hidden whose tokens are damaged, and use changed files, not refuse."
        ),
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write the file of a release with its hidden cells given back; it is as confidential as the source.

    With the master key and the internal folder all records come back in the order of the source; with the key of one
    person, the records of that person. A wrong key reveals nothing, and tokens that were changed or moved are refused.
    """
    from tacita.api.concealing import reveal as run

    with progress_shown() as progress:
        revealed = run(release, key, out, internal=internal, skip_damaged=skip_damaged, force=force, progress=progress)
    if as_json:
        print_json(revealed.to_dict())
    else:
        print_lines([revealed.to_text()])


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reveal")(reveal)
