"""Signing in at an issuer: in a real browser, and step by step with what somebody hostile may change on the way."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from tests.servers import chromium  # noqa: F401 - a fixture
from tests.service.issuer import Issuer, Signer, issuing, rsa_key
from tests.service.serving import BY_AREA, Reply, RunningService, running
from tests.service.test_oidc import settings_of
from tests.service.test_pages import cookie_of, form_of, post

from tacita.service.options import ServeOptions
from tacita.service.state import ServiceState
from tacita.service.tokens import ServiceRole

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def issuer() -> Iterator[Issuer]:
    with issuing() as issuer:
        yield issuer


@pytest.fixture(scope="module")
def site(issuer: Issuer, firms_folder: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    home = tmp_path_factory.mktemp("sign-in")
    options = ServeOptions(
        folders=(firms_folder,), port=0, state=home / "state", rate=1e5, burst=10**5, oidc=settings_of(home, issuer)
    )
    with running(options) as service:
        yield service


@pytest.fixture(autouse=True)
def usual(issuer: Issuer) -> Iterator[None]:
    """Let the issuer go on as it was after what a test changes."""
    person = dict(issuer.person)
    yield
    issuer.person, issuer.id_token, issuer.is_silent = person, {}, False


def begun(site: RunningService) -> tuple[str, str]:
    """Begin to sign in; return the cookie, and the address of the issuer."""
    start = site.send("GET", "/login/oidc")
    assert start.status == 303
    return cookie_of(start, "tacita_flow"), start.headers["location"]


def sent_back(issuer: Issuer, address: str) -> str:
    """Return the path to which the issuer sends the browser back."""
    status, location = issuer.get(address)
    assert status == 303 and isinstance(location, str)
    parts = urlsplit(location)
    return f"{parts.path}?{parts.query}"


def came_back(site: RunningService, issuer: Issuer) -> Reply:
    cookie, address = begun(site)
    return site.send("GET", sent_back(issuer, address), Cookie=cookie)


def session_of(reply: Reply) -> str:
    assert reply.status == 200, reply.text
    return cookie_of(reply, "tacita_token")


def test_the_way_to_the_issuer_says_nothing_but_what_it_needs(site: RunningService, issuer: Issuer) -> None:
    start = site.send("GET", "/login/oidc")
    query = parse_qs(urlsplit(start.headers["location"]).query)
    assert query["redirect_uri"] == [f"{site.url}/login/oidc/callback"]
    assert query["code_challenge_method"] == ["S256"] and query["response_type"] == ["code"]
    cookie = start.headers["set-cookie"].lower()
    assert (
        "httponly" in cookie and "samesite=lax" in cookie and "path=/login/oidc;" in cookie and "max-age=600" in cookie
    )
    secrets = [start.headers["set-cookie"].partition("=")[2].partition(";")[0], *query["state"], *query["nonce"]]
    assert len({*secrets}) == 3 and not any(one in other for one in secrets for other in secrets if one != other)
    assert begun(site) != begun(site)


def test_who_comes_back_has_a_session_for_pages_alone(site: RunningService, issuer: Issuer) -> None:
    reply = came_back(site, issuer)
    cookie = session_of(reply)
    said = reply.headers["set-cookie"].lower()
    assert "tacita_token=tcs_" in said and "samesite=strict" in said
    page = site.send("GET", "/data/firms", Cookie=cookie)
    assert page.status == 200 and "oidc:248289761001" in page.text
    asked = post(site, "/data/firms", cookie, form=form_of(page), sql=BY_AREA, action="ask")
    assert asked.status == 200 and "1100" in asked.text
    assert site.send("GET", "/v1/databases", cookie.partition("=")[2]).status == 401  # programs have tokens
    assert post(site, "/logout", cookie, form=form_of(page)).status == 303
    assert site.send("GET", "/data/firms", Cookie=cookie).headers["location"] == "/login"  # on the server, too


def test_a_way_is_gone_once_and_by_the_browser_that_began_it(site: RunningService, issuer: Issuer) -> None:
    cookie, address = begun(site)
    path = sent_back(issuer, address)
    other, _ = begun(site)
    codes = dict(issuer.codes)
    for wrong in (
        site.send("GET", path),
        site.send("GET", path, Cookie=other),
        site.send("GET", path, Cookie="tacita_flow=x"),
        site.send("GET", path, Cookie=cookie[:-1]),
        site.send("GET", path, Cookie="tacita_flow=99999999999." + "x" * 43),
        site.send("GET", re.sub("state=[^&]*", "state=x", path), Cookie=cookie),
        site.send("GET", path + "&state=x", Cookie=cookie),
        site.send("GET", path + "&code=x", Cookie=cookie),
        site.send("GET", path.replace("iss=", "iss=x"), Cookie=cookie),
        site.send("GET", re.sub("code=[^&]*", "error=access_denied", path), Cookie=cookie),
        site.send("GET", "/login/oidc/callback?" + "state=" + "x" * 3000, Cookie=cookie),
        site.send("GET", "/login/oidc/callback?state=%ff&code=%00", Cookie=cookie),
    ):
        assert wrong.status == 403 and "tacita_token" not in wrong.headers["set-cookie"]
    assert issuer.codes == codes  # nobody asked the issuer for anything
    assert site.send("GET", re.sub("code=[^&]*", "code=x", path), Cookie=cookie).status == 503
    assert site.send("GET", path, Cookie=cookie).status == 200
    assert site.send("GET", path, Cookie=cookie).status == 503  # the issuer takes a code once


def test_a_way_is_good_for_ten_minutes(site: RunningService, issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    cookie, address = begun(site)
    path = sent_back(issuer, address)
    for seconds in (-1, -601):
        with monkeypatch.context() as patch:
            patch.setattr("tacita.service.oidc.flow.FLOW_SECONDS", seconds)
            assert site.send("GET", path, Cookie=cookie).status == 403
    assert site.send("GET", path, Cookie=cookie).status == 200


@pytest.mark.parametrize(
    ("claims", "status"),
    [
        ({"nonce": "other"}, 401),
        ({"nonce": None}, 401),
        ({"nonce": ["n"]}, 401),
        ({"nonce": "\ud800"}, 401),
        ({"aud": "tacita"}, 401),
        ({"aud": ["pages", "tacita"]}, 401),
        ({"aud": ["pages", "tacita"], "azp": "tacita"}, 401),
        ({"aud": ["pages", "tacita"], "azp": "pages"}, 200),
        ({"azp": "tacita"}, 401),
        ({"iss": "https://evil.example"}, 401),
        ({"exp": 1}, 401),
        ({"realm": {"roles": ["others"]}}, 403),
        ({"sub": "a\u200bnn"}, 403),
    ],
)
def test_an_id_token_is_for_this_browser_and_these_pages(
    site: RunningService, issuer: Issuer, claims: dict[str, Any], status: int
) -> None:
    issuer.id_token = claims
    reply = came_back(site, issuer)
    assert reply.status == status
    assert ("tacita_token" in reply.headers["set-cookie"]) == (status == 200)


def test_an_id_token_of_another_key_opens_nothing(
    site: RunningService, issuer: Issuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuer, "signer", Signer(rsa_key(1), "first"))
    assert came_back(site, issuer).status == 401


def test_a_new_role_ends_sessions_with_the_old_one(site: RunningService, issuer: Issuer) -> None:
    issuer.person = {**issuer.person, "sub": "eve", "realm": {"roles": ["auditors"]}}
    before = session_of(came_back(site, issuer))
    assert site.send("GET", "/data/firms/audit", Cookie=before).status == 200
    issuer.person = {**issuer.person, "realm": {"roles": ["guests"]}}
    after = session_of(came_back(site, issuer))
    assert site.send("GET", "/data/firms", Cookie=before).headers["location"] == "/login"
    assert site.send("GET", "/data/firms", Cookie=after).status == 200


def test_sessions_end_and_leave_nothing_behind(tmp_path: Any) -> None:
    now = [1e6]
    with ServiceState(tmp_path / "state", clock=lambda: now[0]) as state:
        secret = state.make_session("oidc:ann", ServiceRole.ANALYST, 8)
        assert state.owner(secret) is not None and not any(
            secret.encode() in path.read_bytes() for path in (tmp_path / "state").iterdir()
        )
        token, _ = state.make_token("ann", ServiceRole.ANALYST, None)
        state.end_session(token)
        assert state.owner(token) is not None  # a token is the holder's to end
        now[0] += 8 * 3600
        assert state.owner(secret) is None
        state.make_session("oidc:bob", ServiceRole.ANALYST, 8)
        assert [one.name for one in state.tokens()] == ["ann", "oidc:bob"]


def test_without_an_issuer_there_is_no_such_page(firms_folder: Any, tmp_path: Any, site: RunningService) -> None:
    with running(ServeOptions(folders=(firms_folder,), port=0, state=tmp_path / "state")) as plain:
        assert plain.send("GET", "/login/oidc").status == 404
        assert plain.send("GET", "/login/oidc/callback?code=x&state=y").status == 404
        assert "organisation" not in plain.send("GET", "/login").text
    assert "organisation" in site.send("GET", "/login").text
    by_name = site.send("GET", "/login/oidc", Host="localhost")
    assert "redirect_uri=http%3A%2F%2Flocalhost%2F" in by_name.headers["location"]


def test_a_name_on_the_network_needs_tls(firms_folder: Any, tmp_path: Any, issuer: Issuer) -> None:
    options = ServeOptions(
        folders=(firms_folder,), port=0, state=tmp_path / "state", oidc=settings_of(tmp_path, issuer),
        allow_host=("data.example.org",),
    )  # fmt: skip
    with running(options) as service:
        assert service.send("GET", "/login/oidc", Host="data.example.org").status == 400
        start = service.send("GET", "/login/oidc", Host="data.example.org", **{"X-Forwarded-Proto": "https"})
        assert "redirect_uri=https%3A%2F%2Fdata.example.org%2Flogin" in start.headers["location"]
        assert "secure" in start.headers["set-cookie"].lower()


def test_a_person_signs_in(chromium: Any, site: RunningService, issuer: Issuer) -> None:  # noqa: F811
    """The issuer is another site to the browser: the strict cookie of the pages must be there after it all the same."""
    issuer.person, issuer.has_page = {**issuer.person, "sub": "nora"}, True
    context = chromium.new_context(java_script_enabled=False, base_url=site.url.replace("127.0.0.1", "localhost"))
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    page.goto("/")
    page.get_by_role("link", name="Sign in with your organisation").click()
    page.get_by_role("link", name="It is me").click()
    page.get_by_role("heading", name="Data sets").wait_for()
    assert "oidc:nora" in page.locator("header").inner_text()
    page.get_by_role("link", name="firms").click()
    page.get_by_label("Question", exact=True).fill(BY_AREA)
    page.get_by_role("button", name="Ask").click()
    assert "1100" in page.get_by_role("status").inner_text()
    page.get_by_role("button", name="Sign out").click()
    page.goto("/data/firms")
    assert page.get_by_label("Token").is_visible()
    context.close()
    issuer.has_page = False
    assert [problem for problem in problems if "the server responded with a status of" not in problem] == []
