"""Every option of every command: given twice it collects, or it is refused; none keeps the last in silence."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer

import tacita as tc
from tacita.cli.given_once import is_repeatable
from tacita.cli.main import app, run


def commands(command: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    if not hasattr(command, "commands"):
        yield path, command
        return
    for name, inner in command.commands.items():
        yield from commands(inner, (*path, name))


ALL = [
    (path, option)
    for path, command in commands(typer.main.get_command(app))
    for option in command.params
    if option.param_type_name == "option" and not is_repeatable(option) and "--help" not in option.opts
]


def test_every_option_repeats_or_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert len(ALL) > 200
    for path, option in ALL:
        for spelling in option.opts:
            once = [spelling] if option.is_flag else [spelling, "1"]
            assert run([*path, *once, *once]) == 2, (path, spelling)
            assert f"{option.opts[0]} is given twice" in capsys.readouterr().err, (path, spelling)


def test_two_spellings_of_an_option_are_given_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["anonymize", "people.csv", "-k", "3", "--k=5"]) == 2
    assert "--k is given twice" in capsys.readouterr().err


def test_roles_that_are_repeated_all_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "people.csv"
    path.write_text("area,sex,illness,party\n" + "N,f,a,x\nN,f,b,x\nS,m,a,x\nS,m,b,y\n" * 3)
    flags = ["--quasi", "area", "--quasi", "sex", "--sensitive", "illness", "--sensitive", "party"]
    assert run(["anonymize", str(path), *flags, "-k", "2", "--out", str(tmp_path / "out")]) == 0
    dictionary = tc.read(tmp_path / "out" / "data.csv", dictionary=tmp_path / "out" / "data.dictionary.toml").dictionary
    categories = [attribute.category and attribute.category.value for attribute in dictionary]
    assert categories == ["quasi-identifier", "quasi-identifier", "sensitive", "sensitive"]


@pytest.mark.slow
def test_attributes_of_one_key_are_linked_in_several_options(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("area,sex,code,label\n" + "N,f,1,n\nS,f,2,s\n" * 3 + "E,f,3,e\n")
    linked = ["--linked", "area=code", "--linked", "area=label"]
    flags = ["--quasi", "area,sex", "-k", "2", "--nulls", "maybe", "--keep", "sex", *linked]
    assert run(["anonymize", str(path), *flags, "--out", str(tmp_path / "out")]) == 0
    assert ",f,," in (tmp_path / "out" / "data.csv").read_text().splitlines()


@pytest.mark.parametrize("seed, warns", [("7", True), (str(2**60), False)])
def test_a_seed_that_can_be_guessed_is_told_of(
    seed: str, warns: bool, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "people.csv"
    path.write_text("area,sex\n" + "N,f\nS,m\n" * 5)
    out = str(tmp_path / "out")
    assert run(["anonymize", str(path), "--quasi", "area,sex", "-k", "2", "--seed", seed, "--out", out]) == 0
    assert ("can be guessed" in " ".join(capsys.readouterr().out.split())) == warns
