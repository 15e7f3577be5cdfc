"""Endpoints: who may what, what is answered, and the one shape of everything that goes wrong."""

from __future__ import annotations

import json

import pytest
from tests.service.serving import BY_AREA, REFUSED, RunningService

from tacita.api.querying import Database
from tacita.errors import OutputError

SUMS = {"North": "1100", "South": "728", "Center": "994"}


def test_an_answer_is_that_of_the_database(service: RunningService) -> None:
    reply = service.ask(BY_AREA)
    assert reply.status == 200
    answer = reply.json
    assert {row["group"][0]: row["figures"][0]["value"] for row in answer["rows"]} == SUMS
    assert (answer["status"], answer["guarantee"]) == ("answered", "Figures are exact.")
    again = service.ask("select  Area, sum(W)  from firms group by Area").json
    assert again["repeated"] and again["rows"] == answer["rows"]


def test_a_refusal_looks_like_an_answer(service: RunningService) -> None:
    answered, refused = service.ask(BY_AREA), service.ask(REFUSED)
    assert (answered.status, refused.status) == (200, 200)
    assert refused.json["status"] == "refused"
    assert set(refused.json) == set(answered.json)
    assert set(refused.headers) == set(answered.headers)
    figure = refused.json["rows"][0]["figures"][0]
    assert figure == {"status": "refused", "value": None, "lower": None, "upper": None, "error": None}
    other = service.ask("SELECT COUNT(*) FROM firms WHERE Sector = 'Textiles' AND Area = 'South'").json
    assert other["sentence"] == refused.json["sentence"]  # whatever the reason is


def test_what_is_described_is_no_figure(service: RunningService) -> None:
    reply = service.send("GET", "/v1/databases/firms", service.token()).json
    assert reply["filters"][0] == {"attribute": "Area", "labels": ["Center", "North", "South"]}
    assert reply["measures"] == [
        {"attribute": "W", "lower": "0", "upper": "1000", "decimals": 0, "statistics": ["sum", "avg"]}
    ]
    assert "20" not in json.dumps(reply)  # records
    names = service.send("GET", "/v1/databases", service.token()).json
    assert names == {"databases": ["firms"], "role": "analyst", "name": "ann"}


def test_a_price_spends_nothing(service: RunningService) -> None:
    body = {"sql": "SELECT COUNT(*) FROM firms"}
    before = service.send("GET", "/v1/databases/firms/history", service.token("pia")).json
    reply = service.send("POST", "/v1/databases/firms/price", service.token("pia"), body)
    assert reply.status == 200 and reply.json["cost"] == {} and reply.json["names"] == ["count"]
    assert service.send("GET", "/v1/databases/firms/history", service.token("pia")).json == before


ADDRESSES = {
    ("GET", "/v1/databases"): "holder analyst auditor",
    ("GET", "/v1/databases/firms"): "holder analyst auditor",
    ("POST", "/v1/databases/firms/ask"): "holder analyst",
    ("POST", "/v1/databases/firms/price"): "holder analyst",
    ("GET", "/v1/databases/firms/history"): "holder analyst auditor",
    ("GET", "/v1/databases/firms/audit"): "holder auditor",
}


@pytest.mark.parametrize("address", ADDRESSES, ids=" ".join)
@pytest.mark.parametrize("role", ["holder", "analyst", "auditor", "nobody"])
def test_roles(service: RunningService, address: tuple[str, str], role: str) -> None:
    method, path = address
    body = {"sql": "SELECT COUNT(*) FROM firms"} if method == "POST" else None
    token = None if role == "nobody" else service.token(f"a {role}", role)
    reply = service.send(method, path, token, body)
    if role == "nobody":
        assert (reply.status, reply.code) == (401, "token")
        assert reply.headers["www-authenticate"] == "Bearer"
    elif role in ADDRESSES[address].split():
        assert reply.status == 200, reply.text
    else:
        assert (reply.status, reply.code) == (403, "role")


def test_every_address_is_in_the_table_of_roles(service: RunningService) -> None:
    described = service.send("GET", "/v1/openapi.json").json
    addresses = {
        (method.upper(), path.replace("{name}", "firms")) for path, one in described["paths"].items() for method in one
    }
    assert addresses == {*ADDRESSES, ("GET", "/health"), ("GET", "/metrics")}


