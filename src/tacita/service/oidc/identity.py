"""Who somebody is: a name and a role, from the claims of a token that was verified.

A name begins with ``oidc:``, which no token of Tacita can have: an account of the issuer and a token never share a
budget by accident. ``sub`` is taken letter by letter, as the standard wants it. Any other claim is compared without
regard to case, and refused where Unicode has a second spelling of it: one account has one name, and one budget.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from typing import Any

from tacita.service.faults import NO_NAME, NOT_MAPPED, RequestRefused
from tacita.service.oidc.settings_file import OidcSettings
from tacita.service.tokens import OF_ISSUER, AccessToken, ServiceRole

_LONGEST = 100 - len(OF_ISSUER)
"""The ledger takes names of at most 100 characters."""


def owner_of(claims: Mapping[str, Any], settings: OidcSettings) -> AccessToken:
    """Return whose claims these are; raise `RequestRefused` if they give no name, or no role."""
    name, role = analyst_name(claims, settings), role_of(claims, settings)
    return AccessToken("", name, role, 0.0, None, None)


def analyst_name(claims: Mapping[str, Any], settings: OidcSettings) -> str:
    """Return under which name somebody is counted."""
    claim = settings.name_claim
    value = claims.get(claim)
    if not isinstance(value, str) or not value.isprintable() or value != value.strip() or not value:
        raise RequestRefused(NO_NAME)
    if claim == "sub":
        spelling = value if value.isascii() else ""
    else:
        spelling = value.lower()
        if unicodedata.normalize("NFKC", value) != value or value.casefold() != spelling:
            raise RequestRefused(NO_NAME)
    if claim == "email" and claims.get("email_verified") is not True:
        raise RequestRefused(NO_NAME)
    if not 0 < len(spelling) <= _LONGEST:
        raise RequestRefused(NO_NAME)
    return settings.names.get(spelling, OF_ISSUER + spelling)


def role_of(claims: Mapping[str, Any], settings: OidcSettings) -> ServiceRole:
    """Return the first role, of those who may most, that a group of the claims gives."""
    groups: Any = claims
    for step in settings.role_claim:
        groups = groups.get(step) if isinstance(groups, Mapping) else None
    having = {groups} if isinstance(groups, str) else set()
    if isinstance(groups, list):
        having = {one for one in groups if isinstance(one, str)}
    for role, wanted in settings.roles.items():
        if having & {*wanted}:
            return role
    raise RequestRefused(NOT_MAPPED)
