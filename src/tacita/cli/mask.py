"""tacita mask: carry out a recipe, measure and attack the result, and release it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from tacita.cli.options import AsJson, Force, Request, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError

EXIT_AGAINST = 1


@reads_data
def mask(
    source: Annotated[str, typer.Argument(metavar="FILE", help="A file, a folder, a pattern or a database URL.")],
    request: Request,
    recipe: Annotated[Path, typer.Option("--recipe", metavar="RECIPE.toml", help="What is to be done, step by step.")],
    out: Annotated[Path | None, typer.Option(help="Release folder to make; without it nothing is written.")] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Where randomness begins, instead of the recipe's; never published.")
    ] = None,
    internal: Annotated[
        Path | None, typer.Option(help="Folder for what stays in the house; default: OUT.internal.")
    ] = None,
    no_shuffle: Annotated[
        bool, typer.Option("--no-shuffle", help="Keep the order of the records, which may tell who is who.")
    ] = False,
    publish_recipe: Annotated[
        bool, typer.Option("--publish-recipe", help="Hand out the recipe too, without its seed.")
    ] = False,
    anyway: Annotated[
        bool, typer.Option("--anyway", help="Release although a limit of the recipe is not kept; that is recorded.")
    ] = False,
    ungated: Annotated[
        bool,
        typer.Option("--ungated", help="Release although the recipe sets no limit of risk (accept); recorded."),
    ] = False,
    escape_formulas: Annotated[
        bool, typer.Option("--escape-formulas", help="Put an apostrophe before CSV cells that a spreadsheet would run.")
    ] = False,
    allow_derivable: Annotated[
        bool,
        typer.Option("--allow-derivable", help="Release although an attribute that stays determines hidden cells."),
    ] = False,
    force: Force = False,
    as_json: AsJson = False,
) -> None:
    """Carry out a recipe of masking, say what it costs and what attackers still find out, and release the result.

    The release folder holds the data, their dictionary, further tables, a report and a manifest; the recipe with its
    seed stays in OUT.internal. Exit code 1 if a limit of the recipe is not kept, or if the recipe sets no limit of risk
    ('accept') and --ungated is not given: then nothing is written.
    """
    from tacita.api.masking import mask as masked_by
    from tacita.recipes.recipe_file import read_recipe
    from tacita.recipes.verdict import has_limit, reasons_against

    if out is None and any((internal, no_shuffle, publish_recipe, anyway, ungated, escape_formulas, allow_derivable)):
        raise UsageError("an option about the release is given, but no release", do="add --out FOLDER")
    asked = read_recipe(recipe)
    asked = asked.with_(seed=seed) if seed is not None else asked
    if out is not None:
        from tacita.release.folder import internal_folder
        from tacita.release.kinds.masked.folder import check_ungated
        from tacita.release.placing import check_places

        check_ungated(asked, ungated=ungated)
        check_places(out, internal or internal_folder(out), force=force)
    with progress_shown() as progress:
        found = masked_by(request.read(source, progress, only_given_roles=True), asked, progress=progress)
        against = reasons_against(asked, found.evaluation)
        refused = out is not None and not (has_limit(asked) or ungated)
        released = None
        if out is not None and not refused and (anyway or not against):
            from tacita.release.kinds.masked.folder import MaskedOptions, write_masked

            options = MaskedOptions(
                not no_shuffle, publish_recipe, anyway, ungated, internal, force, escape_formulas, allow_derivable
            )
            released = write_masked(found.masked, found.evaluation, out, options, progress=progress)
    if as_json:
        print_json(found.to_dict(released=released))
    else:
        print_text(found.to_terminal(released=released, is_refused=refused))
    if refused or (against and not anyway):
        raise typer.Exit(EXIT_AGAINST)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mask")(mask)
