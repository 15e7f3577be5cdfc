"""tacita explore: methods and parameters that fit the data, on one map."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.compare import EXIT_NOTHING, Page, check_page, show
from tacita.cli.options import AsJson, Force, Request, reads_data
from tacita.cli.output import progress_shown
from tacita.errors import UsageError
from tacita.forms import names_in, once, split_pair

if TYPE_CHECKING:
    from tacita.recipes.comparison import Comparison


@reads_data
def explore(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    request: Request,
    methods: Annotated[
        list[str] | None,
        typer.Option(help="Methods to try, with commas between; may be repeated; default: those that fit the data."),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(
            help="Attributes to protect, with commas between; may be repeated; default: quasi-identifiers and numbers."
        ),
    ] = None,
    grid: Annotated[
        list[str] | None,
        typer.Option(metavar="METHOD.PARAMETER=VALUE,VALUE", help="Values of a parameter to try; may be repeated."),
    ] = None,
    secret: Annotated[
        list[str] | None,
        typer.Option(help="What the intruder wants to learn; may be repeated; default: the sensitive attributes."),
    ] = None,
    accept: Annotated[
        float | None,
        typer.Option(min=0, max=1, metavar="SHARE", help="The risk that is accepted; goes into the recipes."),
    ] = None,
    html: Page = None,
    recipes: Annotated[
        Path | None,
        typer.Option("--recipes", metavar="FOLDER", help="Write every point as a recipe into a new folder."),
    ] = None,
    take: Annotated[
        int | None, typer.Option(min=1, metavar="NUMBER", help="Take a point as a recipe; needs --to.")
    ] = None,
    to: Annotated[Path | None, typer.Option("--to", metavar="RECIPE.toml", help="Where the recipe taken goes.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Where randomness begins; the same seed, the same map.")
    ] = None,
    at_once: Annotated[
        int | None, typer.Option(min=1, help="How many recipes run at a time; default: all cores.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Try methods and parameters that fit the data, and draw the R-U map with its frontier.

    The unmasked file stands beside them as the baseline. Exit code 1 if no recipe is better than it and keeps the
    limit of --accept. '--recipes FOLDER' keeps every point as a recipe for 'tacita mask'; '--take 7 --to mine.toml'
    takes one of them.
    """
    from tacita.recipes.comparison import compared
    from tacita.recipes.exploration import explored_recipes
    from tacita.recipes.recipe import Judgement

    if (take is None) != (to is None):
        raise UsageError("--take and --to belong together", do="write for example --take 7 --to mine.toml")
    check_page(html, force=force)
    check_page(to, force=force)
    check_page(recipes, force=False)
    with progress_shown() as progress:
        data, notes = request.read(source, progress, only_given_roles=True).for_release(progress=progress)
        asked = explored_recipes(
            data.microdata, attributes=names_in(attributes), methods=names_in(methods), grid=_grid(grid)
        )
        if take is not None and take > len(asked):
            raise UsageError(f"there is no point {take}", do=f"take one from 1 to {len(asked)}")
        wanted = Judgement(secret=tuple(names_in(secret)), accept=accept)
        asked = [recipe.with_(judgement=wanted) for recipe in asked]
        found = compared(
            data.microdata, asked, judgement=wanted, seed=seed, at_once=at_once, must_run=False, progress=progress
        )
    _write(found, recipes, take, to, force=force)
    show(replace(found, notes=(*notes, *found.notes)), html, as_json=as_json, force=force)
    if found.best is None:
        raise typer.Exit(EXIT_NOTHING)


def _write(found: Comparison, folder: Path | None, take: int | None, to: Path | None, *, force: bool) -> None:
    from tacita.files.atomic import write_text
    from tacita.files.file_names import file_names
    from tacita.recipes.recipe_file import recipe_text

    if take is not None and to is not None:
        write_text(to, recipe_text(found.points[take - 1].recipe), force=force)
    if folder is not None:
        folder.mkdir(parents=True)
        stems = file_names([point.recipe.label for point in found.points])
        for number, (point, stem) in enumerate(zip(found.points, stems, strict=True), 1):
            write_text(folder / f"{number:02d}-{stem}.toml", recipe_text(point.recipe), force=False)


def _grid(pairs: list[str] | None) -> dict[str, list[Any]]:
    given = once((split_pair(pair, "--grid") for pair in pairs or ()), "--grid")
    return {key: [_value(each) for each in names_in(values)] for key, values in given.items()}


def _value(text: str) -> Any:
    """Return a value as TOML would read it; a bare word is a text."""
    import tomllib

    try:
        return tomllib.loads(f"x = {text}")["x"]
    except tomllib.TOMLDecodeError:
        return text


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("explore")(explore)
