"""Tokens: 32 random bytes that a person shows with each request. Only their HMAC under a key of the server is kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from base64 import urlsafe_b64encode
from dataclasses import dataclass, field
from enum import StrEnum

from tacita.errors import UsageError

_PREFIX = "tct_"
_BYTES = 32
LONGEST_TOKEN = 100
_LONGEST_NAME = 60


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

    def is_valid(self, now: float) -> bool:
        """Whether it opens anything."""
        return self.revoked is None and (self.expires is None or now < self.expires)

    def status(self, now: float) -> str:
        """Return 'valid', 'expired' or 'revoked'."""
        return "revoked" if self.revoked is not None else "valid" if self.is_valid(now) else "expired"


def new_secret() -> str:
    """Return a new token, as its owner gets it."""
    return _PREFIX + urlsafe_b64encode(secrets.token_bytes(_BYTES)).decode().rstrip("=")


def keyed_digest(key: bytes, purpose: str, text: str) -> bytes:
    """Return the HMAC-SHA-256 of a text; digests of different purposes are never equal."""
    return hmac.new(key, f"{purpose}\0{text}".encode(errors="surrogatepass"), hashlib.sha256).digest()


def checked_name(name: str) -> str:
    """Return the name of an analyst; raise if it cannot be one."""
    if not name.isprintable() or name != name.strip() or not 0 < len(name) <= _LONGEST_NAME:
        raise UsageError("the name is not printable, or too long", do=f"give at most {_LONGEST_NAME} characters")
    return name
