"""tacita table protect: withhold or change as little as possible until no sensitive cell can be found out."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson, Force
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.cli.table_options import Formats, Specification, formats_asked
from tacita.errors import printable

if TYPE_CHECKING:
    from tacita.release.kinds.tables.folder import ReleasedTables
    from tacita.tables.protect.protected import Protected

EXIT_UNSAFE = 1


def protect(
    specification: Specification,
    out: Annotated[Path | None, typer.Option(help="Release folder to make; without it nothing is written.")] = None,
    time: Annotated[
        float | None, typer.Option(min=0, help="Seconds to search for a cheaper pattern; 0 gives a safe one at once.")
    ] = None,
    gap: Annotated[
        float | None, typer.Option(min=0, help="Stop when the pattern is at most this share dearer than the best.")
    ] = None,
    method: Annotated[
        str | None,
        typer.Option(
            help="suppression, fast, controlled_rounding, small_count_rounding, random_rounding, adjustment, cell_key "
            "or intervals."
        ),
    ] = None,
    cost: Annotated[
        str | None, typer.Option(help="What a withheld cell costs: value, count, unity, or a column.")
    ] = None,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed of methods that draw; it is never published.")] = None,
    format_: Formats = None,
    internal: Annotated[
        Path | None, typer.Option(help="The folder that stays in the house; default: OUT.internal.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Protect tables at the least cost, audit them by an independent attacker, and only then write them.

    What the options say goes before the specification. The release folder holds the tables, a page and a manifest; the
    true values, reasons and intervals are in OUT.internal. Ctrl-C ends the search and keeps the best safe pattern; a
    second one gives up. Exit code 1, and nothing is written, if the audit finds a level that is not kept.
    """
    from tacita.errors import UsageError
    from tacita.release.folder import internal_folder
    from tacita.release.kinds.tables.folder import TableOptions, write_tables
    from tacita.release.placing import check_places
    from tacita.tables.protect.protect import protect_table as run

    if out is None and (internal or force or format_):
        raise UsageError("an option about the release is given, but no release", do="add --out FOLDER")
    options = TableOptions(formats_asked(format_), internal, force)
    if out is not None:
        # A search of an hour must not end at a folder that cannot be written.
        check_places(out, internal or internal_folder(out), force=force)
    with progress_shown() as progress:
        protected = run(specification, method=method, seconds=time, gap=gap, cost=cost, seed=seed, progress=progress)
        released = None
        if out is not None and protected.passed:
            released = write_tables(protected, out, options, progress=progress)
    if as_json:
        print_json(protected.to_dict() | _told(released))
    else:
        print_text(protected, *_next(protected, released))
    if not protected.passed:
        raise typer.Exit(EXIT_UNSAFE)


def _told(released: ReleasedTables | None) -> dict[str, Any]:
    if released is None:
        return {"release": None}
    places = {"folder": str(released.folder), "internal": str(released.internal)}
    return {"release": places | {"files": list(released.files)}}


def _next(protected: Protected, released: ReleasedTables | None) -> list[Any]:
    """Return what was written, and what a person may want to do next."""
    from rich.text import Text

    if released is None:
        lines = ["Nothing was written" + ("; add --out FOLDER to release it." if protected.passed else ".")]
    else:
        lines = [
            f"Released to {released.folder}: {', '.join(released.files)}, a page and a manifest.",
            f"What stays in the house is in {released.internal}.",
        ]
        if any(each.withheld.any() for each in protected.tables):
            lines.append(f"Ask why with 'tacita table explain {released.folder} --cell DIMENSION=CODE,...'.")
    return [Text(""), *(Text(printable(line)) for line in lines)]


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("protect")(protect)
