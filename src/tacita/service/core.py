"""What endpoints and pages share: who sends a request, what they may do, and the questions that they ask."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from tacita.api.querying import QueryAnswer, QuotedPrice, SentQuestion
from tacita.service.asking import ReplyGrid, ServedDatabase
from tacita.service.faults import NO_DATABASE, NO_TOKEN, NOT_YOURS, RequestRefused, too_often
from tacita.service.metrics import ServiceMetrics
from tacita.service.state import ServiceState
from tacita.service.tokens import AccessToken, ServiceRole, TokenKind

if TYPE_CHECKING:
    from tacita.service.oidc.provider import OidcProvider

ASKS = (ServiceRole.HOLDER, ServiceRole.ANALYST)
AUDITS = (ServiceRole.HOLDER, ServiceRole.AUDITOR)
ANYBODY = tuple(ServiceRole)
MOST_ANSWERS = 1000
"""Questions of a history, at most."""
LastQuestions = Annotated[int, Query(ge=1, le=MOST_ANSWERS, description="How many of the last questions.")]


@dataclass(frozen=True, slots=True)
class SharedRate:
    """How often one name may send a request."""

    rate: float
    burst: int


@dataclass(frozen=True, slots=True)
class ServiceCore:
    """Data sets, tokens and limits of one process."""

    databases: Mapping[str, ServedDatabase]
    state: ServiceState
    limit: SharedRate
    metrics: ServiceMetrics
    oidc: OidcProvider | None = None
    grid: ReplyGrid = field(default_factory=lambda: ReplyGrid(lambda: asyncio.get_running_loop().time()))

    async def owner(self, secret: str, roles: tuple[ServiceRole, ...], *, on_page: bool = False) -> AccessToken:
        """Return whose token it is; raise if it opens nothing, has another role, or comes too often.

        Tokens of an issuer are for programs, sessions for pages; tokens of ours are for both.
        """
        if self.oidc is not None and not on_page and "." in secret:
            token: AccessToken | None = await self.oidc.owner_of_program(secret)
        else:
            token = self.state.owner(secret)
        if token is None or (token.kind is TokenKind.SESSION and not on_page):
            raise RequestRefused(NO_TOKEN)
        self.take_turn(token)
        if token.role not in roles:
            raise RequestRefused(NOT_YOURS)
        return token

    def take_turn(self, token: AccessToken) -> None:
        """Count a request of somebody; raise if there were too many."""
        if wait := self.state.wait_for_turn(token.name, self.limit.rate, self.limit.burst):
            raise RequestRefused(too_often(wait))

    def database(self, name: str) -> ServedDatabase:
        """Return a data set by its name; raise if none is called so."""
        if name not in self.databases:
            raise RequestRefused(NO_DATABASE)
        return self.databases[name]

    async def ask(self, request: Request, name: str, question: SentQuestion) -> QueryAnswer:
        """Return an answer, a refusal or an error at the next moment at which replies may leave."""
        try:
            return await self.database(name).ask(question)
        finally:
            await self.grid.wait(request.state.arrival)

    async def price(self, request: Request, name: str, question: SentQuestion) -> QuotedPrice:
        """Return what a question would cost, at the next moment at which replies may leave."""
        database = self.database(name).database
        options: dict[str, Any] = {"epsilon": question.epsilon, "accuracy": question.accuracy}
        try:
            return await run_in_threadpool(database.price, question.question, analyst=question.analyst, **options)
        finally:
            await self.grid.wait(request.state.arrival)

    async def history(self, name: str, owner: AccessToken, analyst: str | None, last: int) -> dict[str, Any]:
        """Return what an analyst asked; whoever audits sees what everybody asked."""
        database = self.database(name).database
        whose = analyst if owner.role in AUDITS else owner.name
        if analyst not in (None, whose):
            raise RequestRefused(NOT_YOURS)
        return (await run_in_threadpool(database.history, whose, last)).to_dict()

    async def audit(self, name: str, last: int) -> dict[str, Any]:
        """Return everything that was asked with reasons; of the questions themselves the last ones."""
        audit = (await run_in_threadpool(self.database(name).database.audit)).to_dict()
        return {**audit, "questions": audit["questions"][-last:]}

    def close(self) -> None:
        """Write what waits, and close everything."""
        for database in self.databases.values():
            database.stop()
        self.state.close()


def core_of(request: Request) -> ServiceCore:
    """Return what the application of a request works with."""
    core: ServiceCore = request.app.state.core
    return core
