"""The issuer as one process knows it: its addresses and keys, which are fetched at the start and again when needed.

A token with an unknown key lets the keys be fetched again, at most once a minute, whoever sends what. Keys are fetched
again after an hour in any case, so that a key which the issuer withdrew ends here too; if the issuer is silent for a
day, nobody gets in by its tokens.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from starlette.concurrency import run_in_threadpool

from tacita.errors import InputError
from tacita.service.faults import ISSUER_SILENT, NO_TOKEN, RequestRefused
from tacita.service.guard import LOG
from tacita.service.oidc.fetching import IssuerSilent, get_json, post_form
from tacita.service.oidc.identity import owner_of
from tacita.service.oidc.settings_file import OidcSettings, is_private_way
from tacita.service.oidc.verification import (
    TokenParts,
    TokenRejected,
    check_for_people,
    check_for_programs,
    fitting_keys,
    issuer_keys,
    verified_claims,
)
from tacita.service.tokens import AccessToken

_BETWEEN, _FRESH, _OLDEST = 60.0, 3600.0, 86_400.0
"""Seconds: between two requests for keys; after which they are fetched again; after which they count no more."""


@dataclass(frozen=True, slots=True)
class IssuerAddresses:
    """Where the issuer has what."""

    keys: str
    authorization: str
    token: str
    by_post: bool
    """Whether it takes the secret of a client in the form only."""

    @classmethod
    def fetched(cls, settings: OidcSettings) -> IssuerAddresses:
        """Return what the issuer says of itself; raise `IssuerSilent` if it says nothing usable."""
        said = get_json(settings.issuer.rstrip("/") + "/.well-known/openid-configuration")
        addresses = [said.get(name) for name in ("jwks_uri", "authorization_endpoint", "token_endpoint")]
        needed = addresses if settings.client_id is not None else addresses[:1]
        if said.get("issuer") != settings.issuer or not all(isinstance(one, str) for one in needed):
            raise IssuerSilent
        if not all(is_private_way(str(one)) for one in needed):
            raise IssuerSilent
        methods = said.get("token_endpoint_auth_methods_supported")
        by_post = isinstance(methods, list) and "client_secret_basic" not in methods and "client_secret_post" in methods
        return cls(str(addresses[0]), str(addresses[1]), str(addresses[2]), by_post)


class OidcProvider:
    """An issuer with its keys. Mutable: keys are fetched again."""

    def __init__(
        self,
        settings: OidcSettings,
        *,
        clock: Callable[[], float] = time.time,
        ticks: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ask the issuer for its addresses and keys; raise `InputError` if it does not say them."""
        self.settings, self._clock, self._ticks = settings, clock, ticks
        self._one_at_a_time = asyncio.Lock()
        try:
            self.addresses = IssuerAddresses.fetched(settings)
            self._keys = issuer_keys(get_json(self.addresses.keys))
        except IssuerSilent:
            self._keys = []
        if not self._keys:
            raise InputError(
                "the issuer does not reply, or not with its addresses and keys",
                where=settings.issuer,
                do="check 'issuer' in the settings, the network, and the certificate of the issuer",
            )
        self._fetched = self._tried = ticks()

    def __repr__(self) -> str:
        return f"<OidcProvider {self.settings.issuer}>"

    async def owner_of_program(self, text: str) -> AccessToken:
        """Return whose token this is; raise `RequestRefused` if it opens nothing."""
        if self.settings.audience is None:
            raise RequestRefused(NO_TOKEN)
        try:
            parts = TokenParts.of(text, self.settings.algorithms)
            claims = await self._claims(parts)
            check_for_programs(parts, claims, self.settings)
        except TokenRejected:
            raise RequestRefused(NO_TOKEN) from None
        return owner_of(claims, self.settings)

    async def owner_of_code(self, code: str, redirect: str, verifier: str, nonce: str) -> AccessToken:
        """Return who signed in at the issuer, for a code that it sent; raise `RequestRefused` otherwise."""
        try:
            reply = await run_in_threadpool(self._exchanged, code, redirect, verifier)
        except IssuerSilent:
            raise RequestRefused(ISSUER_SILENT) from None
        try:
            parts = TokenParts.of(str(reply.get("id_token", "")), self.settings.algorithms)
            claims = await self._claims(parts)
            check_for_people(parts, claims, self.settings, nonce)
        except TokenRejected:
            raise RequestRefused(NO_TOKEN) from None
        return owner_of(claims, self.settings)

    async def _claims(self, parts: TokenParts) -> dict[str, Any]:
        keys = fitting_keys(parts, self._keys)
        if not keys or self._ticks() - self._fetched > _FRESH:
            await self._fetch_again()
            keys = fitting_keys(parts, self._keys)
        if self._ticks() - self._fetched > _OLDEST:
            raise RequestRefused(ISSUER_SILENT)
        return verified_claims(parts, keys, self.settings, self._clock())

    async def _fetch_again(self) -> None:
        async with self._one_at_a_time:
            if self._ticks() - self._tried < _BETWEEN:
                return
            self._tried = self._ticks()
            try:
                keys = issuer_keys(await run_in_threadpool(get_json, self.addresses.keys))
            except IssuerSilent:
                keys = []
            if keys:
                self._keys, self._fetched = keys, self._ticks()
            else:
                LOG.warning(json.dumps({"event": "issuer", "message": "the keys of the issuer could not be fetched"}))

    def _exchanged(self, code: str, redirect: str, verifier: str) -> dict[str, Any]:
        client, secret = str(self.settings.client_id), self.settings.client_secret
        fields = {"grant_type": "authorization_code", "code": code, "redirect_uri": redirect, "code_verifier": verifier}
        if secret is None or self.addresses.by_post:
            fields["client_id"] = client
        if secret is not None and self.addresses.by_post:
            fields["client_secret"] = secret
        basic = None if secret is None or self.addresses.by_post else (client, secret)
        return post_form(self.addresses.token, fields, basic)
