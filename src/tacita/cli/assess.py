"""tacita assess: how risky microdata are, and why."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import DATA, AsJson, Force, takes
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import printable

if TYPE_CHECKING:
    from tacita.api.assessing import Assessment, Question
    from tacita.api.reading import DataRequest

EXIT_UNSAFE = 1


@takes(question="tacita.api.assessing:Question", request=DATA)
def assess(
    *,
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    question: Question,
    why: Annotated[int | None, typer.Option(metavar="ROW", min=1, help="Prove the risk of one record.")] = None,
    records: Annotated[
        Path | None, typer.Option(help="Write one row per record: row, frequency, risk and more.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the report as one HTML file.")] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Leave with exit code 1 if a record is unsafe: for scripts.")
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
    request: DataRequest,
) -> None:
    """Say how risky microdata are and why: verdict, figures, riskiest attributes, combinations and records.

    Quasi-identifiers, weight and household key come from the dictionary beside the file, from --quasi, --weight and
    --cluster, or are proposed. Row numbers count the records of the file from 1.
    """
    from tacita.api.assessing import check_one_scenario, check_targets, write_text

    check_targets(records, html, read=[source, question.population, question.original], force=force)
    with progress_shown() as progress:
        data = request.read(source, progress, only_given_roles=True)
        assessment = data.assess(question, known=request.roles.quasi, progress=progress)
        check_one_scenario(assessment, records, why)
        if records is not None:
            assessment.write_records(records, force=force)
        if html is not None:
            write_text(html, assessment.to_html(), force=force)
        explanation = assessment.why(why) if why is not None else None
        others = assessment.reasons(why) if why is not None else ()
    if as_json:
        print_json(assessment.to_dict() | ({"why": explanation.to_dict()} if explanation else {}))
    elif explanation is not None:
        from tacita.cli.output import print_lines

        print_lines(explanation.to_text(others=others).splitlines())
    else:
        print_text(assessment, *_written(assessment, records, html))
    if strict and not assessment.is_safe:
        raise typer.Exit(EXIT_UNSAFE)


def _written(assessment: Assessment, records: Path | None, html: Path | None) -> list[Any]:
    from rich.text import Text

    lines = [f"{assessment.records:,} records written to {records}"] if records else []
    lines += [f"report written to {html}"] if html else []
    return [Text(printable(line)) for line in lines]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("assess")(assess)
