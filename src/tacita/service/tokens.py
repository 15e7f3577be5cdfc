"""Tokens: 32 random bytes that a person shows with each request. Only their HMAC under a key of the server is kept.

A session is a token that the service makes for a browser when its person signed in at an issuer; it opens pages only.
"""

from __future__ import annotations

import hashlib
import hmac
import secrets
import unicodedata
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from enum import StrEnum

from tacita.errors import UsageError

_SESSION = "tcs_"
_BYTES = 32
LONGEST_TOKEN = 100
OF_ISSUER = "oidc:"
"""What names begin with that come from an issuer, and no others."""
_LONGEST_NAME = 60


class TokenKind(StrEnum):
    """What a token is for."""

    TOKEN = "token"
    """Made by the holder, for programs and pages."""
    SESSION = "session"
    """Made for a browser, for pages."""


class ServiceRole(StrEnum):
    """What the owner of a token may do."""

    HOLDER = "holder"
    """Ask, see what everybody asked, and audit."""
    ANALYST = "analyst"
    """Ask, and see what they asked themselves."""
    AUDITOR = "auditor"
    """See what everybody asked and why something was refused; not ask."""


@dataclass(frozen=True, slots=True)
class AccessToken:
    """A token as the service keeps it: never the token itself."""

    id: str
    """What it is called in lists, and when it is revoked."""
    name: str
    """Whose questions are counted: two tokens of one name are one analyst."""
    role: ServiceRole
    created: float
    """Seconds since 1970, as all times here."""
    expires: float | None
    revoked: float | None
    digest: bytes = field(repr=False, default=b"")
    kind: TokenKind = TokenKind.TOKEN

    def is_valid(self, now: float) -> bool:
        """Whether it opens anything."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    def status(self, now: float) -> str:
        """Return 'valid', 'expired' or 'revoked'."""
        return "revoked" if self.revoked is not None else "valid" if self.is_valid(now) else "expired"


def new_secret(kind: TokenKind) -> str:
    """Return a new token, as its owner gets it."""
    return (_SESSION if kind is TokenKind.SESSION else "tct_") + urlsafe_b64encode(
        secrets.token_bytes(_BYTES)
    ).decode().rstrip("=")


def kind_of(secret: str) -> TokenKind:
    """Return what a token would be for, if it is one."""
    return TokenKind.SESSION if secret.startswith(_SESSION) else TokenKind.TOKEN


def keyed_digest(key: bytes, purpose: str, text: str) -> bytes:
    """Return the HMAC-SHA-256 of a text; digests of different purposes are never equal."""
    return hmac.new(key, f"{purpose}\0{text}".encode(errors="surrogatepass"), hashlib.sha256).digest()


def checked_name(name: str) -> str:
    """Return the name of an analyst; raise if it cannot be one."""
    if not name.isprintable() or name != name.strip() or not 0 < len(name) <= _LONGEST_NAME:
        raise UsageError("the name is not printable, or too long", do=f"give at most {_LONGEST_NAME} characters")
    if unicodedata.normalize("NFKC", name).casefold().startswith(OF_ISSUER):
        raise UsageError(f"names that begin with '{OF_ISSUER}' are those of an issuer", do="choose another name")
    return name
