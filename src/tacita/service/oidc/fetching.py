"""Requests to the issuer: over TLS or on this machine, without redirections, small and short."""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping
from http.client import HTTPException
from typing import IO, Any
from urllib.error import HTTPError
from urllib.parse import quote, urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, OpenerDirector, ProxyHandler, Request, build_opener

from tacita.service.guard import is_loopback
from tacita.service.oidc.settings_file import is_private_way

_MOST = 2**18
"""Bytes of a reply."""
_SECONDS = 5.0
"""For one step of a reply, and for all of it."""


class IssuerSilent(Exception):
    """The issuer did not reply, or not as it should. It has no text: a reply may hold anything."""


class _NoRedirect(HTTPRedirectHandler):
    """Follow no redirection: a code or a secret would go along."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def get_json(url: str) -> dict[str, Any]:
    """Return the object at an address; raise `IssuerSilent` if there is none."""
    return _sent(Request(url, headers={"Accept": "application/json"}))


def post_form(url: str, fields: Mapping[str, str], client: tuple[str, str] | None) -> dict[str, Any]:
    """Send a form, with the id and the secret of a client if they are given, and return the reply."""
    headers = {"Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"}
    if client is not None:
        pair = ":".join(quote(one, safe="") for one in client)  # RFC 6749, 2.3.1
        headers["Authorization"] = "Basic " + base64.b64encode(pair.encode()).decode()
    return _sent(Request(url, data=urlencode(fields).encode(), headers=headers))


def strict_json(text: bytes | str) -> dict[str, Any]:
    """Return an object; raise `ValueError` if it is not one, says something twice, or has a number that is not one."""
    value = json.loads(text, object_pairs_hook=_once, parse_constant=_not_a_number)
    if not isinstance(value, dict):
        raise ValueError  # noqa: TRY004 - one error for whatever is wrong with a text
    return value


def _sent(request: Request) -> dict[str, Any]:
    if not is_private_way(request.full_url):
        raise IssuerSilent
    try:
        with _opener(request).open(request, timeout=_SECONDS) as reply:
            return strict_json(_all_of(reply))
    except HTTPError as error:
        error.close()
    except (OSError, HTTPException, ValueError, RecursionError):
        pass
    raise IssuerSilent  # out of the handlers: it has no context, which could quote a reply


def _opener(request: Request) -> OpenerDirector:
    is_here = is_loopback(urlsplit(request.full_url).hostname or "")
    return build_opener(_NoRedirect, *([ProxyHandler({})] if is_here else []))


def _all_of(reply: IO[bytes]) -> bytes:
    text, end = b"", time.monotonic() + _SECONDS
    while part := reply.read1(_MOST):  # type: ignore[attr-defined]
        text += part
        if len(text) > _MOST or time.monotonic() > end:
            raise ValueError
    return text


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError
    return fields


def _not_a_number(_: str) -> None:
    raise ValueError
