"""The EMP example of document 002 through the command line: the third question is refused, and the auditor sees why."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tacita.cli.main import run

EMP = """ID,DEP,SALARY
id1,Management,85
id2,Management,3
id3,Management,2
id4,Administration,4
id5,Administration,3
id6,Administration,3
id7,Services,4
id8,Services,3
id9,Services,3
"""
POLICY = """
name = "EMP"
unit = "ID"
[[filter]]
attribute = "DEP"
values = ["Management", "Administration", "Services"]
[[measure]]
attribute = "SALARY"
lower = 1
upper = 1000
[rules]
minimum = 2
dominance = {{n = {n}, k = 85}}
knows_bounds = {bounds}
"""
Q1 = "SELECT SUM(SALARY) FROM EMP WHERE DEP = 'Administration'"
Q2 = "SELECT SUM(SALARY) FROM EMP WHERE DEP = 'Services'"
Q3 = "SELECT SUM(SALARY) FROM EMP"
Q4 = "SELECT SUM(SALARY) FROM EMP WHERE DEP = 'Management'"
NOT_MANAGEMENT = "SELECT SUM(SALARY) FROM EMP WHERE DEP <> 'Management'"
NOT_SERVICES = "SELECT SUM(SALARY) FROM EMP WHERE DEP <> 'Services'"


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("emp.csv").write_text(EMP)


def opened(n: int, *, bounds: bool) -> None:
    Path("policy.toml").write_text(POLICY.format(n=n, bounds=str(bounds).lower()))
    assert run(["query", "open", "emp.csv", "--policy", "policy.toml", "--out", "emp.opened"]) == 0


def asked(capsys: pytest.CaptureFixture[str], question: str) -> str | None:
    """Return the figure, or None if it was refused."""
    capsys.readouterr()
    code = run(["query", "ask", "emp.opened", question, "--analyst", "ann", "--json"])
    answer = json.loads(capsys.readouterr().out)
    assert (code == 1) == (answer["status"] == "refused")
    return None if code else str(answer["rows"][0]["figures"][0]["value"])


def audited(capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    capsys.readouterr()
    assert run(["query", "audit", "emp.opened", "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


@pytest.mark.parametrize("n", [1, 2])
def test_the_third_question_would_give_the_total_of_management(n: int, capsys: pytest.CaptureFixture[str]) -> None:
    opened(n, bounds=False)
    assert (asked(capsys, Q1), asked(capsys, Q2), asked(capsys, Q3)) == ("10", "10", None)
    objection = audited(capsys)["questions"][2]["objections"][0]
    assert objection["rule"] == "exact" and objection["multipliers"] == [[1, "-1"], [2, "-1"], [0, "1"]]
    begins = "-q1 - q2 + this gives the total of 3 records (DEP = 'Management'): of 3 contributors one has 94 %"
    assert objection["sentence"].startswith(begins) and f"dominance (n = {n}, k = 85)" in objection["sentence"]


def test_each_step_of_the_answerability_test(capsys: pytest.CaptureFixture[str]) -> None:
    opened(2, bounds=False)
    # Step 1: q4 is sensitive by itself.
    assert asked(capsys, Q4) is None
    assert [one["rule"] for one in audited(capsys)["questions"][0]["objections"]] == ["dominance", "exact"]
    # Step 3 and 4: q1 and q2 are new, and safe together.
    assert (asked(capsys, Q1), asked(capsys, Q2)) == ("10", "10")
    # Step 2: what follows already is answered, and the basis stays as it is.
    assert asked(capsys, "SELECT SUM(SALARY) FROM EMP WHERE DEP IN ('Administration', 'Services')") == "20"
    assert [one["sums"] for one in audited(capsys)["independent"] if one["measure"] == "SALARY"] == [2]
    # Step 3 and 4: q3 is new, and not safe together with them.
    assert asked(capsys, Q3) is None
    # Not asked, but known: what Management earns stays out of this list.
    (inferred,) = audited(capsys)["inferred"]
    assert all(one["selection"] != "DEP = 'Management'" and one["holds"] for one in inferred["sums"])


def test_bounds_alone_are_enough(capsys: pytest.CaptureFixture[str]) -> None:
    # x2 + x3 = 20 and x1 + x2 = 100 leave x1 open. But three people of at least 1 are 3 at least, so x1 is at most 97,
    # and 85 is more than 85 % of it.
    opened(1, bounds=False)
    assert (asked(capsys, NOT_MANAGEMENT), asked(capsys, NOT_SERVICES)) == ("20", "100")
    Path("emp.opened").rename("without bounds")
    opened(1, bounds=True)
    assert (asked(capsys, NOT_MANAGEMENT), asked(capsys, NOT_SERVICES)) == ("20", None)
    (objection,) = audited(capsys)["questions"][1]["objections"]
    assert objection["rule"] == "interval" and objection["multipliers"] == [[0, "1"]]
    assert objection["sentence"] == (
        "this and the declared bounds limit the total of 3 records (DEP = 'Management') from above so closely that a "
        "contributor can be estimated: of 3 contributors one has 94 %"
    )
    # With exact inference and bounds, q3 is refused as well.
    assert (asked(capsys, Q1), asked(capsys, Q2), asked(capsys, Q3)) == ("10", "10", None)
