"""What a reader of the released file sees is what was measured: one value has one spelling, and a null is a null."""

from __future__ import annotations

from pathlib import Path

import pytest

import tacita as tc
from tacita.release.options import ReleaseOptions
from tacita.release.verify import verify

IN_ORDER = ReleaseOptions(shuffle=False)


def released(path: Path, k: int = 3) -> Path:
    data = tc.read(path).with_roles(quasi=["q"])
    tc.release_to(path.with_name("release"), tc.anonymize(data, k=k), IN_ORDER)
    return path.with_name("release")


def test_a_spelling_of_its_own_singles_nobody_out(tmp_path: Path) -> None:
    source = tmp_path / "file.csv"
    source.write_text("q,n\n" + "1.5,1.50\n" * 4 + "1.50,1.5\n" + "0.0,7\n" * 3 + "-0.0,7\n", encoding="utf-8")
    folder = released(source)
    lines = (folder / "data.csv").read_text(encoding="utf-8").splitlines()[1:]
    assert {line.partition(",")[0] for line in lines} == {"1.5", "0.0"}
    assert [line.partition(",")[2] for line in lines][:5] == ["1.50"] * 4 + ["1.5"], "others stay as they were"


def test_missing_words_in_a_column_of_numbers_can_be_read_back(tmp_path: Path) -> None:
    source = tmp_path / "file.csv"
    source.write_text("q,n\nx,NA\nx,1\nx,2\n", encoding="utf-8")
    folder = released(source)
    assert (folder / "data.csv").read_text(encoding="utf-8").splitlines()[1] == "x,NA"
    assert verify(folder).holds


@pytest.mark.slow
@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_suppressed_text_is_missing_in_files_of_packages(tmp_path: Path, ending: str) -> None:
    source = tmp_path / "file.csv"
    source.write_text("q,n\n" + "x,1\n" * 4 + "y,2\nz,3\n", encoding="utf-8")
    tc.read(source).write(tmp_path / f"file{ending}")
    folder = released(tmp_path / f"file{ending}")
    assert tc.read(folder / f"data{ending}").to_arrow()["q"].null_count > 0
    assert verify(folder).holds
