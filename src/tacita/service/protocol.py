"""HTTP itself: malformed requests get the one shape of errors, and who says nothing is not waited for."""

from __future__ import annotations

import asyncio
import json

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from tacita.service.faults import ServiceFault

MALFORMED = ServiceFault(400, "http", "this is not a valid HTTP request", "send one request at a time, in order")
_PATIENCE = 15.0
"""Seconds in which the headers of a first request have to arrive."""


class PatientProtocol(H11Protocol):
    """The protocol of one connection."""

    _silence: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._silence = self.loop.call_later(_PATIENCE, self._close_if_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        """End to wait."""
        if self._silence is not None:
            self._silence.cancel()
        super().connection_lost(exc)

    def _close_if_silent(self) -> None:
        if self.cycle is None and not self.transport.is_closing():
            self.transport.close()

    def send_400_response(self, msg: str) -> None:
        """Reply to what is not HTTP; the text of the library is left out."""
        body = json.dumps(MALFORMED.to_dict()).encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"cache-control", b"no-store"),
            (b"x-content-type-options", b"nosniff"),
            (b"connection", b"close"),
        ]
        if self.conn.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
            response = h11.Response(status_code=MALFORMED.status, headers=headers, reason=b"Bad Request")
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()
