"""tacita attack: what attackers find out from a released file, whoever masked it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, Request, reads_data
from tacita.cli.output import print_json, print_text, progress_shown
from tacita.errors import UsageError, counted, printable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tacita.model.microdata import Microdata

EXIT_TOO_GOOD = 1
BY_ORDER = "The records are taken to stand in the order of the original; if they do not, the shares are too low"


@reads_data
def attack(
    released: Annotated[str, typer.Argument(metavar="RELEASED", help="A released file, or a folder of 'tacita mask'.")],
    request: Request,
    original: Annotated[
        str, typer.Option("--original", metavar="FILE", help="The file that was masked; it serves as the truth.")
    ],
    by: Annotated[
        str | None, typer.Option(help="Identifier that tells who is who; without it, records are in the same order.")
    ] = None,
    invented: Annotated[
        bool, typer.Option("--invented", help="The records are synthetic: none of them is anybody's.")
    ] = False,
    oracle: Annotated[
        str | None, typer.Option(metavar="FILE", help="Register of people whom the intruder knows, with --by.")
    ] = None,
    control: Annotated[
        str | None,
        typer.Option(
            "--control", "--holdout", metavar="FILE", help="Records of people like the original who were not in it."
        ),
    ] = None,
    source: Annotated[
        list[str] | None,
        typer.Option(metavar="NAMES", help="Attributes of one of two sources that linkability links; give it twice."),
    ] = None,
    attacker: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Who attacks; may be repeated. Default: those that fit.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Where the randomness of attackers begins.")] = 0,
    accept: Annotated[
        float | None, typer.Option(min=0, max=1, help="The risk that is accepted; exit code 1 beyond it.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Attack a released file, also one that was masked elsewhere, and score the attack against the truth.

    --quasi says what the intruder knows, --sensitive what the intruder wants to learn. Success is the share of correct
    links, values and memberships; control, the success of the same attack on records that were not in the data; risk,
    (success - control) / (1 - control).
    """
    from tacita.files.read import read
    from tacita.recipes.attacking import attacked
    from tacita.recipes.defaults import risk_of
    from tacita.recipes.truth import scene_of
    from tacita.views.evaluation import attack_dict, attacks_table, control_notes
    from tacita.views.json_values import plain

    with progress_shown() as progress:
        data = request.read(original, progress, only_given_roles=True)
        engine = data.relation.engine
        file, places, is_invented = _opened(released)
        masked = read(file, engine)
        invented = invented or is_invented
        origin = None if invented else _origin(data.microdata, masked, places, by)
        by_order = not invented and places is None and (by is None or by not in masked.dictionary.names)
        scene = scene_of(
            data.microdata,
            masked,
            origin,
            known=tuple(request.quasi_identifiers() or ()),
            oracle=None if oracle is None else read(oracle, engine),
            by=by,
            control=None if control is None else read(control, engine),
            sources=_sources(source or []),
        )
        found = attacked(scene, attacker or (), seed=seed, progress=progress)
    beyond = [each for each in found.done if accept is not None and not risk_of(each) <= accept]
    if as_json:
        notes = [*found.notes, *([BY_ORDER] if by_order else [])]
        told = {"known": list(scene.known), "secret": list(scene.secret), "notes": notes}
        print_json(told | {"attacks": plain([attack_dict(each) for each in found.done]), "accepted": not beyond})
    else:
        from rich.text import Text

        said = [f"The intruder knows {', '.join(scene.known) or 'nothing'}."]
        said += [f"The intruder wants to learn {', '.join(scene.secret)}."] if scene.secret else []
        said += control_notes(found.done)
        said += [f"note: {note}" for each in found.done for note in each.notes]
        said += [f"note: {note}" for note in found.notes]
        said += [BY_ORDER] if by_order else []
        said += [f"Not accepted: {each.attacker}." for each in beyond]
        print_text(attacks_table(found.done), Text(""), *(Text(printable(line)) for line in dict.fromkeys(said)))
    if beyond or (accept is not None and (found.unable or not found.done)):
        raise typer.Exit(EXIT_TOO_GOOD)


def _opened(released: str) -> tuple[str, NDArray[np.int64] | None, bool]:
    """Return the data file, where its records come from if a release of ours tells, and whether they are invented."""
    from tacita.release.kinds.masked.opened import data_and_origin, release_of

    folder = release_of(Path(released))
    if folder is None:
        return released, None, False
    data, places = data_and_origin(folder)
    return str(data), places, places is None


def _sources(given: list[str]) -> tuple[list[str], list[str]] | None:
    """Return the attributes of two sources; None if none are given."""
    if not given:
        return None
    parts = [[name for each in source.split(",") if (name := each.strip())] for source in given]
    if len(parts) != 2:
        raise UsageError(f"--source is given {counted(len(parts), 'time')}", do="give it twice, once for each source")
    return parts[0], parts[1]


def _origin(
    original: Microdata, masked: Microdata, places: NDArray[np.int64] | None, by: str | None
) -> NDArray[np.int64]:
    from tacita.recipes.truth import origin_by_identifier, origin_by_order

    if places is not None:
        if len(places) != masked.relation.count() or (len(places) and places.max() >= original.relation.count()):
            raise UsageError("the release was not made from this original", do="name the file that was masked")
        return places
    if by is not None and by in masked.dictionary.names:
        return origin_by_identifier(original, masked, by)
    return origin_by_order(original, masked)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("attack")(attack)
