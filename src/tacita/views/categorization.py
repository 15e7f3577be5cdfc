"""The forms of categories: what is decided, what is proposed and why, what only a person can decide."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Any

from tacita.describe.propose import SURE
from tacita.errors import printable
from tacita.views.description import STYLES, proposal_dict
from tacita.views.terminal import empty_table
from tacita.views.view import View

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table

    from tacita.api.categorizing import Categorization


class CategorizationView(View["Categorization"]):
    """The forms of a categorization."""

    def title(self, result: Categorization) -> str:
        """Return the name of the data."""
        return result.data.name

    def as_dict(self, result: Categorization) -> dict[str, Any]:
        """Return each attribute with its category and its proposal, and the conflicts."""
        return {
            "name": result.data.name,
            "dictionary": str(result.written) if result.written else None,
            "attributes": [
                {
                    "name": a.name,
                    "category": a.category.value if a.category else None,
                    "proposal": proposal_dict(result.proposals[a.name]),
                }
                for a in result.data.dictionary
            ],
            "conflicts": list(result.conflicts),
        }

    def as_text(self, result: Categorization) -> RenderableType:
        """Return a line for each attribute, what is to be decided, and the command that does it."""
        from rich.console import Group
        from rich.text import Text

        source = shlex.quote(result.data.microdata.source.name)
        parts: list[RenderableType] = [_table(result), Text("")]
        if result.conflicts:
            parts.append(Text(f"{len(result.conflicts)} for you to decide:", style="bold"))
            parts += [Text(printable(f"  {n}: {result.proposals[n].conflict}")) for n in result.conflicts]
            name = shlex.quote(result.conflicts[0])
            parts.append(Text(f"  tacita categorize {source} --accept --set {name}=CATEGORY", style="dim"))
        if result.written:
            parts.append(Text(f"Dictionary written to {result.written}"))
        elif not result.conflicts:
            parts.append(Text(f"Nothing written yet. To accept: tacita categorize {source} --accept", style="dim"))
        return Group(*parts)


def _table(result: Categorization) -> Table:
    from rich.text import Text

    table = empty_table(padding=(0, 2, 0, 0))
    table.add_column("attribute", overflow="fold")
    table.add_column("category", no_wrap=True)
    table.add_column("sure", no_wrap=True, justify="right")
    table.add_column("why", overflow="fold", ratio=1)
    for attribute in result.data.dictionary:
        proposal = result.proposals[attribute.name]
        category = attribute.category or proposal.category
        mark = "" if attribute.category else "?"
        is_given = attribute.name in result.given
        style = "bold red" if mark and (proposal.conflict or proposal.confidence < SURE) else "dim"
        table.add_row(
            Text(printable(attribute.name)),
            Text(category.value + mark, style=STYLES[category]),
            Text("given" if is_given else f"{100 * proposal.confidence:.0f} %", style=style),
            Text("decided by a person" if is_given else proposal.why),
        )
    return table
