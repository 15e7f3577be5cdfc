"""Nothing is released on a claim that the written file cannot show, unless somebody accepts that."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

import tacita as tc
from tacita.cli.main import run
from tacita.cycle.anonymize import anonymize
from tacita.cycle.outcome import Outcome
from tacita.cycle.plan import Plan
from tacita.errors import OutputError
from tacita.release.options import ReleaseOptions
from tacita.release.verify import verify
from tacita.release.writing import write_release
from tacita.risk.catalogue import measure
from tacita.risk.together import Together


@pytest.fixture
def of_a_population() -> Outcome:
    """An outcome that is safe by k-map: three of the population look alike."""
    people = tc.read(pa.table({"q": ["x"] * 3})).with_roles(quasi=["q"])
    register = tc.read(pa.table({"q": ["x"] * 9}), engine=people.relation.engine)
    plan = Plan(measure("k-map", {"k": 3}), population=register.microdata.relation)
    found = anonymize(people.microdata, plan)
    assert found.is_safe
    return found


@pytest.mark.slow
def test_a_claim_that_cannot_be_checked_is_refused(of_a_population: Outcome, tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="cannot be checked on the written file"):
        write_release(of_a_population, tmp_path / "release")
    assert list(tmp_path.iterdir()) == []


def test_somebody_may_accept_it_and_is_told(of_a_population: Outcome, tmp_path: Path) -> None:
    done = write_release(of_a_population, tmp_path / "release", ReleaseOptions(unchecked=True))
    assert not done.checked
    assert done.notes
    assert done.verdict.startswith("Safe as it is by k-map, not checked on the written file")
    assert "not checked on the written file" in (done.internal / "report.html").read_text(encoding="utf-8")
    assert not verify(tmp_path / "release").holds


@pytest.mark.slow
def test_what_the_file_is_enough_for_is_checked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Of k-map and k-anonymity the second is measured on the file alone, and the first is named."""
    people = tc.read(pa.table({"q": ["x"] * 3})).with_roles(quasi=["q"])
    register = tc.read(pa.table({"q": ["x"] * 9}), engine=people.relation.engine)
    both = Together((measure("k-map", {"k": 5}), measure("k-anonymity", {"k": 3})))
    made = anonymize(people.microdata, Plan(both, population=register.microdata.relation))
    done = write_release(made, tmp_path / "release", ReleaseOptions(unchecked=True))
    found = verify(done.folder)
    assert found.verdict == (
        "The claim could be checked in part only: none of 3 records is unsafe by k-anonymity (k 3, threshold 0.5)."
    )
    assert [*found.faults] == [*found.unchecked]
    assert found.unchecked[0].startswith("k-map cannot be measured on the released file: there is no population")
    assert run(["verify", str(done.folder)]) == 1
    assert "--population" not in capsys.readouterr().out
    # A measure that does not hold is a fault, and nobody can accept it as unchecked.
    parts = (("k-map", {"k": 5}), ("k-anonymity", {"k": 4}))
    wrong = replace(made, claim=replace(made.claim, parts=parts))
    assert verify(done.folder, wrong.claim).verdict == "The claim does not hold."
    with pytest.raises(OutputError, match="3 records of 3 above the threshold of k-anonymity"):
        write_release(wrong, tmp_path / "other", ReleaseOptions(unchecked=True))


def test_another_fault_is_not_hidden_by_it(of_a_population: Outcome, tmp_path: Path) -> None:
    """What is wrong for sure is refused, whatever else cannot be told."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            "tacita.release.kinds.microdata.claim.identifier_faults", lambda *_: ["an identifier is in the file"]
        )
        with pytest.raises(OutputError, match="an identifier is in the file"):
            write_release(of_a_population, tmp_path / "release", ReleaseOptions(unchecked=True))
    assert list(tmp_path.iterdir()) == []
