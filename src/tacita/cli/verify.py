"""tacita verify: whether a release is what it says, from the released file alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, takes
from tacita.cli.output import print_json, print_text, progress_shown

if TYPE_CHECKING:
    from tacita.api.releases import ClaimOptions

EXIT_DOES_NOT_HOLD = 1


@takes(claim="tacita.api.releases:ClaimOptions")
def verify(
    release: Annotated[Path, typer.Argument(metavar="RELEASE", help="The release folder.")],
    claim: ClaimOptions,
    internal: Annotated[
        Path | None, typer.Option(help="The internal folder; default: RELEASE.internal beside it, if it is there.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Check that no file of a release was changed, and that its claim holds for the released file alone.

    The claim comes from the internal folder. Without it, give the claim as options. Exit code 1 if it does not hold. Of
    tables and of masked data, the files are compared with those that were attacked.
    """
    from tacita.api.releases import verify as verify_release

    with progress_shown() as progress:
        verification = verify_release(release, claim, internal=internal, progress=progress)
    if as_json:
        print_json(verification.to_dict())
    else:
        print_text(verification)
    if not verification.holds:
        raise typer.Exit(EXIT_DOES_NOT_HOLD)


def add_to(app: typer.Typer) -> None:
    """Add the command."""
    app.command("verify")(verify)
