"""Spellings of one value: told where they feign diversity or rarity, read as one when asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as tc
from tacita.cli.main import run
from tacita.errors import InputError, UsageError

NORTH = ["HIV", "hiv ", "Hiv", "HIV"]
SOUTH = ["flu", "flu", "cold", "angina"]


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = [*(f"north,{illness}" for illness in NORTH), *(f"south,{illness}" for illness in SOUTH), "South,gout"]
    (tmp_path / "survey.csv").write_text("area,illness\n" + "\n".join(lines) + "\n")
    return tmp_path / "survey.csv"


@pytest.mark.slow
def test_spellings_that_feign_diversity_are_told(survey: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roles = ["--quasi", "area", "--sensitive", "illness"]
    told = "2 values of illness are other spellings of a more frequent one"
    for command in (["assess"], ["anonymize", "--measure", "l-diversity"], ["anonymize", "-k", "2"]):
        run([*command, "survey.csv", *roles])
        shown = " ".join(capsys.readouterr().out.split())
        assert told in shown, command
        assert "look more diverse than they are" in shown
        assert "1 value of area is another spelling" in shown
        assert "hiv" not in shown.casefold()
        run([*command, "survey.csv", *roles, "--one-spelling", "illness,area"])
        assert "spelling" not in capsys.readouterr().out


def test_one_spelling_is_the_most_frequent_and_keeps_the_order(survey: Path) -> None:
    data = tc.read(survey, one_spelling="illness")
    assert data.to_arrow()["illness"].to_pylist() == ["HIV"] * 4 + [*SOUTH, "gout"]
    assert data.to_arrow()["area"].to_pylist()[-1] == "South"
    with pytest.raises(InputError, match="did you mean 'illness'"):
        tc.read(survey, one_spelling=("ilness",))
    (survey.parent / "n.csv").write_text("n\n1\n2\n")
    with pytest.raises(UsageError, match="is not a text"):
        tc.read("n.csv", one_spelling="n")
