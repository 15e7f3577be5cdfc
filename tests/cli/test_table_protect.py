"""Protecting tables through the command line: safe whatever the time, nothing unaudited, every method, every answer."""

from __future__ import annotations

import csv
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tacita.cli.main import run
from tacita.tables.protect.ways import by_suppression

pytestmark = pytest.mark.slow

COUNTS = """
[protect.cell_key]
identifier = "firm"
"""


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    assert run(["table", "example", "."]) == 0
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> dict:
    capsys.readouterr()
    assert run(["table", *arguments, "--json"]) == code
    return json.loads(capsys.readouterr().out)


def rows(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("seconds", ["0", "5"])
def test_a_table_is_safe_whatever_the_time(example: Path, capsys, seconds: str) -> None:
    found = answer(capsys, "protect", "turnover.toml", "--out", "release", "--time", seconds)
    assert found["passed"] is True
    assert found["tables"][0]["primary"] == 10
    withheld = [row for row in rows(example / "release" / "turnover.csv") if row["status"] == "x"]
    assert len(withheld) == found["tables"][0]["withheld"]
    verdict = answer(capsys, "audit", "turnover.toml", "--pattern", "release")
    assert (verdict["passed"], verdict["violations"]) == (True, [])


def test_the_audit_alone_says_that_the_sensitive_cells_are_not_enough(example: Path, capsys) -> None:
    found = answer(capsys, "audit", "turnover.toml", code=1)
    assert found["passed"] is False
    first = found["violations"][0]
    assert set(first) >= {"cell", "attacker", "needed", "reached", "steps", "what", "rule"}
    assert set(first["cell"]) == {"sector", "region"}
    assert first["reached"] == 0
    assert first["steps"]
    # No value of a withheld cell is in the answer.
    run(["table", "build", "turnover.toml", "--out", "true.csv"])
    true = {(row["sector"], row["region"]): row["value"] for row in rows(example / "true.csv")}
    told = json.dumps(found)
    assert not [v for v in found["violations"] if f" {true[v['cell']['sector'], v['cell']['region']]}" in told]


def test_nothing_is_written_if_the_audit_fails(example: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    found = by_suppression.suppress

    def careless(*arguments, **options):
        result = found(*arguments, **options)
        result.status[result.status == 2] = 0
        return result

    monkeypatch.setattr(by_suppression, "suppress", careless)
    told = answer(capsys, "protect", "turnover.toml", "--out", "release", "--time", "0", code=1)
    assert told["passed"] is False
    assert told["violations"]
    assert told["release"] is None
    assert not (example / "release").exists()
    assert not (example / "release.internal").exists()
    assert run(["table", "protect", "turnover.toml", "--out", "release", "--time", "0"]) == 1
    assert "Not protected" in capsys.readouterr().out


METHODS = [
    "controlled_rounding",
    "small_count_rounding",
    "random_rounding",
    "adjustment",
    "intervals",
    "cell_key",
    "fast",
]


@pytest.mark.parametrize("method", METHODS)
def test_every_method_is_audited_and_released(example: Path, capsys, method: str) -> None:
    text = (example / "turnover.toml").read_text().replace('response = "turnover"', "")
    text = text.replace("p_percent", "# p_percent").replace("suppression", method)
    (example / "counts.toml").write_text(text + (COUNTS if method == "cell_key" else ""))
    found = answer(capsys, "protect", "counts.toml", "--out", "out", "--seed", "3", "--time", "2")
    assert found["passed"] is True
    assert found["tables"][0]["method"] == method
    shown = rows(example / "out" / "turnover.csv")
    run(["table", "build", "counts.toml", "--out", "true.csv"])
    true = rows(example / "true.csv")
    assert [row["value"] for row in shown] != [row["value"] for row in true]
    if method in {"intervals", "fast"}:
        assert [row["status"] for row in shown].count("x") >= 9
    else:
        assert all(row["value"] for row in shown)
    assert "seed" not in (example / "out" / "manifest.json").read_text()


def test_the_same_seed_gives_the_same_release(example: Path, capsys) -> None:
    for name in ("one", "two"):
        answer(
            capsys, "protect", "turnover.toml", "--out", name, "--time", "2", "--format", "csv,wide-csv,sdmx-csv,xlsx"
        )
    for path in (example / "one").iterdir():
        assert path.read_bytes() == (example / "two" / path.name).read_bytes(), path.name


def test_a_base_that_protects_too_little_is_refused(example: Path, capsys) -> None:
    assert run(["table", "protect", "turnover.toml", "--method", "controlled_rounding", "--out", "out"]) == 2
    assert "base" in capsys.readouterr().err
    assert not (example / "out").exists()


def test_several_responses_are_protected_one_after_the_other(example: Path, capsys) -> None:
    text = (example / "turnover.toml").read_text()
    (example / "both.toml").write_text(text.replace('response = "turnover"', 'response = ["turnover", "employees"]'))
    found = answer(capsys, "protect", "both.toml", "--out", "out", "--time", "2")
    assert [each["response"] for each in found["tables"]] == ["turnover", "employees"]
    assert {path.name for path in (example / "out").glob("*.csv")} == {
        "turnover_turnover.csv",
        "turnover_employees.csv",
    }
    assert answer(capsys, "audit", "both.toml", "--pattern", "out")["passed"] is True


def test_linked_tables_are_one_system(example: Path, capsys) -> None:
    text = (example / "turnover.toml").read_text()
    second = '[[table]]\nname = "by_region"\ndimensions = ["region"]\nresponse = "turnover"\n[sensitivity]'
    (example / "linked.toml").write_text(text.replace("[sensitivity]", second))
    found = answer(capsys, "protect", "linked.toml", "--out", "out", "--time", "2")
    assert found["passed"] is True
    assert rows(example / "out" / "by_region.csv")[0]["region"] == "Total"
    assert answer(capsys, "audit", "linked.toml", "--pattern", "out")["passed"] is True


def test_history_of_the_same_period_is_known(example: Path, capsys) -> None:
    """What was published before is known: the new table is judged together with it."""
    answer(capsys, "protect", "turnover.toml", "--out", "first", "--time", "2")
    text = (example / "turnover.toml").read_text()
    (example / "again.toml").write_text(text + '[history]\ncells = "first/turnover.csv"\n')
    assert answer(capsys, "audit", "again.toml", "--pattern", "first")["passed"] is True
    published = [row for row in rows(example / "first" / "turnover.csv") if not row["status"]]
    found = answer(capsys, "protect", "again.toml", "--out", "second", "--time", "2")
    shown = {(row["sector"], row["region"]) for row in rows(example / "second" / "turnover.csv") if not row["status"]}
    assert found["passed"] is True
    assert {(row["sector"], row["region"]) for row in published} >= shown


def test_explain_and_verify_know_a_release_of_tables(example: Path, capsys) -> None:
    answer(capsys, "protect", "turnover.toml", "--out", "release", "--time", "5")
    assert run(["table", "explain", "release", "--cell", "sector=Hotels,region=South"]) == 0
    said = capsys.readouterr().out.replace("\n", " ")
    assert "Withheld to protect sector=" in said
    assert "would know that cell" in said or "would be known" in said
    assert run(["explain", "release"]) == 2
    assert "tacita table explain release" in capsys.readouterr().err
    assert run(["verify", "release"]) == 0
    (example / "release" / "turnover.csv").write_text("changed")
    assert run(["verify", "release"]) == 1
    assert "turnover.csv was changed" in capsys.readouterr().out


def test_small_and_odd_tables(example: Path, capsys) -> None:
    """One cell, one category, everything sensitive: a safe answer or a refusal that names the cells."""
    spec = '[data]\nmicrodata = "few.csv"\n[[table]]\nname = "t"\ndimensions = ["a", "b"]\nresponse = "v"\n'
    (example / "few.csv").write_text("a,b,v\nx,y,5\n")
    (example / "one.toml").write_text(spec + "[sensitivity]\nminimum_frequency = 3\n")
    found = answer(capsys, "protect", "one.toml", "--out", "one", "--time", "1")
    assert found["tables"][0]["withheld"] == found["tables"][0]["cells"] == 4
    (example / "few.csv").write_text("a,b,v\nx,y,5\nx,z,7\nx,y,6\nx,z,3\n")
    (example / "all.toml").write_text(spec + "[sensitivity]\nminimum_frequency = 9\n")
    found = answer(capsys, "protect", "all.toml", "--out", "all", "--time", "1")
    assert found["tables"][0]["primary"] == found["tables"][0]["cells"]
    (example / "none.toml").write_text(spec)
    assert run(["table", "protect", "none.toml", "--out", "none"]) == 4
    message = capsys.readouterr().err
    assert "nothing says which cells of 't' are sensitive" in message and "--ungated" in message
    assert not (example / "none").exists()
    found = answer(capsys, "protect", "none.toml", "--out", "none", "--ungated")["tables"][0]
    assert found["withheld"] == 0 and found["notes"] == ["no rule says which cells are sensitive, so none of them is"]
    for folder in ("none", "none.internal"):
        assert json.loads((example / folder / "manifest.json").read_text())["ungated"] is True


def test_what_cannot_be_protected_is_named(example: Path, capsys) -> None:
    keep = (
        '[protect]\nkeep = [{ region = "Total" }, { region = "North" }, { region = "South" }, { region = "Centre" }]\n'
    )
    text = (example / "turnover.toml").read_text().partition("[protect]")[0]
    (example / "stuck.toml").write_text(text.replace("minimum_frequency = 3", "minimum_frequency = 2") + keep)
    assert run(["table", "protect", "stuck.toml", "--out", "out", "--time", "1"]) == 3
    message = capsys.readouterr().err
    assert "sector=" in message
    assert not (example / "out").exists()


@pytest.mark.slow
def test_ctrl_c_keeps_the_best_safe_pattern(tmp_path: Path, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(5)
    records = zip(*random.integers(0, 9, (3, 1500)).tolist(), random.integers(1, 999, 1500).tolist(), strict=True)
    lines = ["a,b,c,v", *(",".join(map(str, record)) for record in records)]
    (tmp_path / "big.csv").write_text("\n".join(lines) + "\n")
    (tmp_path / "big.toml").write_text(
        '[data]\nmicrodata = "big.csv"\n[[table]]\nname = "t"\ndimensions = ["a", "b", "c"]\nresponse = "v"\n'
        "[sensitivity]\nminimum_frequency = 2\n[attacker]\nsingletons = false\n"
    )
    monkeypatch.chdir(tmp_path)
    search = by_suppression.suppress

    searching = []

    def interrupt(step):
        if step.doing.startswith("searching"):
            searching.append(step)
            if len(searching) == 1:
                os.kill(os.getpid(), signal.SIGINT)

    def interrupted(*arguments, **options):
        return search(*arguments, **{**options, "progress": interrupt})

    monkeypatch.setattr(by_suppression, "suppress", interrupted)
    found = answer(capsys, "protect", "big.toml", "--time", "100000", "--out", "out")
    assert found["passed"] is True
    assert "stopped by the user" in found["tables"][0]["notes"][-1]
    assert (tmp_path / "out" / "t.csv").exists()


def test_answers_have_no_colour_in_a_pipe(example: Path) -> None:
    done = subprocess.run(
        [str(Path(sys.executable).with_name("tacita")), "table", "assess", "turnover.toml"],
        cwd=example, env={**os.environ, "NO_COLOR": "1"}, capture_output=True, text=True, check=False, timeout=1800,
    )  # fmt: skip
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert done.stderr == ""
