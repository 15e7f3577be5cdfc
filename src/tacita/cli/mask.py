"""tacita mask: carry out a recipe, measure and attack the result, and release it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import DATA, AsJson, AsTyped, takes
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError

if TYPE_CHECKING:
    from tacita.api.masking import MaskedOptions
    from tacita.api.reading import DataRequest
    from tacita.options import Given

EXIT_AGAINST = 1


@takes(release=AsTyped("tacita.api.masking:MaskedOptions"), request=DATA)
def mask(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    request: DataRequest,
    recipe: Annotated[Path, typer.Option("--recipe", metavar="RECIPE.toml", help="What is to be done, step by step.")],
    release: Given[MaskedOptions],
    out: Annotated[Path | None, typer.Option(help="Release folder to make; without it nothing is written.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Where randomness begins, instead of the recipe's; never published.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Carry out a recipe of masking, say what it costs and what attackers still find out, and release the result.

    The release folder holds the data, their dictionary, further tables, a report and a manifest; the recipe with its
    seed stays in OUT.internal. Exit code 1 if a limit of the recipe is not kept, or if the recipe sets no limit of risk
    ('accept') and --ungated is not given: then nothing is written.
    """
    from tacita.api.masking import mask_to

    if out is None and set(release.fields) - {"force"}:
        raise UsageError("an option about the release is given, but no release", do="add --out FOLDER")
    with progress_shown() as progress:
        data = request.read(source, progress, only_given_roles=True)
        attempt = mask_to(out, data, recipe, release.value(), seed=seed)
    if as_json:
        print_json(attempt.to_dict())
    else:
        print_text(attempt)
    if not attempt.passed:
        raise typer.Exit(EXIT_AGAINST)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mask")(mask)
