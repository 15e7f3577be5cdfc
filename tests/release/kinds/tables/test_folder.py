"""The release folder of tables: what leaves the house holds no secret, and what is not audited does not leave."""

from __future__ import annotations

import csv
import dataclasses
import json
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from tests.release.kinds.tables.three_by_three import SECRET, protected

from tacita.errors import InternalError, OutputError, UsageError
from tacita.release.kinds.tables import kind
from tacita.release.manifest import MANIFEST
from tacita.release.options import TABLE_FORMATS, TableOptions
from tacita.release.verify import verify
from tacita.release.writing import write_release


def test_all_formats_are_written_and_no_secret_leaves_the_house(tmp_path: Path) -> None:
    released = write_release(protected(), tmp_path / "out", TableOptions(TABLE_FORMATS))
    names = sorted(path.name for path in released.folder.iterdir())
    assert names == sorted([*released.files, "tables.html", MANIFEST])
    assert len(released.files) == len(TABLE_FORMATS)
    for path in released.folder.iterdir():
        if path.suffix in {".xlsx", ".parquet"}:
            continue
        text = path.read_text(encoding="utf-8").split("</style>")[-1]
        words = ("primary", "secondary", "p % (10)", "987654", "gap", *(f">{figure:g}<" for figure in SECRET))
        assert not [word for word in words if word in text], path.name
        assert not [figure for figure in SECRET if f",{figure:g}," in text.replace("\n", ",")], path.name
    values = pq.read_table(released.folder / "turnover.parquet")["value"].to_pylist()
    assert values.count(None) == 4
    assert not set(values) & set(SECRET)


def test_the_house_keeps_values_reasons_intervals_and_the_verdict(tmp_path: Path) -> None:
    released = write_release(protected(), tmp_path / "out")
    rows = pq.read_table(released.internal / "turnover.parquet").to_pylist()
    sensitive = next(row for row in rows if row["status"] == "primary")
    assert (sensitive["value"], sensitive["rule"]) == (SECRET[0], "p % (10)")
    assert sensitive["attacked_lower"] <= 17
    assert sensitive["attacked_upper"] >= 27
    helper = next(row for row in rows if row["sector"] == "III" and row["region"] == "C")
    assert helper["reason"] == ("Withheld to protect sector=II, region=B: without it that cell would be known exactly.")
    manifest = json.loads((released.internal / MANIFEST).read_text())
    assert manifest["settings"]["protect"]["seed"] == 987654
    assert manifest["tables"][0]["status"]["secondary"] == 3
    assert json.loads((released.internal / "audit.json").read_text())[0]["passed"] is True
    assert "between" in (released.internal / "tables.html").read_text()


def test_what_fails_the_audit_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match=r"not protected: \(sector=II, region=B"):
        write_release(protected(level=500.0), tmp_path / "out")
    assert not list(tmp_path.iterdir())


def test_a_pattern_that_was_changed_after_the_audit_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    given = protected()
    one = given.tables[0]
    values = one.values.copy()
    values[10] = one.table.values[10]
    wrong = dataclasses.replace(given, tables=(dataclasses.replace(one, values=values),))
    with pytest.raises(InternalError, match="other cells are withheld"):
        write_release(wrong, tmp_path / "out")
    values = one.values.copy()
    values[0] += 1
    wrong = dataclasses.replace(given, tables=(dataclasses.replace(one, values=values),))
    monkeypatch.setattr(kind, "write_parts", _writes_the_right_one(given))
    with pytest.raises(InternalError, match="a figure differs"):
        write_release(wrong, tmp_path / "out")
    assert not list(tmp_path.iterdir())


def _writes_the_right_one(given):
    from tacita.release.kinds.tables.kind import write_parts

    def write(parts, folder, formats, **options):
        return write_parts(given.external_parts(), folder, formats, **options)

    return write


def test_an_existing_release_is_replaced_only_by_force(tmp_path: Path) -> None:
    write_release(protected(), tmp_path / "out")
    with pytest.raises(OutputError, match="exists already"):
        write_release(protected(), tmp_path / "out")
    write_release(protected(), tmp_path / "out", TableOptions(("xlsx",), force=True))
    assert not (tmp_path / "out" / "turnover.csv").exists()


def test_unknown_formats_are_refused() -> None:
    with pytest.raises(UsageError, match=r"no format 'xls' for a table; did you mean 'xlsx'\?"):
        TableOptions(("xls",))


def test_the_released_csv_tells_the_codes(tmp_path: Path) -> None:
    write_release(protected(), tmp_path / "out")
    with (tmp_path / "out" / "turnover.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert rows[0] == {"sector": "Total", "region": "Total", "value": "253", "status": ""}
    assert [(row["sector"], row["region"]) for row in rows if row["status"]] == [
        ("II", "B"), ("II", "C"), ("III", "B"), ("III", "C"),
    ]  # fmt: skip


@pytest.mark.parametrize("text", ["{", "3", "[{}]", "[]", '[{"table": "turnover"}]'])
def test_an_audit_that_cannot_be_read_verifies_nothing(tmp_path: Path, text: str) -> None:
    released = write_release(protected(), tmp_path / "out")
    (released.internal / "audit.json").write_text(text, encoding="utf-8")
    found = verify(str(released.folder))
    assert not found.holds
    assert any("not verified" in fault for fault in found.faults)
    assert not [fault for fault in found.faults if "nobody can say" in fault]
