"""tacita measures: the measures of risk, what they say, and their parameters."""

from __future__ import annotations

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text
from tacita.parameters import EntryParameter


def measures(as_json: AsJson = False) -> None:
    """List the measures of risk that 'tacita assess --measure' knows, with their parameters."""
    from tacita.api.catalogues import catalogue_of

    known = catalogue_of("measure")
    if as_json:
        print_json(
            [
                {
                    "measure": name,
                    "meaning": known.meaning(name),
                    "parameters": [
                        {"name": parameter.name, "default": parameter.default_text, "choices": list(parameter.choices)}
                        for parameter in known.parameters(name)
                    ],
                }
                for name in known.names()
            ]
        )
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("measure", no_wrap=True)
    table.add_column("what it says")
    table.add_column("parameters")
    for name in known.names():
        parameters = " ".join(map(_short, known.parameters(name)))
        table.add_row(name, Text(known.meaning(name)), Text(parameters))
    print_text(table, "A rule program can be a measure too: tacita assess FILE --measure ./my_measure.vada")


def _short(parameter: EntryParameter) -> str:
    default = f"={parameter.default_text}" if parameter.default_text else ""
    choices = f" ({'|'.join(parameter.choices)})" if parameter.choices else ""
    return f"{parameter.name}{default}{choices}"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("measures")(measures)
