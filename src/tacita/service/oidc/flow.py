"""The way of a browser to the issuer and back: the authorization code flow with PKCE (RFC 6749, 7636).

What the way needs to remember is in one cookie of the browser. The state, the nonce and the verifier are digests of it
under the key of the server: each process knows them, and nobody else does. The cookie is sent along when the issuer
sends the browser back, which another site does; so it is SameSite=Lax, and good for ten minutes and one address.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from starlette.requests import Request

from tacita.service.faults import NO_TLS, WRONG_FORM, RequestRefused
from tacita.service.oidc.settings_file import is_private_way
from tacita.service.state import ServiceState
from tacita.service.tokens import AccessToken

if TYPE_CHECKING:
    from tacita.service.oidc.provider import OidcProvider

FLOW_COOKIE, FLOW_PATH = "tacita_flow", "/login/oidc"
FLOW_SECONDS = 600
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class SignInFlow:
    """One way to the issuer and back."""

    cookie: str = field(repr=False)
    state: str = field(repr=False)
    nonce: str = field(repr=False)
    verifier: str = field(repr=False)

    @classmethod
    def begun(cls, state: ServiceState) -> SignInFlow:
        """Return a new one."""
        return cls._of(f"{int(time.time())}.{secrets.token_urlsafe(32)}", state)

    @classmethod
    def of_cookie(cls, cookie: str, state: ServiceState) -> SignInFlow:
        """Return the one that a browser has begun; raise if it has not, or too long ago."""
        began, _, rest = cookie.partition(".")
        age = time.time() - int(began) if began.isdecimal() and began.isascii() and len(began) < 13 else -1
        if not rest or len(cookie) > 100 or not 0 <= age <= FLOW_SECONDS:
            raise RequestRefused(WRONG_FORM)
        return cls._of(cookie, state)

    @classmethod
    def _of(cls, cookie: str, state: ServiceState) -> SignInFlow:
        return cls(cookie, *(state.digest(f"oidc {what}", cookie) for what in ("state", "nonce", "verifier")))

    def address(self, provider: OidcProvider, redirect: str) -> str:
        """Return where the browser goes."""
        digest = hashlib.sha256(self.verifier.encode()).digest()
        query = {
            "response_type": "code",
            "client_id": str(provider.settings.client_id),
            "redirect_uri": redirect,
            "scope": " ".join(("openid", *provider.settings.scopes)),
            "state": self.state,
            "nonce": self.nonce,
            "code_challenge": base64.urlsafe_b64encode(digest).decode().rstrip("="),
            "code_challenge_method": "S256",
        }
        address = provider.addresses.authorization
        return f"{address}{'&' if '?' in address else '?'}{urlencode(query)}"

    async def owner(self, provider: OidcProvider, request: Request) -> AccessToken:
        """Return who came back; raise if the issuer sent somebody else, an error, or nobody."""
        sent = request.query_params
        if any(len(sent.getlist(name)) > 1 or len(sent.get(name, "")) > _LONGEST for name in ("state", "code", "iss")):
            raise RequestRefused(WRONG_FORM)
        if not hmac.compare_digest(sent.get("state", "").encode(), self.state.encode()) or not sent.get("code"):
            raise RequestRefused(WRONG_FORM)
        if sent.get("iss", provider.settings.issuer) != provider.settings.issuer:  # RFC 9207
            raise RequestRefused(WRONG_FORM)
        return await provider.owner_of_code(sent["code"], redirect_address(request), self.verifier, self.nonce)


def redirect_address(request: Request) -> str:
    """Return where the issuer sends the browser back to: our name, which was checked, over TLS or on this machine."""
    address = f"{request.url.scheme}://{request.headers['host']}{FLOW_PATH}/callback"
    if not is_private_way(address):
        raise RequestRefused(NO_TLS)
    return address
