"""The folder of an experiment: there whole or not at all, and nobody else's is replaced."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest
from experiments.folder import write_results
from experiments.point import FEWEST, Point, Results

from experiments import folder
from tacita.errors import OutputError

RESULTS = Results(0, False, (Point("a", "R25A4W", FEWEST, 2, 9, 9), Point("a", "R25A4W", FEWEST, 5, 55, 82)))


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TACITA_STATE", str(tmp_path / "state"))


@pytest.mark.slow
def test_everything_is_written(tmp_path: Path) -> None:
    target = tmp_path / "out"
    names = write_results(RESULTS, target)
    assert sorted(names) == sorted(each.name for each in target.iterdir())
    assert "figure-7a.svg" in names
    root = ElementTree.parse(target / "figure-7a.svg").getroot()
    assert root.tag == "{http://www.w3.org/2000/svg}svg"
    assert "55 at 5" in root.attrib["aria-label"]


def test_a_folder_is_replaced_only_if_it_is_ours_and_asked_for(tmp_path: Path) -> None:
    target = tmp_path / "out"
    write_results(RESULTS, target)
    with pytest.raises(OutputError, match="exists already"):
        write_results(RESULTS, target)
    (target / "left.txt").write_text("of the old one")
    write_results(RESULTS, target, force=True)
    assert not (target / "left.txt").exists()
    other = tmp_path / "mine"
    other.mkdir()
    (other / "thesis.txt").write_text("years of work")
    with pytest.raises(OutputError, match="no folder of experiments"):
        write_results(RESULTS, other, force=True)
    assert (other / "thesis.txt").read_text() == "years of work"


def test_a_fault_on_the_way_leaves_the_old_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "out"
    write_results(RESULTS, target)
    before = {each.name: each.read_bytes() for each in target.iterdir()}

    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder, "write_text", full)
    with pytest.raises(OutputError, match="No space left"):
        write_results(RESULTS, target, force=True)
    assert {each.name: each.read_bytes() for each in target.iterdir()} == before
    assert sorted(each.name for each in tmp_path.iterdir()) == ["out", "state"]
