"""tacita measures: the measures of risk, what they say, and their parameters."""

from __future__ import annotations

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text


def measures(as_json: AsJson = False) -> None:
    """List the measures of risk that 'tacita assess --measure' knows, with their parameters."""
    from tacita.risk.catalogue import MEASURES, meaning, parameters_of

    if as_json:
        print_json(
            [
                {
                    "measure": name,
                    "meaning": meaning(name),
                    "parameters": [
                        {"name": p.name, "default": p.default, "choices": list(p.choices)} for p in parameters_of(name)
                    ],
                }
                for name in MEASURES
            ]
        )
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("measure", no_wrap=True)
    table.add_column("what it says")
    table.add_column("parameters")
    for name in MEASURES:
        told = [
            f"{p.name}{'=' if p.default else ''}{p.default}{' (' + '|'.join(p.choices) + ')' if p.choices else ''}"
            for p in parameters_of(name)
        ]
        table.add_row(name, Text(meaning(name)), Text(" ".join(told)))
    print_text(table, "A rule program can be a measure too: tacita assess FILE --measure ./my_measure.vada")


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("measures")(measures)
