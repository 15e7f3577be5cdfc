"""The client: the same answers as the database itself gives, errors by code, a token that stays where it belongs."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.service.serving import AREAS, BY_AREA, EXACT, PRIVATE, REFUSED, RunningService, opened, running

import tacita as tc
from tacita.api.querying import Database
from tacita.api.remote import RemoteServer
from tacita.errors import QueryRefused, ServiceError, UsageError
from tacita.service.options import ServeOptions

pytestmark = pytest.mark.slow


@pytest.fixture
def server(service: RunningService) -> RemoteServer:
    return tc.connect(service.url, service.token("cleo"))


def test_an_answer_is_a_table(server: RemoteServer) -> None:
    answer = server.sql(BY_AREA)
    assert answer.to_arrow().to_pylist() == [
        {"Area": "Center", "sum(W)": 994.0},
        {"Area": "North", "sum(W)": 1100.0},
        {"Area": "South", "sum(W)": 728.0},
    ]
    assert list(answer.to_pandas()["sum(W)"]) == [994.0, 1100.0, 728.0]
    refused = server.sql(REFUSED)
    assert refused.status == "refused" and refused.to_arrow().num_rows == 1


def test_answers_are_those_of_one_process(service: RunningService, tmp_path: Path) -> None:
    server = tc.connect(service.url + "/", service.token("only one"), "firms")
    questions = [BY_AREA, REFUSED, "SELECT COUNT(*), AVG(W) FROM firms", BY_AREA]
    with Database(opened(tmp_path / "firms", EXACT)) as database:
        for sql in questions:
            here, there = database.sql(sql, analyst="only one").to_dict(), server.sql(sql).to_dict()
            assert {**there, "repeated": None} == {**here, "repeated": None}
        assert server.history().to_dict()["analyst"] == "only one"
        assert [one.to_dict() | {"repeated": None} for _, one in server.history().answers] == [
            one.to_dict() | {"repeated": None} for _, one in database.history("only one").answers
        ]
    assert server.price(BY_AREA).is_repeated
    assert server.description()["name"] == "firms" and server.databases() == ["firms"]


def test_totals_and_confidential_labels_come_as_they_are(tmp_path: Path) -> None:
    """Rows of totals have null, and nothing that is sent names a label that the threshold did not release."""
    text = PRIVATE.replace(AREAS, "").replace("total = 1.0\nanalyst = 1.0", "total = 90\ndelta = 1e-5")
    options = ServeOptions(
        folders=(opened(tmp_path / "noisy", text),), port=0, state=tmp_path / "state", rate=1e4, burst=1000
    )
    with running(options) as service:
        server = tc.connect(service.url, service.token())
        totals = server.sql("SELECT COUNT(*) FROM noisy GROUP BY ROLLUP (Sector)", epsilon=2)
        assert totals.rows[-1].group == (None,) and totals.to_arrow().column("Sector").null_count == 1
        assert sum(int(row.figures[0].value or 0) for row in totals.rows[:-1]) == int(
            totals.rows[-1].figures[0].value or 0
        )
        hidden = server.sql("SELECT COUNT(*) FROM noisy GROUP BY Area", epsilon="0.1")
        assert hidden.status == "answered" and hidden.rows == () and set(hidden.cost) == {"epsilon", "delta"}
        assert server.description()["unlisted"] == ["Area"]
        with pytest.raises(QueryRefused, match="confidential"):
            server.sql("SELECT COUNT(*) FROM noisy WHERE Area = 'North'", epsilon=1)
        cookie = f"tacita_token={service.token()}"
        pages = [service.send("GET", path, Cookie=cookie).text for path in ("/", "/data/noisy")]
        pages += [service.send("GET", path, service.token()).text for path in ("/openapi.json", "/v1/databases/noisy")]
        pages.append(service.send("GET", "/v1/databases/noisy/history", service.token()).text)
    assert "Area" in pages[1] and "Public Service" in pages[1] and "GROUP BY ROLLUP (Sector)" in pages[4]
    assert not any(label in page for page in pages for label in ("North", "South", "Center"))


def test_noise_costs_what_was_said(tmp_path: Path) -> None:
    folders = (opened(tmp_path / "noisy", PRIVATE), opened(tmp_path / "firms", EXACT))
    options = ServeOptions(folders=folders, port=0, state=tmp_path / "state", rate=1e4, burst=1000)
    with running(options) as service:
        server = tc.connect(service.url, service.token())
        sql = "SELECT COUNT(*) FROM noisy"
        assert server.price(sql, epsilon=0.25).spent == {"epsilon": "0.25"}
        answer = server.sql(sql, epsilon="0.25")
        assert answer.cost == {"epsilon": "0.25"} and answer.left == {"epsilon": "0.75"}
        assert server.sql('SELECT COUNT(*) FROM "firms"').database == "firms"
        with pytest.raises(UsageError, match="2 data sets"):
            server.history()
        assert len(server.history(database="noisy").answers) == 1
        auditor = tc.connect(service.url, service.token("otto", "auditor"), "noisy")
        assert auditor.audit()["spent"] == {"epsilon": "0.25"}


def test_errors_have_codes(service: RunningService, server: RemoteServer) -> None:
    with pytest.raises(QueryRefused, match="declares no attribute 'Secto'") as refused:
        server.sql("SELECT Secto, COUNT(*) FROM firms GROUP BY Secto")
    assert refused.value.do and refused.value.__context__ is None
    with pytest.raises(QueryRefused, match="no data set of this name; did you mean 'firms'"):
        tc.connect(service.url, service.token("cleo")).sql("SELECT COUNT(*) FROM firm")
    for action, code in (
        (lambda: tc.connect(service.url, "tct_wrong").databases(), "token"),
        (server.audit, "role"),
        (lambda: tc.connect(service.url, service.token(), "other").sql(BY_AREA), "database"),
        (lambda: tc.connect("http://127.0.0.1:1", "tct_x").databases(), "unreachable"),
    ):
        with pytest.raises(ServiceError) as error:
            action()
        assert error.value.code == code
        assert "tct_" not in str(error.value) and error.value.__context__ is None


@pytest.mark.parametrize(
    ("url", "token"),
    [
        ("http://data.example.org", "tct_x"),
        ("ftp://localhost", "tct_x"),
        ("localhost:80", "tct_x"),
        ("https://ann:pw@example.org", "tct_x"),
        ("http://localhost", "tct_x\r\nX: y"),
        ("http://localhost", ""),
        ("http://localhost", "é"),
    ],
)
def test_a_token_is_sent_over_tls_or_to_this_machine(url: str, token: str) -> None:
    with pytest.raises(UsageError):
        tc.connect(url, token)


def test_a_token_is_in_no_repr() -> None:
    server = tc.connect("https://data.example.org", "tct_sekret")
    assert "sekret" not in repr(server) + str(server)


@contextmanager
def _something_else(status: int, headers: dict[str, str], body: bytes) -> Iterator[tuple[str, list[str | None]]]:
    seen: list[str | None] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            seen.append(self.headers.get("Authorization"))
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as other:
        thread = threading.Thread(target=other.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{other.server_port}", seen
        finally:
            other.shutdown()
            thread.join()


@pytest.mark.parametrize(("status", "body"), [(200, b"<html>"), (200, b"[]"), (500, b"oops"), (502, b"{}")])
def test_another_server_is_said_to_be_another(status: int, body: bytes) -> None:
    with _something_else(status, {}, body) as (url, _), pytest.raises(ServiceError) as error:
        tc.connect(url, "tct_x").databases()
    assert error.value.code == "reply"


def test_a_token_does_not_follow_a_redirection() -> None:
    with _something_else(200, {}, b'{"databases": []}') as (elsewhere, seen):
        with _something_else(302, {"Location": elsewhere}, b"") as (url, _), pytest.raises(ServiceError):
            tc.connect(url, "tct_x").databases()
        assert seen == []
