"""Several privacy models at once: all of them hold in what is released, whichever way it was reached."""

from __future__ import annotations

import csv
import json
import random
from collections import defaultdict
from pathlib import Path

import pytest

import tacita as tc
from tacita.cli.main import run
from tacita.cycle.plan import ChangeMethod, Plan
from tacita.risk.attribute.l_diversity import LDiversity
from tacita.risk.attribute.t_closeness import TCloseness
from tacita.risk.contract import breaches
from tacita.risk.identity.k_anonymity import KAnonymity
from tacita.risk.together import Together

pytestmark = pytest.mark.slow

KNOWN = ("area", "sex", "age")
BOTH = ["--measure", "k-anonymity:k=3", "--measure", "l-diversity:l=2,sensitive=illness"]
ROLES = ["--quasi", ",".join(KNOWN), "--sensitive", "illness,party", "--no-take-back"]
DICTIONARY = """[attributes.area]
[attributes.sex]
[attributes.age]
hierarchy = { intervals = [5, 10, 20], star = true }
[attributes.illness]
[attributes.party]
"""


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    drawn = random.Random(5)
    lines = ["area,sex,age,illness,party"]
    for _ in range(300):
        area, sex = drawn.choice("NNNSSE"), drawn.choice("fm")
        illness = "a" if area == "S" and drawn.random() < 0.8 else drawn.choice("abc")
        lines.append(f"{area},{sex},{drawn.randrange(20, 29)},{illness},{drawn.choice('xxxy')}")
    path = tmp_path_factory.mktemp("people") / "people.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


def classes(rows: list[dict[str, str]]) -> dict[tuple[str, ...], list[dict[str, str]]]:
    found = defaultdict(list)
    for row in rows:
        found[tuple(row[name] for name in KNOWN)].append(row)
    return found


def candidates(row: dict[str, str], rows: list[dict[str, str]]) -> list[dict[str, str]]:
    """The records that an intruder who knows a record has to take it for: an empty cell may be any value."""
    return [r for r in rows if all(r[n] == row[n] or "" in (r[n], row[n]) for n in KNOWN)]


@pytest.mark.parametrize("nulls", ["maybe", "strict"])
def test_k_anonymity_and_diversity_of_two_attributes_hold(nulls: str, people: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    flags = [*BOTH, "--measure", "l-diversity:l=2,sensitive=party", "--nulls", nulls]
    assert run(["anonymize", str(people), *ROLES, *flags, "--out", str(out), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [each["measure"] for each in told["measures"]] == ["k-anonymity", "l-diversity", "l-diversity"]
    rows = list(csv.DictReader((out / "data.csv").open()))
    for row in rows:
        alike = candidates(row, rows)
        assert len(alike) >= 3
        assert len({r["illness"] for r in alike}) >= 2
        assert len({r["party"] for r in alike}) >= 2
    for alike in classes(rows).values():
        assert len({r["illness"] for r in alike}) >= 2
        assert len({r["party"] for r in alike}) >= 2
    assert run(["verify", str(out)]) == 0
    manifest = json.loads((tmp_path / "out.internal" / "manifest.json").read_text())
    assert len(manifest["claim"]["measures"]) == 3
    assert run(["explain", str(out), "--row", "1"]) == 0


def test_verify_names_the_measure_that_does_not_hold(people: Path, tmp_path: Path, capsys) -> None:
    out = tmp_path / "out"
    assert run(["anonymize", str(people), *ROLES, *BOTH, "--out", str(out)]) == 0
    capsys.readouterr()
    claim = ["--measure", "k-anonymity:k=3", "--measure", "l-diversity:l=3,sensitive=illness", "--nulls", "maybe"]
    assert run(["verify", str(out), *claim, "--quasi", ",".join(KNOWN)]) == 1
    said = capsys.readouterr().out
    assert "above the threshold of l-diversity" in said
    assert "above the threshold of k-anonymity" not in said


@pytest.mark.parametrize("method", [ChangeMethod.RECODING, ChangeMethod.AUTO])
def test_the_search_for_a_recoding_keeps_all_models(method: ChangeMethod, people: Path, tmp_path: Path) -> None:
    dictionary = tmp_path / "d.toml"
    dictionary.write_text(DICTIONARY)
    data = tc.read(people, dictionary=dictionary).with_roles(quasi=KNOWN, sensitive=["illness", "party"])
    measures = (KAnonymity(3), LDiversity(2), TCloseness(0.5, sensitive="illness"))
    outcome = tc.anonymize(data, Plan(Together(measures), method=method, take_back=False))
    assert outcome.is_safe, outcome.verdict
    rows = tc.Dataset(outcome.protected).to_arrow().to_pylist()
    for alike in classes(rows).values():
        assert len({r["illness"] for r in alike}) >= 2
        assert len({r["party"] for r in alike}) >= 2


def test_a_list_of_measures_is_a_plan(people: Path) -> None:
    data = tc.read(people).with_roles(quasi=KNOWN, sensitive=["illness"])
    outcome = tc.anonymize(data, Plan([KAnonymity(3), LDiversity(2)], take_back=False))  # type: ignore[arg-type]
    assert outcome.claim.in_words.startswith("k-anonymity (k 3")
    assert outcome.is_safe


def test_several_measures_are_one_that_keeps_the_contract() -> None:
    assert breaches(Together((KAnonymity(3), LDiversity(2))), tc.sample("patients").microdata) == []


def test_parameters_that_are_given_twice_are_refused(people: Path, capsys) -> None:
    for twice in (["-k", "3"], ["--param", "k-anonymity.k=3"], ["--param", "l=3"]):
        assert run(["anonymize", str(people), *ROLES, *BOTH, *twice]) == 2, twice
        assert "given twice" in capsys.readouterr().err


def test_nulls_that_another_measure_leans_on_are_told(people: Path, tmp_path: Path, capsys) -> None:
    """Each record has two strict look-alikes, and re-identification counts the nulls of others all the same."""
    measures = ["--measure", "k-anonymity:k=2", "--measure", "reidentification:threshold=0.08"]
    flags = ["--quasi", ",".join(KNOWN), "--nulls", "maybe", *measures]
    assert run(["anonymize", str(people), *flags, "--out", str(tmp_path / "out"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["after"]["unsafe_strict"] == 0
    assert told["verdict"].startswith("Safe if an empty cell may be any value")
    assert run(["verify", str(tmp_path / "out")]) == 0
    assert "The claim holds if an empty cell may be any value" in capsys.readouterr().out
    alone = ["--measure", "k-anonymity:k=2", "--quasi", ",".join(KNOWN), "--nulls", "maybe"]
    assert run(["verify", str(tmp_path / "out"), *alone]) == 0
    assert "The claim holds: " in capsys.readouterr().out
