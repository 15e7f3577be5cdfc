"""tacita query backup, tacita query restore: a backup of an opened data set while it is asked, and the way back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_lines

if TYPE_CHECKING:
    from tacita.api.backups import BackedUp

_State = Annotated[
    Path | None, typer.Option("--state", metavar="DIR", help="The private folder of a service: its tokens, too.")
]
_STATE = "state"


def backup(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="A folder that 'tacita query open' made.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="Folder to make; it stays inside, as the data set does.")],
    state: _State = None,
    as_json: AsJson = False,
) -> None:
    """Write a backup of an opened data set with its answers, while a service may go on answering."""
    from tacita.api.backups import back_up

    if state is None:
        _show(back_up(folder, out), [], as_json=as_json)
        return
    from tacita.service.state import ServiceState

    with ServiceState(state) as opened:
        done = back_up(folder, out)
        opened.copy_to(out / _STATE)
    _show(done, ["The state of the service with its tokens, without sessions."], as_json=as_json)


def restore(
    *,
    folder: Annotated[Path, typer.Argument(metavar="FOLDER", help="Where the data set goes, or is.")],
    why: Annotated[str, typer.Option(metavar="TEXT", help="Why the latest copy is lost; it is recorded.")],
    backup: Annotated[
        Path | None,
        typer.Option("--from", metavar="DIR", help="A backup; without it, accept the older copy in FOLDER."),
    ] = None,
    state: _State = None,
    as_json: AsJson = False,
) -> None:
    """Go on from a backup, or from an older copy, and record in the ledger that later answers are lost."""
    from tacita.api.backups import restore as put_back
    from tacita.errors import UsageError

    if state is not None and backup is None:
        raise UsageError("--state comes back from a backup", do="name one: --from DIR")
    notes = []
    if state is not None and backup is not None:
        from tacita.service.state import ServiceState

        if state.exists():
            raise UsageError(f"{state}: the folder of --state exists", do="leave out --state, or name a new folder")
        if not (backup / _STATE).is_dir():
            raise UsageError(f"{backup}: the backup has no tokens of a service", do="leave out --state")
        with ServiceState(backup / _STATE) as opened:
            opened.copy_to(state)
        notes.append("Tokens that were revoked after the backup are valid again: look through 'tacita token list'.")
    _show(put_back(folder, why, backup), notes, as_json=as_json)


def _show(done: BackedUp, notes: list[str], *, as_json: bool) -> None:
    if as_json:
        fields = done.to_dict()
        print_json({**fields, "notes": [*fields["notes"], *notes]})
    else:
        print_lines([*done.sentences, *notes])


def add_to(group: typer.Typer) -> None:
    """Add the commands."""
    group.command("backup")(backup)
    group.command("restore")(restore)
