"""tacita reason: what follows from rules and data."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, takes
from tacita.cli.output import print_json, print_lines, progress_shown

if TYPE_CHECKING:
    from tacita.api.reasoning import ReasoningRequest, ReportOptions


@takes(reasoning="tacita.api.reasoning:ReasoningRequest", options="tacita.api.reasoning:ReportOptions")
def reason(
    program: Annotated[str, typer.Argument(help="A rule program (.vada), or the name of one that ships with Tacita.")],
    reasoning: ReasoningRequest,
    options: ReportOptions,
    as_json: AsJson = False,
) -> None:
    """Run a rule program over data until nothing new follows; print its results, or write them to files.

    All outputs are written, or none. Without --output the first facts of each result are printed. With --why only the
    proof is, in words and as a tree.
    """
    from tacita.api.reasoning import reasoning_report

    with progress_shown() as progress:
        report = reasoning_report(program, replace(reasoning, progress=progress), options)
    with report.conclusions:
        if as_json:
            print_json(report.to_dict())
        else:
            print_lines([report.to_text()])


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("reason")(reason)
