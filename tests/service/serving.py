"""A service that a test starts in its own process, on a port that is free, and requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import uvicorn

import tacita as tc
from tacita.api.querying import open_for_questions, parse_query_policy
from tacita.service.application import application, limits_of, opened_core
from tacita.service.core import ServiceCore
from tacita.service.guard import GuardLimits
from tacita.service.metrics import ServiceMetrics
from tacita.service.options import ServeOptions
from tacita.service.serving import configuration, listening
from tacita.service.tokens import ServiceRole

PATIENCE = 600.0
AREAS = 'values = ["North", "South", "Center"]'
SECTORS = 'values = ["Commerce", "Construction", "Financial", "Other", "Public Service", "Textiles"]'
FILTERS = """
[[filter]]
attribute = "Area"
{}
[[filter]]
attribute = "Sector"
{}
[[measure]]
attribute = "W"
lower = 0
upper = 1000
"""
EXACT = 'name = "firms"\n' + FILTERS.format("", "")
BUDGET = "[private]\ntotal = 1.0\nanalyst = 1.0\n"
PRIVATE = 'name = "noisy"\nanswers = "private"\n' + FILTERS.format(AREAS, SECTORS) + BUDGET
BY_AREA = "SELECT Area, SUM(W) FROM firms GROUP BY Area"
REFUSED = "SELECT SUM(W) FROM firms WHERE Sector = 'Other' AND Area = 'North'"
"""About fewer records than a question may be."""


@dataclass
class Reply:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """The code of an error, whose shape is checked on the way."""
        (error,) = self.json.values()
        assert list(self.json) == ["error"] and set(error) == {"code", "message", "do"}
        return str(error["code"])


@dataclass
class RunningService:
    """A service that runs."""

    port: int
    core: ServiceCore
    tokens: dict[tuple[str, str], str] = field(default_factory=dict)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def token(self, name: str = "ann", role: str = "analyst") -> str:
        """Return the token of somebody, which is made when it is first wanted."""
        if (name, role) not in self.tokens:
            self.tokens[name, role], _ = self.core.state.make_token(name, ServiceRole(role), None)
        return self.tokens[name, role]

    def send(self, method: str, path: str, token: str | None = None, body: Any = None, **headers: str) -> Reply:
        """Send one request; a body that is no bytes is sent as JSON."""
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            body = body if isinstance(body, bytes) else json.dumps(body).encode()
            headers.setdefault("Content-Type", "application/json")
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)) as connection:
            connection.request(method, path, body, headers)
            with connection.getresponse() as reply:
                names = {name.lower() for name, _ in reply.getheaders()}
                joined = {name: reply.getheader(name, "") for name in names}
                return Reply(reply.status, joined, reply.read().decode())

    def ask(self, sql: str, token: str | None = None, database: str = "firms", **more: Any) -> Reply:
        path = f"/v1/databases/{database}/ask"
        return self.send("POST", path, token or self.token(), {"sql": sql, **more})


def opened(folder: Path, policy: str) -> Path:
    """Open the 20 firms of figure 1 for questions."""
    return open_for_questions(tc.sample("figure-1"), parse_query_policy(policy), folder).folder


@contextlib.contextmanager
def running(options: ServeOptions, limits: GuardLimits | None = None) -> Iterator[RunningService]:
    """Run the service in a thread, as one process would."""
    metrics = ServiceMetrics()
    cores: list[ServiceCore] = []

    def start() -> ServiceCore:
        cores.append(opened_core(options, metrics))
        return cores[0]

    config = configuration(options)
    config.app, config.factory = application(start, metrics, limits or limits_of(options)), False
    server, listener = uvicorn.Server(config), listening(options.host, options.port)
    with contextlib.closing(listener):
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        port = listener.getsockname()[1]
        try:
            service = RunningService(port, None)  # type: ignore[arg-type]
            assert service.send("GET", "/health").status == 200  # waits until it is there
            service.core = cores[0]
            yield service
        finally:
            server.should_exit = True
            thread.join(PATIENCE)
            assert not thread.is_alive()
