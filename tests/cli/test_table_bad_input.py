"""Bad tables through the command line: an exit code, what and where and what to do, no traceback, no value, no file."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tacita.cli.main import run

SPEC = """
[data]
cells = "cells.csv"
{data}
[[table]]
name = "t"
dimensions = {dimensions}
response = "value"
{more}
"""
HEAD = "row,column,value\n"
GOOD = {
    ("Total", "Total"): 10,
    ("Total", "a"): 4,
    ("Total", "b"): 6,
    ("r", "Total"): 7,
    ("r", "a"): 3,
    ("r", "b"): 4,
    ("s", "Total"): 3,
    ("s", "a"): 1,
    ("s", "b"): 2,
}


def cells(changed: dict[tuple[str, str], object] | None = None, more: str = "") -> str:
    values = {**GOOD, **(changed or {})}
    return HEAD + "".join(f"{row},{column},{value}\n" for (row, column), value in values.items()) + more


@pytest.fixture
def table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Write a specification and its cells, and go to their folder."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, *, data: str = "", more: str = "", dimensions: str = '["row", "column"]') -> None:
        (tmp_path / "cells.csv").write_text(text)
        (tmp_path / "spec.toml").write_text(SPEC.format(data=data, more=more, dimensions=dimensions))

    return write


def refused(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 3) -> str:
    before = sorted(os.listdir())  # noqa: PTH208
    assert run(list(arguments)) == code
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "what to do:" in printed.err
    assert "Traceback" not in printed.err
    assert sorted(os.listdir()) == before  # noqa: PTH208
    return printed.err


COMMANDS = [("build",), ("assess",), ("audit",), ("protect", "--out", "out", "--time", "0")]


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_table_that_does_not_add_up(table, capsys, command: tuple[str, ...]) -> None:
    table(cells({("r", "Total"): 12}))
    message = refused(capsys, "table", command[0], "spec.toml", *command[1:])
    assert "does not add up: the parts of row=r, column=Total fall short of it by 5 (over column)" in message


def test_negative_values_need_an_attacker_who_allows_them(table, capsys) -> None:
    changed = {("s", "a"): -1, ("Total", "a"): 2, ("s", "Total"): 1, ("Total", "Total"): 8}
    table(cells(changed))
    assert "negative values: (row=s, column=a)" in refused(capsys, "table", "build", "spec.toml")
    table(cells(changed), more='[attacker]\nlower = "none"\n')
    assert run(["table", "build", "spec.toml"]) == 0


def test_infinite_values(table, capsys) -> None:
    table(cells({("s", "a"): "inf"}))
    assert "cells.csv" in refused(capsys, "table", "build", "spec.toml")


def test_a_missing_value_is_a_withheld_one_and_can_be_audited_but_not_protected(table, capsys) -> None:
    table(cells({("s", "a"): "NaN"}))
    assert run(["table", "audit", "spec.toml"]) == 1
    assert "can calculate row=s, column=a exactly" in capsys.readouterr().out
    message = refused(capsys, "table", "protect", "spec.toml", "--out", "out")
    assert "true value" in message


def test_cells_given_twice(table, capsys) -> None:
    table(cells(more="r,a,3\n"))
    assert "cells given more than once: (row=r, column=a)" in refused(capsys, "table", "build", "spec.toml")


def test_a_hierarchy_that_does_not_cover(table, capsys) -> None:
    table(cells(), more='[dimension.column]\ntree = { Total = ["a", "c"] }\n')
    assert "'b'" in refused(capsys, "table", "build", "spec.toml")


def test_bounds_that_exclude_the_truth_name_the_cell_and_not_the_value(table, capsys) -> None:
    table(cells(), more="[attacker]\nupper = 9\n")
    message = refused(capsys, "table", "audit", "spec.toml")
    assert "exclude the true value of 1 cell: (row=Total, column=Total)" in message
    bounded = [f"{line},{'low' if line.endswith('value') else 2}" for line in cells().splitlines()]
    table("\n".join(bounded), data='lower = "low"')
    message = refused(capsys, "table", "audit", "spec.toml")
    assert "row=s, column=a" in message


def test_wrong_keys_are_told_all_at_once_with_their_lines(table, capsys) -> None:
    table(cells(), more="[sensitivity]\nminimum_frequncy = 3\n[protect]\nmethod = 'supression'\n")
    message = refused(capsys, "table", "protect", "spec.toml")
    assert "unknown key 'minimum_frequncy' in [sensitivity]; did you mean 'minimum_frequency'?" in message
    assert "'method' in [protect] cannot be 'supression'; did you mean 'suppression'?" in message


def test_wrong_requests(table, capsys) -> None:
    table(cells())
    assert "none.toml" in refused(capsys, "table", "build", "none.toml", code=3)
    assert "no format 'xls'" in refused(
        capsys, "table", "protect", "spec.toml", "--out", "out", "--format", "xls", code=2
    )
    assert "no method 'magic'" in refused(capsys, "table", "protect", "spec.toml", "--method", "magic", code=2)
    assert "no release" in refused(capsys, "table", "protect", "spec.toml", "--force", code=2)
    assert "no such file or folder" in refused(capsys, "table", "audit", "spec.toml", "--pattern", "none", code=2)


def test_errors_are_json_if_the_answer_would_be(table, capsys) -> None:
    table(cells({("r", "Total"): 12}))
    assert run(["table", "audit", "spec.toml", "--json"]) == 3
    printed = capsys.readouterr()
    assert printed.out == ""
    assert json.loads(printed.err)["error"]["exit_code"] == 3


def test_an_existing_and_an_unwritable_folder(table, capsys, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table(cells())
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    assert "exists already" in refused(capsys, "table", "protect", "spec.toml", "--out", "out", code=4)
    assert "is no release" in refused(capsys, "table", "protect", "spec.toml", "--out", "out", "--force", code=4)
    assert "does not exist" in refused(capsys, "table", "protect", "spec.toml", "--out", "no/out", code=4)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert "no permission" in refused(capsys, "table", "protect", "spec.toml", "--out", "other", code=4)
