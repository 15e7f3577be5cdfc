"""Tables that no pattern protects: what the refusal says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tacita.tables.protect.protect import protect_table
from tacita.tables.suppression.refusal import UnprotectableTable

# A1/N has one firm and A2/N two; with A/N and everything else published, the one calculates what the two have.
FIRMS = {
    ("A1", "N"): (50,),
    ("A2", "N"): (30, 20),
    ("A1", "S"): (5, 6, 7, 8),
    ("A2", "S"): (9, 8, 7, 6),
    ("B1", "N"): (10, 11, 12),
    ("B1", "S"): (10, 11, 12, 13),
}

SPECIFICATION = """
[data]
microdata = "firms.csv"
contributor = "who"
[dimension.sector]
hierarchy = "sector.hrc"
[[table]]
name = "t"
dimensions = ["sector", "region"]
response = "v"
[sensitivity]
minimum_frequency = 3
[attacker]
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    cells = [(sector, region, value) for (sector, region), values in FIRMS.items() for value in values]
    lines = [f"F{at},{sector},{region},{value}" for at, (sector, region, value) in enumerate(cells)]
    (tmp_path / "firms.csv").write_text("\n".join(["who,sector,region,v", *lines]) + "\n")
    (tmp_path / "sector.hrc").write_text("A\n@A1\n@A2\nB\n@B1\n")
    return tmp_path


def refusal(folder: Path, more: str) -> UnprotectableTable:
    (folder / "spec.toml").write_text(SPECIFICATION + more)
    with pytest.raises(UnprotectableTable) as caught:
        protect_table(folder / "spec.toml")
    return caught.value


def test_a_refusal_names_cell_attacker_rule_option_and_merge(folder: Path) -> None:
    keep = '[protect]\nkeep = [{ sector = "A", region = "N" }, { sector = "A2", region = "S" }, { sector = "B" }]\n'
    found = refusal(folder, keep)
    said = str(found)
    assert "(sector=A2, region=N)" in said
    assert "minimum frequency (3)" in said
    assert "from the contributor of (sector=A1, region=N)" in said
    assert "singletons = false" in said
    assert "'keep' in [protect]" in said
    assert "'A1', 'A2' become 'A'" in said
    assert not {"50", "30", "20"} & set(said.replace(",", " ").split())
    # What it proposes does it.
    for mended in (keep.replace('{ sector = "A", region = "N" }, ', ""), "singletons = false\n" + keep):
        (folder / "spec.toml").write_text(SPECIFICATION + mended)
        assert protect_table(folder / "spec.toml").passed
    (folder / "sector.hrc").write_text("A\nB\n")
    lines = (folder / "firms.csv").read_text()
    (folder / "firms.csv").write_text(lines.replace("A1", "A").replace("A2", "A").replace("B1", "B"))
    (folder / "spec.toml").write_text(SPECIFICATION + keep.replace('{ sector = "A2", region = "S" }, ', ""))
    assert protect_table(folder / "spec.toml").passed


def test_bounds_that_leave_no_room_are_named(folder: Path) -> None:
    found = refusal(folder, "within = 0.05\n")
    assert "from everybody" in str(found)
    assert "'within' in [attacker]" in str(found)