def test_tokens_that_ended_open_nothing(service: RunningService) -> None:
    secret, token = service.core.state.make_token("eve", service.core.state.tokens()[0].role, None)
    assert service.send("GET", "/v1/databases", secret).status == 200
    service.core.state.revoke(token.id)
    wrong = ["", secret, secret[:-1], "tct_é", "x" * 200]
    replies = [service.send("GET", "/v1/databases", one.encode().decode("latin-1")) for one in wrong]
    assert [(reply.status, reply.code) for reply in replies] == [(401, "token")] * len(wrong)
    assert len({reply.text for reply in replies}) == 1
    basic = service.send("GET", "/v1/databases", Authorization=f"Basic {service.token()}")
    cookie = service.send("GET", "/v1/databases", Cookie=f"tacita_token={service.token()}")
    assert (basic.status, cookie.status) == (401, 401)  # a page of somebody else cannot ask in your name


def test_analysts_see_their_own_history(service: RunningService) -> None:
    service.ask("SELECT COUNT(*) FROM firms WHERE Area = 'North'", service.token("mia"))
    service.ask(BY_AREA, service.token("leo"))
    own = service.send("GET", "/v1/databases/firms/history", service.token("mia")).json
    assert {one["analyst"] for one in own["answers"]} == {"mia"}
    other = service.send("GET", "/v1/databases/firms/history?analyst=leo", service.token("mia"))
    assert (other.status, other.code) == (403, "role")
    auditor = service.token("otto", "auditor")
    everybody = service.send("GET", "/v1/databases/firms/history?last=1000", auditor).json
    assert {"mia", "leo"} <= {one["analyst"] for one in everybody["answers"]}
    last = service.send("GET", "/v1/databases/firms/history?last=1&analyst=leo", auditor).json
    assert [one["analyst"] for one in last["answers"]] == ["leo"]


def test_the_auditor_sees_reasons_that_the_analyst_does_not(service: RunningService) -> None:
    refused = service.ask(REFUSED, service.token("rex"))
    audit = service.send("GET", "/v1/databases/firms/audit?last=1", service.token("otto", "auditor")).json
    (question,) = audit["questions"]
    assert question["decision"] == "refused" and question["objections"]
    assert question["objections"][0]["sentence"] not in refused.text
    assert audit["refused"] >= 1 and audit["records"] == 20


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/v1/nothing", None, 404, "not_found"),
        ("GET", "/v1/databases/other", None, 404, "database"),
        ("GET", "/v1/databases/", None, 404, "not_found"),
        ("DELETE", "/v1/databases", None, 405, "method"),
        ("BREW", "/v1/databases", None, 405, "method"),
        ("POST", "/v1/databases/firms/ask", b"{", 422, "request"),
        ("POST", "/v1/databases/firms/ask", b"\xff\xfe", 422, "request"),
        ("POST", "/v1/databases/firms/ask", {}, 422, "request"),
        ("POST", "/v1/databases/firms/ask", [1], 422, "request"),
        ("POST", "/v1/databases/firms/ask", {"sql": 1}, 422, "request"),
        ("POST", "/v1/databases/firms/ask", {"sql": "SELECT COUNT(*) FROM firms", "analyst": "bob"}, 422, "request"),
        ("POST", "/v1/databases/firms/ask", {"sql": "x" * 20_001}, 422, "request"),
        ("POST", "/v1/databases/firms/ask", {"sql": "x" * 70_000}, 413, "size"),
        ("POST", "/v1/databases/firms/ask", {"sql": BY_AREA, "epsilon": "-1"}, 400, "request"),
        ("POST", "/v1/databases/firms/ask", b'{"sql": "SELECT COUNT(*) FROM firms", "epsilon": NaN}', 400, "request"),
        ("POST", "/v1/databases/firms/ask", {"sql": "DROP TABLE firms"}, 400, "question"),
        ("GET", "/v1/databases/firms/history?last=0", None, 422, "request"),
        ("GET", "/v1/databases/firms/history?last=many", None, 422, "request"),
    ],
)
def test_errors_have_one_shape(
    service: RunningService, method: str, path: str, body: object, status: int, code: str
) -> None:
    reply = service.send(method, path, service.token("a holder", "holder"), body)
    assert (reply.status, reply.code) == (status, code)
    assert reply.headers["x-request-id"] and reply.headers["cache-control"] == "no-store"


