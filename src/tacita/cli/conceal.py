"""tacita conceal: hide what people keep confidential, and what would give it away."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import DATA, AsJson, AsTyped, takes
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError

if TYPE_CHECKING:
    from tacita.api.concealing import ConcealedOptions, ConcealPlan, DependencyOptions
    from tacita.api.reading import DataRequest
    from tacita.options import Given

_RELEASE = "The release"


@takes(
    plan="tacita.api.concealing:ConcealPlan",
    release=AsTyped("tacita.api.concealing:ConcealedOptions"),
    dependencies="tacita.api.concealing:DependencyOptions",
    request=DATA,
)
def conceal(
    *,
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    plan: ConcealPlan,
    out: Annotated[
        Path | None,
        typer.Option(rich_help_panel=_RELEASE, help="Release folder to make; without it nothing is written."),
    ] = None,
    release: Given[ConcealedOptions],
    dependencies: DependencyOptions,
    as_json: AsJson = False,
    request: DataRequest,
) -> None:
    """Hide the attributes that people keep confidential, and as few others as possible that would give them away.

    Attributes that determine a confidential one are found in the data; the cheapest of them are hidden as well.
    Attackers then try to derive the hidden cells; if one can be derived, nothing is written. Hidden cells become tokens
    that the holder of the key can reveal ('tacita reveal'), or empty cells. Nothing is said about who is recognisable:
    see 'tacita assess'.
    """
    from tacita.api.concealing import conceal_to

    if out is None and release.fields:
        raise UsageError("an option about the release is given, but no release", do="add --out FOLDER")
    options = release.value() if out is not None else None
    with progress_shown() as progress:
        data = request.read(source, progress)
        attempt = conceal_to(out, data, plan, options, dependencies, progress=progress)
    if as_json:
        print_json(attempt.to_dict())
    else:
        print_text(attempt)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("conceal")(conceal)
