"""Whether a token is one of the issuer, for us, and of now. Whatever is wrong with it, nobody is told what.

A token is a JWS in its compact form (RFC 7515, 7519). The algorithm is taken from a list, and must be that of the key;
keys come from the issuer alone, never from the token. Parts are read strictly: something that is said twice could mean
one thing to the issuer and another one here.
"""

from __future__ import annotations

import base64
import hmac
import math
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from joserfc import jws
from joserfc.errors import JoseError, SecurityWarning
from joserfc.jwk import ECKey, Key, OKPKey, RSAKey

from tacita.service.oidc.fetching import strict_json
from tacita.service.oidc.settings_file import OidcSettings

LONGEST_TOKEN = 8192
_PART = re.compile(r"[A-Za-z0-9_-]+")
_LEAST_RSA = 2048
_MOST_KEYS = 100
_OF_PROGRAMS = {None, "jwt", "at+jwt", "application/at+jwt"}
_OF_PEOPLE = {None, "jwt"}
_OF_KEYS = ("kty", "n", "e", "crv", "x", "y")
_FITTING = {"RSA": {"RS256"}, "EC": {"ES256"}, "OKP": {"EdDSA", "Ed25519"}}
"""Algorithms by the kind of key. Ed25519 is what RFC 9864 calls EdDSA with that curve."""


class TokenRejected(Exception):
    """The token opens nothing. It has no text."""


@dataclass(frozen=True, slots=True)
class IssuerKey:
    """A public key of the issuer."""

    id: str | None
    algorithms: frozenset[str]
    key: Key = field(repr=False)


@dataclass(frozen=True, slots=True)
class TokenParts:
    """A token that was taken apart, and not verified yet."""

    text: str = field(repr=False)
    algorithm: str
    key_id: str | None
    type: str | None

    @classmethod
    def of(cls, text: str, algorithms: Sequence[str]) -> TokenParts:
        """Return the parts; raise `TokenRejected` if the text is not a token, or its algorithm is not allowed."""
        parts = text.split(".") if len(text) <= LONGEST_TOKEN else []
        if len(parts) != 3 or not all(_PART.fullmatch(part) for part in parts):
            raise TokenRejected
        header = _object(parts[0])
        algorithm, key_id, type_ = (header.get(name) for name in ("alg", "kid", "typ"))
        if not isinstance(algorithm, str) or not isinstance(key_id, str | None) or not isinstance(type_, str | None):
            raise TokenRejected
        allowed = {*algorithms, *(["Ed25519"] if "EdDSA" in algorithms else [])}
        if algorithm not in allowed or "crit" in header or "b64" in header:
            raise TokenRejected
        return cls(text, algorithm, key_id, None if type_ is None else type_.lower())


def issuer_keys(document: Mapping[str, Any]) -> list[IssuerKey]:
    """Return the keys of a JWK set that can verify tokens; others are left out."""
    given = document.get("keys")
    keys = given if isinstance(given, list) else []
    return [key for one in keys[:_MOST_KEYS] if isinstance(one, dict) and (key := _key(one)) is not None]


def fitting_keys(parts: TokenParts, keys: Sequence[IssuerKey]) -> list[IssuerKey]:
    """Return the keys that a token may be signed with: by its id, or the only one there is for its algorithm."""
    fitting = [key for key in keys if parts.algorithm in key.algorithms]
    if parts.key_id is None:
        return fitting if len(fitting) == 1 else []
    return [key for key in fitting if key.id == parts.key_id]


def verified_claims(parts: TokenParts, keys: Sequence[IssuerKey], settings: OidcSettings, now: float) -> dict[str, Any]:
    """Return the claims of a token whose signature, issuer and times are right; raise `TokenRejected` otherwise."""
    if not any(_is_signed(parts, key) for key in keys):
        raise TokenRejected
    claims = _object(parts.text.split(".")[1])
    subject = claims.get("sub")
    if claims.get("iss") != settings.issuer or not isinstance(subject, str) or not subject:
        raise TokenRejected
    begins = max(_time(claims, "nbf", -math.inf), _time(claims, "iat", -math.inf))
    if not begins - settings.leeway <= now < _time(claims, "exp", None) + settings.leeway:
        raise TokenRejected
    return claims


