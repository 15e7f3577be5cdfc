"""tacita attack: what attackers find out from a released file, whoever masked it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import DATA, AsJson, takes
from tacita.cli.output import print_json, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.attacking import AttackOptions
    from tacita.api.reading import DataRequest

EXIT_TOO_GOOD = 1


@takes(options="tacita.api.attacking:AttackOptions", request=DATA)
def attack(
    released: Annotated[str, typer.Argument(metavar="RELEASED", help="A released file, or a folder of 'tacita mask'.")],
    request: DataRequest,
    original: Annotated[
        str, typer.Option("--original", metavar="FILE", help="The file that was masked; it serves as the truth.")
    ],
    options: AttackOptions,
    as_json: AsJson = False,
) -> None:
    """Attack a released file, also one that was masked elsewhere, and score the attack against the truth.

    --quasi says what the intruder knows, --sensitive what the intruder wants to learn. Success is the share of correct
    links, values and memberships; control, the success of the same attack on records that were not in the data; risk,
    (success - control) / (1 - control).
    """
    with progress_shown() as progress:
        data = request.read(original, progress, only_given_roles=True)
        report = data.attack(released, options, known=request.roles.quasi or ())
    if as_json:
        print_json(report.to_dict())
    else:
        print_text(report)
    if not report.is_accepted:
        raise typer.Exit(EXIT_TOO_GOOD)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("attack")(attack)
