"""Errors as the service tells them: one shape, a code that programs can act on, and never where files lie."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tacita.errors import LedgerBusy, OutputError, QueryRefused, TacitaError, UsageError, printable


@dataclass(frozen=True, slots=True)
class ServiceFault:
    """An error with its status and code."""

    status: int
    code: str
    message: str
    do: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return the one shape of all errors."""
        return {"error": {"code": self.code, "message": self.message, "do": self.do}}


class RequestRefused(Exception):
    """A request that ends with a fault."""

    def __init__(self, fault: ServiceFault) -> None:
        self.fault = fault
        super().__init__(fault.code)


NO_TOKEN = ServiceFault(
    401,
    "token",
    "the token is missing, unknown, expired or revoked",
    "send 'Authorization: Bearer TOKEN' with a token that the holder gave you",
    {"WWW-Authenticate": "Bearer"},
)
NOT_YOURS = ServiceFault(403, "role", "the role of this token does not allow that", "ask the holder for another token")
NOT_MAPPED = ServiceFault(
    403, "role", "you are known to the issuer, but have no role here", "ask the holder of the data for one"
)
NO_NAME = ServiceFault(
    403, "name", "the name that the issuer gives you cannot be used here", "ask the holder of the data"
)
ISSUER_SILENT = ServiceFault(
    503, "issuer", "the issuer of tokens does not reply", "try again later, or tell the holder", {"Retry-After": "60"}
)
NO_TLS = ServiceFault(400, "tls", "signing in needs TLS", "tell the holder: the proxy has to send X-Forwarded-Proto")
NOT_THERE = ServiceFault(404, "not_found", "there is nothing here", "see /v1/openapi.json for what there is")
NO_DATABASE = ServiceFault(404, "database", "no data set of this name is served", "see /v1/databases for their names")
WRONG_METHOD = ServiceFault(405, "method", "this address does not take this method", "see /v1/openapi.json")
TOO_SLOW = ServiceFault(408, "slow", "the request did not arrive in time", "send it at once", {"Connection": "close"})
TOO_LARGE = ServiceFault(413, "size", "the request is too large", "ask shorter questions", {"Connection": "close"})
WRONG_HOST = ServiceFault(400, "host", "the service does not go by this name", "its holder may add it: --allow-host")
WRONG_REQUEST = ServiceFault(422, "request", "the request is not as described", "see /v1/openapi.json for its fields")
WRONG_FORM = ServiceFault(403, "form", "the form is not one of this page, or an old one", "load the page again")
BUSY = ServiceFault(503, "busy", "too many questions are waiting", "try again in a moment", {"Retry-After": "1"})
CROWDED = ServiceFault(503, "busy", "too many requests at once", "try again in a moment", {"Retry-After": "1"})
STOPPING = ServiceFault(503, "stopping", "the service is being stopped", "try again later", {"Retry-After": "5"})
NOT_WRITTEN = ServiceFault(
    503, "storage", "answers cannot be recorded, so none is given", "tell the holder: the disk is full, or failing"
)
OUR_FAULT = ServiceFault(
    500, "internal", "a fault of the service; nothing was answered", "tell the holder its X-Request-ID"
)


def too_often(seconds: float) -> ServiceFault:
    """Return the fault of a name that sends too many requests."""
    wait = str(max(1, int(-(-seconds // 1))))
    return ServiceFault(429, "rate", "too many requests", f"wait {wait} s", {"Retry-After": wait})


def fault_of(error: TacitaError) -> ServiceFault:
    """Return how an error of ours is told: a wrong question as it is, everything else without places."""
    if isinstance(error, QueryRefused):
        place = f"{error.where}: " if error.where else ""  # a line and a column
        return ServiceFault(400, "question", printable(place + error.found, keep="\n"), printable(error.do or ""))
    if isinstance(error, UsageError):
        return ServiceFault(400, "request", printable(error.found), printable(error.do or ""))
    if isinstance(error, LedgerBusy):
        return BUSY
    if isinstance(error, OutputError):
        return NOT_WRITTEN
    return OUR_FAULT
