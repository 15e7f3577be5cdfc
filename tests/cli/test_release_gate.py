"""tacita release through the real command line: streams, folders, tables, and all that can be wrong with them."""

from __future__ import annotations

import csv
import json
import os
import signal
import sqlite3
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from experiments.soldiers import policy_text, soldiers
from tests.conftest import INSTALLED

from tacita.api.gates import follow_gate
from tacita.cli.main import run as run_in_process

ROWS = soldiers(1)[:300]
Run = Callable[..., "subprocess.CompletedProcess[str]"]
GATE = ("release", "gate")
OUT = ("--policy", "gate.toml", "--out", "out")


@pytest.fixture(autouse=True)
def policy(tmp_path: Path) -> None:
    (tmp_path / "gate.toml").write_text(policy_text())


def csv_file(path: Path, rows: list[tuple[str, ...]]) -> str:
    with path.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows([("id", "age", "location"), *rows])
    return path.name


def lines(rows: list[tuple[str, ...]]) -> str:
    return "".join(json.dumps(dict(zip(("id", "age", "location"), row, strict=True))) + "\n" for row in rows)


def answers(done: subprocess.CompletedProcess[str]) -> list[dict[str, Any]]:
    return [json.loads(line) for line in done.stdout.splitlines()]


def released(folder: Path) -> list[str]:
    with (folder / "records-0001.csv").open(newline="") as file:
        return [row[0] for row in csv.reader(file)][1:]


def started(folder: Path, *arguments: str) -> subprocess.Popen[str]:
    """A command of its own that is talked to while it runs."""
    command = [str(INSTALLED / "tacita"), *arguments]
    return subprocess.Popen(command, cwd=folder, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL, text=True)


# -- ways in ---------------------------------------------------------------------------------------------------------


def test_a_file_a_stream_a_folder_and_a_table_are_decided_alike(tacita: Run, tmp_path: Path) -> None:
    name = csv_file(tmp_path / "some.csv", ROWS)
    with sqlite3.connect(tmp_path / "army.db") as database:
        database.execute("CREATE TABLE soldiers (id TEXT, age TEXT, location TEXT)")
        database.executemany("INSERT INTO soldiers VALUES (?, ?, ?)", ROWS)
    folder = tmp_path / "arriving"
    folder.mkdir()
    csv_file(folder / "a.csv", ROWS[:200])
    csv_file(folder / "b.csv", ROWS[200:])
    (folder / ".hidden").write_text("not yet")
    (folder / "c.csv.partial").write_text("not yet")
    ways = {
        "file": ((name,), ""),
        "json": (("-",), lines(ROWS)),
        "csv": (("-",), (tmp_path / name).read_text()),
        "folder": (("arriving",), ""),
        "table": (("sqlite:///army.db", "--table", "soldiers"), ""),
    }
    seen = {}
    for way, (arguments, given) in ways.items():
        done = tacita(*GATE, *arguments, "--policy", "gate.toml", "--out", way, "--json", input=given)
        assert done.returncode == 0, done.stderr
        seen[way] = (released(tmp_path / way), json.loads(done.stdout)["waiting"])
    assert all(result == seen["file"] for result in seen.values())
    assert len(seen["file"][0]) + seen["file"][1] == len(ROWS)
    assert seen["file"][1] > 0


def test_a_stream_is_answered_record_by_record_and_other_gates_wait(tacita: Run, tmp_path: Path) -> None:
    """The answer to a record comes before the next one is sent: nobody waits for a batch to fill."""
    with started(tmp_path, *GATE, "-", *OUT, "--answers", "-") as first:
        assert first.stdin is not None and first.stdout is not None
        for row in ROWS[:3]:
            first.stdin.write(lines([row]))
            first.stdin.flush()
            answer = json.loads(first.stdout.readline())
            assert (answer["key"], answer["decision"]) == (row[0], "release")
            assert row[0] in released(tmp_path / "out")  # it is in the folder before it is answered
        refused = tacita(*GATE, "-", *OUT, input=lines(ROWS[3:4]))
        assert refused.returncode == 4
        assert f"process {first.pid}" in refused.stderr
        with started(tmp_path, *GATE, "-", *OUT, "--answers", "-", "--wait", "600") as second:
            assert second.stdin is not None and second.stdout is not None
            second.stdin.write(lines(ROWS[3:4]))
            second.stdin.close()
            first.stdin.close()
            assert json.loads(second.stdout.readline())["decision"] == "release"
        assert first.wait() == second.returncode == 0
    assert released(tmp_path / "out") == [row[0] for row in ROWS[:4]]


