"""tacita compare: recipes beside each other, by what they cost and what they still tell."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, Force, reads_data
from tacita.cli.output import print_json, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.masking import RecipeComparison
    from tacita.api.reading import DataRequest

EXIT_NOTHING = 1
"""No recipe is better than the unmasked file and keeps the limits."""

Page = Annotated[
    Path | None, typer.Option("--html", metavar="FILE.html", help="Write the R-U map and all figures as a page.")
]


@reads_data
def compare(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    request: DataRequest,
    recipe: Annotated[
        list[Path], typer.Option("--recipe", metavar="RECIPE.toml", help="A recipe; may be repeated, and should be.")
    ],
    html: Page = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Where randomness begins, for recipes without a seed.")
    ] = None,
    at_once: Annotated[
        int | None, typer.Option(min=1, help="How many recipes run at a time; default: all cores.")
    ] = None,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Carry out several recipes on the same data and show loss, risk and score of each, and which no other beats.

    All are judged on one ground: the intruder knows the quasi-identifiers and the original of everything that some
    recipe changes, unless the table 'attack' of a recipe says otherwise. The unmasked file stands beside them as
    the baseline. Exit code 1 if no recipe is better than it and keeps the limits. Nothing is released: 'tacita mask'
    does that.
    """
    from tacita.api.masking import check_new, titled_recipe

    recipes = [titled_recipe(path) for path in recipe]
    check_new(html, force=force)
    with progress_shown() as progress:
        data = request.read(source, progress, only_given_roles=True)
        comparison = data.compare(recipes, seed=seed, at_once=at_once)
    show(comparison, html, as_json=as_json, force=force)


def show(comparison: RecipeComparison, html: Path | None, *, as_json: bool, force: bool) -> None:
    """Print a comparison, and write its page if one is asked for; leave with a code if nothing is better."""
    from tacita.api.masking import write_page

    if html is not None:
        write_page(comparison, html, force=force)
    if as_json:
        print_json(comparison.to_dict())
    else:
        print_text(comparison, *([f"The map is in {html}."] if html is not None else []))
    if comparison.best is None:
        raise typer.Exit(EXIT_NOTHING)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("compare")(compare)
