"""tacita methods: the methods of masking, what they promise, and their parameters."""

from __future__ import annotations

import itertools
from typing import Annotated, Any

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text
from tacita.parameters import EntryParameter

_ENGINE = "in the engine"


def methods(
    name: Annotated[str | None, typer.Argument(metavar="[METHOD]", help="One method, with all that is known.")] = None,
    as_json: AsJson = False,
) -> None:
    """List the methods that a step of a recipe can name, with their parameters and what they promise."""
    from tacita.recipes.methods import METHODS

    shown = [_description(method) for method in ([name] if name is not None else sorted(METHODS.names()))]
    if as_json:
        print_json(shown)
        return
    from rich.table import Table
    from rich.text import Text

    if name is not None:
        told = shown[0]
        lines = [told["method"], "", told["meaning"], "", f"holds: {told['promises']}", f"limits: {told['limits']}", ""]
        lines += [f"  {each['name']}: {each['type']}{each['told']}" for each in told["parameters"]]
        print_text(*(Text(line) for line in lines))
        return
    table = Table(box=None, pad_edge=False, header_style="dim")
    table.add_column("method", no_wrap=True)
    table.add_column("what holds afterwards")
    shown.sort(key=lambda told: (told["family"] == _ENGINE, told["family"]))
    for family, members in itertools.groupby(shown, key=lambda told: told["family"]):
        table.add_row(Text(family, style="bold"))
        for told in members:
            table.add_row(f"  {told['method']}", Text(told["promises"]))
    said = "Ask about one and its parameters: tacita methods mdav. All take 'within', except those in the engine."
    print_text(table, Text(""), Text(said))


def _description(name: str) -> dict[str, Any]:
    from tacita.recipes.methods import METHODS

    method = METHODS.named(name)
    return {
        "method": name,
        "family": _family(method),
        "meaning": METHODS.meaning(name),
        "promises": method.promises,
        "limits": method.limits,
        "is_random": method.is_random,
        "parameters": [
            {"name": each.name, "type": each.words, "needed": each.is_needed, "told": _default(each)}
            for each in METHODS.parameters(name)
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