def test_a_folder_is_followed_until_somebody_stops_it(installed_tacita: Run, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    csv_file(tmp_path / "in" / "a.csv", ROWS[:50])
    with started(tmp_path, *GATE, "in", *OUT, "--follow", "--every", "0.1", "--json") as process:
        _until(lambda: (tmp_path / "out" / "records-0001.csv").exists() and len(released(tmp_path / "out")) >= 40)
        csv_file(tmp_path / "in" / ".b", ROWS[50:100])
        (tmp_path / "in" / ".b").rename(tmp_path / "in" / "b.csv")
        _until(lambda: len(released(tmp_path / "out")) >= 80)
        process.send_signal(signal.SIGINT)
        said, _ = process.communicate()
    assert process.returncode == 0
    assert json.loads(said)["offered"] == 100


def _until(condition: Callable[[], bool]) -> None:
    while not condition():
        time.sleep(0.02)


def test_a_killed_stream_goes_on_where_it_was(tacita: Run, tmp_path: Path) -> None:
    """Killed among its records, opened again with the same ones: each released record is there once."""
    with started(tmp_path, *GATE, "-", *OUT, "--batch", "20", "--answers", "-") as process:
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(lines(ROWS))
        process.stdin.flush()
        for _ in range(70):
            process.stdout.readline()
        os.kill(process.pid, signal.SIGKILL)
    assert tacita(*GATE, "-", *OUT, input=lines(ROWS)).returncode == 0
    assert tacita(*GATE, "-", "--policy", "gate.toml", "--out", "whole", input=lines(ROWS)).returncode == 0
    assert released(tmp_path / "out") == released(tmp_path / "whole")
    assert tacita("verify", "out").returncode == 0


# -- bad input ---------------------------------------------------------------------------------------------------------


def test_records_that_cannot_be_judged_are_refused_and_the_others_decided(tacita: Run, tmp_path: Path) -> None:
    given = lines([("1", "25-29", "L1"), ("2", "25-29", "L9"), ("3", "", "L1"), ("", "25-29", "L1"), ("5", "x", "L2")])
    given += 'not json\n{"id": 7, "age": ["25-29"], "location": "L1"}\n{"id": 8, "age": NaN, "location": "L1"}\n'
    given += '{"id": 9, "age": "25-29", "location": null}\n[1]\n\n' + lines([("10", "20-24", "L2")])
    done = tacita(*GATE, "-", *OUT, "--answers", "-", input=given)
    assert done.returncode == 0  # refused records are a result, not a failure
    assert [(one["decision"], one["reason"]) for one in answers(done)] == [
        ("release", "safe"),
        ("refuse", "unknown-target"),
        ("refuse", "missing-value"),
        ("refuse", "no-key"),
        ("refuse", "value-not-in-baseline"),
        ("refuse", "unreadable"),
        ("refuse", "unreadable"),
        ("refuse", "missing-value"),
        ("refuse", "no-target"),
        ("refuse", "unreadable"),
        ("release", "safe"),
    ]
    assert released(tmp_path / "out") == ["1", "10"]


def test_a_released_record_that_comes_again_is_counted_once(tacita: Run, tmp_path: Path) -> None:
    given = lines([ROWS[0], ROWS[0], (ROWS[0][0], "50-54", "L2")])
    assert [one["reason"] for one in answers(tacita(*GATE, "-", *OUT, "--answers", "-", input=given))] == [
        "safe",
        "released-before",
        "changed-since-release",
    ]
    again = answers(tacita(*GATE, "-", *OUT, "--answers", "-", input=lines([ROWS[0]])))
    assert [one["reason"] for one in again] == ["released-before"]
    assert released(tmp_path / "out") == [ROWS[0][0]]


def test_a_stream_that_ends_in_the_middle_of_a_record(tacita: Run, tmp_path: Path) -> None:
    """The exit code says so; what was whole has left."""
    done = tacita(*GATE, "-", *OUT, "--json", input=lines(ROWS[:3]) + '{"id": "9", "age": "20')
    assert done.returncode == 3
    said = json.loads(done.stdout)
    assert (said["offered"], said["cut_off"]) == (3, True)
    assert len(released(tmp_path / "out")) == 3


def test_recipients_are_those_of_the_policy_and_of_the_ledger(tacita: Run, tmp_path: Path) -> None:
    assert tacita("ledger", "init").returncode == 0
    with (tmp_path / "tacita-ledger.toml").open("a") as file:
        file.write("\n[recipients.hospital]\n")
    done = tacita(*GATE, "-", *OUT, "--recipient", "hospitl", input=lines(ROWS[:2]))
    assert done.returncode == 2
    assert "did you mean 'hospital'" in done.stderr
    assert tacita(*GATE, "-", *OUT, "--recipient", "hospital", input=lines(ROWS[:2])).returncode == 0
    (tmp_path / "gate.toml").write_text(policy_text(top='recipients = ["ministry"]'))
    done = tacita(*GATE, "-", *OUT, "--recipient", "hospital", input=lines(ROWS[:2]))
    assert done.returncode == 2
    assert not done.stdout


def test_all_faults_of_a_policy_at_once(tacita: Run, tmp_path: Path) -> None:
    text = policy_text().replace('["L1", "L2", "L3", "L4", "L5"]', '["L1", "L2"]')
    text = text.replace("start = {records = 10}\n", "").replace('"<18" = 256', '"<18" = 0')
    (tmp_path / "gate.toml").write_text(text)
    done = tacita(*GATE, "-", *OUT, input=lines(ROWS[:2]))
    assert done.returncode == 3
    for expected in ("at least 3 are needed", "needs a start", "share of 0", "line "):
        assert expected in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_policy_edited_between_runs_is_recorded(tacita: Run, tmp_path: Path) -> None:
    assert tacita("ledger", "init").returncode == 0
    csv_file(tmp_path / "a.csv", ROWS[:100])
    csv_file(tmp_path / "b.csv", ROWS[100:200])
    assert tacita(*GATE, "a.csv", *OUT).returncode == 0
    before = released(tmp_path / "out")
    (tmp_path / "gate.toml").write_text(policy_text("martingale", ""))
    done = tacita(*GATE, "b.csv", *OUT, "--json")
    assert "not the one of the last run" in " ".join(json.loads(done.stdout)["notes"])
    assert released(tmp_path / "out")[: len(before)] == before
    log = json.loads(tacita("ledger", "log", "--kind", "policy", "--json").stdout)
    assert [entry["decision"] for entry in log["entries"]] == ["opened", "changed"]
    assert tacita("verify", "out").returncode == 0


def test_another_source_under_the_same_name(tacita: Run, tmp_path: Path) -> None:
    """Ships are not soldiers, although their gate is called so: they are neither mixed nor counted together."""
    assert tacita("ledger", "init").returncode == 0
    csv_file(tmp_path / "a.csv", ROWS)
    assert tacita(*GATE, "a.csv", *OUT).returncode == 0
    before = released(tmp_path / "out")
    ships = policy_text().replace('["L1", "L2", "L3", "L4", "L5"]', '["North", "South", "West"]')
    given = lines([(key, age, "North") for key, age, _ in ROWS[:5]])
    (tmp_path / "gate.toml").write_text(ships)
    done = tacita(*GATE, "-", "--policy", "gate.toml", "--out", "ships", input=given)
    assert done.returncode == 3
    assert "another 'source'" in done.stderr
    assert not (tmp_path / "ships").exists()
    (tmp_path / "gate.toml").write_text('source = "ships"\n' + ships)
    done = tacita(*GATE, "-", *OUT, input=given)  # the folder is that of the soldiers
    assert done.returncode == 3
    assert "belongs to another gate" in done.stderr
    done = tacita(*GATE, "-", "--policy", "gate.toml", "--out", "ships", "--json", input=given)
    # the same keys are other records here, and no soldier is counted among the ships
    assert (json.loads(done.stdout)["released"], json.loads(done.stdout)["released_in_all"]) == (5, 5)
    assert released(tmp_path / "out") == before


@pytest.mark.slow
def test_a_clock_that_goes_backwards_changes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Times are recorded and never used for order. In this process: no test changes the clock of the machine."""
    import datetime as dt

    import tacita.ledger.ledger as ledger

    class Backwards(dt.datetime):
        hour_now = 23

        @classmethod
        def now(cls, tz: dt.tzinfo | None = None) -> dt.datetime:
            cls.hour_now -= 1
            return dt.datetime(2026, 1, 1, cls.hour_now % 24, tzinfo=tz)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ledger, "datetime", Backwards)
    for start in (0, 150):
        name = csv_file(tmp_path / f"{start}.csv", ROWS[start : start + 150])
        assert run_in_process([*GATE, name, *OUT]) == 0
    assert run_in_process(["verify", "out"]) == 0
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    csv_file(tmp_path / "all.csv", ROWS)
    assert run_in_process([*GATE, "all.csv", "--policy", "gate.toml", "--out", "straight"]) == 0
    assert released(tmp_path / "out") == released(tmp_path / "straight")


def test_a_gate_without_a_place_to_remember_is_refused(tacita: Run, tmp_path: Path) -> None:
    csv_file(tmp_path / "a.csv", ROWS)
    done = tacita(*GATE, "a.csv")
    assert done.returncode == 2
    assert "nothing would be remembered" in done.stderr
    done = tacita(*GATE, "a.csv", "--trial", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["trial"] is True
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        "gate a.csv --out out --every 5",
        "gate a.csv --out out --table soldiers",
        "gate - --out out --follow",
        "gate - --out out --delimiter ;",
        "gate a.csv --internal inside --trial",
        "gate a.csv --trial --wait 3",
        "plan a.csv --every 5",
        "plan a.csv --batch 5",
        "plan a.csv --wait 3",
        "plan a.csv --force",
        "plan a.csv --query SELECT",
        "plan -",
        "watch out --every 5",
        "watch out --force",
        "watch . --recipient hospital",
    ],
)
def test_options_that_would_change_nothing_are_refused(
    arguments: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    csv_file(tmp_path / "a.csv", ROWS[:3])
    assert run_in_process(["release", *arguments.split()]) == 2
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "gate.toml"]


def test_holds_that_observers_may_learn_of_are_answered_without_reasons(tacita: Run, tmp_path: Path) -> None:
    observer = 'gathers = "all"\nholds = "visible"\nsizes = "unknown"'
    (tmp_path / "gate.toml").write_text(policy_text(observer=observer))
    done = tacita(*GATE, "-", *OUT, "--answers", "-", input=lines(ROWS))
    assert {tuple(answer) for answer in answers(done)} == {("record", "key", "decision")}
    assert "hold" in {answer["decision"] for answer in answers(done)}
    assert done.returncode == 0  # held records are a result, not a failure
    assert "nothing is promised" in done.stderr


# -- plan and watch ----------------------------------------------------------------------------------------------------


def test_a_plan_is_written_and_carried_out(tacita: Run, tmp_path: Path) -> None:
    csv_file(tmp_path / "a.csv", ROWS[:200])
    csv_file(tmp_path / "b.csv", ROWS[200:])
    assert tacita(*GATE, "a.csv", *OUT).returncode == 0
    done = tacita("release", "plan", "b.csv", *OUT, "--order", "planned.csv", "--json")
    assert done.returncode == 0, done.stderr
    plan = json.loads(done.stdout)
    assert plan["planned"] >= plan["in_order"]
    done = json.loads(tacita(*GATE, "planned.csv", *OUT, "--json").stdout)
    assert done["released"] - done["released_late"] == plan["planned"]
    assert tacita("release", "plan", "b.csv", *OUT, "--order", "planned.csv").returncode == 4  # it is there


def test_a_gate_is_watched(tacita: Run, tmp_path: Path) -> None:
    csv_file(tmp_path / "a.csv", [*ROWS, ("x", "25-29", "L9")])
    assert tacita(*GATE, "a.csv", *OUT).returncode == 0
    done = tacita("release", "watch", "out", "--html", "page.html", "--json")
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    assert seen["released"] == len(released(tmp_path / "out"))
    assert seen["refusals"] == [{"reason": "unknown-target", "records": 1}]
    targets = {one["name"]: one for one in seen["dependencies"][0]["targets"]}
    assert sum(one["released"] for one in targets.values()) == seen["released"]
    assert sum(one["held"] for one in targets.values()) == seen["held"]
    line = next(line for line in seen["dependencies"][0]["lines"] if line["target"] == "L2")
    assert line["distance"][-1] == [seen["released"], pytest.approx(targets["L2"]["distance"])]
    assert "<svg" in (tmp_path / "page.html").read_text()
    assert "An observer would name" in tacita("release", "watch", "out").stdout
    assert tacita("explain", "out").returncode in {2, 3}  # a folder of a gate is not another release


def test_a_gate_of_a_ledger_is_watched_by_its_policy_and_followed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    csv_file(tmp_path / "a.csv", ROWS[:100])
    csv_file(tmp_path / "b.csv", ROWS[100:150])
    assert run_in_process(["release", "watch", "nowhere"]) == 3
    assert run_in_process(["release", "watch", "gate.toml"]) == 2  # no ledger, so nothing is known
    assert run_in_process(["ledger", "init"]) == 0
    assert run_in_process([*GATE, "a.csv"]) == 0
    looks = follow_gate("gate.toml", every=0.2)
    first = next(looks)
    assert run_in_process([*GATE, "b.csv"]) == 0
    second = next(looks)
    looks.close()
    assert 0 < first.released < second.released
    assert second.released + second.waiting == 150
