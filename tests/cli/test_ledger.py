"""The ledger through the real command line: what it prints, what it refuses, and what it never shows."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

STEWARD = """
[recipients.university]
colludes_with = ["institute"]
[recipients.institute]

[sources.people]
key = "person"
files = "people.csv"
"""
RELEASE = (
    "anonymize",
    "people.csv",
    "-k",
    "2",
    "--quasi",
    "area,sex",
    "--identifier",
    "person",
    "--sensitive",
    "illness",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "state"))
    rows = [f"P{n},{'NS'[n % 2]},{'fm'[n // 2 % 2]},{'flu' if n % 3 else 'RAREDISEASE'}" for n in range(24)]
    (tmp_path / "people.csv").write_text("person,area,sex,illness\n" + "\n".join(rows) + "\n")
    return tmp_path


@pytest.fixture
def ledger(folder: Path, tacita: Any) -> Path:
    done = tacita("ledger", "init", "--name", "bank", "--signing-key", "key.pem")
    assert done.returncode == 0, done.stderr
    with (folder / "tacita-ledger.toml").open("a") as file:
        file.write(STEWARD)
    return folder


def test_a_day_with_a_ledger(ledger: Path, tacita: Any) -> None:
    for name, recipient in (("first", "university"), ("second", "public")):
        done = tacita(*RELEASE, "--out", name, "--recipient", recipient)
        assert done.returncode == 0, done.stderr
    assert "Recorded as entry 2 of the ledger 'bank', for the public" in done.stdout
    listed = tacita("ledger", "log").stdout
    assert "2 of 2 entries" in listed
    assert [line.split()[0] for line in listed.splitlines() if "release" in line] == ["1", "2"]
    assert "1 of 1 entry" in tacita("ledger", "log", "--recipient", "university").stdout
    shown = tacita("ledger", "show", "1").stdout
    assert "recipient: university" in shown
    assert "source: people" in shown
    state = tacita("ledger", "checkpoint", "--out", "state.txt")
    assert state.stdout == (ledger / "state.txt").read_text()
    assert tacita("ledger", "verify", "--checkpoint", "state.txt", "--checkpoint", "first.internal").returncode == 0
    assert tacita("ledger", "prove", "1", "--out", "proof.json").returncode == 0
    public = next(
        line.split('"')[1] for line in (ledger / "tacita-ledger.toml").read_text().splitlines() if "public_key" in line
    )
    proved = tacita("ledger", "verify", "--proof", "proof.json", "--public-key", public)
    assert (proved.returncode, proved.stdout) == (0, "Entry 1 is in the ledger bank.\n")
    assert tacita("ledger", "purge", "1", "--why", "agreed with the university").returncode == 0
    assert "payload: purged by entry 3" in tacita("ledger", "show", "1").stdout
    assert tacita("verify", "first").returncode == 0
    assert tacita("ledger", "export", "--out", "all.jsonl", "--payloads").returncode == 0
    assert len((ledger / "all.jsonl").read_text().splitlines()) == 5
    assert tacita("ledger", "verify", "--checkpoint", "all.jsonl").returncode == 0


def test_a_changed_ledger_ends_with_code_1_and_says_where(ledger: Path, tacita: Any) -> None:
    import sqlite3

    tacita("ledger", "note", "one")
    tacita("ledger", "note", "two")
    with sqlite3.connect(ledger / "tacita-ledger.sqlite") as connection:
        sql = connection.execute("SELECT sql FROM sqlite_master WHERE name = 'entries_are_final'").fetchone()[0]
        connection.execute("DROP TRIGGER entries_are_final")
        connection.execute("UPDATE entries SET recipient = 'university' WHERE sequence = 1")
        connection.execute(sql)
    done = tacita("ledger", "verify")
    assert done.returncode == 1
    assert "fault: entry 1: it was changed" in done.stdout
    assert json.loads(tacita("ledger", "verify", "--json").stdout)["faults"][0]["entry"] == 1


def test_no_value_is_shown_unless_it_is_asked_for(ledger: Path, tacita: Any) -> None:
    tacita("ledger", "note", "the RAREDISEASE case was reported by telephone")
    tacita(*RELEASE, "--out", "out")
    for line in (("log",), ("show", "1"), ("show", "2"), ("verify",), ("checkpoint",), ("prove", "1"), ("prove", "2")):
        for form in ((), ("--json",)):
            done = tacita("ledger", *line, *form)
            assert done.returncode == 0, done.stderr
            assert "RAREDISEASE" not in done.stdout + done.stderr
            assert "P17" not in done.stdout
    tacita("ledger", "export", "--out", "export.jsonl")
    assert "RAREDISEASE" not in (ledger / "export.jsonl").read_text()
    assert "RAREDISEASE" in tacita("ledger", "show", "1", "--payload").stdout


def test_control_characters_do_not_reach_the_terminal(ledger: Path, tacita: Any) -> None:
    hostile = "x\x1b[2J\u202e"
    done = tacita("ledger", "note", "text", "--recipient", hostile)
    assert done.returncode == 2
    assert "\x1b" not in done.stderr
    done = tacita("ledger", "note", f"hello {hostile}")
    assert done.returncode == 0
    for form in ("ledger show 1 --payload", "ledger show 1 --payload --json", "ledger log"):
        assert "\x1b" not in tacita(*form.split()).stdout


@pytest.mark.parametrize(
    ("line", "code", "words"),
    [
        ("show 9", 2, "has no entry 9"),
        ("show 0", 2, "greater than or equal to 1"),
        ("purge 9 --why x", 2, "has no entry 9"),
        ("purge 1", 2, "--why"),
        ("prove 9", 2, "has no entry 9"),
        ("withdraw 1 --why x", 2, "is a note, not a release"),
        ("restore --why x", 2, "no entry of the ledger is missing"),
        ("log --recipient universty", 2, "did you mean 'university'"),
        ("log --last 0", 2, "--last"),
        ("verify --checkpoint people.csv", 3, "is not a checkpoint"),
        ("verify --checkpoint nothing", 3, "cannot be read"),
        ("verify --proof people.csv", 3, "is not a proof"),
        ("verify --proof nothing", 3, "cannot be read"),
        ("verify --proof people.csv --checkpoint people.csv", 2, "checked by itself"),
        ("verify --public-key nonsense", 3, "NAME+HASH+KEY"),
        ("export --out people.csv", 4, "exists already"),
        ("export --out nowhere/x", 4, "the folder does not exist"),
        ("checkpoint --out people.csv", 4, "exists already"),
        ("log --settings nothing.toml", 3, "does not exist"),
        ("log --settings people.csv", 3, "not TOML"),
        ("init", 4, "exists already"),
        ("note text --subject nobody", 2, "not a source"),
    ],
)
def test_wrong_requests(ledger: Path, tacita: Any, line: str, code: int, words: str) -> None:
    tacita("ledger", "note", "first")
    done = tacita("ledger", *line.split())
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr
    assert "Traceback" not in done.stderr
    as_json = tacita("ledger", *line.split(), "--json")
    assert as_json.returncode == code
    assert json.loads(as_json.stderr)["error"]["exit_code"] == code


def test_folders_without_a_ledger_say_so(tacita: Any) -> None:
    for line in ("log", "show 1", "verify", "checkpoint", "export --out x", "purge 1 --why x", "restore --why x"):
        done = tacita("ledger", *line.split())
        assert done.returncode == 2
        assert "there is no ledger for this folder" in done.stderr


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--name two words", "the folder does not exist"),
        ("--name a+b", "one word without '+'"),
        ("--file a --database postgresql://h/d", "both a file and a database"),
        ("--database postgresql://ann:s3cret@host/db", "without a password"),
        ("--database mysql://host/db", "without a password"),
        ("--file nowhere/ledger.sqlite", "the folder does not exist"),
        ("--signing-key nowhere/key.pem", "the folder does not exist"),
        ("--signing-key people.csv", "open to other users"),
    ],
)
def test_ledgers_that_cannot_be_made_leave_nothing(folder: Path, tacita: Any, line: str, words: str) -> None:
    done = tacita("ledger", "init", *line.split())
    assert done.returncode in {2, 3, 4}
    assert words in done.stderr
    assert "s3cret" not in done.stderr
    assert {path.name for path in folder.iterdir()} <= {"people.csv", "state"}


def test_a_second_ledger_below_must_say_so(ledger: Path, tacita: Any) -> None:
    (ledger / "project").mkdir()
    done = tacita("ledger", "init", "project")
    assert done.returncode == 2
    assert "recorded in another ledger" in done.stderr
    id_ = done.stderr.split("--instead-of ")[1].split()[0]
    assert tacita("ledger", "init", "project", "--instead-of", id_).returncode == 0
    done = tacita(*RELEASE, "--out", "project/out")
    assert "Recorded as entry 1 of the ledger 'ledger'" in done.stdout
    # The ledger of an organisation is not to be replaced by a folder.
    done = tacita(*RELEASE, "--out", "project/more", env={**_environment(), "TACITA_LEDGER": "tacita-ledger.toml"})
    assert done.returncode == 3
    assert "TACITA_LEDGER" in done.stderr
    assert not (ledger / "project" / "more").exists()


def test_the_ledger_of_an_organisation_is_named_by_the_environment(ledger: Path, tacita: Any, tmp_path: Path) -> None:
    elsewhere = tmp_path.parent / f"{tmp_path.name}-elsewhere"
    elsewhere.mkdir()
    shutil.copy(ledger / "people.csv", elsewhere)
    try:
        done = tacita(*RELEASE, "--out", "out", cwd=elsewhere)
        assert "No ledger: nothing was compared with earlier releases." in done.stdout
        environment = {**_environment(), "TACITA_LEDGER": str(ledger / "tacita-ledger.toml")}
        done = tacita(*RELEASE, "--out", "more", cwd=elsewhere, env=environment)
        assert "Recorded as entry 1 of the ledger 'bank'" in done.stdout
        assert tacita("verify", "more", cwd=elsewhere, env=environment).returncode == 0
        done = tacita(*RELEASE, "--out", "third", cwd=elsewhere, env={**environment, "TACITA_LEDGER": "nothing.toml"})
        assert done.returncode == 3
        assert not (elsewhere / "third").exists()
    finally:
        shutil.rmtree(elsewhere)


def _environment() -> dict[str, str]:
    import os

    return dict(os.environ)
