"""Why a cell is withheld, asked of a release."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.release.kinds.tables.three_by_three import SECRET, protected

from tacita.attacks.tables.exposure import Exposure
from tacita.errors import InputError, UsageError
from tacita.release.kinds.tables.cells import explain_cells
from tacita.release.opening import kind_of
from tacita.release.writing import write_release


@pytest.fixture
def release(tmp_path: Path) -> Path:
    return write_release(protected(), tmp_path / "out").folder


def test_a_secondary_suppression_names_what_it_protects(release: Path) -> None:
    (found,) = explain_cells(release, {"sector": "III", "region": "C"})
    assert found.sentences[0].startswith(
        "sector=III, region=C is withheld. Withheld to protect sector=II, region=B: without it that cell would be "
        "known exactly."
    )
    assert found.protects == "sector=II, region=B"
    assert found.known_to_within == 0


def test_a_sensitive_cell_names_its_rule_and_its_helpers_and_no_value(release: Path) -> None:
    (found,) = explain_cells(release, {"sector": "II", "region": "B"})
    text = " ".join(found.sentences)
    assert "p % (10)" in text
    assert "these cells are withheld too: (sector=II, region=C), (sector=III, region=B), (sector=III, region=C)" in text
    assert not [figure for figure in SECRET if f"{figure:g}" in text.split()]


def test_a_published_cell_and_several_cells(release: Path) -> None:
    (found,) = explain_cells(release, {"sector": "I", "region": "A"})
    assert found.sentences == ("sector=I, region=A is published.",)
    assert len(explain_cells(release, {"sector": "II"})) == 4


def test_a_changed_figure_is_not_taken_for_the_true_one(tmp_path: Path) -> None:
    given = protected()
    (table,) = given.tables
    values, nothing = table.table.values, np.zeros(16, np.int8)
    moved = replace(table, method="adjustment", status=nothing, values=values + (np.arange(16) == 10) * 6, why={})
    folder = write_release(replace(given, tables=(moved,)), tmp_path / "moved").folder
    (cell,) = explain_cells(folder, {}).withheld
    assert cell.sentences[0].startswith(
        "sector=II, region=B is published, with a figure that was changed by adjustment. Sensitive by p % (10). Seen"
    )
    wide = replace(table, method="intervals", lower=values - 6, upper=values + 6, why={})
    folder = write_release(replace(given, tables=(wide,)), tmp_path / "wide").folder
    (cell,) = explain_cells(folder, {"sector": "III", "region": "C"})
    assert cell.sentences[0].startswith(
        "sector=III, region=C is shown as an interval. So that no sensitive cell can be"
    )


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        ({"secto": "I"}, "no table has a dimension 'secto'; did you mean 'sector'?"),
        ({"sector": "IIII"}, "no code 'IIII' of 'sector'; did you mean 'III'?"),
    ],
)
def test_an_unknown_cell_is_refused(release: Path, cell: dict[str, str], message: str) -> None:
    with pytest.raises(UsageError) as found:
        explain_cells(release, cell)
    assert message in str(found.value)


def test_without_the_internal_folder_nobody_can_ask(release: Path, tmp_path: Path) -> None:
    assert kind_of(release).name == "table release"
    (tmp_path / "out.internal").rename(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="no internal folder"):
        explain_cells(release, {})
    assert explain_cells(release, {}, tmp_path / "elsewhere")


def test_a_reason_that_was_not_confirmed_is_confirmed_when_somebody_asks(tmp_path: Path) -> None:
    whole = protected()
    table = replace(whole.tables[0], why=dict.fromkeys(whole.tables[0].why, Exposure(is_complete=False)))
    release = write_release(replace(whole, tables=(table,)), tmp_path / "out").folder
    row = [cell for cell in explain_cells(release, {"sector": "III"}) if cell.codes["region"] == "C"]
    assert "was not confirmed" in row[0].reason
    (cell,) = explain_cells(release, {"sector": "III", "region": "C"})
    assert cell.reason == "Withheld to protect sector=II, region=B: without it that cell would be known exactly."
    assert cell.is_confirmed
