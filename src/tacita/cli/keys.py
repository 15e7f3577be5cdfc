"""tacita keys: make a master key, erase persons, change the master key, give a person their own key."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson
from tacita.cli.output import print_json, print_lines

if TYPE_CHECKING:
    from tacita.api.concealing import KeyCare

Release = Annotated[Path, typer.Argument(metavar="RELEASE", help="A folder that 'tacita conceal' made.")]
Master = Annotated[Path, typer.Option("--key", metavar="FILE", help="File with the master key.")]
Internal = Annotated[Path | None, typer.Option(help="The internal folder; default: RELEASE.internal.")]


def make(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The file to write; it must not exist.")],
    as_json: AsJson = False,
) -> None:
    """Write a new master key: 64 random bytes that only the owner of the file can read."""
    from tacita.api.concealing import make_key

    _show(make_key(file), as_json=as_json)


def erase(
    release: Release,
    key: Master,
    person: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="A person, as the data name them; may be repeated.")
    ] = None,
    persons: Annotated[
        Path | None, typer.Option(metavar="FILE", help="A text file with a person in each line: nobody else sees it.")
    ] = None,
    internal: Internal = None,
    as_json: AsJson = False,
) -> None:
    """Delete the keys of persons: their hidden cells in this release can never be revealed again.

    Copies of the key store in backups would still open them: delete these, too.
    """
    from tacita.api.concealing import erase_persons, persons_in

    names = [*(person or ()), *(persons_in(persons) if persons is not None else ())]
    _show(erase_persons(release, key, names, internal), as_json=as_json)


def rotate(
    release: Release,
    key: Master,
    new_key: Annotated[Path, typer.Option(metavar="FILE", help="File with the new master key.")],
    internal: Internal = None,
    as_json: AsJson = False,
) -> None:
    """Wrap the keys of all persons under another master key; the released tokens stay as they are."""
    from tacita.api.concealing import rotate_key

    _show(rotate_key(release, key, new_key, internal), as_json=as_json)


def export(
    release: Release,
    key: Master,
    person: Annotated[str, typer.Option(metavar="ID", help="The person, as the data name them.")],
    out: Annotated[Path, typer.Option(metavar="FILE", help="The file to write; it must not exist.")],
    internal: Internal = None,
    as_json: AsJson = False,
) -> None:
    """Write the key to one person's own cells, with which that person can reveal them."""
    from tacita.api.concealing import export_person

    _show(export_person(release, key, person, out, internal), as_json=as_json)


def _show(done: KeyCare, *, as_json: bool) -> None:
    if as_json:
        print_json(done.to_dict())
    else:
        print_lines([done.to_text()])


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    keys = typer.Typer(no_args_is_help=True, help="Make and keep the keys of concealed cells.")
    keys.command("make")(make)
    keys.command("erase")(erase)
    keys.command("rotate")(rotate)
    keys.command("export")(export)
    app.add_typer(keys, name="keys")
