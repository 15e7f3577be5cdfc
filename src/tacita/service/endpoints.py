"""The addresses for programs: JSON under /v1, a sign of life, and figures for Prometheus."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.responses import JSONResponse, Response
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from tacita.api.querying import SentQuestion
from tacita.service.bodies import (
    AnswerBody,
    AuditBody,
    DatabasesBody,
    DescriptionBody,
    ErrorBody,
    HealthBody,
    HistoryBody,
    PriceBody,
    QuestionBody,
)
from tacita.service.core import ANYBODY, ASKS, AUDITS, LastQuestions, core_of
from tacita.service.metrics import CONTENT_TYPE
from tacita.service.tokens import AccessToken, ServiceRole
from tacita.version import __version__

_ERRORS: dict[int | str, dict[str, Any]] = {
    status: {"model": ErrorBody, "description": text}
    for status, text in (
        (400, "A question that cannot be asked, or a wrong request"),
        (401, "No valid token"),
        (403, "Another role is needed"),
        (404, "Nothing of this name"),
        (405, "Another method is needed"),
        (408, "The request did not arrive in time"),
        (413, "The request is too large"),
        (422, "The request is not as described"),
        (429, "Too many requests"),
        (503, "Nothing can be recorded, or too much waits"),
    )
}
_bearer = HTTPBearer(auto_error=False, description="A token of 'tacita token make', or of the issuer.")
_Bearer = Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
_Analyst = Annotated[str | None, Query(max_length=100, description="Only what this analyst asked.")]

api = APIRouter(prefix="/v1", responses=_ERRORS, default_response_class=JSONResponse)
health = APIRouter()


class Allowed:
    """A dependency: the owner of the token of a request, whose role is one of some."""

    def __init__(self, *roles: ServiceRole) -> None:
        self._roles = roles

    async def __call__(self, request: Request, shown: _Bearer) -> AccessToken:
        """Return whose token it is."""
        return await core_of(request).owner(shown.credentials if shown else "", self._roles)


_Anybody = Annotated[AccessToken, Depends(Allowed(*ANYBODY))]
_Asker = Annotated[AccessToken, Depends(Allowed(*ASKS))]
_Auditor = Annotated[AccessToken, Depends(Allowed(*AUDITS))]


@api.get("/databases", response_model=DatabasesBody)
async def databases(request: Request, owner: _Anybody) -> Response:
    """Return the names of the data sets, and whose token this is."""
    names = sorted(core_of(request).databases)
    return JSONResponse({"databases": names, "role": str(owner.role), "name": owner.name})


@api.get("/databases/{name}", response_model=DescriptionBody)
async def description(request: Request, name: str, owner: _Anybody) -> Response:
    """Return what may be asked: attributes with their labels, measures, statistics, and what holds of answers."""
    return JSONResponse(core_of(request).database(name).description)


@api.post("/databases/{name}/ask", response_model=AnswerBody)
async def ask(request: Request, name: str, body: QuestionBody, owner: _Asker) -> Response:
    """Ask. The answer, or the refusal, is recorded before it is sent."""
    return JSONResponse((await core_of(request).ask(request, name, _sent(body, owner))).to_dict())


@api.post("/databases/{name}/price", response_model=PriceBody)
async def price(request: Request, name: str, body: QuestionBody, owner: _Asker) -> Response:
    """Return what a question would cost; nothing is spent."""
    return JSONResponse((await core_of(request).price(request, name, _sent(body, owner))).to_dict())


@api.get("/databases/{name}/history", response_model=HistoryBody)
async def history(
    request: Request, name: str, owner: _Anybody, analyst: _Analyst = None, last: LastQuestions = 100
) -> Response:
    """Return what you asked; holder and auditor see what everybody asked."""
    return JSONResponse(await core_of(request).history(name, owner, analyst, last))


@api.get("/databases/{name}/audit", response_model=AuditBody)
async def audit(request: Request, name: str, owner: _Auditor, last: LastQuestions = 100) -> Response:
    """Return everything that was asked, with reasons of refusals and what was told so far. It is internal."""
    return JSONResponse(await core_of(request).audit(name, last))


@health.head("/health", include_in_schema=False)
@health.get("/health", response_model=HealthBody)
async def alive() -> Response:
    """Say that the service answers."""
    return JSONResponse({"status": "ok", "version": __version__})


@health.get("/metrics", response_class=Response)
async def metrics(request: Request) -> Response:
    """Return counts by status, and times. Nothing is by analyst."""
    return Response(core_of(request).metrics.text(), media_type=CONTENT_TYPE)


def _sent(body: QuestionBody, owner: AccessToken) -> SentQuestion:
    return SentQuestion(body.sql, owner.name, body.epsilon, body.accuracy)
