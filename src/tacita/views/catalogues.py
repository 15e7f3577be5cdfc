"""The forms of lists: measures of risk and methods of masking, with their parameters."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

from tacita.views.terminal import empty_table
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tacita.api.catalogues import EntryFacts, MeasureList, MethodList
    from tacita.parameters import EntryParameter

_ENGINE = "in the engine"


class MeasureListView(View["MeasureList"]):
    """The forms of the measures."""

    def as_dict(self, result: MeasureList) -> dict[str, Any]:
        """Return each measure with its parameters."""
        return {
            "measures": [
                {
                    "measure": facts.name,
                    "meaning": facts.meaning,
                    "parameters": [
                        {"name": parameter.name, "default": parameter.default_text, "choices": list(parameter.choices)}
                        for parameter in facts.parameters
                    ],
                }
                for facts in result.entries
            ]
        }

    def as_text(self, result: MeasureList) -> RenderableType:
        """Return a line for each measure."""
        from rich.console import Group
        from rich.text import Text

        table = empty_table()
        table.add_column("measure", no_wrap=True)
        table.add_column("what it says")
        table.add_column("parameters")
        for facts in result.entries:
            table.add_row(facts.name, Text(facts.meaning), Text(" ".join(map(_short, facts.parameters))))
        return Group(table, "A rule program can be a measure too: tacita assess FILE --measure ./my_measure.vada")


class MethodListView(View["MethodList"]):
    """The forms of the methods."""

    def as_dict(self, result: MethodList) -> dict[str, Any]:
        """Return each method with what it promises and its parameters."""
        return {"methods": [_method_dict(facts) for facts in result.entries]}

    def as_text(self, result: MethodList) -> RenderableType:
        """Return a line for each method by family, or everything about one."""
        from rich.console import Group
        from rich.text import Text

        if result.is_single:
            return Group(*(Text(line) for facts in result.entries for line in _method_lines(facts)))
        table = empty_table()
        table.add_column("method", no_wrap=True)
        table.add_column("what holds afterwards")
        entries = sorted(result.entries, key=lambda facts: (_family(facts.entry) == _ENGINE, _family(facts.entry)))
        for family, members in itertools.groupby(entries, key=lambda facts: _family(facts.entry)):
            table.add_row(Text(family, style="bold"))
            for facts in members:
                table.add_row(f"  {facts.name}", Text(facts.entry.promises))
        said = "Ask about one and its parameters: tacita methods mdav. All take 'within', except those in the engine."
        return Group(table, Text(""), Text(said))


def _short(parameter: EntryParameter) -> str:
    default = f"={parameter.default_text}" if parameter.default_text else ""
    choices = f" ({'|'.join(parameter.choices)})" if parameter.choices else ""
    return f"{parameter.name}{default}{choices}"


def _method_dict(facts: EntryFacts) -> dict[str, Any]:
    method = facts.entry
    return {
        "method": facts.name,
        "family": _family(method),
        "meaning": facts.meaning,
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
            for parameter in facts.parameters
        ],
    }


def _method_lines(facts: EntryFacts) -> list[str]:
    method = facts.entry
    said = [facts.name, "", facts.meaning, "", f"holds: {method.promises}", f"limits: {method.limits}", ""]
    return [*said, *(f"  {one.name}: {one.words}{_default(one)}" for one in facts.parameters)]


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
