"""The OpenAPI description against the service: requests that schemathesis invents, valid and not."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from tests.long import examples
from tests.service.serving import RunningService

schemathesis = pytest.importorskip("schemathesis")


@pytest.mark.long
@pytest.mark.filterwarnings("ignore")
def test_replies_are_as_described(service: RunningService) -> None:
    """Every reply has a documented status and body, and nothing that is sent makes a fault of the service."""
    described: Any = schemathesis.openapi.from_url(f"{service.url}/v1/openapi.json")
    token = service.token("a holder", "holder")
    statuses: list[int] = []
    checks = schemathesis.specs.openapi.checks
    kept = [
        schemathesis.checks.not_a_server_error,
        checks.response_schema_conformance,
        checks.status_code_conformance,
        checks.content_type_conformance,
    ]
    for operation in (result.ok() for result in described.get_all_operations()):

        @settings(max_examples=examples(2), database=None, deadline=None, suppress_health_check=list(HealthCheck))
        @given(case=operation.as_strategy())
        def check(case: Any) -> None:
            if "name" in (case.path_parameters or {}):
                case.path_parameters["name"] = "firms"
            reply = case.call(headers={"Authorization": f"Bearer {token}"})
            case.validate_response(reply, checks=kept)
            statuses.append(reply.status_code)

        check()
    assert len(statuses) >= 8 and 200 in statuses


def test_every_error_of_the_description_has_the_one_shape(service: RunningService) -> None:
    described = service.send("GET", "/v1/openapi.json").json
    for path, methods in described["paths"].items():
        if not path.startswith("/v1"):
            continue
        for operation in methods.values():
            for status, reply in operation["responses"].items():
                if int(status) >= 400:
                    reference = reply["content"]["application/json"]["schema"]["$ref"]
                    assert reference.endswith("/ErrorBody"), (path, status)
