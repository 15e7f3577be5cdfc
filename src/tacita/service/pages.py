"""The pages for people: sign in, ask, see what was asked; for auditors everything. They work without JavaScript.

The token is kept in a cookie that scripts cannot read and other sites cannot send. Every form has a token of its own,
which only this service could have made for this cookie.
"""

from __future__ import annotations

import hmac
import secrets
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from jinja2 import Environment, PackageLoader, StrictUndefined
from starlette.datastructures import FormData

from tacita.api.querying import SentQuestion
from tacita.errors import UsageError
from tacita.service.bodies import LONGEST_QUESTION
from tacita.service.core import ANYBODY, ASKS, AUDITS, MOST_ANSWERS, LastQuestions, ServiceCore, core_of
from tacita.service.faults import (
    NO_TOKEN,
    NOT_MAPPED,
    NOT_THERE,
    NOT_YOURS,
    WRONG_FORM,
    WRONG_REQUEST,
    RequestRefused,
    ServiceFault,
    fault_of,
)
from tacita.service.oidc.flow import FLOW_COOKIE, FLOW_PATH, FLOW_SECONDS, SignInFlow, redirect_address
from tacita.service.tokens import AccessToken

if TYPE_CHECKING:
    from tacita.service.oidc.provider import OidcProvider

_TOKEN, _FORM = "tacita_token", "tacita_form"
"""Cookies: whose pages these are, and for which browser the form to sign in was made."""
_SEE_OTHER = 303
_SHOWN = 50
"""Questions on a page, unless more are asked for."""

pages = APIRouter(include_in_schema=False, default_response_class=HTMLResponse)


@pages.get("/")
async def home(request: Request) -> Response:
    """Show the data sets."""
    owner = await _owner(request)
    core = core_of(request)
    shown = [core.databases[name].description for name in sorted(core.databases)]
    return _page("home.html", request, owner, databases=shown)


@pages.get("/login")
async def sign_in_page(request: Request) -> Response:
    """Show the form to sign in."""
    return _sign_in(request, None)


@pages.post("/login")
async def sign_in(request: Request) -> Response:
    """Take a token."""
    fields = await _fields(request)
    _check_form(request, fields, request.cookies.get(_FORM, ""))
    secret = fields.get("token", "").strip()
    try:
        await core_of(request).owner(secret, ANYBODY, on_page=True)
    except RequestRefused as refused:
        return _sign_in(request, refused.fault)
    reply = RedirectResponse("/", _SEE_OTHER)
    _set(reply, request, _TOKEN, secret)
    reply.delete_cookie(_FORM)
    return reply


@pages.post("/logout")
async def sign_out(request: Request) -> Response:
    """Forget the token; a session ends."""
    _check_form(request, await _fields(request), request.cookies.get(_TOKEN, ""))
    core_of(request).state.end_session(request.cookies.get(_TOKEN, ""))
    reply = RedirectResponse("/login", _SEE_OTHER)
    reply.delete_cookie(_TOKEN)
    return reply


@pages.get(FLOW_PATH)
async def go_to_issuer(request: Request) -> Response:
    """Send the browser to the issuer."""
    issuer, core = _issuer(request), core_of(request)
    flow = SignInFlow.begun(core.state)
    reply = RedirectResponse(flow.address(issuer, redirect_address(request)), _SEE_OTHER)
    is_secure = request.url.scheme == "https"
    # Not strict: the issuer sends the browser back, and that is another site.
    reply.set_cookie(
        FLOW_COOKIE, flow.cookie, FLOW_SECONDS, path=FLOW_PATH, httponly=True, samesite="lax", secure=is_secure
    )
    return reply


@pages.get(f"{FLOW_PATH}/callback")
async def come_back(request: Request) -> Response:
    """Take somebody whom the issuer sent back, and go on by a page of ours: a strict cookie does not follow others."""
    issuer, core = _issuer(request), core_of(request)
    try:
        flow = SignInFlow.of_cookie(request.cookies.get(FLOW_COOKIE, ""), core.state)
        owner = await flow.owner(issuer, request)
        core.take_turn(owner)
        session = core.state.make_session(owner.name, owner.role, issuer.settings.session_hours)
    except RequestRefused as refused:
        reply = _sign_in(request, refused.fault)
    except UsageError:
        reply = _sign_in(request, NOT_MAPPED)
    else:
        reply = HTMLResponse(_environment().get_template("signed_in.html").render(owner=None, form=""))
        _set(reply, request, _TOKEN, session)
    reply.delete_cookie(FLOW_COOKIE, path=FLOW_PATH)
    return reply


@pages.get("/data/{name}")
async def data_page(request: Request, name: str, last: LastQuestions = _SHOWN) -> Response:
    """Show what may be asked, and what was."""
    owner = await _owner(request)
    core_of(request).database(name)
    return await _data(request, owner, name, {}, last)


