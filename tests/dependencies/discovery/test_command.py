"""``tacita depends discover``: what it prints, writes and refuses."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from tacita.cli.main import app

CUSTOMERS = ("depends", "discover", "customers.csv")
DOCS = Path(__file__).resolve().parents[3] / "docs"


@pytest.fixture
def customers(tmp_path: Path, tacita: Any) -> Path:
    assert tacita("generate", "customers", "--out", "customers.csv").returncode == 0
    return tmp_path


@pytest.mark.usefixtures("customers")
def test_text(tacita: Any) -> None:
    done = tacita(*CUSTOMERS, "--show", "3")
    assert (done.returncode, done.stderr) == (0, "")
    assert "48 minimal dependencies; by 36 of them values can be learnt from other records." in done.stdout
    assert "and 33 more" in done.stdout
    assert "Swavely" not in done.stdout  # a value of a cell


@pytest.mark.usefixtures("customers")
def test_json(tacita: Any) -> None:
    done = tacita(*CUSTOMERS, "--json", "--attributes", "Name,Age,Sex,Occupation", "--max-left", "1")
    result = json.loads(done.stdout)
    assert result["attributes"] == ["Name", "Age", "Occupation", "Sex"]
    assert result["bounds"] == ["Dependencies with more than 1 attribute on the left were not looked for."]
    assert result["complete"] is False
    of_occupation = [one for one in result["dependencies"] if one["right"] == "Occupation"]
    assert of_occupation == [
        {
            "left": ["Name"],
            "right": "Occupation",
            "support": 2,
            "key": False,
            "error": 0.0,
            "error_at_most": 0.0,
            "undecided": False,
            "gain": 0.0,
            "witness": [2, 10],
            "condition": None,
        }
    ]


def test_a_report(customers: Path, tacita: Any) -> None:
    done = tacita(*CUSTOMERS, "--report", "report.html")
    assert done.returncode == 0 and "report.html" in done.stdout
    page = (customers / "report.html").read_text(encoding="utf-8")
    assert "<svg" in page and "Swavely" not in page
    refused = tacita(*CUSTOMERS, "--report", "report.html")
    assert refused.returncode == 4 and "--force" in refused.stderr
    assert tacita(*CUSTOMERS, "--report", "report.html", "--force").returncode == 0
    refused = tacita(*CUSTOMERS, "--report", "customers.csv", "--force")
    assert refused.returncode == 2 and "would be replaced" in refused.stderr


@pytest.mark.usefixtures("customers")
def test_groups_show_their_value(tacita: Any) -> None:
    done = tacita(*CUSTOMERS, "--conditional", "Sex", "--min-group", "5", "--show", "100")
    assert "Sex = F" in done.stdout
    values = {
        one["condition"]["value"]
        for one in json.loads(tacita(*CUSTOMERS, "--conditional", "Sex", "--min-group", "5", "--json").stdout)[
            "dependencies"
        ]
        if one["condition"]
    }
    assert values == {"F", "M"}


@pytest.mark.usefixtures("customers")
@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (("--within", "Age=x"), 2, "no number"),
        (("--within", "Age=-1"), 2, "the threshold of 'Age' is -1"),
        (("--within", "Age=90"), 2, "100 % of all pairs are alike"),
        (("--within", "Agee=1"), 2, "did you mean 'Age'"),
        (("--similarity", "Age=levenshtein", "--within", "Age=1"), 2, "'Age' has numbers"),
        (("--tolerance", "1"), 2, "every dependency would hold"),
        (("--tolerance", "2"), 2, "--tolerance"),
        (("--min-gain", "0.2"), 2, "no effect"),
        (("--error", "g4", "--tolerance", "0.1"), 2, "g3, g1"),
        (("--join", "customers.csv"), 2, "FILE:KEY"),
        (("--join", "customers.csv:Sex"), 3, "occur more than once"),
        (("--attributes", "Nam"), 2, "did you mean 'Name'"),
    ],
    ids=str,
)
def test_refused(tacita: Any, options: tuple[str, ...], code: int, words: str) -> None:
    done = tacita(*CUSTOMERS, *options)
    assert (done.returncode, done.stdout) == (code, "")
    assert words in " ".join(done.stderr.split())
    assert "Swavely" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.usefixtures("customers")
def test_all_dependencies_within_a_tolerance(tacita: Any) -> None:
    few = json.loads(tacita(*CUSTOMERS, "--tolerance", "0.2", "--json").stdout)
    everything = json.loads(tacita(*CUSTOMERS, "--tolerance", "0.2", "--min-gain=-inf", "--json").stdout)
    assert few["left_out"] > 0 and everything["left_out"] == 0
    assert len(few["dependencies"]) + few["left_out"] == len(everything["dependencies"])


@pytest.mark.usefixtures("customers")
def test_progress(tacita: Any) -> None:
    done = tacita(*CUSTOMERS, "--progress", "json", "--within", "Age=1")
    doing = [json.loads(line)["doing"] for line in done.stderr.splitlines()]
    assert "comparing all pairs of records" in doing and "measuring what each dependency tells" in doing


def test_every_option_is_documented() -> None:
    command = typer.main.get_command(app).commands["depends"].commands["discover"]  # type: ignore[attr-defined]
    page = (DOCS / "reference" / "cli.md").read_text(encoding="utf-8")
    documented = page.split("## `tacita depends discover`")[1].split("\n## ")[0]
    shared = page.split("## Options of commands that read data")[1].split("\n## ")[0]
    options = {name for one in command.params for name in one.opts if name.startswith("--")}
    assert not {name for name in options if not re.search(rf"`{name}[ `]", documented + shared)}
