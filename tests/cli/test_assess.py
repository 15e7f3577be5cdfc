"""tacita assess and tacita measures, through the entry point."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from tests.conftest import Run

import tacita as tc
from tacita.cli.main import run

pytestmark = pytest.mark.slow

KV7 = "urbrur,roof,walls,water,electcon,relat,sex"


@pytest.fixture
def firms(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    tc.generate("R1A4W", seed=7).write("firms.csv")
    return tmp_path / "firms.csv"


def told(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> str:
    assert run(["assess", *arguments]) == code, capsys.readouterr().err
    captured = capsys.readouterr()
    return captured.out if code == 0 else captured.err


def as_json(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(told(capsys, *arguments, "--json"))
    return found


def test_the_form_that_scripts_rely_on(shared: Path, tacita: Run, tmp_path: Path) -> None:
    """Frequencies, individual and household risk of sdcMicro's testdata, through the real command."""
    data = str(shared / "data/sdcmicro/testdata.csv")
    roles = ("--quasi", KV7, "--weight", "sampling_weight", "--cluster", "ori_hid")
    done = tacita(
        "assess", data, *roles, "--measure", "individual-risk", "--param", "estimate=approximate", "--json",
        "--records", "out.csv",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    single, household = json.loads(done.stdout)["scenarios"][0]["measures"]
    assert single["expected_reidentifications"] == pytest.approx(10.7782989187348, rel=1e-9)
    assert household["expected_reidentifications"] == pytest.approx(51.8129274359607, rel=1e-9)
    with (tmp_path / "out.csv").open() as file:
        rows = list(csv.DictReader(file))
    with (shared / "sdcmicro/measure_risk_testdata_kv7_hier.csv").open() as file:
        theirs = list(csv.DictReader(file))
    assert list(rows[0])[:3] == ["row", "frequency", "risk"]
    assert [int(row["frequency"]) for row in rows] == [int(row["fk"]) for row in theirs]
    assert [float(row["risk"]) for row in rows] == pytest.approx([float(row["risk"]) for row in theirs], rel=1e-9)
    assert [float(r["household_risk"]) for r in rows] == pytest.approx(
        [float(r["hier_risk"]) for r in theirs], rel=1e-9
    )


def test_the_answer_for_a_steward(firms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, "firms.csv")
    assert shown.splitlines()[0].startswith("firms  1,000 records, weighted by Weight; categories are proposals")
    assert "NOT SAFE" in shown.splitlines()[2]
    for part in (
        "k-anonymity, k = 3",
        "prosecutor",
        "riskiest attributes",
        "riskiest combinations",
        "Riskiest records",
    ):
        assert part in shown


def test_a_rule_program_is_a_measure(firms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    Path("my_measure.vada").write_text(
        '@input("Tuple", ["db", "id", "values"]).\n@output("riskOutput", ["id", "risk"]).\n@param("most", 2).\n'
        "[1] Tuple(M, I, V), N = mcount(<I>) -> Alike(M, N, *V[$AnonSet]).\n"
        "[2] Tuple(M, I, V), Alike(M, N, Q*), Q = V[$AnonSet], R = case N <= $most then 1 else 0 -> riskOutput(I, R).\n"
    )
    ours = as_json(capsys, "firms.csv", "--quasi", "Area,Sector", "--measure", "./my_measure.vada")
    theirs = as_json(capsys, "firms.csv", "--quasi", "Area,Sector", "--measure", "k-anonymity", "--k", "3")
    first, second = (each["scenarios"][0]["measures"][0] for each in (ours, theirs))
    assert first["measure"] == "my_measure.vada"
    assert first["unsafe"] == second["unsafe"] > 0
    more = as_json(capsys, "firms.csv", "--quasi", "Area,Sector", "--measure", "my_measure.vada", "--param", "most=9")
    assert more["scenarios"][0]["measures"][0]["unsafe"] > first["unsafe"]


def test_why(firms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shown = told(capsys, "firms.csv", "--quasi", "Area,Sector", "--measure", "k-anonymity", "--why", "3")
    assert shown.startswith("Record 3\n")
    assert "by k-anonymity: one of " in shown
    assert "riskOutput(3, " in shown
    proof = as_json(capsys, "firms.csv", "--quasi", "Area,Sector", "--measure", "k-anonymity", "--why", "3")["why"]
    assert proof["row"] == 3
    assert proof["proof"]
    missing = told(capsys, "firms.csv", "--quasi", "Area", "--measure", "k-anonymity", "--why", "5000", code=2)
    assert "there is no record 5000" in missing


def test_a_report_in_one_file(firms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told(capsys, "firms.csv", "--html", "report.html")
    page = Path("report.html").read_text(encoding="utf-8")
    assert "<svg" in page
    assert "NOT SAFE" in page
    refused = told(capsys, "firms.csv", "--html", "report.html", code=4)
    assert "report.html" in refused


def test_links_by_rules(firms: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with firms.open() as file:
        ids = [row["Id"] for row in csv.DictReader(file)][:3]
    Path("own.csv").write_text(f"owner,company,share\n{ids[0]},{ids[1]},0.6\n{ids[1]},{ids[2]},0.7\n")
    found = as_json(
        capsys, "firms.csv", "--quasi", "Area,Sector", "--weight", "Weight", "--identifier", "Id", "--measure",
        "individual-risk", "--related", "group=company_groups", "--input", "Own=own.csv", "--records", "out.csv",
    )  # fmt: skip
    assert [each["measure"] for each in found["scenarios"][0]["measures"]] == [
        "individual-risk",
        "group individual-risk",
    ]
    with Path("out.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["members"]) for row in rows[:4]] == [3, 3, 3, 1]
    assert float(rows[0]["group_risk"]) == pytest.approx(float(rows[2]["group_risk"]))


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--measure", "k-anonimity"], "did you mean 'k-anonymity'"),
        (["--measure", "./none.vada"], "there is no such file"),
        (["--measure", "k-anonymity", "--param", "kk=3"], "k-anonymity has no parameter 'kk'; did you mean 'k'"),
        (["--measure", "k-anonymity", "--param", "k=many"], "k of k-anonymity must be a whole number"),
        (["--measure", "individual-risk", "--param", "estimate=best"], "use one of: posterior, ratio, approximate"),
        (["--param", "k=3"], "need a measure"),
        (["--nulls", "maybe-mach"], "did you mean 'maybe-match'"),
        (["--missing-as", "category", "--nulls", "standard"], "leave one of them out"),
        (["--missing-as", "x"], "use unknown, empty or category"),
        (["--scenario", "x"], "no scenario 'x'"),
        (["--measure", "k-map"], "k-map cannot be measured"),
        (["--measure", "l-diversity"], "l-diversity cannot be measured"),
        (["--input", "Own=own.csv"], "add --related"),
        (["--quasi", "Aria"], "did you mean 'Area'"),
        (["--k", "0"], "--k"),
        (["--threshold", "2"], "--threshold"),
        (["--why", "0"], "--why"),
    ],
)
def test_wrong_requests_are_explained(
    firms: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], words: str
) -> None:
    quasi = [] if "--quasi" in arguments or "--scenario" in arguments else ["--quasi", "Area,Sector"]
    code = run(["assess", "firms.csv", *quasi, *arguments])
    assert code in {2, 3}
    assert words in capsys.readouterr().err


def test_measures_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["measures"]) == 0
    assert "l-diversity" in capsys.readouterr().out
    assert run(["measures", "--json"]) == 0
    listed = {each["measure"]: each for each in json.loads(capsys.readouterr().out)}
    assert {p["name"]: p["default"] for p in listed["k-anonymity"]["parameters"]} == {"k": "3", "threshold": "0.5"}
    assert all(each["meaning"].endswith(".") for each in listed.values())


def test_text_and_number_keys_behave_alike(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """sdcMicro silently turns text keys into NA, and reports no risk."""
    rows = [(i % 3, i % 4) for i in range(20)]
    for name, write in (("numbers.csv", "{}"), ("texts.csv", "v{}")):
        lines = [",".join(write.format(value) for value in row) for row in rows]
        (tmp_path / name).write_text("\n".join(["a,b", *lines]) + "\n")
    numbers, texts = (as_json(capsys, str(tmp_path / n), "--quasi", "a,b") for n in ("numbers.csv", "texts.csv"))
    for found in (numbers, texts):
        for each in found["scenarios"][0]["measures"]:
            each["tables"].pop("values", None)
    assert numbers["scenarios"] == texts["scenarios"]
