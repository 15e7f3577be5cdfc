"""tacita explore: methods and parameters that fit the data, on one map."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.compare import Page, show
from tacita.cli.options import DATA, AsJson, Force, takes
from tacita.cli.output import progress_shown
from tacita.errors import UsageError

if TYPE_CHECKING:
    from tacita.api.masking import ExploreOptions
    from tacita.api.reading import DataRequest


@takes(options="tacita.api.masking:ExploreOptions", request=DATA)
def explore(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    request: DataRequest,
    options: ExploreOptions,
    html: Page = None,
    recipes: Annotated[
        Path | None,
        typer.Option("--recipes", metavar="FOLDER", help="Write every point as a recipe into a new folder."),
    ] = None,
    take: Annotated[
        int | None, typer.Option(min=1, metavar="NUMBER", help="Take a point as a recipe; needs --to.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", metavar="RECIPE.toml", help="Where the recipe taken goes.")] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Try methods and parameters that fit the data, and draw the R-U map with its frontier.

    The unmasked file stands beside them as the baseline. Exit code 1 if no recipe is better than it and keeps the
    limit of --accept. '--recipes FOLDER' keeps every point as a recipe for 'tacita mask'; '--take 7 --to mine.toml'
    takes one of them.
    """
    from tacita.api.masking import check_new, write_recipe, write_recipes

    if (take is None) != (to is None):
        raise UsageError("--take and --to belong together", do="write for example --take 7 --to mine.toml")
    check_new(html, to, force=force)
    check_new(recipes)
    with progress_shown() as progress:
        comparison = request.read(source, progress, only_given_roles=True).explore(options, take=take)
    if take is not None and to is not None:
        write_recipe(comparison, take, to, force=force)
    if recipes is not None:
        write_recipes(comparison, recipes)
    show(comparison, html, as_json=as_json, force=force)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explore")(explore)
