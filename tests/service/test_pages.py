"""The pages: forms that nobody else can send, and in a real browser everything that a person does."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.servers import chromium  # noqa: F401 - a fixture
from tests.service.serving import BY_AREA, EXACT, PRIVATE, REFUSED, Reply, RunningService, opened, running

from tacita.service.options import ServeOptions

pytestmark = pytest.mark.slow

Page = Any
FORM = {"Content-Type": "application/x-www-form-urlencoded"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningService]:
    """A service with exact and with private answers."""
    home = tmp_path_factory.mktemp("site")
    folders = (opened(home / "firms", EXACT), opened(home / "noisy", PRIVATE))
    with running(ServeOptions(folders=folders, port=0, state=home / "state", rate=1e5, burst=10**5)) as service:
        yield service


def cookie_of(reply: Reply, name: str) -> str:
    (value,) = re.findall(rf"{name}=([^;]+)", reply.headers["set-cookie"])
    return f"{name}={value}"


def form_of(reply: Reply) -> str:
    return re.findall(r'name="form" value="([0-9a-f]+)"', reply.text)[0]


def post(site: RunningService, path: str, cookie: str, **fields: str) -> Reply:
    return site.send("POST", path, None, urlencode(fields).encode(), Cookie=cookie, **FORM)


def test_a_token_goes_into_a_cookie_that_scripts_and_other_sites_do_not_get(site: RunningService) -> None:
    start = site.send("GET", "/login")
    token = site.token("ida")
    reply = post(site, "/login", cookie_of(start, "tacita_form"), form=form_of(start), token=token)
    assert (reply.status, reply.headers["location"]) == (303, "/")
    cookie = reply.headers["set-cookie"].lower()
    assert "httponly" in cookie and "samesite=strict" in cookie
    assert site.send("GET", "/", Cookie=f"tacita_token={token}").status == 200
    assert site.send("GET", "/").headers["location"] == "/login"


def test_behind_tls_the_cookie_stays_there(site: RunningService) -> None:
    start = site.send("GET", "/login", **{"X-Forwarded-Proto": "https"})
    assert "secure" in start.headers["set-cookie"].lower()
    assert "secure" not in site.send("GET", "/login").headers["set-cookie"].lower()


def test_a_form_that_is_not_ours_is_refused(site: RunningService) -> None:
    mine, other = site.token("ida"), site.token("eva")
    cookie = f"tacita_token={mine}"
    form = form_of(site.send("GET", "/data/firms", Cookie=cookie))
    theirs = form_of(site.send("GET", "/data/firms", Cookie=f"tacita_token={other}"))
    before = len(site.core.databases["firms"].database.history("ida").answers)
    for wrong in ("", theirs, form[:-1], form.upper() + "é"):
        reply = post(site, "/data/firms", cookie, form=wrong, sql=BY_AREA, action="ask")
        assert reply.status == 403, wrong
        assert post(site, "/logout", cookie, form=wrong).status == 403
    assert len(site.core.databases["firms"].database.history("ida").answers) == before
    assert post(site, "/data/firms", cookie, form=form, sql=BY_AREA, action="ask").status == 200
    start = site.send("GET", "/login")
    assert post(site, "/login", "", form=form_of(start), token=mine).status == 403
    assert post(site, "/login", "tacita_form=x", form=form_of(start), token=mine).status == 403


def test_pages_say_how_many_questions_they_leave_out(site: RunningService) -> None:
    for area in ("North", "North", "Center"):
        site.ask(f"SELECT COUNT(*) FROM firms WHERE Area = '{area}'", site.token("lea"))
    analyst, auditor = (f"tacita_token={site.token(*one)}" for one in (("lea", "analyst"), ("otto", "auditor")))
    for path, cookie, note in (
        ("/data/firms", analyst, "These are your last 2 questions."),
        ("/data/firms/audit", auditor, "These are the last 2 of "),
    ):
        assert note in site.send("GET", f"{path}?last=2", Cookie=cookie).text
        every = site.send("GET", f"{path}?last=1000", Cookie=cookie).text
        assert "These are" not in every and every.count("<code>SELECT COUNT(*) FROM firms WHERE Area") >= 3
        assert site.send("GET", f"{path}?last=1001", Cookie=cookie).status == 422


def test_pages_keep_to_roles(site: RunningService) -> None:
    analyst, auditor = (f"tacita_token={site.token(*one)}" for one in (("ida", "analyst"), ("otto", "auditor")))
    assert site.send("GET", "/data/firms/audit", Cookie=analyst).status == 403
    assert site.send("GET", "/data/firms/audit", Cookie=auditor).status == 200
    page = site.send("GET", "/data/firms", Cookie=auditor)
    assert page.status == 200 and "<textarea" not in page.text
    assert post(site, "/data/firms", auditor, form=form_of(page), sql=BY_AREA, action="ask").status == 403
    assert site.send("GET", "/data/other", Cookie=analyst).status == 404


def test_what_somebody_wrote_is_text(site: RunningService) -> None:
    cookie = f"tacita_token={site.token('ida')}"
    form = form_of(site.send("GET", "/data/firms", Cookie=cookie))
    hostile = "</textarea><script>alert(1)</script>"
    reply = post(site, "/data/firms", cookie, form=form, sql=hostile, action="ask")
    assert reply.status == 400 and "<script" not in reply.text and "&lt;script&gt;" in reply.text
    assert site.send("POST", "/login", None, b"x" * 70_000, **FORM).status == 413


# -- in a browser ------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(chromium: Any, site: RunningService) -> Iterator[Page]:  # noqa: F811
    """A page in a window that remembers nothing and runs no script."""
    context = chromium.new_context(java_script_enabled=False, base_url=site.url)
    page = context.new_page()
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text))
    yield page
    context.close()
    # A style or a form that the policy of the page forbids would be said here, and so is a reply with a fault.
    assert [problem for problem in problems if "the server responded with a status of" not in problem] == []


def sign_in(page: Page, token: str) -> None:
    page.goto("/")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()


def test_an_analyst_asks(page: Page, site: RunningService) -> None:
    sign_in(page, "tct_wrong")
    assert "revoked" in page.get_by_role("alert").inner_text()
    sign_in(page, site.token("nora"))
    page.get_by_role("link", name="firms").click()
    page.get_by_label("Question", exact=True).fill(BY_AREA)
    page.get_by_role("button", name="Ask").click()
    rows = page.get_by_role("status").get_by_role("row").all_inner_texts()
    assert [row.split() for row in rows[1:]] == [["Center", "994"], ["North", "1100"], ["South", "728"]]
    page.get_by_label("Question", exact=True).fill(REFUSED)
    page.get_by_role("button", name="Ask").click()
    assert "This was not answered" in page.get_by_role("status").inner_text()
    page.get_by_label("Question", exact=True).fill("SELECT Secto FROM firms")
    page.get_by_role("button", name="Ask").click()
    assert "declares no attribute" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Question", exact=True).input_value() == "SELECT Secto FROM firms"
    assert [row.split()[1] for row in page.locator("section:last-of-type tbody > tr:has(details)").all_inner_texts()]
    page.get_by_role("button", name="Sign out").click()
    page.goto("/data/firms")
    assert page.get_by_label("Token").is_visible()


def test_the_cost_is_shown_before_it_is_paid(page: Page, site: RunningService) -> None:
    sign_in(page, site.token("paul"))
    page.goto("/data/noisy")
    page.get_by_label("Pay").fill("0.25")
    page.get_by_role("button", name="Show the cost").click()
    assert "0.25 epsilon" in page.get_by_role("status").inner_text()
    assert "Left: 1 epsilon" in page.locator(".budget").inner_text()
    page.get_by_role("button", name="Ask").click()  # the form still has the question and the price
    assert "±" in page.get_by_role("status").inner_text()
    assert "Left: 0.75 epsilon" in page.locator(".budget").inner_text()


def test_an_auditor_sees_reasons_and_ranks(page: Page, site: RunningService) -> None:
    site.ask(BY_AREA, site.token("nora"))
    site.ask(REFUSED, site.token("nora"))
    site.ask("SELECT SUM(W) FROM firms", site.token("nora"))
    sign_in(page, site.token("otto", "auditor"))
    page.get_by_role("link", name="Audit").first.click()
    text = page.locator("main").inner_text()
    assert "independent sums" in text and "15.0 %" in text  # three sums of twenty records
    assert page.locator(".reason").count() > 0
    follows = page.get_by_role("region", name="Sums that follow").get_by_role("row").all_inner_texts()
    assert any("q1" in row and "obeyed" in row for row in follows[1:])
    assert "nora" in page.get_by_role("region", name="Analysts").inner_text()
    page.goto("/data/noisy/audit")
    assert "of 1" in page.locator(".figures").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_fit_a_narrow_window_in_both_schemes(
    chromium: Any,  # noqa: F811
    site: RunningService,
    scheme: str,
    tmp_path: Path,
) -> None:
    context = chromium.new_context(base_url=site.url, viewport={"width": 320, "height": 700}, color_scheme=scheme)
    page = context.new_page()
    site.ask("SELECT SUM(W) FROM firms", site.token("a-name-without-a-space-" * 2))
    sign_in(page, site.token("a holder", "holder"))
    for path in ("/", "/data/firms", "/data/noisy", "/data/firms/audit", "/nothing"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 320, path
        if path.endswith("audit"):
            assert page.evaluate("[...document.querySelectorAll('.scroll')].every(e => e.scrollWidth <= e.clientWidth)")
        ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, re.findall(r"\d+", ground))) > 384) == (scheme == "light")
    context.close()


def test_a_keyboard_is_enough(page: Page, site: RunningService) -> None:
    page.goto("/login")
    page.locator("#token:focus").wait_for()
    page.keyboard.type(site.token("kim"))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Data sets").wait_for()
    for place in ("a.skip", "a.brand", "button", "main a[href='/data/firms']"):
        page.keyboard.press("Tab")
        page.locator(f"{place}:focus").wait_for(state="attached")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="firms").wait_for()
