"""tacita methods: the methods of masking, what they promise, and their parameters."""

from __future__ import annotations

import itertools
from typing import Annotated, Any

import typer

from tacita.catalogue import Catalogue
from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text
from tacita.parameters import EntryParameter

_ENGINE = "in the engine"


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="One method, with all that is known.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the methods that a step of a recipe can name, with their parameters and what they promise."""
    from tacita.api.catalogues import catalogue_of

    known = catalogue_of("step")
    descriptions = [_description(known, method) for method in ([name] if name is not None else sorted(known.names()))]
    if as_json:
        print_json(descriptions)
        return
    from rich.table import Table
    from rich.text import Text

    if name is not None:
        [method] = descriptions
        lines = [method["method"], "", method["meaning"], ""]
        lines += [f"holds: {method['promises']}", f"limits: {method['limits']}", ""]
        lines += [
            f"  {parameter['name']}: {parameter['type']}{parameter['told']}" for parameter in method["parameters"]
        ]
        print_text(*(Text(line) for line in lines))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("method", no_wrap=True)
    table.add_column("what holds afterwards")
    descriptions.sort(key=lambda method: (method["family"] == _ENGINE, method["family"]))
    for family, members in itertools.groupby(descriptions, key=lambda method: method["family"]):
        table.add_row(Text(family, style="bold"))
        for method in members:
            table.add_row(f"  {method['method']}", Text(method["promises"]))
    said = "Ask about one and its parameters: tacita methods mdav. All take 'within', except those in the engine."
    print_text(table, Text(""), Text(said))


def _description(known: Catalogue[Any], name: str) -> dict[str, Any]:
    method = known.named(name)
    return {
        "method": name,
        "family": _family(method),
        "meaning": known.meaning(name),
        "promises": method.promises,
        "limits": method.limits,
        "is_random": method.is_random,
        "parameters": [
            {
                "name": parameter.name,
                "type": parameter.words,
                "needed": parameter.is_needed,
                "told": _default(parameter),
            }
            for parameter in known.parameters(name)
        ],
    }


def _default(parameter: EntryParameter) -> str:
    if parameter.is_needed:
        return "; needed"
    default = str(parameter.default).lower() if isinstance(parameter.default, bool) else parameter.default
    return f"; default {default}" if default not in {None, (), ""} else ""


def _family(method: type) -> str:
    """Return the room of a method: those of a room are of one kind."""
    home = method.__module__.removeprefix("tacita.").split(".")
    if home[0] == "recipes":
        return _ENGINE
    return home[1].replace("_", " ") if home[0] == "masking" and len(home) > 2 else "others"


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("methods")(methods)
