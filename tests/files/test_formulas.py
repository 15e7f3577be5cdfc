"""Cells that a spreadsheet would run: told in every way out, and texts when asked for."""

from __future__ import annotations

import csv
from pathlib import Path

import openpyxl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.release.outcomes import outcome

import tacita as tc
from tacita.cli.main import run
from tacita.errors import UsageError
from tacita.files.formulas import escaped, formula_cells, is_formula
from tacita.release.options import MaskedOptions, ReleaseOptions
from tacita.release.verify import verify
from tacita.release.writing import write_release

pytestmark = pytest.mark.slow

CELLS = ["=HYPERLINK(1)", "@x", "+x", "-x", "\t=1", "\r=1", "-5", "+1.5", "-", "x", None, "＝1", "'=1", "-1,5", "-1e-3"]


@given(st.lists(st.one_of(st.none(), st.text("=+-@\t\r\n ab019.,e%＝－'"), st.sampled_from(CELLS)), min_size=1))
def test_the_engine_finds_what_a_look_at_each_cell_finds(cells: list[str | None]) -> None:
    data = tc.read(pa.table({"=a": pa.array(cells, pa.string()), "n": [-1] * len(cells)}))
    found = [cell for cell in cells if cell is not None and is_formula(cell)]
    assert formula_cells(data.microdata) == ({"=a": len(found)} if found else {})
    safe = escaped(data.microdata)
    assert safe.dictionary.names == ("'=a", "n")
    now = [cell for batch in safe.relation.batches() for cell in batch.column(0).to_pylist()]
    assert now == [f"'{cell}" if cell is not None and is_formula(cell) else cell for cell in cells]


@pytest.fixture
def survey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    lines = ["area,remark,n", *(f'north,"{cell}",-{n}' for n, cell in enumerate(["=1+1", "-5", "+cmd|x", "fine"]))]
    (tmp_path / "survey.csv").write_text("\n".join(lines) + "\n")
    return tmp_path / "survey.csv"


def remarks(path: Path) -> list[str]:
    with path.open(newline="", encoding="utf-8") as lines:
        return sorted(row["remark"] for row in csv.DictReader(lines))


PLAIN, SAFE = ["+cmd|x", "-5", "=1+1", "fine"], ["'+cmd|x", "'=1+1", "-5", "fine"]


def test_convert(survey: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["convert", "survey.csv", "a.csv"]) == 0
    assert "note: 2 cells of remark look like formulas" in capsys.readouterr().out
    assert run(["convert", "survey.csv", "b.csv", "--escape-formulas"]) == 0
    assert "formulas" not in capsys.readouterr().out
    assert run(["convert", "survey.csv", "-", "--escape-formulas"]) == 0
    piped = capsys.readouterr()
    assert "'=1+1" in piped.out
    assert piped.err == ""
    assert run(["convert", "survey.csv", "-"]) == 0
    assert "--escape-formulas" in capsys.readouterr().err
    assert remarks(Path("a.csv")) == PLAIN
    assert remarks(Path("b.csv")) == SAFE
    assert run(["convert", "survey.csv", "c.parquet", "--escape-formulas"]) == 2
    assert not Path("c.parquet").exists()


def test_excel_has_texts_and_no_formulas(survey: Path) -> None:
    assert tc.read(survey).write("a.xlsx") == ()
    sheet = openpyxl.load_workbook("a.xlsx").active
    assert {cell.data_type for row in sheet.iter_rows(min_row=2, max_col=2) for cell in row} == {"s"}


def test_a_release_tells_them_or_makes_texts_of_them(survey: Path) -> None:
    data = tc.read(survey).with_roles(quasi=["area"])
    plain = write_release(outcome(data), Path("plain"), ReleaseOptions(seed=1))
    assert any("2 cells of remark look like formulas" in note for note in plain.notes)
    assert not any("HYPER" in note or "cmd" in note for note in plain.notes)
    safe = write_release(outcome(data), Path("safe"), ReleaseOptions(seed=1, escape_formulas=True))
    assert not any("formulas" in note for note in safe.notes)
    assert remarks(plain.data) == PLAIN
    assert remarks(safe.data) == SAFE
    assert verify(Path("safe")).holds
    with pytest.raises(UsageError, match="CSV and TSV"):
        parquet = tc.read(pa.table({"area": ["a", "a"]})).with_roles(quasi=["area"])
        write_release(outcome(parquet), Path("none"), ReleaseOptions(seed=1, escape_formulas=True))


def test_masked_data_too(survey: Path) -> None:
    data = tc.read(survey).with_roles(quasi=["area"], sensitive=["remark"])
    found = tc.mask(data, {"seed": 1, "step": [{"method": "rounding", "attributes": ["n"], "base": 2}]})
    plain = tc.release_to("plain", found, MaskedOptions(ungated=True))
    assert any("2 cells of remark look like formulas" in note for note in plain.notes)
    safe = tc.release_to("safe", found, MaskedOptions(ungated=True, escape_formulas=True))
    assert remarks(safe.data) == SAFE
    assert run(["verify", "safe"]) == 0


def test_a_wide_table_is_looked_at_in_strips_first() -> None:
    cells = {f"c{place}": ["x", "", "a\x1f=1", None] for place in range(900)}
    cells["c450"] = ["-5", "=1", None, "@a"]
    assert formula_cells(tc.read(pa.table(cells)).microdata) == {"c450": 2}
