"""tacita anonymize and tacita explain as people and scripts call them."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from tacita.cli.main import run as main

ROWS = 40


@dataclass(frozen=True, slots=True)
class Done:
    """What a command came to."""

    code: int
    out: str
    err: str


Run = Callable[..., Done]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    """The entry point, in this process."""

    def call(*arguments: str) -> Done:
        code = main(list(arguments))
        captured = capsys.readouterr()
        return Done(code, captured.out, captured.err)

    return call


@pytest.fixture
def people(tmp_path: Path) -> Path:
    """A survey: most people share town, sex and job; some are unique. Codes with leading zeros, amounts in words."""
    path = tmp_path / "people.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(["person_id", "town", "sex", "job", "income", "code", "w"])
        for i in range(ROWS):
            town = ["Rome", "Milan"][i % 2]
            job = "diver" if i == 7 else ["nurse", "clerk"][i % 4 // 2]
            writer.writerow([f"P{i:05}", town, "fm"[i % 3 == 0], job, f"{1000 + i}.50", f"{i:04}", 10 + i % 5])
    return path


def cells(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


QUASI = ("--quasi", "town,sex,job", "--weight", "w", "--measure", "k-anonymity", "-k", "3")


@pytest.mark.slow
def test_the_form_that_scripts_rely_on(run: Run, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    roles = (*QUASI, "--sensitive", "code")
    done = run("anonymize", str(people), *roles, "--nulls", "strict", "--no-shuffle", "--out", str(out))
    assert done.code == 0, done.err
    before, after = cells(people), cells(out / "data.csv")
    assert [*after[0]] == ["town", "sex", "job", "income", "code", "w"]
    for old, new in zip(before, after, strict=True):
        assert {name: new[name] for name in ("income", "code", "w")} == {
            name: old[name] for name in ("income", "code", "w")
        }
        assert all(new[name] in {old[name], ""} for name in ("town", "sex", "job"))
    keys = Counter((row["town"], row["sex"], row["job"]) for row in after)
    complete = {key: n for key, n in keys.items() if "" not in key}
    assert min(complete.values()) >= 3
    assert "P00007" not in "".join(file.read_text(encoding="utf-8", errors="replace") for file in out.iterdir())
    assert run("verify", str(out)).code == 0


@pytest.mark.parametrize("nulls", ["maybe", "strict", "expected"])
def test_json_tells_both_numbers(run: Run, people: Path, nulls: str) -> None:
    done = run("anonymize", str(people), *QUASI, "--nulls", nulls, "--json")
    told = json.loads(done.out)
    assert told["safe"]
    assert told["before"]["unsafe"] == told["before"]["unsafe_strict"] > 0
    assert told["after"]["unsafe"] == 0
    assert told["nulls"] == told["decisions"] > 0
    assert (told["after"]["unsafe_strict"] == 0) or nulls != "strict"


@pytest.mark.slow
def test_explain_answers_in_sentences(run: Run, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    assert run("anonymize", str(people), *QUASI, "--seed", "5", "--out", str(out)).code == 0
    empty = [
        (i, name)
        for i, row in enumerate(cells(out / "data.csv"), 1)
        for name in ("town", "sex", "job")
        if not row[name]
    ]
    row, name = empty[0]
    told = run("explain", str(out), "--row", str(row), "--attribute", name)
    assert told.code == 0
    assert f"{name} was suppressed in step" in told.out
    assert "The risk of the record by k-anonymity was 1, above 0.5" in told.out
    assert "Instead, suppressing" in told.out
    as_json = json.loads(run("explain", str(out), "--row", str(row), "--json").out)
    assert as_json["decisions"][0]["attribute"] == name
    assert not any(value in told.out for value in ("Rome", "Milan", "nurse", "clerk", "diver"))


def test_what_cannot_be_made_safe_is_not_written(run: Run, people: Path, tmp_path: Path) -> None:
    out = tmp_path / "release"
    done = run("anonymize", str(people), *QUASI, "--keep", "town,sex,job", "--out", str(out))
    assert done.code == 1
    assert "Not released" in done.out
    assert "What would make them pass" in done.out
    assert not out.exists()
    assert not out.with_name("release.internal").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["-k", "41"], "there are only 40"),
        (["--threshold", "0", "--measure", "reidentification"], "could not be brought under"),
    ],
)
def test_hostile_settings_end_with_a_verdict(
    run: Run, people: Path, tmp_path: Path, options: list[str], words: str
) -> None:
    done = run("anonymize", str(people), "--quasi", "town,sex,job", *options, "--out", str(tmp_path / "release"))
    assert done.code == 1
    assert words in done.out
    assert not (tmp_path / "release").exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--nulls", "sometimes"], "--nulls cannot be 'sometimes'"),
        (["--lean", "0.5", "--nulls", "maybe"], "say the same thing twice"),
        (["--keep", "tow"], "did you mean 'town'"),
        (["--measure", "suda", "-k", "7", "--param", "k=2"], "no k of look-alikes"),
        (["--attributes", "most_risky"], "no order 'most_risky'"),
        (["--method", "recoding"], "has a hierarchy"),
        (["--no-shuffle"], "no release"),
        (["--household", "town"], "no household key"),
        (["--recode", "town=first"], "is no number"),
    ],
)
def test_wrong_requests_say_what_to_do(run: Run, people: Path, options: list[str], words: str) -> None:
    given = [] if "--measure" in options else ["-k", "3"]
    done = run("anonymize", str(people), "--quasi", "town,sex,job", *given, *options)
    assert done.code == 2, done.out + done.err
    assert words in " ".join(done.err.split())


@pytest.mark.slow
def test_the_curve_runs_from_maybe_to_strict(run: Run, people: Path) -> None:
    points = json.loads(run("anonymize", str(people), *QUASI, "--curve", "--json").out)
    assert points[0]["nulls_count"] == "maybe-match (alpha 1)"
    assert points[0]["nulls"] <= points[-2]["nulls"]
    assert points[-2]["unsafe_strict"] == 0


@pytest.mark.slow
def test_a_trial_says_what_it_did_not_look_at(run: Run, people: Path, tmp_path: Path) -> None:
    asked = ["anonymize", str(people), "--identifier", "person_id", "--quasi", "town,sex,job", "-k", "2", "--json"]
    note = "whether hidden values can be derived from other attributes is looked at on release (--out)"
    assert note in json.loads(run(*asked).out)["notes"]
    done = run(*asked, "--out", str(tmp_path / "out"))
    assert done.code == 0 and note not in done.out
