"""The application: endpoints and pages, what becomes of errors, and what is opened and closed with it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from tacita.errors import MissingExtra, TacitaError
from tacita.service.asking import ServedDatabase
from tacita.service.core import ServiceCore, SharedRate
from tacita.service.endpoints import api, health
from tacita.service.faults import (
    BUSY,
    NOT_THERE,
    OUR_FAULT,
    WRONG_METHOD,
    WRONG_REQUEST,
    RequestRefused,
    ServiceFault,
    fault_of,
)
from tacita.service.guard import LOG, Guard, GuardLimits, names_of_host, write_log
from tacita.service.metrics import ServiceMetrics
from tacita.service.oidc.settings_file import read_oidc_settings
from tacita.service.options import ServeOptions
from tacita.service.pages import fault_page, pages
from tacita.service.state import ServiceState
from tacita.version import __version__

if TYPE_CHECKING:
    from tacita.service.oidc.provider import OidcProvider

_FOR_PROGRAMS = ("/v1", "/health", "/metrics")
_NOT_THERE, _WRONG_METHOD = 404, 405


@dataclass(frozen=True, slots=True)
class ServiceFactory:
    """What makes the application in each process: the value is sent there, and opens everything itself."""

    options: ServeOptions

    def __call__(self) -> ASGIApp:
        """Return the application."""
        write_log()
        metrics = ServiceMetrics()
        return application(lambda: opened_core(self.options, metrics), metrics, limits_of(self.options))


def limits_of(options: ServeOptions) -> GuardLimits:
    """Return what requests may be."""
    return GuardLimits(names_of_host(options.host, options.allow_host))


def opened_core(options: ServeOptions, metrics: ServiceMetrics) -> ServiceCore:
    """Open all data sets and the state; raise if one was changed, or two have one name."""
    oidc = opened_issuer(options)
    state = ServiceState(options.state)
    databases: dict[str, ServedDatabase] = {}
    try:
        for folder in options.folders:
            database = ServedDatabase(folder)
            databases[database.name] = database
    except BaseException:
        ServiceCore(databases, state, SharedRate(options.rate, options.burst), metrics).close()
        raise
    return ServiceCore(databases, state, SharedRate(options.rate, options.burst), metrics, oidc)


def opened_issuer(options: ServeOptions) -> OidcProvider | None:
    """Return the issuer with its keys, if one is named; raise if it does not reply, or the extra is not installed."""
    if options.oidc is None:
        return None
    try:
        from tacita.service.oidc.provider import OidcProvider
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "joserfc":
            raise
        raise MissingExtra("tokens of an issuer need joserfc", do="pip install 'tacita[oidc]'") from None
    return OidcProvider(read_oidc_settings(options.oidc))


def application(opened: Callable[[], ServiceCore], metrics: ServiceMetrics, limits: GuardLimits) -> ASGIApp:
    """Return the application around what `opened` opens when it starts."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        try:
            app.state.core = opened()
        except TacitaError as error:  # its text has no value; it was checked before, so somebody changed it just now
            LOG.critical(json.dumps({"event": "not started", "message": str(error)}))
            raise
        try:
            yield
        finally:
            app.state.core.close()

    app = FastAPI(
        title="Tacita",
        version=__version__,
        summary="Questions about data sets, without answers about anybody.",
        openapi_url="/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.include_router(health)
    app.include_router(api)
    app.include_router(pages)
    handlers: dict[Any, Callable[[Any], ServiceFault]] = {
        RequestRefused: lambda error: error.fault,
        TacitaError: fault_of,
        RequestValidationError: lambda error: WRONG_REQUEST,
        HTTPException: _http_fault,
        Exception: lambda error: OUR_FAULT,  # the guard, which is next, writes it to the log
    }
    for kind, fault in handlers.items():
        app.add_exception_handler(kind, _handler(fault))
    return Guard(app, limits, metrics)


def _handler(fault: Callable[[Any], ServiceFault]) -> Callable[[Request, Exception], Response]:
    def handle(request: Request, error: Exception) -> Response:
        said = fault(error)
        if isinstance(error, TacitaError) and said.status >= OUR_FAULT.status and said.code != BUSY.code:
            # Its text has no value, and says what the holder has to know and an analyst has not: where, and why.
            number = request.scope["state"]["request"]
            LOG.error(json.dumps({"event": "failed", "request": number, "message": str(error)}))
        if request.url.path.startswith(_FOR_PROGRAMS):
            return JSONResponse(said.to_dict(), said.status, dict(said.headers))
        return fault_page(request, said)

    return handle


def _http_fault(error: HTTPException) -> ServiceFault:
    """Return the fault of an error that the framework raises: its own text may quote the request."""
    if error.status_code == _WRONG_METHOD:
        allowed = dict(error.headers or {})
        return ServiceFault(_WRONG_METHOD, WRONG_METHOD.code, WRONG_METHOD.message, WRONG_METHOD.do, allowed)
    if error.status_code == _NOT_THERE:
        return NOT_THERE
    return WRONG_REQUEST if error.status_code < OUR_FAULT.status else OUR_FAULT
