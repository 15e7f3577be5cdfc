"""tacita table audit: what an attacker can find out about the withheld cells of tables, step by step."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.cli.table_options import Specification

EXIT_VIOLATED = 1


def audit(
    specification: Specification,
    pattern: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER", help="Published tables to judge, instead of what the specification's cells say."
        ),
    ] = None,
    intervals: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the attacker's intervals to a CSV or Parquet file. Internal."),
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="On how many cells to show attacks step by step.")] = 5,
    figures: Annotated[
        bool, typer.Option("--figures", help="Show the figures of the attacks, too: they tell withheld values.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Judge tables by the attacker's interval of every withheld cell: pass, or the attack step by step.

    Tables that were protected elsewhere are judged as they are; of a table from microdata the sensitive cells alone are
    withheld, unless --pattern names what was published. Figures are shares of the value, so that no value is printed.
    Exit code 1 if a protection level is violated.
    """
    from tacita.files.atomic import check_target
    from tacita.tables.auditing import audit_table as run

    if intervals is not None:
        check_target(intervals, force=force)
    with progress_shown() as progress:
        found = run(specification, pattern, progress=progress)
    if intervals is not None:
        from tacita.tables.auditing import write_intervals

        write_intervals(found, intervals, force=force)
    if as_json:
        print_json(found.to_dict(figures=figures) | ({"intervals": str(intervals)} if intervals else {}))
    else:
        told = [f"\nIntervals written to {intervals}; they are internal."] if intervals is not None else []
        print_text(found.to_terminal(show=show, figures=figures), *told)
    if not found.passed:
        raise typer.Exit(EXIT_VIOLATED)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("audit")(audit)
