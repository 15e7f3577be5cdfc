"""tacita serve, tacita token: answer questions over HTTP; make, list and revoke the tokens of those who may ask."""

from __future__ import annotations

import dataclasses
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tacita.cli.options import AsJson, takes
from tacita.cli.output import print_json, print_lines

if TYPE_CHECKING:
    from tacita.service.options import ServeOptions
    from tacita.service.tokens import AccessToken

State = Annotated[Path, typer.Option("--state", metavar="DIR", help="The private folder of the service.")]
_STATE = Path("service-state")


@takes(options="tacita.service.options:ServeOptions")
def serve(
    *,
    folders: Annotated[list[Path], typer.Argument(metavar="FOLDER...", help="Folders that 'tacita query open' made.")],
    options: ServeOptions,
) -> None:
    """Answer questions over HTTP: endpoints for programs, pages for analysts and auditors.

    The first line on the standard output says where. SIGTERM ends it in order. TLS is the business of a proxy before
    it. Needs pip install tacita\\[service].
    """
    from tacita.service import serve as serve_until_the_end

    serve_until_the_end(dataclasses.replace(options, folders=tuple(folders)))


def make(
    *,
    name: Annotated[str, typer.Argument(metavar="NAME", help="Whose questions are counted under this name.")],
    role: Annotated[str, typer.Option(metavar="ROLE", help="holder, analyst or auditor.")] = "analyst",
    days: Annotated[float | None, typer.Option(help="Days until it expires; default: never.")] = None,
    state: State = _STATE,
    as_json: AsJson = False,
) -> None:
    """Make a token. It is shown once, now; only its HMAC is kept."""
    from tacita.errors import UsageError
    from tacita.service.state import ServiceState
    from tacita.service.tokens import ServiceRole

    if role not in list(ServiceRole):
        raise UsageError(f"there is no role '{role}'", do="give holder, analyst or auditor")
    with ServiceState(state) as opened:
        secret, token = opened.make_token(name, ServiceRole(role), days)
    if as_json:
        print_json({**_fields(token), "token": secret})
    else:
        print_lines([secret, f"token {token.id} of {token.name} ({token.role}); it is not shown again"])


def list_(state: State = _STATE, as_json: AsJson = False) -> None:
    """List tokens, and sessions of people who signed in at an issuer; never the secrets themselves."""
    from tacita.service.state import ServiceState

    with ServiceState(state) as opened:
        tokens = opened.tokens()
    if as_json:
        print_json([_fields(token) for token in tokens])
    else:
        print_lines(
            f"{one['id']}  {one['kind']:7}  {one['role']:8}  {one['status']:8}  {one['expires'] or 'never':25}  "
            f"{one['name']}"
            for one in map(_fields, tokens)
        )


def revoke(
    id: Annotated[str, typer.Argument(metavar="ID", help="The id that 'tacita token list' shows.")],
    state: State = _STATE,
    as_json: AsJson = False,
) -> None:
    """Revoke a token or a session: from now on it opens nothing, in a running service either."""
    from tacita.service.state import ServiceState

    with ServiceState(state) as opened:
        token = opened.revoke(id)
    if as_json:
        print_json(_fields(token))
    else:
        print_lines([f"token {token.id} of {token.name} is revoked"])


def _fields(token: AccessToken) -> dict[str, str | None]:
    return {
        "id": token.id,
        "name": token.name,
        "role": str(token.role),
        "kind": str(token.kind),
        "status": token.status(time.time()),
        "created": _time(token.created),
        "expires": None if token.expires is None else _time(token.expires),
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def add_to(app: typer.Typer) -> None:
    """Add the commands."""
    app.command("serve")(serve)
    group = typer.Typer(no_args_is_help=True, help="Make, list and revoke the tokens of a service.")
    group.command("make")(make)
    group.command("list")(list_)
    group.command("revoke")(revoke)
    app.add_typer(group, name="token")
