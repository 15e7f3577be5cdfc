"""tacita explain: why a cell of a release was changed."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_text
from tacita.errors import printable

if TYPE_CHECKING:
    from rich.tree import Tree

    from tacita.release.explain import Branch, Explanation


def explain(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release folder.")],
    row: Annotated[int, typer.Option("--row", min=1, help="Number of the record in the released file, from 1.")],
    attribute: Annotated[
        str | None, typer.Option("--attribute", help="The attribute; without it, all of them.")
    ] = None,
    source_row: Annotated[
        bool, typer.Option("--source-row", help="--row counts the records of the source instead of the release.")
    ] = False,
    internal: Annotated[
        Path | None, typer.Option(help="The internal folder; default: RELEASE.internal beside it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say why a cell was changed: the step, the rule, the risk before and after, and why not another cell.

    The answer comes from the internal folder, which never leaves the house. It holds no value of the data.
    """
    from tacita.release.explain import explained
    from tacita.release.records_of import opened

    found = explained(opened(release, internal), row, attribute, of_source=source_row)
    if as_json:
        print_json(_as_dict(found))
        return
    from rich.text import Text

    where = f"Record {found.row:,} of the release"
    where += f", record {found.source_row:,} of the source" if found.source_row != found.row else ""
    print_text(Text(where), *(_tree(branch) for branch in found.branches))


def _tree(branch: Branch) -> Tree:
    from rich.text import Text
    from rich.tree import Tree

    tree = Tree(Text(printable(branch.text)))
    for each in branch.below:
        tree.add(_tree(each))
    return tree


def _as_dict(found: Explanation) -> dict[str, object]:
    return {
        "row": found.row,
        "source_row": found.source_row,
        "attribute": found.attribute,
        "sentences": found.sentences,
        "tree": [branch.to_dict() for branch in found.branches],
        "decisions": [
            {
                "step": d.step,
                "attribute": d.attribute,
                "from_level": d.from_level,
                "to_level": d.to_level,
                "rule": d.rule,
                "risk_before": d.risk_before,
                "risk_after": d.risk_after,
                "alternatives": [{"action": a.action, "reason": a.reason} for a in d.alternatives],
            }
            for d in found.decisions
        ],
    }


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explain")(explain)