INJECTIONS = (
    "SELECT COUNT(*) FROM firms; DROP TABLE entries",
    "SELECT COUNT(*) FROM firms WHERE Area = 'North' OR 1=1",
    "SELECT COUNT(*) FROM firms WHERE Area = 'x'' OR ''a''=''a'",
    "SELECT COUNT(*) FROM firms UNION SELECT W FROM firms",
    "SELECT COUNT(*) FROM (SELECT * FROM read_csv('/etc/passwd'))",
    "SELECT getenv('HOME') FROM firms",
    "SELECT COUNT(*) FROM sqlite_master",
    "ATTACH 'x' AS y",
    "PRAGMA database_list",
    "SELECT SUM(W) FROM firms WHERE Area = (SELECT MIN(Area) FROM firms)",
    "SELECT COUNT(*) FROM firms -- \n WHERE Area = 'nobody'",
    "COPY firms TO '/tmp/x'",
    "SELECT W FROM firms",
)


@pytest.mark.parametrize("sql", INJECTIONS)
def test_there_is_nothing_to_inject_into(service: RunningService, sql: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is written is read by a parser, and what is understood is a set of cells: no text goes to an engine."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a question reached an engine")

    monkeypatch.setattr("duckdb.connect", refuse)
    entries = service.core.databases["firms"].database._database.ledger.head.size
    reply = service.ask(sql)
    after = service.core.databases["firms"].database._database.ledger.head.size
    if reply.status == 200:  # a comment, say: then it is a question that the language has
        assert reply.json["question"].startswith("SELECT COUNT(*) FROM firms") and after == entries + 1
    else:
        assert (reply.status, reply.code) == (400, "question") and after == entries


def test_a_full_disk_answers_nothing_and_says_so(service: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    served = service.core.databases["firms"]

    def full(*_: object) -> None:
        raise OutputError("the ledger cannot be written: the disk is full or failing", where="/secret/place")

    with monkeypatch.context() as patch:
        patch.setattr(Database, "ask_together", full)
        reply = service.ask(BY_AREA)
        assert (reply.status, reply.code) == (503, "storage")
        assert "/secret/place" not in reply.text
    assert service.ask(BY_AREA).status == 200 and served.database


def test_a_disk_that_is_full_for_sqlite(service: RunningService) -> None:
    """The ledger, and then the limits, may not get one page more."""
    ledger = service.core.databases["firms"].database._database.ledger
    connections = {"ask": ledger._store._connection, "limit": service.core.state._limits}
    for number, (what, connection) in enumerate(connections.items()):
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages}")
        replies = []
        for step in range(200):
            token = service.token(f"{what} {step}") if what == "limit" else None
            sql = f"SELECT COUNT(*) AS n{number}{step} FROM firms WHERE Area = 'North'"
            replies.append(service.ask(sql, token) if what == "ask" else service.send("GET", "/v1/databases", token))
            if replies[-1].status != 200:
                break
        assert (replies[-1].status, replies[-1].code) == (503, "storage")
        connection.execute("PRAGMA max_page_count = 1073741823")
        assert service.ask(BY_AREA).status == 200


def test_a_fault_of_ours_tells_no_value(service: RunningService, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("confidential 4711")

    with monkeypatch.context() as patch:
        patch.setattr(Database, "ask_together", fail)
        reply = service.ask(BY_AREA)
        assert (reply.status, reply.code) == (500, "internal") and "4711" not in reply.text
        patch.setattr("tacita.service.core.ServiceCore.owner", fail)
        reply = service.ask(BY_AREA)
        assert (reply.status, reply.code) == (500, "internal") and "4711" not in reply.text
    assert service.ask(BY_AREA).status == 200


def test_health_and_metrics_need_no_token_and_name_nobody(service: RunningService) -> None:
    assert service.send("GET", "/health").json["status"] == "ok"
    assert service.send("HEAD", "/health").status == 200
    service.ask(BY_AREA, service.token("zoe"))
    service.send("GET", "/v1/databases/zoe-wrote-this", service.token("zoe"))
    figures = service.send("GET", "/metrics").text
    assert 'tacita_requests_total{method="POST",route="/v1/databases/{name}/ask",status="200"}' in figures
    assert "zoe" not in figures and "firms" not in figures