def check_for_programs(parts: TokenParts, claims: Mapping[str, Any], settings: OidcSettings) -> None:
    """Raise unless a token was made for our audience, as one to send: an ID token is for signing in."""
    is_id_token = "nonce" in claims or "at_hash" in claims or str(claims.get("typ", "")).lower() == "id"
    if settings.audience not in _audiences(claims) or parts.type not in _OF_PROGRAMS or is_id_token:
        raise TokenRejected
    client = claims.get("azp", claims.get("client_id"))
    if settings.clients and client not in settings.clients:
        raise TokenRejected


def check_for_people(parts: TokenParts, claims: Mapping[str, Any], settings: OidcSettings, nonce: str) -> None:
    """Raise unless a token is an ID token, for our pages, that this browser asked for."""
    audiences = _audiences(claims)
    party = claims.get("azp", None if len(audiences) > 1 else settings.client_id)
    if settings.client_id not in audiences or party != settings.client_id or parts.type not in _OF_PEOPLE:
        raise TokenRejected
    given = claims.get("nonce")
    if not isinstance(given, str) or not hmac.compare_digest(given.encode(errors="surrogatepass"), nonce.encode()):
        raise TokenRejected


class _Registry(jws.JWSRegistry):
    """One algorithm, which was chosen before."""

    def get_alg(self, name: str) -> Any:
        """Return it; unlike the one of the library without a warning about the name EdDSA."""
        if name not in (self.allowed or ()):
            raise TokenRejected
        return self.algorithms[name]


def _is_signed(parts: TokenParts, key: IssuerKey) -> bool:
    registry = _Registry(algorithms=[parts.algorithm], strict_check_header=False)
    registry.max_header_length = registry.max_signature_length = LONGEST_TOKEN
    try:
        jws.deserialize_compact(parts.text, key.key, registry=registry)
    except (JoseError, ValueError, TypeError):
        return False
    return True


def _key(fields: dict[str, Any]) -> IssuerKey | None:
    kind, name = fields.get("kty"), fields.get("kid")
    algorithms = _FITTING.get(kind, set()) if isinstance(kind, str) else set()
    if fields.get("use", "sig") != "sig" or "d" in fields or not isinstance(name, str | None) or not algorithms:
        return None
    if "alg" in fields:
        algorithms = {one for one in algorithms if fields["alg"] in (one, "EdDSA" if kind == "OKP" else one)}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", SecurityWarning)  # what the library thinks weak is not used
            key: Any = _importer(str(kind))({part: fields[part] for part in _OF_KEYS if part in fields})
        public = key.public_key  # a point that is not on its curve is refused here
        strong = public.key_size >= _LEAST_RSA if kind == "RSA" else fields.get("crv") in {"P-256", "Ed25519"}
    except (JoseError, SecurityWarning, ValueError, TypeError, KeyError):
        return None
    return IssuerKey(name, frozenset(algorithms), key) if strong and algorithms else None


def _importer(kind: str) -> Callable[[dict[str, Any]], Any]:
    return {"RSA": RSAKey.import_key, "EC": ECKey.import_key, "OKP": OKPKey.import_key}[kind]


def _object(part: str) -> dict[str, Any]:
    try:
        return strict_json(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)).decode())
    except (ValueError, RecursionError):
        pass
    raise TokenRejected


def _time(claims: Mapping[str, Any], name: str, default: float | None) -> float:
    value = claims.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int | float) or (name in claims and abs(value) > 1e12):
        raise TokenRejected
    return value


def _audiences(claims: Mapping[str, Any]) -> list[str]:
    given = claims.get("aud")
    audiences = [given] if isinstance(given, str) else given
    if not isinstance(audiences, list) or not all(isinstance(one, str) for one in audiences):
        raise TokenRejected
    return audiences
