"""What goes wrong around a running service: tokens that end, clocks that jump, bytes that are not text."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from tests.service.serving import BY_AREA, RunningService, running
from tests.service.test_guard import raw
from tests.service.test_pages import FORM, form_of, post

from tacita.service.options import ServeOptions
from tacita.service.tokens import ServiceRole


class JumpingClock:
    """The clock of a machine that somebody sets."""

    def __init__(self) -> None:
        self.jump = 0.0

    def __call__(self) -> float:
        return time.time() + self.jump


@pytest.fixture
def clock(service: RunningService, monkeypatch: pytest.MonkeyPatch) -> Iterator[JumpingClock]:
    """The clock by which the running service judges tokens and limits."""
    clock = JumpingClock()
    monkeypatch.setattr(service.core.state, "_clock", clock)
    yield clock


def test_an_expired_token_opens_nothing_anywhere(service: RunningService, clock: JumpingClock) -> None:
    secret, _ = service.core.state.make_token("eva", ServiceRole.HOLDER, days=1)
    cookie = f"tacita_token={secret}"
    page = service.send("GET", "/data/firms", Cookie=cookie)
    assert service.ask(BY_AREA, secret).status == 200 and page.status == 200
    entries = len(service.core.databases["firms"].database.history("eva").answers)
    clock.jump = 86_401
    missing = service.send("GET", "/v1/databases")
    reply = service.ask(BY_AREA, secret)
    assert (reply.status, reply.text) == (401, missing.text)
    assert service.send("GET", "/data/firms", Cookie=cookie).headers["location"] == "/login"
    asked = post(service, "/data/firms", cookie, form=form_of(page), sql=BY_AREA, action="ask")
    assert asked.headers["location"] == "/login"
    assert len(service.core.databases["firms"].database.history("eva").answers) == entries


def test_a_revoked_token_opens_no_page(service: RunningService) -> None:
    secret, token = service.core.state.make_token("uta", ServiceRole.ANALYST, None)
    cookie = f"tacita_token={secret}"
    assert service.send("GET", "/data/firms", Cookie=cookie).status == 200
    service.core.state.revoke(token.id)
    assert service.send("GET", "/data/firms", Cookie=cookie).headers["location"] == "/login"


@pytest.mark.parametrize("jump", [-1e9, -3600, 3600, 1e9])
def test_questions_go_on_when_the_clock_jumps(
    service: RunningService, clock: JumpingClock, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """Budgets and histories are by entries, not by time: the chain stays whole, and what was asked stays asked."""

    class Jumped(datetime):
        @classmethod
        def now(cls, tz: Any = None) -> datetime:
            return datetime.now(UTC) + timedelta(seconds=jump)

    first = service.ask(BY_AREA).json
    clock.jump = jump
    monkeypatch.setattr("tacita.ledger.ledger.datetime", Jumped)
    again = service.ask(BY_AREA)
    assert again.status == 200 and again.json["repeated"] and again.json["number"] == first["number"] + 1
    service.core.databases["firms"].database.check_ledger()


def test_a_clock_that_jumps_gives_one_burst(
    firms_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ServeOptions(folders=(firms_folder,), port=0, state=tmp_path / "state", rate=1e-3, burst=2)
    with running(options) as limited:
        token, clock = limited.token(), JumpingClock()
        monkeypatch.setattr(limited.core.state, "_clock", clock)
        statuses = []
        for jump in (0.0, -1e9, 1e9):
            clock.jump = jump
            statuses.append([limited.send("GET", "/v1/databases", token).status for _ in range(4)])
    assert statuses == [[200, 200, 429, 429], [429] * 4, [200, 200, 429, 429]]


NOT_TEXT = (b"\xff", b"\xc3\x28", b"\xed\xa0\x80", b"\x00", b"\xf4\x90\x80\x80")


@pytest.mark.parametrize("wrong", NOT_TEXT, ids=lambda one: one.hex())
def test_bytes_that_are_not_text_are_refused(service: RunningService, wrong: bytes) -> None:
    """In the body, in the token, in a cookie, in a path, in a query, in a form: always an error of one shape."""
    token, escaped = service.token(), "".join(f"%{byte:02x}" for byte in wrong)
    entries = len(service.core.databases["firms"].database.history().answers)
    body = b'{"sql": "SELECT COUNT(*) FROM firms WHERE Area = \'' + wrong + b"'\"}"
    replies = [
        service.send("POST", "/v1/databases/firms/ask", token, body),
        service.send("GET", f"/v1/databases/{escaped}", token),
        service.send("GET", f"/v1/databases/firms/history?analyst={escaped}", token),
        service.send("GET", f"/data/{escaped}", Cookie=f"tacita_token={token}"),
    ]
    assert [reply.status for reply in replies] == [422, 404, 403, 404]
    assert all(reply.code for reply in replies[:3])
    cookie = f"tacita_token={token}"
    form = form_of(service.send("GET", "/data/firms", Cookie=cookie))
    sent = urlencode({"form": form, "action": "ask"}).encode() + b"&sql=" + escaped.encode()
    assert service.send("POST", "/data/firms", None, sent, Cookie=cookie, **FORM).status == 400
    for name in (b"Authorization: Bearer ", b"Cookie: tacita_token="):
        start = b"GET /v1/databases HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
        reply = raw(service, start + name + wrong + b"\r\n\r\n")
        assert reply.startswith((b"HTTP/1.1 401", b"HTTP/1.1 400")) and b'"error"' in reply
    assert len(service.core.databases["firms"].database.history().answers) == entries


@pytest.mark.parametrize("wrong", ["\\ud800", "\\udc00x", "\\u0000", "\\u202e"])
def test_escapes_of_no_character_are_refused(service: RunningService, wrong: str) -> None:
    """JSON can write half of a character, which is in no encoding."""
    for body in (
        f'{{"sql": "SELECT COUNT(*) FROM firms WHERE Area = \'{wrong}\'"}}',
        f'{{"sql": "SELECT COUNT(*) AS \\"{wrong}\\" FROM firms"}}',
        f'{{"sql": "SELECT COUNT(*) FROM firms", "epsilon": "{wrong}"}}',
        f'{{"sql": "{wrong}"}}',
    ):
        reply = service.send("POST", "/v1/databases/firms/ask", service.token(), body.encode())
        assert reply.status in (400, 422) and reply.code in ("question", "request"), (body, reply.text)


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1" * 5000, "0.1e-400", "1e400"])
def test_numbers_that_are_none_are_refused(service: RunningService, number: str) -> None:
    body = f'{{"sql": "SELECT COUNT(*) FROM firms", "epsilon": {number}}}'
    reply = service.send("POST", "/v1/databases/firms/ask", service.token(), body.encode())
    assert reply.status in (400, 422) and reply.code == "request", reply.text
