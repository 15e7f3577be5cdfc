"""tacita ledger verify: whether a ledger, or the proof of an entry, is what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_lines, print_text, progress_shown
from tacita.errors import UsageError

EXIT_DOES_NOT_HOLD = 1

SettingsFile = Annotated[
    Path | None,
    typer.Option(
        "--settings", metavar="FILE", help="Settings file of the ledger; default: found from this folder upwards."
    ),
]


def verify(
    checkpoint: Annotated[
        list[Path] | None,
        typer.Option(
            metavar="FILE|FOLDER",
            help="A checkpoint that was kept elsewhere: its text, an internal folder, an export; may be repeated.",
        ),
    ] = None,
    proof: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Check the proof of one entry instead; needs no ledger.")
    ] = None,
    public_key: Annotated[
        str | None,
        typer.Option(
            metavar="KEY", help="The public key of the ledger, NAME+HASH+KEY; default: that of the settings file."
        ),
    ] = None,
    settings: SettingsFile = None,
    as_json: AsJson = False,
) -> None:
    """Recompute every hash, and compare the ledger with checkpoints. Exit code 1 if something was changed."""
    from tacita.api.ledgers import verify as verify_ledger
    from tacita.api.ledgers import verify_proof

    result: Any
    if proof is not None:
        if checkpoint or settings is not None:
            raise UsageError("a proof is checked by itself", do="leave out --checkpoint and --settings")
        result = verify_proof(proof, public_key)
    else:
        with progress_shown() as progress:
            result = verify_ledger(settings, checkpoint or (), public_key, progress=progress)
    show_result(result, as_json=as_json)
    if not result.holds:
        raise typer.Exit(EXIT_DOES_NOT_HOLD)


def show_result(result: Any, *, as_json: bool) -> None:
    """Print what a command on a ledger returned."""
    if as_json:
        print_json(result.to_dict())
    elif type(result).__name__ in {"LedgerLog", "ShownEntry", "LedgerVerification"}:
        print_text(result)
    else:
        print_lines([result.to_text()])
