"""tacita mask: carry out a recipe, measure and attack the result, and release it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tacita.cli.options import AsJson, Force, Request, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError, printable

if TYPE_CHECKING:
    from tacita.api.masking import Masking
    from tacita.release.kinds.masked.folder import ReleasedRecords

EXIT_AGAINST = 1
_DO_LIMIT = "Add accept = SHARE to [attack] of the recipe, or release it without a limit: --ungated."


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
        print_json(_as_dict(found, released, against))
    else:
        _print(found, released, against, refused=refused)
    if refused or (against and not anyway):
        raise typer.Exit(EXIT_AGAINST)


def _as_dict(found: Masking, released: ReleasedRecords | None, against: Sequence[str]) -> dict[str, Any]:
    from tacita.recipes.verdict import has_limit
    from tacita.release.records.derivable import with_derivable
    from tacita.views.json_values import plain

    judged = found.evaluation.to_dict()
    is_derivable = released is not None and released.is_derivable
    told: dict[str, Any] = {"headline": with_derivable(judged.pop("headline"), is_derivable=is_derivable)}
    told["steps"] = [
        {
            "step": done.label,
            "changed": list(done.attributes),
            "promises": done.promises,
            "limits": done.limits,
            "figures": plain(done.figures),
            "notes": list(done.notes),
        }
        for done in found.masked.steps
    ]
    told |= judged | {"notes": [*found.notes, *judged["notes"]], "against": list(against)}
    told["has_limit"] = has_limit(found.masked.recipe)
    if released is not None:
        places = {"folder": released.folder, "internal": released.internal, "data": released.data}
        told["release"] = {name: str(path) for name, path in places.items()} | {"notes": list(released.notes)}
    return told


def _print(found: Masking, released: ReleasedRecords | None, against: Sequence[str], *, refused: bool) -> None:
    from rich.text import Text

    from tacita.recipes.verdict import UNGATED, has_limit
    from tacita.release.records.derivable import with_derivable
    from tacita.views.evaluation import evaluation_text, headline, steps_text

    lines = [*found.notes, *(released.notes if released is not None else ())]
    said = [Text(printable(f"Note: {note}"), style="dim") for note in lines]
    said += [Text(printable(f"Not kept: {reason}."), style="bold red") for reason in against]
    if released is not None:
        said.append(Text(printable(f"Released to {released.folder}: {', '.join(released.files)} and a report.")))
        said.append(Text(printable(f"What stays in the house, with the seed, is in {released.internal}.")))
    elif refused:
        said.append(Text(f"Not released: {UNGATED}. {_DO_LIMIT}", style="bold red"))
    elif not has_limit(found.masked.recipe):
        said.append(Text(f"Nothing was written. {_DO_LIMIT}"))
    else:
        said.append(Text("Nothing was written" + ("." if against else "; add --out FOLDER to release it.")))
    is_derivable = released is not None and released.is_derivable
    first = Text(printable(with_derivable(headline(found.evaluation), is_derivable=is_derivable)), style="bold")
    steps = steps_text(found.masked.steps)
    print_text(first, Text(""), *steps, *evaluation_text(found.evaluation), Text(""), *said)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("mask")(mask)