@pages.post("/data/{name}")
async def ask_on_page(request: Request, name: str) -> Response:
    """Ask, or say what it would cost."""
    owner = await _owner(request)
    if owner.role not in ASKS:
        raise RequestRefused(NOT_YOURS)
    fields = await _fields(request)
    _check_form(request, fields, request.cookies.get(_TOKEN, ""))
    core, sql = core_of(request), fields.get("sql", "")
    if len(sql) > LONGEST_QUESTION:
        raise RequestRefused(WRONG_REQUEST)
    question = SentQuestion(sql, owner.name, fields.get("epsilon") or None, fields.get("accuracy") or None)
    shown: dict[str, Any] = {"fields": fields}
    try:
        if fields.get("action") == "ask":
            shown["answer"] = (await core.ask(request, name, question)).to_dict()
        else:
            shown["price"] = (await core.price(request, name, question)).to_dict()
    except UsageError as error:
        shown["fault"] = fault_of(error)
    return await _data(request, owner, name, shown)


@pages.get("/data/{name}/audit")
async def audit_page(request: Request, name: str, last: LastQuestions = _SHOWN) -> Response:
    """Show an auditor everything."""
    owner = await _owner(request)
    if owner.role not in AUDITS:
        raise RequestRefused(NOT_YOURS)
    audit = await core_of(request).audit(name, last)
    return _page("audit.html", request, owner, audit=audit, name=name, most=MOST_ANSWERS)


@pages.get("/service.css")
async def style() -> Response:
    """Return how pages look."""
    return Response(_style(), media_type="text/css", headers={"Cache-Control": "max-age=3600"})


def fault_page(request: Request, fault: ServiceFault) -> Response:
    """Return the page of a fault; who is not signed in gets the form."""
    if fault is NO_TOKEN:
        return RedirectResponse("/login", _SEE_OTHER)
    page = _environment().get_template("fault.html").render(fault=fault, owner=None, form="")
    return HTMLResponse(page, fault.status, dict(fault.headers))


async def _owner(request: Request) -> AccessToken:
    return await core_of(request).owner(request.cookies.get(_TOKEN, ""), ANYBODY, on_page=True)


def _issuer(request: Request) -> OidcProvider:
    """Return where people sign in; raise if that is here alone."""
    issuer = core_of(request).oidc
    if issuer is None or issuer.settings.client_id is None:
        raise RequestRefused(NOT_THERE)
    return issuer


async def _data(request: Request, owner: AccessToken, name: str, shown: dict[str, Any], last: int = _SHOWN) -> Response:
    core = core_of(request)
    history = await core.history(name, owner, owner.name, last)
    description = core.database(name).description
    values = {"fields": {}, "answer": None, "price": None, "fault": None, **shown}
    reply = _page(
        "data.html", request, owner, name=name, description=description, history=history, may_ask=owner.role in ASKS,
        most=MOST_ANSWERS, **values,
    )  # fmt: skip
    if values["fault"] is not None:
        reply.status_code = values["fault"].status
    return reply


def _page(template: str, request: Request, owner: AccessToken, **values: Any) -> Response:
    form = _form_token(core_of(request), request.cookies.get(_TOKEN, ""))
    audits = owner.role in AUDITS
    return HTMLResponse(_environment().get_template(template).render(owner=owner, form=form, audits=audits, **values))


def _sign_in(request: Request, fault: ServiceFault | None) -> Response:
    browser = secrets.token_urlsafe(16)
    form = _form_token(core_of(request), browser)
    oidc = core_of(request).oidc
    by_issuer = oidc is not None and oidc.settings.client_id is not None
    page = _environment().get_template("login.html").render(owner=None, form=form, fault=fault, by_issuer=by_issuer)
    reply = HTMLResponse(page, fault.status if fault else 200)
    _set(reply, request, _FORM, browser)
    return reply


def _set(reply: Response, request: Request, name: str, value: str) -> None:
    is_secure = request.url.scheme == "https"  # as the proxy says, which must be on this machine
    reply.set_cookie(name, value, httponly=True, samesite="strict", secure=is_secure, path="/")


def _form_token(core: ServiceCore, cookie: str) -> str:
    return core.state.digest("form", cookie)


def _check_form(request: Request, fields: dict[str, str], cookie: str) -> None:
    expected = _form_token(core_of(request), cookie)
    if not cookie or not hmac.compare_digest(expected.encode(), fields.get("form", "").encode()):
        raise RequestRefused(WRONG_FORM)


async def _fields(request: Request) -> dict[str, str]:
    form: FormData = await request.form(max_files=0, max_fields=10)
    return {name: value for name, value in form.items() if isinstance(value, str)}


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("tacita.service"), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters["amounts"] = _amounts
    return environment


@cache
def _style() -> str:
    return (files("tacita.service") / "templates" / "service.css").read_text(encoding="utf-8")


def _amounts(amounts: dict[str, str]) -> str:
    return ", ".join(f"{amount} {currency}" for currency, amount in amounts.items()) or "nothing"
