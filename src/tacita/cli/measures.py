"""tacita measures, tacita methods: what can be chosen by name, what it says or promises, and its parameters."""

from __future__ import annotations

from typing import Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text


def measures(as_json: AsJson = False) -> None:
    """List the measures of risk that 'tacita assess --measure' knows, with their parameters."""
    from tacita.api.catalogues import measures as list_measures

    known = list_measures()
    if as_json:
        print_json(known.to_dict()["measures"])
    else:
        print_text(known)


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="One method, with all that is known.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the methods that a step of a recipe can name, with their parameters and what they promise."""
    from tacita.api.catalogues import methods as list_methods

    known = list_methods(name)
    if as_json:
        print_json(known.to_dict()["methods"])
    else:
        print_text(known)


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("measures")(measures)
    app.command("methods")(methods)
