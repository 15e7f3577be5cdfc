"""The settings of an issuer, a TOML file: which tokens are taken, and who may do what. It has no secret of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from tacita.api.secrets import secret_of_file
from tacita.errors import InputError, TacitaError
from tacita.service.guard import is_loopback
from tacita.service.tokens import ServiceRole, checked_name
from tacita.toml.checked import Checked
from tacita.toml.faults import Faults, tables_of

ALGORITHMS = ("RS256", "ES256", "EdDSA")
_KEYS = (
    "issuer", "audience", "clients", "client_id", "client_secret_file", "scopes", "algorithms", "name", "leeway",
    "session_hours", "roles", "names",
)  # fmt: skip
_MOST_LEEWAY, _MOST_HOURS = 300, 24


@dataclass(frozen=True, slots=True)
class OidcSettings:
    """Which tokens are taken, and what their claims mean."""

    issuer: str
    audience: str | None
    """Of the tokens that programs send; None: programs use tokens of Tacita."""
    client_id: str | None
    """Of the pages; None: people sign in with tokens of Tacita."""
    client_secret: str | None = field(repr=False)
    """None for a public client, which has nothing but PKCE."""
    role_claim: tuple[str, ...]
    """The claim with the groups of a person; several names are a way into it."""
    roles: Mapping[ServiceRole, tuple[str, ...]]
    """Groups by role, in the order in which roles are given."""
    names: Mapping[str, str] = field(default_factory=dict)
    """Names of analysts that stand for a person, by the value of the claim."""
    name_claim: str = "sub"
    clients: tuple[str, ...] = ()
    """Programs that a token may have been made for; empty: all that the issuer knows."""
    scopes: tuple[str, ...] = ()
    algorithms: tuple[str, ...] = ALGORITHMS
    leeway: int = 30
    """Seconds by which clocks may differ."""
    session_hours: float = 8.0


def read_oidc_settings(path: Path) -> OidcSettings:
    """Return what a settings file says; raise with all its faults, each with its line."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "not UTF-8"
        raise InputError(f"cannot be read ({reason})", where=str(path), do="check the file") from None
    faults = Faults()
    top = Checked.of(tables_of(text, where=str(path)), (), faults, path.resolve().parent, _KEYS)
    settings = _settings(top)
    faults.raise_any(text, where=str(path), do="correct the settings of the issuer")
    return settings


def is_private_way(url: str) -> bool:
    """Return whether an address is reached over TLS, or on this machine itself.

    >>> [is_private_way(one) for one in ("https://id.example.org", "http://127.0.0.1:9", "http://id.example.org")]
    [True, True, False]
    """
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        return False
    if not host or parts.username is not None or not url.isascii() or not url.isprintable() or " " in url:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and is_loopback(host))


def _settings(top: Checked) -> OidcSettings:
    issuer = top.text("issuer", "")
    if not is_private_way(issuer) or urlsplit(issuer).query or urlsplit(issuer).fragment:
        top.fault("issuer", "'issuer' must be the address of an issuer, over https or on this machine")
    audience, client_id = top.text("audience", None), top.text("client_id", None)
    if audience is None and client_id is None:
        top.fault("client_id", "one of 'audience' (for programs) and 'client_id' (for the pages) is needed")
    algorithms = top.texts("algorithms") or ALGORITHMS
    for one in algorithms:
        if one not in ALGORITHMS:
            top.fault("algorithms", f"'algorithms' may have {', '.join(ALGORITHMS)}, and nothing else")
    claim, roles = _roles(top)
    name_claim, names = top.text("name", "sub"), _names(top)
    if name_claim != "sub" and any(key != key.lower() for key in names):
        top.fault("names", "the keys of [names] must be in small letters, as the claim is compared")
    return OidcSettings(
        issuer=issuer,
        audience=audience,
        client_id=client_id,
        client_secret=_secret(top, client_id),
        role_claim=claim,
        roles=roles,
        names=names,
        name_claim=name_claim,
        clients=top.texts("clients"),
        scopes=tuple(one for one in top.texts("scopes") if one != "openid"),
        algorithms=algorithms,
        leeway=_at_most(top, "leeway", top.whole("leeway", 30), _MOST_LEEWAY),
        session_hours=top.number("session_hours", 8.0, least=0, most=_MOST_HOURS, above=True),
    )


def _at_most(top: Checked, key: str, given: int, most: int) -> int:
    if given > most:
        top.fault(key, f"'{key}' is {given}, but must be at most {most}")
    return given


def _roles(top: Checked) -> tuple[tuple[str, ...], dict[ServiceRole, tuple[str, ...]]]:
    """Return the claim and the groups of each role, those who may most first."""
    order = (ServiceRole.HOLDER, ServiceRole.AUDITOR, ServiceRole.ANALYST)
    table = top.below("roles", ("claim", *order))
    claim = table.texts("claim", single=True)
    groups = {role: table.texts(role, single=True) for role in order}
    if not claim:
        table.fault("claim", "'claim' in [roles] must name the claim with the groups of a person")
    if not any(groups.values()):
        table.fault("analyst", "[roles] gives nobody a role: nobody could sign in")
    for role in order:
        if both := {one for other in order if other is not role for one in groups[other]} & {*groups[role]}:
            table.fault(role, f"[roles] gives '{min(both)}' two roles")
    return claim, groups


def _names(top: Checked) -> dict[str, str]:
    table = top.open("names")
    names: dict[str, str] = {}
    for key in table.table:
        name = table.text(key, "")
        try:
            names[key] = checked_name(name)
        except TacitaError as error:
            table.fault(key, f"the name of an analyst cannot be used: {error.found}")
    return names


def _secret(top: Checked, client_id: str | None) -> str | None:
    path = top.file("client_secret_file")
    if path is None or not path.is_file():
        return None
    if client_id is None:
        top.fault("client_secret_file", "'client_secret_file' is of no use without 'client_id'")
    return secret_of_file(
        path, "the secret of the client", exposed="get a new one of the issuer if others could read it"
    )
