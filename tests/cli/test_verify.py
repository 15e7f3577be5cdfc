"""tacita verify, as a script calls it: exit codes, text, JSON."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from tests.release.outcomes import outcome

import tacita as tc
from tacita.release.options import ReleaseOptions
from tacita.release.writing import write_release
from tacita.settings import Settings


@pytest.fixture
def release(tmp_path: Path) -> Path:
    rows = pa.table({"id": [1, 2, 3], "area": ["a", "a", "b"], "age": [20, 20, 30]})
    data = tc.read(rows).with_roles(quasi=["area", "age"], identifier=["id"])
    made = outcome(data, [(3, "area"), (3, "age")])
    options = ReleaseOptions(check=False)
    return write_release(made, tmp_path / "release", options, settings=Settings(state=tmp_path / "state")).folder


def test_it_holds(tacita, release: Path) -> None:
    done = tacita("verify", "release")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("The claim holds: none of 3 records is unsafe by k-anonymity.\n")
    assert "below k in the strict sense: 0" in done.stdout


def test_another_claim_does_not_hold(tacita, release: Path) -> None:
    done = tacita("verify", "release", "--measure", "k-anonymity", "-k", "3", "--nulls", "strict", "--json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert found["holds"] is False
    assert found["unsafe"] == 2
    assert found["claim"]["known"] == ["area", "age"]
    assert found["faults"] == ["2 records of 3 above the threshold of k-anonymity"]


def test_a_touched_file(tacita, release: Path) -> None:
    with (release / "report.html").open("a") as file:
        file.write("<!-- -->")
    done = tacita("verify", "release")
    assert done.returncode == 1
    assert "fault: report.html was changed" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["nowhere"], 3, "is no release"),
        (["release", "--nulls", "strict"], 2, "a claim needs a measure"),
        (["release", "--measure", "k-anonymity", "--nulls", "mabye"], 2, "did you mean 'maybe'?"),
        (["release", "--internal", "nowhere"], 3, "is no internal folder"),
    ],
)
def test_wrong_requests(tacita, release: Path, arguments: list[str], code: int, said: str) -> None:
    done = tacita("verify", *arguments)
    assert done.returncode == code
    assert said in done.stderr
    assert done.stdout == ""
