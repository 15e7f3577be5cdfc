"""``--progress``: on every command that may take long, and as lines that a program can read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from tacita.cli import output
from tacita.cli.main import app
from tacita.progress import Step

QUICK = {
    "explain",
    *(f"keys {name}" for name in ("make", "erase", "rotate", "export")),
    *(f"ledger {name}" for name in ("init", "log", "show", "export", "purge", "checkpoint", "prove")),
    *(f"ledger {name}" for name in ("withdraw", "note", "restore")),
    "measures",
    "methods",
    *(f"query {name}" for name in ("backup", "restore")),
    "rules check",
    "rules explain",
    "rules format",
    "rules grammar",
    "rules list",
    "rules serve",
    "rules show",
    "serve",
    "table example",
    "table explain",
    "table import",
    "token list",
    "token make",
    "token revoke",
    "version",
}


def commands(group: Any, before: str = "") -> Iterator[tuple[str, Any]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from commands(command, f"{before}{name} ")
        else:
            yield f"{before}{name}", command


def test_all_commands_but_quick_ones_have_it() -> None:
    without = {
        name
        for name, command in commands(typer.main.get_command(app))
        if not any("--progress" in option.opts for option in command.params)
    }
    assert without == QUICK


def test_a_line_for_each_step(tacita, tmp_path) -> None:
    (tmp_path / "firms.csv").write_text("area,size\nNorth,1\nSouth,2\n", encoding="utf-8")
    done = tacita("describe", "firms.csv", "--progress", "json", "--json")
    assert done.returncode == 0
    json.loads(done.stdout)
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert [list(event) for event in events] == [["doing", "done", "total"]] * len(events)
    assert events[0] == {"doing": "reading firms.csv", "done": 0, "total": None}
    assert events[-1] == {"doing": "looking at each attribute", "done": 2, "total": 2}


@pytest.mark.parametrize("form", ["auto", "none"])
def test_nothing_without_a_terminal(tacita, tmp_path, form: str) -> None:
    (tmp_path / "firms.csv").write_text("area,size\nNorth,1\nSouth,2\n", encoding="utf-8")
    done = tacita("describe", "firms.csv", "--progress", form)
    assert (done.returncode, done.stderr) == (0, "")


def test_an_unknown_form_is_refused(tacita) -> None:
    done = tacita("describe", "firms.csv", "--progress", "xml")
    assert done.returncode == 2
    assert "--progress" in done.stderr


def test_a_long_step_does_not_flood(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    times = iter([0.0, 0.1, 0.15, 0.25, 0.3])
    monkeypatch.setattr(output.time, "monotonic", lambda: next(times))
    report = output.progress_lines()
    for number in range(5):
        report(Step("writing", number, 4))
    assert [json.loads(line)["done"] for line in capsys.readouterr().err.splitlines()] == [0, 3, 4]
