"""tacita generate: seeded data sets for experiments, with the truth to score an attack against."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, takes
from tacita.cli.output import print_json, print_lines, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.generating import GeneratorOptions


@takes(options="tacita.api.generating:GeneratorOptions")
def generate(
    options: GeneratorOptions,
    name: Annotated[str | None, typer.Argument(help="R25A4W, R100A4U, households, figure-1, ...; see --list.")] = None,
    list_: Annotated[bool, typer.Option("--list", help="List what can be generated.")] = False,
    as_json: AsJson = False,
) -> None:
    """Generate microdata: the firm surveys R{6,12,25,50,100,...}A{4..9}{W,U,V}, households, the papers' examples.

    W: realistic, few risky tuples. U: unbalanced. V: very unbalanced. Everything is invented; nothing is confidential.
    """
    from tacita.api.generating import generate_files, generators

    if list_ or name is None:
        names = generators()
        width = max(map(len, names))
        if as_json:
            print_json(names)
        else:
            print_lines(f"{one:<{width}}  {meaning}" for one, meaning in names.items())
        return
    with progress_shown() as progress:
        result = generate_files(name, options, progress=progress)
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("generate")(generate)
