"""tacita table: build, assess, protect, audit and export statistical tables."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli import table_files
from tacita.cli.options import AsJson, AsTyped, Force, takes
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError
from tacita.forms import names_in

if TYPE_CHECKING:
    from tacita.api.tables import ProtectionOptions, TableOptions
    from tacita.options import Given

EXIT_UNSAFE = 1

Specification = Annotated[Path, typer.Argument(metavar="SPEC.toml", help="The specification of the tables.")]
Formats = Annotated[
    list[str] | None,
    typer.Option(
        "--format", help="csv (default), wide-csv, xlsx, parquet or sdmx-csv; may be repeated, or with commas between."
    ),
]


def build(
    specification: Specification,
    out: Annotated[
        Path | None,
        typer.Option(metavar="FOLDER|FILE", help="A folder for all tables, or a .csv, .xlsx or .parquet file for one."),
    ] = None,
    format_: Formats = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Build tables from microdata or from given cells, and check that they add up.

    What is written has true values and numbers of contributors, and is not for publication: 'tacita table protect'
    makes what is. Without --out only a summary is shown.
    """
    from tacita.api.tables import build_to

    if out is None and (format_ or force):
        raise UsageError("an option about files is given, but no file", do="add --out FOLDER or FILE")
    with progress_shown() as progress:
        result = build_to(out, specification, names_in(format_), force=force, progress=progress)
    _show(result, as_json=as_json)


def assess(
    specification: Specification,
    recodings: Annotated[
        bool, typer.Option("--recodings", help="Also propose codes to merge, with the table before and after.")
    ] = False,
    show: Annotated[int, typer.Option(min=0, help="How many sensitive cells to show.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Find the cells that tell too much, with the rule and by how much; no contribution is printed.

    With --recodings, merges along the hierarchies that remove most sensitive cells for the detail that they cost.
    """
    from tacita.api.tables import assess_table

    with progress_shown() as progress:
        assessment = assess_table(specification, recodings=recodings, progress=progress)
    if as_json:
        print_json(assessment.to_dict())
    else:
        print_text(assessment.to_terminal(show=show))


@takes(protection="tacita.api.tables:ProtectionOptions", release=AsTyped("tacita.api.tables:TableOptions"))
def protect(
    specification: Specification,
    protection: ProtectionOptions,
    release: Given[TableOptions],
    out: Annotated[Path | None, typer.Option(help="Release folder to make; without it nothing is written.")] = None,
    as_json: AsJson = False,
) -> None:
    """Protect tables at the least cost, audit them by an independent attacker, and only then write them.

    What the options say goes before the specification. The release folder holds the tables, a page and a manifest; the
    true values, reasons and intervals are in OUT.internal. Ctrl-C ends the search and keeps the best safe pattern; a
    second one gives up. Exit code 1, and nothing is written, if the audit finds a level that is not kept.
    """
    from tacita.api.tables import protect_to

    if out is None and release.fields:
        raise UsageError("an option about the release is given, but no release", do="add --out FOLDER")
    with progress_shown() as progress:
        attempt = protect_to(out, specification, protection, release.value(), progress=progress)
    _show(attempt, as_json=as_json)
    if not attempt.passed:
        raise typer.Exit(EXIT_UNSAFE)


def audit(
    specification: Specification,
    pattern: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|FOLDER", help="Published tables to judge, instead of what the specification's cells say."
        ),
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="How the published tables were made, as in 'protect'; default: as their release folder or the "
            "specification says."
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
    withheld, unless --pattern names what was published. Rounded, adjusted and perturbed tables are judged by what their
    method promises and by what an attacker who knows it concludes. Figures are shares of the value, so that no value is
    printed. Exit code 1 if a protection level is violated.
    """
    from tacita.api.tables import audit_to

    with progress_shown() as progress:
        audited = audit_to(intervals, specification, pattern, method=method, force=force, progress=progress)
    if as_json:
        print_json(audited.to_dict(figures=figures) | ({"intervals": str(intervals)} if intervals else {}))
    else:
        written = [f"\nIntervals written to {intervals}; they are internal."] if intervals is not None else []
        print_text(audited.to_terminal(show=show, figures=figures), *written)
    if not audited.passed:
        raise typer.Exit(EXIT_UNSAFE)


def export(
    specification: Specification,
    out: Annotated[Path, typer.Option(metavar="FILE.jj", help="The file to write. Internal: it has every true value.")],
    pattern: Annotated[
        Path | None,
        typer.Option(metavar="FILE|FOLDER", help="Published tables: cells that they withhold get the status u or m."),
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Write a table in the JJ format for tau-Argus, sdcTable or a solver: true values, not for publication.

    Beside it, FILE.cells.csv says which codes each cell has. Costs, bounds and protection levels are those of the
    specification.
    """
    from tacita.api.tables import export_jj

    with progress_shown() as progress:
        result = export_jj(out, specification, pattern, force=force, progress=progress)
    _show(result, as_json=as_json)


def _show(result: Any, *, as_json: bool) -> None:
    if as_json:
        print_json(result.to_dict())
    else:
        print_text(result)


def add_to(app: typer.Typer) -> None:
    """Add the commands, as a group of their own."""
    group = typer.Typer(name="table", help="Build, assess, protect and audit statistical tables.")

    @group.callback(invoke_without_command=True)
    def table(context: typer.Context) -> None:
        """Build, assess, protect and audit statistical tables, as a specification in TOML says."""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    for name, command in (("build", build), ("assess", assess), ("protect", protect), ("audit", audit)):
        group.command(name)(command)
    table_files.add_to(group)
    group.command("export")(export)
    app.add_typer(group)
