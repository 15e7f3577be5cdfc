"""What every request passes: hosts, sizes, patience, headers, and what the log has of it."""

from __future__ import annotations

import json
import logging
import socket
from pathlib import Path

import pytest
from tests.service.serving import BY_AREA, EXACT, PATIENCE, RunningService, opened, running

from tacita.service.guard import GuardLimits, names_of_host
from tacita.service.options import ServeOptions


def raw(service: RunningService, *parts: bytes) -> bytes:
    """Send bytes as they are, and return everything that comes until the server closes."""
    with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE) as connection:
        for part in parts:
            connection.sendall(part)
        reply = b""
        while more := connection.recv(65_536):
            reply += more
    return reply


def test_every_reply_has_the_headers_that_browsers_obey(service: RunningService) -> None:
    for path in ("/health", "/v1/databases", "/nothing"):
        headers = service.send("GET", path).headers
        assert "script-src" not in headers["content-security-policy"]
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-frame-options"] == "DENY" and headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "server" not in headers
    numbers = {service.send("GET", "/health").headers["x-request-id"] for _ in range(3)}
    assert len(numbers) == 3


@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "", "localhost.", "[::2]", "127.0.0.1@evil"]
)
def test_a_name_of_somebody_else_is_refused(service: RunningService, host: str) -> None:
    reply = service.send("GET", "/v1/databases", service.token(), Host=host)
    assert (reply.status, reply.code) == (400, "host")


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:80", "127.0.0.1:1", "[::1]:8765"])
def test_own_names_are_taken(service: RunningService, host: str) -> None:
    assert service.send("GET", "/health", Host=host).status == 200


def test_names_may_be_added() -> None:
    assert {"data.example.org", "10.0.0.5"} <= names_of_host("10.0.0.5", ["Data.Example.ORG"])


MALFORMED = (
    b"GET\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"GET / HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nBad Header: x\r\n\r\n",
    b"GET /\x00 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    b"POST /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabc",
    b"POST /v1 HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n",
    b"POST /v1 HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"a" * 80_000,
)


@pytest.mark.parametrize("request_", MALFORMED, ids=range(len(MALFORMED)))
def test_malformed_requests_get_the_one_shape(service: RunningService, request_: bytes) -> None:
    reply = raw(service, request_)
    head, _, body = reply.partition(b"\r\n\r\n")
    assert head.startswith((b"HTTP/1.1 400", b"HTTP/1.1 501", b"HTTP/1.1 431")), reply
    assert set(json.loads(body)["error"]) == {"code", "message", "do"}


def test_a_body_that_is_too_large_is_not_read(service: RunningService) -> None:
    start = b"POST /v1/databases/firms/ask HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
    declared = raw(service, start + b"Content-Length: 999999999999\r\n\r\n")
    assert declared.startswith(b"HTTP/1.1 413")
    chunk = b"2000\r\n" + b"x" * 0x2000 + b"\r\n"
    chunked = raw(service, start + b"Transfer-Encoding: chunked\r\n\r\n", *[chunk] * 9)
    assert chunked.startswith(b"HTTP/1.1 413")


def test_a_body_that_does_not_come_is_not_waited_for(firms_folder: Path, tmp_path: Path) -> None:
    options = ServeOptions(folders=(firms_folder,), port=0, state=tmp_path / "state", rate=1000)
    with running(options, GuardLimits(names_of_host("127.0.0.1", ()), patience=0.0)) as service:
        slow = b"POST /v1/databases/firms/ask HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{"
        reply = raw(service, slow)
    assert reply.startswith(b"HTTP/1.1 408") and b'"slow"' in reply


def test_who_connects_and_says_nothing_is_not_waited_for(
    service: RunningService, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr("tacita.service.protocol._PATIENCE", 0.0)
        assert raw(service) == b""
    assert service.send("GET", "/health").status == 200


def test_only_so_many_are_worked_on_at_once(firms_folder: Path, tmp_path: Path) -> None:
    limits = GuardLimits(names_of_host("127.0.0.1", ()), at_once=1)
    with running(ServeOptions(folders=(firms_folder,), port=0, state=tmp_path / "state"), limits) as service:
        start = b"POST /v1/databases HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
        with socket.create_connection(("127.0.0.1", service.port), timeout=PATIENCE) as connection:
            connection.sendall(start)  # its body is on the way
            while (reply := service.send("GET", "/health")).status == 200:
                pass
            assert (reply.status, reply.code) == (503, "busy")


def test_who_sends_too_much_waits(firms_folder: Path, tmp_path: Path) -> None:
    options = ServeOptions(folders=(firms_folder,), port=0, state=tmp_path / "state", rate=1e-3, burst=3)
    with running(options) as service:
        replies = [service.send("GET", "/v1/databases", service.token()) for _ in range(5)]
        assert [reply.status for reply in replies] == [200] * 3 + [429] * 2
        assert replies[-1].code == "rate" and int(replies[-1].headers["retry-after"]) > 900
        assert service.send("GET", "/v1/databases", service.token("bob")).status == 200
        assert service.send("GET", "/health").status == 200


def test_the_log_has_no_value_no_question_and_no_token(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ServeOptions(
        folders=(opened(tmp_path / "firms", EXACT),), port=0, state=tmp_path / "state", rate=1e3, burst=1000
    )
    monkeypatch.setattr(logging.getLogger("tacita.service"), "propagate", True)
    with caplog.at_level(logging.DEBUG), running(options) as service:
        token = service.token()
        service.ask(BY_AREA)
        service.ask("SELECT sekret FROM firms")
        service.send("GET", f"/v1/databases/{token}?token={token}", token)
        service.send(token, "/v1/databases")
        raw(service, b"GET /%s\x00\r\n\r\n" % token.encode())

        def fail(*_: object) -> None:
            raise ValueError("sekret")

        monkeypatch.setattr("tacita.service.core.ServiceCore.owner", fail)
        number = service.ask(BY_AREA).headers["x-request-id"]
    written = "\n".join(
        record.getMessage() + str(record.exc_info or "") for record in caplog.records if record.name != "asyncio"
    )
    lines = [json.loads(one.getMessage()) for one in caplog.records if one.name == "tacita.service"]
    assert {line["event"] for line in lines} == {"request", "fault"}
    assert any(line["event"] == "fault" and line["request"] == number for line in lines)
    for secret in (token, token[4:20], "sekret", "SUM(W)", "1100", "North"):
        assert secret not in written
