"""tacita depends: which attributes determine which."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import DATA, AsJson, takes
from tacita.cli.output import print_json, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.depending import DiscoveryOptions
    from tacita.api.reading import DataRequest


@takes(options="tacita.api.depending:DiscoveryOptions", request=DATA)
def discover(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    options: DiscoveryOptions,
    report: Annotated[
        Path | None,
        typer.Option("--report", "--html", metavar="FILE.html", help="Write the graph and all figures as a page."),
    ] = None,
    show: Annotated[int, typer.Option(min=0, help="How many dependencies to show.")] = 40,
    as_json: AsJson = False,
    *,
    request: DataRequest,
) -> None:
    """Find all minimal dependencies: sets of attributes that determine another one, exactly or nearly.

    Without options these hold exactly, for values that are equal. Thresholds (--within) make values alike, --tolerance
    allows violations. Support is how many records can be told by another one, gain how much better than by the mode.
    The result shows no value but those of groups (--conditional).
    """
    from tacita.api.depending import check_report, write_text

    check_report(report, read=[source, *(one.file for one in options.join)], force=options.force)
    with progress_shown() as progress:
        data = request.read(source, progress, only_given_roles=True)
        discovery = data.discover_dependencies(options, progress=progress)
        if report is not None:
            write_text(report, discovery.to_html(), force=options.force)
    if as_json:
        print_json(discovery.to_dict())
        return
    written = [f"\nReport written to {report}; it names attributes and numbers of records."] if report else []
    print_text(discovery.to_terminal(show=show), *written)


def add_to(app: typer.Typer) -> None:
    """Add the commands, as a group of their own."""
    group = typer.Typer(name="depends", help="Find which attributes determine which.")

    @group.callback(invoke_without_command=True)
    def depends(context: typer.Context) -> None:
        """Find which attributes determine which, and so what can be learnt of a value that is hidden."""
        if context.invoked_subcommand is None:
            typer.echo(context.get_help())

    group.command("discover")(discover)
    app.add_typer(group)
