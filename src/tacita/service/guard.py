"""What every request passes first: host, size, patience; and every reply last: headers, a number, a line in the log.

A line in the log has the number of the request, its route, its status and its time. It has no address that somebody
wrote, no token, no question and no text of an exception.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import json
import logging
import secrets
import sys
import time
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from tacita.service.faults import CROWDED, OUR_FAULT, TOO_LARGE, TOO_SLOW, WRONG_HOST, ServiceFault
from tacita.service.metrics import ServiceMetrics

LOG = logging.getLogger("tacita.service")
_SECURITY = {
    "Content-Security-Policy": "default-src 'none'; style-src 'self'; form-action 'self'; base-uri 'none'; "
    "frame-ancestors 'none'",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
_KNOWN_METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}


@dataclass(frozen=True, slots=True)
class GuardLimits:
    """What a request may be."""

    hosts: frozenset[str]
    """Names by which the service is called, in lower case, without ports."""
    body: int = 65_536
    """Bytes."""
    patience: float = 10.0
    """Seconds in which the whole body has to arrive."""
    at_once: int = 500
    """Requests that one process works on."""


class Guard:
    """The outermost part of the application."""

    def __init__(self, app: ASGIApp, limits: GuardLimits, metrics: ServiceMetrics) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics
        self._now = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Handle one request."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            return
        reply = _Reply(scope, send)
        began = time.perf_counter()
        self._now += 1
        try:
            await self._guarded(scope, receive, reply)
        except Exception as error:  # its text may quote a value
            places = traceback.extract_tb(error.__traceback__)[-4:]
            where = [f"{frame.name}:{frame.lineno}" for frame in places]
            LOG.critical(_line(event="fault", request=reply.number, kind=type(error).__name__, where=where))
            if not reply.has_begun:
                await reply.fault(OUR_FAULT)
        finally:
            self._now -= 1
            self._note(scope, reply, time.perf_counter() - began)

    async def _guarded(self, scope: Scope, receive: Receive, reply: _Reply) -> None:
        headers = _headers(scope)
        if _host_of(headers.get("host", "")) not in self._limits.hosts:
            await reply.fault(WRONG_HOST)
            return
        if self._now > self._limits.at_once:
            await reply.fault(CROWDED)
            return
        try:
            async with asyncio.timeout(self._limits.patience):
                body = await self._body(headers, receive)
        except TimeoutError:
            await reply.fault(TOO_SLOW)
            return
        if body is None:
            await reply.fault(TOO_LARGE)
            return
        scope.setdefault("state", {})["arrival"] = asyncio.get_running_loop().time()
        scope["state"]["request"] = reply.number
        await self._app(scope, _replayed(body, receive), reply.send)

    async def _body(self, headers: Mapping[str, str], receive: Receive) -> bytes | None:
        """Return the whole body; None if it is larger than it may be."""
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length[:20]) > self._limits.body:
            return None
        parts, size = [], 0
        while True:
            message = await receive()
            if message["type"] != "http.request":
                return b""  # the client went away
            parts.append(message.get("body", b""))
            size += len(parts[-1])
            if size > self._limits.body:
                return None
            if not message.get("more_body"):
                return b"".join(parts)

    def _note(self, scope: Scope, reply: _Reply, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "other")
        method = scope["method"] if scope["method"] in _KNOWN_METHODS else "OTHER"
        self._metrics.count(route, method, reply.status, seconds)
        took = round(1000 * seconds)
        line = {"request": reply.number, "method": method, "route": route, "status": reply.status, "ms": took}
        LOG.info(_line(event="request", **line))


class _Reply:
    """A reply on its way: its number, its status, and the headers that every reply has."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._is_head, self._send = scope["method"] == "HEAD", send
        self.number = secrets.token_hex(8)
        self.status, self.has_begun = 0, False

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status, self.has_begun = message["status"], True
            present = {name.lower() for name, _ in message.get("headers", ())}
            more = {**_SECURITY, "X-Request-ID": self.number}
            added = [(name.lower().encode(), value.encode()) for name, value in more.items()]
            headers = [*message.get("headers", ()), *(one for one in added if one[0] not in present)]
            message = {**message, "headers": headers}
        await self._send(message)

    async def fault(self, fault: ServiceFault) -> None:
        body = json.dumps(fault.to_dict()).encode()
        headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        headers += [(name.lower().encode(), value.encode()) for name, value in fault.headers.items()]
        await self.send({"type": "http.response.start", "status": fault.status, "headers": headers})
        await self.send({"type": "http.response.body", "body": b"" if self._is_head else body})


def write_log() -> None:
    """Write lines of JSON to the standard error: requests of the service, and warnings of the server."""
    if not LOG.handlers:
        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(logging.Formatter("%(message)s"))
        LOG.addHandler(handler)
    LOG.setLevel(logging.INFO)
    LOG.propagate = False
    logging.getLogger("uvicorn.error").addHandler(logging.NullHandler())


def names_of_host(host: str, more: Sequence[str]) -> frozenset[str]:
    """Return the names by which a service that listens on an address is called.

    >>> sorted(names_of_host("127.0.0.1", ["Data.example.org"]))
    ['127.0.0.1', '::1', 'data.example.org', 'localhost']
    """
    return frozenset(name.lower().strip("[]") for name in ("localhost", "127.0.0.1", "::1", host, *more))


def is_loopback(host: str) -> bool:
    """Return whether only this machine reaches an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("0.0.0.0")
    (True, True, False)
    """
    with contextlib.suppress(ValueError):
        return ipaddress.ip_address(host).is_loopback
    return host == "localhost"


def _host_of(header: str) -> str:
    """Return the name in a Host header, without the port."""
    name = header.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0]


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}


def _replayed(body: bytes, receive: Receive) -> Receive:
    messages: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def replay() -> Message:
        return messages.pop() if messages else await receive()

    return replay


def _line(**fields: Any) -> str:
    return json.dumps(fields)
